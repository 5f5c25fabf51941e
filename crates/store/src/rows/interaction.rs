//! A row of `interactions`: where a question stands. What it says follows from the events of its run.

use crate::time;
use countersign_domain::Digest;
use countersign_domain::interaction::{Interaction, Purpose, Status};
use countersign_domain::run::Run;
use uuid::Uuid;

/// One question, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionRow {
    pub id: Uuid,
    pub status: &'static str,
    pub expires_at: i64,
    pub asks_people: bool,
    /// When people are reminded of it, if they will be.
    pub remind_at: Option<i64>,
    /// Whose question it is, where a person is asked.
    pub asker: Option<i64>,
    /// The call that somebody decided about.
    pub decided: Option<i64>,
}

impl InteractionRow {
    /// The row for a question of `run`.
    pub fn new(run: &Run, asked: &Interaction) -> Self {
        Self {
            id: asked.id.uuid(),
            status: asked.status.word(),
            expires_at: time::column(asked.expires_at),
            asks_people: asked.purpose.is_for_people(),
            remind_at: asked.remind_at().map(time::column),
            asker: asked.purpose.is_for_people().then(|| short(run.asker())),
            decided: is_decided(asked).then(|| short(asked.call.digest)),
        }
    }
}

/// A digest as it is looked up by: what many rows have must be small. Two askers that fell together would share a limit, and of
/// calls whoever looks one up holds it against the whole digest.
pub fn short(digest: Digest) -> i64 {
    i64::from_be_bytes(*digest.bytes().first_chunk().unwrap_or(&[0; 8]))
}

/// Whether somebody decided about its call.
fn is_decided(asked: &Interaction) -> bool {
    asked.purpose == Purpose::Approval && asked.status == Status::Answered
}

/// Whether all `words` occur in an open question: in what it is about, the tool, how dangerous it is, or who asks. Upper and
/// lower case are the same.
pub fn holds(asked: &Interaction, words: &[String]) -> bool {
    let call = &asked.call;
    let texts = call.args.values().filter_map(|value| value.as_str());
    let named = [call.server.as_deref(), asked.asked_by.user_id.as_deref(), call.resource.as_deref()];
    // Titles of all others are drawn and stored nowhere.
    let title = Some(asked.title.as_str()).filter(|_| asked.purpose == Purpose::Question);
    let known = [call.tool.as_str(), call.risk.as_str(), asked.asked_by.agent.as_str()];
    let all: Vec<_> =
        known.into_iter().chain(title).chain(named.into_iter().flatten()).chain(texts).map(str::to_lowercase).collect();
    words.iter().map(|word| word.to_lowercase()).all(|word| all.iter().any(|text| text.contains(&word)))
}

/// What a database looks for before anybody reads the questions in which `word` may occur: the longest part of it that every
/// database and JSON write in the same way, in small letters. Without one, all are read.
pub fn sieve(word: &str) -> Option<String> {
    let is_plain = |letter: char| match letter {
        // JSON writes the first two in another way; to a database the third means any text.
        '"' | '\\' | '%' => false,
        letter => letter.is_ascii_graphic() || (letter.is_alphanumeric() && has_no_case(letter)),
    };
    let parts = word.split(|letter: char| !is_plain(letter));
    let longest = parts.max_by_key(|part| part.len()).filter(|part| !part.is_empty())?;
    Some(longest.chars().take(LONGEST_SIEVE).collect::<String>().to_ascii_lowercase())
}

/// Enough to tell nearly all questions apart, and less than any database refuses.
const LONGEST_SIEVE: usize = 100;

fn has_no_case(letter: char) -> bool {
    letter.to_lowercase().eq([letter]) && letter.to_uppercase().eq([letter])
}

#[cfg(test)]
mod tests {
    use super::sieve;

    #[test]
    fn a_database_looks_for_as_much_of_a_word_as_it_can() {
        let looked_for = |word: &str| sieve(word).unwrap_or_default();
        assert_eq!(looked_for("Part-77/of_all.md"), "part-77/of_all.md");
        assert_eq!(looked_for("100%-sure"), "-sure", "what means any text is left out");
        assert_eq!(looked_for(r#"C:\temp\"all""#), "temp", "and what JSON writes in another way");
        assert_eq!(looked_for("ÄPFEL-苹果"), "pfel-苹果", "and what databases make small in different ways");
        assert_eq!((sieve("\"%\""), looked_for(&"x".repeat(100_000)).len()), (None, 100));
    }
}
