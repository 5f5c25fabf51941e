//! Advice: what a model said beside a question. It decides nothing, and is no part of what happened in the run.

use crate::secret::Masker;
use jiff::Timestamp;

/// The longest advice that is kept, in bytes.
const LONGEST: usize = 4_000;

/// What a model said beside a question, or that it said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The model, by its name in the configuration.
    pub model: String,
    /// Its words; `None` if it failed or had none.
    pub text: Option<String>,
    /// When it was asked.
    pub at: Timestamp,
}

impl Advice {
    /// What `model` said when asked `at` this time, cut to what is kept. No words are no advice.
    pub fn new(model: String, said: Option<&str>, at: Timestamp) -> Self {
        // Not every database has room for a NUL in a text.
        let said = said.map(|said| said.replace('\0', ""));
        let text = said.as_deref().map(str::trim).filter(|said| !said.is_empty()).map(cut);
        Self { model, text, at }
    }

    /// Masks the secrets in it.
    pub fn mask(&mut self, masker: &mut Masker) {
        if let Some(text) = &mut self.text {
            masker.mask_words(text);
            // A placeholder may be longer than what it stands for.
            *text = cut(text);
        }
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(LONGEST - '…'.len_utf8());
    text.get(..end).unwrap_or_default().chars().chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &str) -> Option<String> {
        Advice::new("m".into(), Some(words), Timestamp::UNIX_EPOCH).text
    }

    #[test]
    fn no_words_are_no_advice() {
        assert_eq!(Advice::new("m".into(), None, Timestamp::UNIX_EPOCH).text, None);
        assert_eq!(said(" \n\t\0"), None);
        assert_eq!(said(" Look twice.\n"), Some("Look twice.".into()));
    }

    #[test]
    fn long_advice_is_cut_between_letters() {
        assert_eq!(said(&"a".repeat(LONGEST)).unwrap().len(), LONGEST);
        let cut = said(&"é".repeat(LONGEST)).unwrap();
        assert!(cut.len() <= LONGEST && cut.ends_with("é…"), "{}", cut.len());
    }
}
