//! Writes a value as RFC 8785 says: no blanks, keys in the order of their UTF-16 units, numbers as ECMAScript prints them.

use serde_json::{Number, Value};

/// The canonical text of `value`.
///
/// Recursion is bounded by the depth that [`super::read`] accepts.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// How many arrays and objects stand inside one another in `value`.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            // Sorted here, because the order of the map depends on a feature any crate of the build may turn on.
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (i, (key, member)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "RFC 8785 numbers are doubles; the reader lets no larger integer in")]
fn write_number(number: &Number, out: &mut String) {
    let double = match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => integer as f64,
        (None, Some(double)) => double,
        (None, None) => f64::NAN,
    };
    write_double(double, out);
}

pub(super) fn write_double(double: f64, out: &mut String) {
    out.push_str(ryu_js::Buffer::new().format(double));
}

pub(super) fn write_string(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    if !text.bytes().any(|b| b < b' ' || b == b'"' || b == b'\\') {
        out.push_str(text);
        out.push('"');
        return;
    }
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, read};
    use super::*;

    fn canonical_of(text: &str) -> String {
        canonical(&read(text.as_bytes(), Limits::CALL).unwrap())
    }

    #[test]
    fn the_example_of_rfc_8785() {
        let given = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\
            \"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical_of(given), expected);
    }

    #[test]
    fn keys_are_sorted_by_their_utf_16_units() {
        let given = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        assert_eq!(canonical_of(given), "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}");
    }

    #[test]
    fn numbers_are_printed_as_ecmascript_prints_them() {
        for (given, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("100", "100"),
            ("1e2", "100"),
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991", "-9007199254740991"),
            ("1e21", "1e+21"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ] {
            assert_eq!(canonical_of(given), expected, "{given}");
        }
    }
}
