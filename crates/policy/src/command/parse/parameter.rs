//! `${…}`: which of its forms only put in a text.

use super::super::word::is_name;

/// Whether what stands between the braces only puts in the value of a variable, its length, a part of it, or a plain
/// text in its place. Not the forms that assign, that look up another variable or that expand the value once more.
pub(super) fn is_plain(inside: &str) -> bool {
    if let Some(name) = inside.strip_prefix('#') {
        return is_name(name);
    }
    let end = inside.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let Some((name, rest)) = inside.split_at_checked(end) else { return false };
    let numbered = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    (is_name(name) || numbered) && (rest.is_empty() || is_part(rest) || is_operation(rest))
}

/// `:1:2`. Computed numbers are not plain.
fn is_part(rest: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    rest.strip_prefix(':').is_some_and(|numbers| numbers.split(':').count() <= 2 && numbers.split(':').all(number))
}

fn is_operation(rest: &str) -> bool {
    const SIGNS: [&str; 14] = [":-", ":+", "-", "+", "##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ","];
    let text = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign));
    text.is_some_and(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "_./*?@+=,:-".contains(c)))
}

/// How far `text` goes before a bracket closes that it did not open.
pub(super) fn length_within_brackets(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return Some(at),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}
