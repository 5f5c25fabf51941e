//! Secrets that stand after a name: `PASSWORD=…`, `"api_key": "…"`, `--token …`, `Authorization: Bearer …`.

use super::name::{NAMES, Name, Weight};
use super::quotes::{Quotes, Within};
use super::value::{Place, Value, counts, read};
use super::view::View;
use super::{Found, Kind, cookie};
use std::ops::Range;

/// No name is longer.
const LONGEST_NAME: usize = 96;

/// Words between `Authorization:` and what is secret.
const SCHEMES: [&str; 10] =
    ["bearer", "basic", "token", "digest", "apikey", "api-key", "negotiate", "oauth", "key", "aws4-hmac-sha256"];

/// The name of which a word stands at `at`.
pub(super) fn name_at(view: View<'_>, at: usize) -> Range<usize> {
    let in_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    view.run_back(at, LONGEST_NAME, in_name)..view.run(at, LONGEST_NAME, in_name)
}

/// Whether a name may end with the word at `hit`: most words that are looked for are only parts of others.
pub(super) fn may_end_name(view: View<'_>, hit: &Range<usize>) -> bool {
    let (last, next) = (view.before(hit.end), view.at(hit.end));
    let goes_on = next.is_ascii_lowercase() || (last.is_ascii_uppercase() && next.is_ascii_uppercase());
    let (first, before) = (view.at(hit.start), view.before(hit.start));
    let went_on = (first.is_ascii_lowercase() && before.is_ascii_alphabetic())
        || (first.is_ascii_uppercase() && before.is_ascii_uppercase());
    // `key` alone is no name, so it may be the end of a longer word: `apikey`.
    let short = hit.len() < 5 && !view.piece(hit.clone()).eq_ignore_ascii_case("key");
    !goes_on && (!went_on || !short)
}

/// Whether a value may follow the name at `range`: a sign, a word that says so, or something long.
fn may_have_value(view: View<'_>, range: &Range<usize>) -> bool {
    let closed = view.run(range.end, 4, |b| matches!(b, b'"' | b'\'' | b'`' | b']' | b'*' | b'\\'));
    let blank = view.skip_blanks(closed);
    match view.at(blank) {
        b'=' | b':' | b',' | b'>' | b'?' | b'\'' | 0xef => true,
        b'i' | b'w' | b't' | b'I' | b'v' if blank > range.end => true,
        _ if view.at(range.start) == b'-' || view.piece(range.clone()) == "password" => true,
        _ => view.run(blank, 16, |b| b.is_ascii_graphic()) - blank == 16,
    }
}

/// The secrets after the name at `range`.
pub(super) fn after(view: View<'_>, range: &Range<usize>, quotes: &mut Quotes<'_>) -> Vec<Found> {
    let spelled = view.piece(range.clone());
    let Some(name) = may_have_value(view, range).then(|| NAMES.of(spelled)).flatten() else { return Vec::new() };
    let within = quotes.at(range.end);
    if name.kind == Kind("cookie") {
        return cookies(view, range, spelled);
    }
    let secret = |value: &Value| counts(view, value, name, spelled);
    let value = joined(view, range, within, name)
        .and_then(|value| if secret(&value) { Some(value) } else { typed(view, &value, within).filter(secret) });
    value.map(|value| Found { range: value.range, kind: name.kind }).into_iter().collect()
}

/// The secret after a name in a script without blanks: `パスワードは…`, `密码：…`.
pub(super) fn after_foreign(view: View<'_>, from: usize, kind: Kind) -> Option<Found> {
    const BETWEEN: [&str; 14] = ["は", "が", "を", "是", "为", "為", "：", "＝", ":", "=", " ", "\"", "`", "　"];
    let mut at = from;
    while let Some(sign) = BETWEEN.iter().find(|sign| view.starts_with(at, sign)).filter(|_| at - from < 24) {
        at += sign.len();
    }
    let value = read(view, at, Within::Nothing, Place::Prose).filter(|_| view.0.is_char_boundary(at))?;
    let name = Name { kind, weight: Weight::Certain };
    let opened = at > from || value.place == Place::Quoted;
    let value = Value { place: Place::Prose, ..value };
    (opened && counts(view, &value, name, "")).then_some(Found { range: value.range, kind })
}

/// `Bearer …` without a header's name. Such a word is also written in prose, so only what is long and made up counts.
pub(super) fn bearer(view: View<'_>, from: usize) -> Option<Found> {
    let value = read(view, from, Within::Nothing, Place::Prose)?;
    let name = Name { kind: Kind("bearer token"), weight: Weight::Certain };
    let long = value.range.len() >= 16;
    (long && counts(view, &value, name, "")).then_some(Found { range: value.range, kind: name.kind })
}

/// The value that is joined to the name by a sign or by its place.
fn joined(view: View<'_>, range: &Range<usize>, within: Within, name: Name) -> Option<Value> {
    // `"name"`, `['name']`, `**name**`
    let closed = view.run(range.end, 4, |b| matches!(b, b'"' | b'\'' | b'`' | b']' | b'*' | b'\\'));
    let within = if closed > range.end { Within::Nothing } else { within };
    let blank = view.skip_blanks(closed);
    let sign = match (view.at(blank), view.at(blank + 1)) {
        (b'=', b'=' | b'~') | (b':', b':' | b'/') => return None,
        (b'=', b'>') | (b':' | b'?', b'=') => 2,
        (b'=' | b':', _) => 1,
        (b',', _) if closed > range.end && matches!(view.before(range.start), b'"' | b'\'') => {
            let value = read(view, view.skip_blanks(blank + 1), within, Place::Prose)?;
            return (value.place == Place::Quoted).then_some(Value { place: Place::Prose, ..value });
        }
        (b'>', _) if view.before(range.start) == b'<' => 1,
        (b'v', _) if closed > range.end && view.starts_with(blank, "value=") => 6,
        (0xef, _) if view.starts_with(blank, "：") || view.starts_with(blank, "＝") => 3,
        _ => return unjoined(view, range, blank, within, name),
    };
    let after = view.run(blank + sign, 2, |b| b == b'*');
    let from = view.skip_blanks(after);
    let tight = blank == closed && from == blank + sign && view.at(blank) != b':';
    let place = if tight { Place::Tight } else { Place::Spaced };
    if name.kind == Kind("authorization") {
        return authorized(view, from, within);
    }
    read(view, from, within, place)
}

/// A value after a name with only a blank between: an option's, SQL's, a word of a sentence, a line of `.netrc`.
fn unjoined(view: View<'_>, range: &Range<usize>, from: usize, within: Within, name: Name) -> Option<Value> {
    let spelled = view.piece(range.clone());
    if from == range.end || view.at(from) == 0 {
        return None;
    }
    if spelled.starts_with("--") || (spelled.starts_with('-') && view.before(range.start) == b' ') {
        return read(view, from, within, Place::Option);
    }
    let word = view.run(from, 8, |b| b.is_ascii_alphabetic());
    if matches!(view.piece(from..word), "is" | "was" | "to" | "IS") && matches!(view.at(word), b' ' | b':') {
        return read(view, view.run(word, 3, |b| matches!(b, b' ' | b':')), within, Place::Prose);
    }
    if spelled == "PASSWORD" && view.at(from) == b'\'' {
        return read(view, from, within, Place::Quoted);
    }
    let in_netrc = spelled == "password" && view.piece(line_start(view, range.start)..range.start).contains("login ");
    let value = read(view, from, within, if in_netrc { Place::Option } else { Place::Prose })?;
    let text = view.piece(value.range.clone());
    let has = |fit: fn(&u8) -> bool| text.bytes().any(|b| fit(&b));
    let random =
        text.len() >= 16 && has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    (in_netrc || (random && name.weight == Weight::Certain && !text.starts_with('-'))).then_some(value)
}

fn line_start(view: View<'_>, at: usize) -> usize {
    let start = view.run_back(at, 200, |b| b != b'\n');
    (start..=at).find(|&start| view.0.is_char_boundary(start)).unwrap_or(at)
}

/// What comes after the scheme: `Bearer …`, `"Basic …"`.
fn authorized(view: View<'_>, from: usize, within: Within) -> Option<Value> {
    let value = read(view, from, within, Place::Tight)?;
    let start = value.range.start;
    let scheme = view.run(start, 20, |b| b.is_ascii_alphanumeric() || b == b'-');
    let word = view.piece(start..scheme);
    if view.at(scheme) != b' ' || !SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return Some(value);
    }
    let from = view.skip_blanks(scheme);
    match value.place {
        Place::Quoted => (from < value.range.end).then_some(Value { range: from..value.range.end, ..value }),
        _ => read(view, from, within, Place::Tight),
    }
}

/// The value after a type: `token: str = "…"`, `let token: &str = "…"`.
fn typed(view: View<'_>, value: &Value, within: Within) -> Option<Value> {
    let is_type =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'.' | b'|' | b' ');
    let equals = view.run(value.range.start, 48, is_type);
    let is_set = value.place == Place::Spaced && view.at(equals) == b'=' && view.at(equals + 1) != b'=';
    is_set.then(|| read(view, view.skip_blanks(equals + 1), within, Place::Spaced)).flatten()
}

/// The cookies after `Cookie:`, `Set-Cookie:` or `"cookie": "`.
fn cookies(view: View<'_>, range: &Range<usize>, spelled: &str) -> Vec<Found> {
    let at = view.run(range.end, 4, |b| matches!(b, b'"' | b'\'' | b'\\' | b' '));
    if !matches!(view.at(at), b':' | b'=') {
        return Vec::new();
    }
    let from = view.run(at + 1, 4, |b| matches!(b, b'"' | b'\'' | b'\\' | b' '));
    let set = spelled.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("set-"));
    cookie::at(view, from, if set { cookie::Header::SetCookie } else { cookie::Header::Cookie })
}
