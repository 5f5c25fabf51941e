//! Reads JSON strictly: one meaning, or an error that says where and why.

mod number;
mod string;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

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
