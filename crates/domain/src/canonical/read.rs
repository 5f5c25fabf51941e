//! Reads JSON strictly: one meaning, or an error that says where and why.

use serde_json::{Map, Number, Value};

/// How much is read at the most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Arrays and objects inside one another.
    pub depth: usize,
}

impl Limits {
    /// For the arguments of one call.
    pub const CALL: Self = Self { bytes: 256 * 1024, depth: 64 };
    /// For a document that holds a call and what stands around it, such as a whole configuration.
    pub const DOCUMENT: Self = Self { bytes: 64 * 1024 * 1024, depth: 80 };
}

/// Text that is not one JSON value with one meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {wrong}")]
pub struct ReadError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub wrong: Wrong,
}

/// What is wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// Too long.
    #[error("the text is longer than {0} bytes")]
    TooLong(usize),
    /// Too deeply nested.
    #[error("arrays and objects are nested more than {0} deep")]
    TooDeep(usize),
    /// Not UTF-8.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// A key stands twice in one object.
    #[error("the key `{0}` stands twice in one object")]
    RepeatedKey(String),
    /// Half of a surrogate pair.
    #[error("a lone surrogate `\\u{0:04x}` is half a character")]
    LoneSurrogate(u16),
    /// An integer that not every reader takes for the same number.
    #[error("the integer `{0}` is beyond ±(2^53−1): write it as a string")]
    IntegerTooLarge(String),
    /// A number no double can hold.
    #[error("the number `{0}` is too large")]
    NumberTooLarge(String),
    /// Something after the value.
    #[error("expected the end of the text, found {0}")]
    TrailingText(String),
    /// Something else than what must stand here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What would have been right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
}

/// The one value that `text` holds.
pub fn read(text: &[u8], limits: Limits) -> Result<Value, ReadError> {
    if text.len() > limits.bytes {
        return Err(ReadError { line: 1, column: 1, wrong: Wrong::TooLong(limits.bytes) });
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let valid = text.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok());
        place(valid.unwrap_or_default(), Wrong::NotUtf8)
    })?;
    let mut reader = Reader { text, at: 0, open: 0, depth: limits.depth };
    reader.document().map_err(|wrong| place(text.get(..reader.at).unwrap_or(text), wrong))
}

/// The error at the end of `before`, the part of the text that was read.
fn place(before: &str, wrong: Wrong) -> ReadError {
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ReadError { line, column, wrong }
}

const LARGEST_INTEGER: i64 = (1 << 53) - 1;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    open: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Value, Wrong> {
        let value = self.value()?;
        self.blanks();
        if self.at < self.text.len() {
            return Err(Wrong::TrailingText(self.found()));
        }
        Ok(value)
    }

    /// Recursion is bounded by `depth`.
    fn value(&mut self) -> Result<Value, Wrong> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Wrong>) -> Result<Value, Wrong> {
        if self.open == self.depth {
            return Err(Wrong::TooDeep(self.depth));
        }
        self.open += 1;
        self.at += 1;
        let value = read(self)?;
        self.open -= 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, Wrong> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            self.expect(b',', "`,` or `]`")?;
        }
    }

    fn object(&mut self) -> Result<Value, Wrong> {
        let mut members = Map::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.blanks();
            let before = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            if members.contains_key(&key) {
                self.at = before;
                return Err(Wrong::RepeatedKey(key.chars().take(64).collect()));
            }
            self.expect(b':', "`:`")?;
            let member = self.value()?;
            members.insert(key, member);
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    fn string(&mut self) -> Result<String, Wrong> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.unexpected("the rest of a string (control characters are written as escapes)")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Wrong> {
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.unexpected("one of `\" \\ / b f n r t u` after `\\`")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Wrong> {
        let first = self.four_digits()?;
        if let Some(c) = char::from_u32(u32::from(first)) {
            return Ok(c);
        }
        let after_first = self.at;
        if first < 0xDC00 && self.rest().starts_with("\\u") {
            self.at += 1;
            let second = self.four_digits()?;
            if let Some(Ok(c)) = char::decode_utf16([first, second]).next() {
                return Ok(c);
            }
            self.at = after_first;
        }
        Err(Wrong::LoneSurrogate(first))
    }

    /// Reads `uXXXX`.
    fn four_digits(&mut self) -> Result<u16, Wrong> {
        self.at += 1;
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => Err(self.unexpected("four hexadecimal digits after `\\u`")),
        }
    }

    fn number(&mut self) -> Result<Value, Wrong> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            whole = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let literal = self.text.get(start..self.at).unwrap_or_default();
        let number = if whole { integer(literal) } else { double(literal) };
        number.map(Value::Number).inspect_err(|_| self.at = start)
    }

    fn digits(&mut self) -> Result<(), Wrong> {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, Wrong> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.unexpected("a JSON value"))
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Wrong> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn blanks(&mut self) {
        self.at += self.rest().bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn unexpected(&self, expected: &'static str) -> Wrong {
        Wrong::Unexpected { expected, found: self.found() }
    }

    fn found(&self) -> String {
        match self.rest().chars().next() {
            None => "the end of the text".to_owned(),
            Some(c) if c.is_control() => format!("the character U+{:04X}", u32::from(c)),
            Some(c) => format!("`{c}`"),
        }
    }
}

fn integer(literal: &str) -> Result<Number, Wrong> {
    match literal.parse::<i64>() {
        Ok(integer) if integer.unsigned_abs() <= LARGEST_INTEGER.unsigned_abs() => Ok(integer.into()),
        _ => Err(Wrong::IntegerTooLarge(shortened(literal))),
    }
}

/// A number with a fraction or an exponent; a whole one becomes an integer, so that `5.0` and `5` are one value.
///
/// Below 1e21 the canonical text of a whole number is all digits: what could not be read again is refused.
#[expect(clippy::cast_possible_truncation, reason = "only values within the range of exact integers are cast")]
#[expect(clippy::cast_precision_loss, reason = "2^53−1 is exact")]
fn double(literal: &str) -> Result<Number, Wrong> {
    let double: f64 = literal.parse().unwrap_or(f64::INFINITY);
    if double.fract() == 0.0 && double.abs() <= LARGEST_INTEGER as f64 {
        return Ok((double as i64).into());
    }
    if double.fract() == 0.0 && double.abs() < 1e21 {
        return Err(Wrong::IntegerTooLarge(shortened(literal)));
    }
    Number::from_f64(double).ok_or_else(|| Wrong::NumberTooLarge(shortened(literal)))
}

fn shortened(literal: &str) -> String {
    literal.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::super::canonical;
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
}
