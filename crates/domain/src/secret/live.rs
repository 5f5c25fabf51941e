//! Masks words while they are being said: what may be the beginning of a secret is held back until it is known.
//!
//! Words are passed on as they come, as long as nothing in their line says that a secret may follow. From there on the line
//! is held back to its end, and a block of a private key to the line that shows where it ends. A line that ends in `\` goes
//! on in the next, as commands do. What may become a secret that is known already is held back until it is another word.

use super::Masker;
use super::pem;
use super::scan::first_anchor;
use super::view::View;

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
        let mut limit = self.said.len();
        loop {
            let cut = self.cut(limit);
            if cut <= self.told {
                return self.told;
            }
            match self.masker.first_across(&self.said, self.told, cut) {
                Some(known) => limit = known,
                None => return cut,
            }
        }
    }

    /// The last place up to `limit` before which the scanner sees what it would see in the whole.
    fn cut(&self, limit: usize) -> usize {
        let before = self.said.get(..limit).unwrap_or_default();
        let begins = before.match_indices(pem::ANCHOR).map(|(begin, _)| begin);
        let mut open = begins.filter(|begin| {
            let shown = before.get(pem::shows(View(before), *begin)..);
            shown.is_none_or(|shown| end_of_line(shown).is_none())
        });
        let limit = open.next().unwrap_or(limit);
        let line = self.said.get(..limit).map_or(0, start_of_line);
        let rest = self.said.get(line..).unwrap_or_default();
        let plain = rest.get(..first_anchor(rest).unwrap_or(rest.len()).min(limit - line)).unwrap_or_default();
        // A word that is not over may become anything.
        line + plain.rfind(char::is_whitespace).map_or(0, |at| at + plain.get(at..).map_or(0, first_len))
    }

    fn tell(&mut self, upto: usize) -> String {
        let before = self.said.get(..self.told).unwrap_or_default();
        let mut words = self.said.get(self.told..upto).unwrap_or_default().to_owned();
        if words.is_empty() {
            return words;
        }
        self.masker.mask_after(before, &mut words);
        self.told = upto;
        let line = self.said.get(..upto).map_or(0, start_of_line);
        self.said.drain(..line);
        self.told -= line;
        words
    }
}

/// Where the first line of `text` ends: one that ends in `\` goes on in the next.
fn end_of_line(text: &str) -> Option<usize> {
    text.match_indices('\n').map(|(at, _)| at).find(|at| !goes_on(text, *at))
}

/// Where the last line of `text` starts.
fn start_of_line(text: &str) -> usize {
    text.rmatch_indices('\n').map(|(at, _)| at).find(|at| !goes_on(text, *at)).map_or(0, |at| at + 1)
}

fn goes_on(text: &str, end: usize) -> bool {
    text.get(..end).is_some_and(|line| line.ends_with('\\'))
}

/// The length of the first character.
fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{Key, Secrets};
    use proptest::prelude::*;
    use serde_json::json;

    /// Secrets of which nothing around them says what they are.
    const KNOWN: [&str; 3] = ["correct horse battery staple", "staple of wool", "two lines\nof words"];

    fn masker() -> Masker {
        let known =
            KNOWN.iter().enumerate().map(|(i, value)| (format!("⟦secret {i} a91f: marked secret⟧"), json!(value)));
        let known: Secrets = serde_json::from_value(known.collect()).unwrap();
        Masker::new(&Key::new([7; 32]), None).knowing(&known)
    }

    fn whole(text: &str) -> String {
        let mut text = text.to_owned();
        masker().mask_words(&mut text);
        text
    }

    /// What is told after each of these pieces, and at the end.
    fn told(pieces: &[&str]) -> Vec<String> {
        let mut live = Live::new(masker());
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
            "curl -s \\\n  -u admin:hunter2hunter https://example.com\nthat is all",
            "curl -s \\\n \\\n  -u admin:hunter2hunter \\\n https://example.com",
            "-----BEGIN PRIVATE KEY-----\nComment: -----END \nhunter2hunterAAAAAAAAAAAA\n\nafter it",
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

    #[test]
    fn a_secret_that_is_known_is_not_told_word_by_word() {
        assert_eq!(told(&["it is correct ", "horse ", "play "])[..3], ["it is ", "", "correct horse play "]);
        for text in KNOWN {
            let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
            assert_eq!(told(&words).concat(), whole(text));
            assert_ne!(whole(text), text);
        }
    }

    #[test]
    fn a_secret_that_was_found_is_known_from_then_on() {
        let told = told(&["PASSWORD=hunter2hunter\n", "so hunter2hunter it ", "is"]).concat();
        assert!(!told.contains("hunter2hunter") && told.ends_with(" it is"), "{told}");
    }

    /// Texts in which lines go on, blocks begin and do not end, and secrets stand whole, cut off and one in another.
    fn texts() -> impl Strategy<Value = String> {
        const PIECES: [&str; 36] = [
            " ",
            " ",
            " ",
            "\n",
            "\n",
            "\\\n",
            " \\\n",
            "\\",
            "\\\\\n",
            "\r\n",
            "\"",
            "'",
            ";",
            "word",
            "é",
            "curl -s ",
            "curl ",
            "-u admin:",
            "mysql -p",
            "login app ",
            "password ",
            "PASSWORD=",
            "password: ",
            "Authorization: Bearer ",
            "postgres://app:",
            "@db/x",
            "correct horse ",
            "battery staple",
            "staple of ",
            "wool",
            "two lines\nof ",
            "words",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "Comment: -----BEGIN ",
            "-----END ",
        ];
        let piece = prop_oneof![
            6 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
            1 => prop::sample::select(&KNOWN[..]).prop_map(str::to_owned),
            2 => Just("SECRET".to_owned()),
        ];
        prop::collection::vec(piece, 0..16).prop_map(|pieces| {
            // No two secrets are the same: what was told once cannot be hidden any more.
            let one = |(i, piece): (usize, &String)| piece.replace("SECRET", &format!("hunter2{i:02}hunter2hunter"));
            pieces.iter().enumerate().map(one).collect()
        })
    }

    proptest! {
        /// Wherever words are cut, what is told of them is the text as it is masked whole.
        #[test]
        fn what_is_told_is_what_is_recorded(text in texts()) {
            let (whole, mut recorded) = (whole(&text), text.clone());
            masker().mask_after("", &mut recorded);
            // What was told already when it showed that it is a secret cannot be hidden any more.
            prop_assume!(recorded == whole);
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            prop_assert_eq!(told(&letters).concat(), &*whole);
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                let (one, other) = text.split_at(cut);
                prop_assert_eq!(told(&[one, other]).concat(), &*whole, "{:?} {:?}", one, other);
            }
        }

        /// However words come, none are lost, and plain ones are told as they are.
        #[test]
        fn nothing_is_lost(pieces in prop::collection::vec("[a-c \n]{0,6}", 0..12)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(told(&pieces).concat(), pieces.concat());
        }
    }
}
