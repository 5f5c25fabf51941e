//! Numbers, as far as every reader takes them for the same.

use super::{Reader, Wrong};
use serde_json::{Number, Value};

pub(super) const LARGEST_INTEGER: i64 = (1 << 53) - 1;

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Result<Value, Wrong> {
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
pub(super) fn double(literal: &str) -> Result<Number, Wrong> {
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
