//! Names whose value is a secret, as `data/names.txt` lists them.

use super::Kind;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) weight: Weight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The value is a secret.
    Certain,
    /// The value is one if it looks like one.
    Likely,
}

#[derive(Default)]
pub(super) struct Names {
    /// A name without case and signs, and what it says; nothing where it is no secret.
    rules: Vec<(String, Option<Name>)>,
    /// The last words of the names: whoever looks for names looks for these.
    pub(super) anchors: HashSet<&'static str>,
    pub(super) foreign: Vec<(&'static str, Kind)>,
    endings: HashSet<&'static str>,
    labels: HashSet<&'static str>,
    holders: HashSet<&'static str>,
}

pub(super) static NAMES: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("data/names.txt")));

/// A shorter name must be a word of its own.
const TELLING: usize = 5;

impl Names {
    /// What `name` says of its value; nothing where it is no secret's.
    pub(super) fn of(&self, name: &str) -> Option<Name> {
        let mut words = words(name);
        while let Some(last) = words.last_mut() {
            let is_ending = self.endings.contains(&**last) || last.bytes().all(|b| b.is_ascii_digit());
            if is_ending {
                words.pop();
            } else {
                last.truncate(last.trim_end_matches(|c: char| c.is_ascii_digit()).len());
                break;
            }
        }
        let flat = words.concat();
        let starts_word = |at: usize| {
            let mut start = 0;
            words.iter().any(|word| {
                let is_start = start == at;
                start += word.len();
                is_start
            })
        };
        let fits = |rule: &str| flat.ends_with(rule) && (rule.len() >= TELLING || starts_word(flat.len() - rule.len()));
        self.rules.iter().filter(|(rule, _)| fits(rule)).max_by_key(|(rule, _)| rule.len())?.1
    }

    /// Whether `value` is a word of a form, a type or a note.
    pub(super) fn is_label(&self, value: &str) -> bool {
        self.labels.contains(&*value.trim_end_matches(['.', ',', ';', ':', '!', '?', '…']).to_lowercase())
    }

    /// Whether `value` is what programs call a secret, or a place in their settings: `new_password`, `config.token`.
    pub(super) fn is_variable(&self, value: &str) -> bool {
        let is_code = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '?' | '!' | '*' | '&');
        let held = |part: &str| self.holders.contains(part.trim_matches(['?', '!', '*', '&']));
        value.chars().all(is_code) && (self.of(value).is_some() || (value.contains('.') && value.split('.').any(held)))
    }

    fn read(text: &'static str) -> Self {
        let mut names = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (kind, list) = rest.split_once('|').unwrap_or(("", rest));
            names.add(what, Kind(kind.trim()), list.split_whitespace());
        }
        names
    }

    fn add(&mut self, what: &str, kind: Kind, list: impl Iterator<Item = &'static str>) {
        match what {
            "secret" => self.add_rules(Some(Name { kind, weight: Weight::Certain }), list),
            "likely" => self.add_rules(Some(Name { kind, weight: Weight::Likely }), list),
            "not" => self.add_rules(None, list),
            "foreign" => self.foreign.extend(list.map(|name| (name, kind))),
            "ending" => self.endings.extend(list),
            "label" => self.labels.extend(list),
            "holder" => self.holders.extend(list),
            _ => {}
        }
    }

    fn add_rules(&mut self, says: Option<Name>, list: impl Iterator<Item = &'static str>) {
        for name in list {
            self.rules.push((name.replace('-', ""), says));
            if says.is_some() {
                self.anchors.extend(name.rsplit('-').next());
            }
        }
    }
}

/// The words of a name in small letters: `x-apiKey` is `x`, `api`, `key`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    let mut letters = name.chars().peekable();
    while let Some(c) = letters.next() {
        let turns = c.is_uppercase()
            && (last.is_lowercase() || last.is_ascii_digit() || letters.peek().is_some_and(|next| next.is_lowercase()));
        if c.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if last.is_alphanumeric() && !turns => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        last = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for name in [
            "password",
            "PGPASSWORD",
            "dbPassword",
            "DB_PWD",
            "user-password",
            "api_key",
            "apikey",
            "X-API-Key",
            "apiKey",
            "AWS_SECRET_ACCESS_KEY",
            "client_secret",
            "clientSecret",
            "private_key",
            "passphrase",
            "authorization",
            "Proxy-Authorization",
            "cookie",
            "credentials",
            "token",
            "access_token",
            "GITHUB_TOKEN",
            "_authToken",
            "secret",
            "JWT_SECRET",
            "STRIPE_SECRET_KEY_LIVE",
            "password2",
            "password_confirmation",
            "AccountKey",
            "SharedAccessKey",
            "spring.datasource.password",
            "MYSQL_ROOT_PASSWORD",
            "pin",
            "SECRET_KEY_BASE64",
            "csrf_token",
        ] {
            assert!(NAMES.of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "max_tokens",
            "token_count",
            "tokens",
            "next_page_token",
            "pageToken",
            "key",
            "primary_key",
            "public_key",
            "publicKey",
            "keyboard",
            "secret_name",
            "password_policy",
            "author",
            "secretary",
            "authors",
            "tokenizer",
            "monkey",
            "mapping",
            "spin",
            "compass",
            "bypass",
            "OLDPWD",
            "password_file",
            "token_url",
            "secret_id_name",
            "keys",
            "",
            "access_key_id",
            "passenger",
            "cookie_policy",
            "max_token",
            "eos_token",
            "sort_key",
            "token_type",
        ] {
            assert_eq!(NAMES.of(name), None, "{name}");
        }
    }

    #[test]
    fn every_line_of_the_table_begins_with_a_word_that_is_read() {
        for line in include_str!("data/names.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let what = line.split(' ').next().unwrap();
            assert!(["secret", "likely", "foreign", "not", "ending", "label", "holder"].contains(&what), "{line}");
            assert_eq!(line.contains('|'), ["secret", "likely", "foreign"].contains(&what), "{line}");
        }
    }
}
