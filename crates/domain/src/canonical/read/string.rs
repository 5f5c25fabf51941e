//! Strings and their escapes.

use super::{Reader, Wrong};

impl Reader<'_> {
    pub(super) fn string(&mut self) -> Result<String, Wrong> {
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
}
