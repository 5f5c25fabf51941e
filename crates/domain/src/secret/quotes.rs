//! Whether a place in a line stands within quotes, so that a quote that closes is not taken for one that opens.
//!
//! Were it, then in `echo "PASSWORD=";reboot;""` the command in the middle would be taken for a password, and hidden.

use super::view::View;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Nothing,
    Single,
    Double,
}

/// Goes through a text once, from the start on.
pub(super) struct Quotes<'t> {
    view: View<'t>,
    at: usize,
    within: Within,
}

impl<'t> Quotes<'t> {
    pub(super) fn new(view: View<'t>) -> Self {
        Self { view, at: 0, within: Within::Nothing }
    }

    /// What `at` stands within. Asked in order; an earlier place than the last is answered like the last.
    pub(super) fn at(&mut self, at: usize) -> Within {
        while self.at < at {
            self.step();
        }
        self.within
    }

    fn step(&mut self) {
        let (b, view, at) = (self.view.at(self.at), self.view, self.at);
        self.at += 1;
        self.within = match (b, self.within) {
            (b'\n', _) | (b'"', Within::Double) | (b'\'', Within::Single) => Within::Nothing,
            (b'"', Within::Nothing) => Within::Double,
            // The apostrophe of a word is no quote.
            (b'\'', Within::Nothing)
                if !(view.before(at).is_ascii_alphabetic() && view.at(at + 1).is_ascii_alphabetic()) =>
            {
                Within::Single
            }
            (b'\\', Within::Nothing | Within::Double) => {
                self.at += 1;
                self.within
            }
            (_, within) => within,
        };
    }
}
