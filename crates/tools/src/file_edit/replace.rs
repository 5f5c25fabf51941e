//! Replacing one text by another within a third.

use crate::place::LARGEST;

/// A replacement.
#[derive(Debug)]
pub struct Replace {
    old: String,
    new: String,
    times: Times,
}

/// How often something is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// It must occur exactly once.
    Once,
    /// Wherever it occurs, which it must.
    All,
}

impl Replace {
    /// Replaces `old` by `new`.
    pub fn new(old: String, new: String, times: Times) -> Result<Self, String> {
        if old.is_empty() {
            return Err("`old_string` is empty: to make a file, use `file_write`. Nothing was done.".to_owned());
        }
        if old == new {
            return Err("`old_string` and `new_string` are the same. Nothing was done.".to_owned());
        }
        Ok(Self { old, new, times })
    }

    /// What `text` becomes. Why it cannot be is said without its end: the caller says where.
    ///
    /// Models write line ends as `\n`. In a text whose lines all end in `\r\n` that is what they mean.
    pub fn within(&self, text: &str) -> Result<String, String> {
        let crlf = |given: &str| given.replace('\n', "\r\n");
        let plain = !self.old.contains('\r') && !self.new.contains('\r');
        let (old, new) = if plain && ends_in_crlf(text) {
            (crlf(&self.old), crlf(&self.new))
        } else {
            (self.old.clone(), self.new.clone())
        };
        let count = text.matches(&old).count();
        // Known before it is made: a short text can become a very long one.
        let becomes = (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
        match (count, self.times) {
            (0, _) => Err("`old_string` does not occur".to_owned()),
            (1, _) | (_, Times::All) if becomes > LARGEST => Err(format!("there would be more than {LARGEST} bytes")),
            (1, _) | (_, Times::All) => Ok(text.replace(&old, &new)),
            (count, Times::Once) => Err(format!(
                "`old_string` occurs {count} times: give more of the lines around it, or set `replace_all`; it is not unique"
            )),
        }
    }
}

/// Whether every line ends in `\r\n`.
fn ends_in_crlf(text: &str) -> bool {
    text.contains('\n') && text.matches('\n').count() == text.matches("\r\n").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, old: &str, new: &str, times: Times) -> String {
        Replace::new(old.to_owned(), new.to_owned(), times)
            .and_then(|replace| replace.within(text))
            .unwrap_or_else(|why| why)
    }

    #[test]
    fn what_occurs_once_is_replaced() {
        assert_eq!(replaced("a b c", "b", "x\ny", Times::Once), "a x\ny c");
        assert_eq!(replaced("a b b", "b", "", Times::All), "a  ");
        assert!(replaced("a b b", "b", "x", Times::Once).starts_with("`old_string` occurs 2 times"));
        assert_eq!(replaced("a", "b", "x", Times::All), "`old_string` does not occur");
        assert!(replaced("a", "", "x", Times::All).contains("is empty"));
        assert!(replaced("a", "a", "a", Times::All).contains("the same"));
    }

    #[test]
    fn line_ends_stay_what_they_are() {
        assert_eq!(replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny", Times::Once), "x\r\ny\r\nc\r\n");
        assert_eq!(replaced("a\r\nb\r\n", "a", "x\ny", Times::Once), "x\r\ny\r\nb\r\n");
        assert_eq!(replaced("a\r\nb\r\n", "a\r\n", "x\n", Times::Once), "x\nb\r\n", "whoever writes them means them");
        assert_eq!(replaced("a\r\nb\n", "b\n", "x\n", Times::Once), "a\r\nx\n", "mixed: exactly as given");
        assert_eq!(replaced("a\r\nb\n", "a\nb", "x", Times::Once), "`old_string` does not occur");
    }
}
