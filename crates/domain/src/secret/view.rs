//! A text, and ways to look into it that cannot fail.

use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct View<'t>(pub(super) &'t str);

impl<'t> View<'t> {
    /// The byte at `at`; 0 past the end.
    pub(super) fn at(self, at: usize) -> u8 {
        self.0.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The byte before `at`; 0 at the start.
    pub(super) fn before(self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.at(at))
    }

    /// The text at `range`; nothing where it cuts a character.
    pub(super) fn piece(self, range: Range<usize>) -> &'t str {
        self.0.get(range).unwrap_or_default()
    }

    pub(super) fn starts_with(self, at: usize, what: &str) -> bool {
        self.0.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// Where the bytes from `from` on stop being `fit`, or `most` of them have passed.
    pub(super) fn run(self, from: usize, most: usize, fit: impl Fn(u8) -> bool) -> usize {
        let rest = self.0.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take(most).take_while(|&&b| fit(b)).count()
    }

    /// The same towards the start.
    pub(super) fn run_back(self, to: usize, most: usize, fit: impl Fn(u8) -> bool) -> usize {
        let rest = self.0.as_bytes().get(..to).unwrap_or_default();
        to - rest.iter().rev().take(most).take_while(|&&b| fit(b)).count()
    }

    pub(super) fn skip_blanks(self, from: usize) -> usize {
        self.run(from, 8, |b| matches!(b, b' ' | b'\t'))
    }

    /// Whether a word may begin at `at`. What ends before it may also be an escape: `\n`, `%3D`, a colour's `\x1b[31m`.
    pub(super) fn begins(self, at: usize) -> bool {
        let last = self.before(at);
        if !last.is_ascii_alphanumeric() {
            return true;
        }
        let (second, third) = (self.before(at.saturating_sub(1)), self.before(at.saturating_sub(2)));
        (matches!(last, b'n' | b'r' | b't') && second == b'\\')
            || (third == b'%' && last.is_ascii_hexdigit() && second.is_ascii_hexdigit())
            || (last == b'm' && {
                let digits = self.run_back(at.saturating_sub(1), 12, |b| b.is_ascii_digit() || b == b';');
                self.before(digits) == b'[' && self.before(digits.saturating_sub(1)) == 0x1b
            })
    }
}
