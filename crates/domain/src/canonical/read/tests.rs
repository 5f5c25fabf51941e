//! What is read, what is refused and where.

use super::super::canonical;
use super::number::{LARGEST_INTEGER, double};
use super::*;
use proptest::prelude::*;

fn wrong(text: &str) -> String {
    read(text.as_bytes(), Limits::CALL).unwrap_err().to_string()
}

#[test]
fn what_readers_disagree_on_is_refused_with_its_place() {
    for (text, expected) in [
        (r#"{"a":1,"a":2}"#, "line 1, column 8: the key `a` stands twice in one object"),
        (r#"{"a":1,"\u0061":2}"#, "line 1, column 8: the key `a` stands twice in one object"),
        ("{\n \"x\": \"\\ud800\"}", "line 2, column 14: a lone surrogate `\\ud800` is half a character"),
        (r#""\udc00\ud800""#, "line 1, column 8: a lone surrogate `\\udc00` is half a character"),
        (r#""\ud800\u0041""#, "line 1, column 8: a lone surrogate `\\ud800` is half a character"),
        ("{} {}", "line 1, column 4: expected the end of the text, found `{`"),
        (
            "9007199254740992",
            "line 1, column 1: the integer `9007199254740992` is beyond ±(2^53−1): write it as a string",
        ),
        (
            "-9007199254740992",
            "line 1, column 1: the integer `-9007199254740992` is beyond ±(2^53−1): write it as a string",
        ),
        (
            "99999999999999999999999",
            "line 1, column 1: the integer `99999999999999999999999` is beyond ±(2^53−1): write it as a string",
        ),
        ("1e20", "line 1, column 1: the integer `1e20` is beyond ±(2^53−1): write it as a string"),
        ("1e400", "line 1, column 1: the number `1e400` is too large"),
        ("", "line 1, column 1: expected a JSON value, found the end of the text"),
        ("[1,]", "line 1, column 4: expected a JSON value, found `]`"),
        ("{a:1}", "line 1, column 2: expected a key in double quotes, found `a`"),
        ("01", "line 1, column 2: expected the end of the text, found `1`"),
        ("+1", "line 1, column 1: expected a JSON value, found `+`"),
        (".5", "line 1, column 1: expected a JSON value, found `.`"),
        ("NaN", "line 1, column 1: expected a JSON value, found `N`"),
        (
            "\"a\tb\"",
            "line 1, column 3: expected the rest of a string (control characters are written as escapes), found the character U+0009",
        ),
        ("\u{feff}{}", "line 1, column 1: expected a JSON value, found `\u{feff}`"),
        (r#""\x""#, "line 1, column 3: expected one of `\" \\ / b f n r t u` after `\\`, found `x`"),
    ] {
        assert_eq!(wrong(text), expected, "{text}");
    }
    assert!(read(b"\"\xff\"", Limits::CALL).unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn the_limits_are_exact() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(read(nested(64).as_bytes(), Limits::CALL).is_ok());
    assert_eq!(wrong(&nested(65)), "line 1, column 65: arrays and objects are nested more than 64 deep");
    assert!(wrong(&nested(100_000)).contains("nested more than 64 deep"));
    let long = |n: usize| format!("\"{}\"", "x".repeat(n - 2));
    assert!(read(long(256 * 1024).as_bytes(), Limits::CALL).is_ok());
    assert_eq!(wrong(&long(256 * 1024 + 1)), "line 1, column 1: the text is longer than 262144 bytes");
}

#[test]
fn many_short_siblings_are_not_deep() {
    assert!(read(format!("[{}[]]", "[],".repeat(1000)).as_bytes(), Limits::CALL).is_ok());
}

fn plain() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-LARGEST_INTEGER..=LARGEST_INTEGER).prop_map(|n| Value::Number(n.into())),
        any::<String>().prop_map(Value::String),
    ]
}

fn fraction() -> impl Strategy<Value = Value> {
    any::<f64>().prop_filter_map("a number the reader takes", |n| double(&format!("{n:e}")).ok().map(Value::Number))
}

fn nested(leaf: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, Limits::CALL);
    }

    #[test]
    fn nearly_json_never_panics(text in r#"[\[\]{}:,"\\ud8001e+\-.0-9a-f \n]{0,60}"#) {
        let _ = read(text.as_bytes(), Limits::CALL);
    }

    #[test]
    fn canonical_text_reads_back_as_the_same_value(value in nested(prop_oneof![plain(), fraction()])) {
        let text = canonical(&value);
        let again = read(text.as_bytes(), Limits::DOCUMENT);
        prop_assert_eq!(again, Ok(value));
    }

    #[test]
    fn what_is_read_agrees_with_a_lenient_reader(value in nested(plain())) {
        let text = serde_json::to_string(&value).unwrap();
        if let Ok(strict) = read(text.as_bytes(), Limits::DOCUMENT) {
            let lenient: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(canonical(&strict), canonical(&lenient));
        }
    }
}
