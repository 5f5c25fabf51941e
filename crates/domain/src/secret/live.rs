//! Masks words while they are being said: what may be the beginning of a secret is held back until it is known.
//!
//! Words are passed on as they come, as long as nothing in their line says that a secret may follow. From there on the line
//! is held back to its end, and a block of a private key to its last line.

use super::Masker;
use super::pem;
use super::scan::first_anchor;

/// Words that are being said.
pub struct Live {
    masker: Masker,
    /// What was said, from the start of the line on that is told in part.
    said: String,
    /// How much of it is told.
    told: usize,
}

impl Live {
    /// Nothing was said yet.
    pub const fn new(masker: Masker) -> Self {
        Self { masker, said: String::new(), told: 0 }
    }

    /// Takes the next words, and gives those that can be told by now: perhaps none.
    pub fn next(&mut self, words: &str) -> String {
        self.said.push_str(words);
        let ready = self.ready();
        self.tell(ready)
    }

    /// Gives the rest: nothing more will be said.
    pub fn end(&mut self) -> String {
        self.tell(self.said.len())
    }

    /// Up to where nothing that is still to come changes anything.
    fn ready(&self) -> usize {
        let said = &*self.said;
        let open = said.rfind(pem::ANCHOR).filter(|begin| {
            // The line that ends a block has to be there as a whole.
            let end = said.get(*begin..).and_then(|rest| rest.find("-----END ").and_then(|end| rest.get(end..)));
            end.is_none_or(|end| !end.contains('\n'))
        });
        let said = said.get(..open.unwrap_or(said.len())).unwrap_or_default();
        let line = said.rfind('\n').map_or(0, |at| at + 1);
        let rest = said.get(line..).unwrap_or_default();
        let plain = rest.get(..first_anchor(rest).unwrap_or(rest.len())).unwrap_or_default();
        // A word that is not over may become anything.
        let words = plain.rfind(char::is_whitespace).map_or(0, |at| at + plain.get(at..).map_or(0, first_len));
        (line + words).max(self.told)
    }

    fn tell(&mut self, upto: usize) -> String {
        let before = self.said.get(..self.told).unwrap_or_default();
        let mut words = self.said.get(self.told..upto).unwrap_or_default().to_owned();
        if words.is_empty() {
            return words;
        }
        self.masker.mask_after(before, &mut words);
        self.told = upto;
        let line = self.said.get(..upto).and_then(|told| told.rfind('\n')).map_or(0, |at| at + 1);
        self.said.drain(..line);
        self.told -= line;
        words
    }
}

/// The length of the first character.
fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Key;
    use proptest::prelude::*;

    fn live() -> Live {
        Live::new(Masker::new(&Key::new([7; 32]), None))
    }

    /// What is told after each of these pieces, and at the end.
    fn told(pieces: &[&str]) -> Vec<String> {
        let mut live = live();
        let mut told: Vec<_> = pieces.iter().map(|piece| live.next(piece)).collect();
        told.push(live.end());
        told
    }

    #[test]
    fn plain_words_are_told_as_soon_as_they_are_over() {
        assert_eq!(
            told(&["Let me ", "lo", "ok at it", ".\n", "Done"]),
            ["Let me ", "", "look at ", "it.\n", "", "Done"]
        );
    }

    #[test]
    fn what_may_be_a_secret_is_held_back_and_masked() {
        for text in [
            "Take PASSWORD=hunter2hunter for it, and go on\nto the next line",
            "machine db login app password hunter2hunter\nthat is all",
            "Use `curl -u app:hunter2hunter https://example.com` now",
            "-----BEGIN PRIVATE KEY-----\nhunter2hunterAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nBBBB\n-----END PRIVATE KEY-----\nafter it",
            "the password is \"hunter2hunter and more\" as he said",
        ] {
            for size in 1..9 {
                let chars: Vec<char> = text.chars().collect();
                let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let told = told(&pieces).concat();
                assert!(!told.contains("hunter2") && told.contains("⟦secret "), "{told}");
                assert_eq!(told.split(' ').next_back(), text.split(' ').next_back(), "{told}");
            }
        }
    }

    proptest! {
        /// However words come, none are lost, and plain ones are told as they are.
        #[test]
        fn nothing_is_lost(pieces in prop::collection::vec("[a-c \n]{0,6}", 0..12)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(told(&pieces).concat(), pieces.concat());
        }
    }
}
