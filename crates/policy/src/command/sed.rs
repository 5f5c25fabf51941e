//! Scripts of sed: which of them only print, delete and substitute.

use super::Word;

/// Whether every script among `arguments` does nothing but print, delete, quit, count lines and substitute. Options
/// that are not known are not harmless either.
pub(super) fn only_edits(arguments: &[Word]) -> bool {
    scripts(arguments).is_some_and(|scripts| !scripts.is_empty() && scripts.iter().all(|script| is_harmless(script)))
}

/// The scripts: the values of `-e`, else the first operand. `None` where one is not known before the shell expands it.
fn scripts(arguments: &[Word]) -> Option<Vec<&str>> {
    let (mut scripts, mut first_operand, mut next, mut ended) = (Vec::new(), None, false, false);
    for word in arguments {
        let text = &*word.text;
        if std::mem::take(&mut next) {
            scripts.push(word.is_literal().then_some(text)?);
        } else if ended || text.len() < 2 || !text.starts_with('-') {
            first_operand = first_operand.or(Some(word));
        } else if text == "--" {
            ended = true;
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if name.starts_with('e') {
                next = value.is_none();
                scripts.extend(value);
            } else if !LONG.contains(&name) {
                return None;
            }
        } else {
            let letters = text.get(1..)?.trim_start_matches(['n', 'r', 'E', 'u', 'z']);
            match letters.strip_prefix('e') {
                Some("") => next = true,
                Some(value) => scripts.push(value),
                None if letters.is_empty() => {}
                None => return None,
            }
            word.is_literal().then_some(())?;
        }
    }
    if scripts.is_empty() {
        scripts.push(first_operand.filter(|word| word.is_literal())?.text.as_str());
    }
    Some(scripts)
}

const LONG: [&str; 9] =
    ["quiet", "silent", "regexp-extended", "null-data", "zero-terminated", "unbuffered", "posix", "sandbox", "debug"];

fn is_harmless(script: &str) -> bool {
    !script.is_empty() && script.split(';').all(|part| command(part.trim()))
}

fn command(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | '!' | ' ' | '+' | '~'));
    let rest = address(rest).unwrap_or(rest);
    matches!(rest, "p" | "d" | "q" | "=" | "l" | "n" | "N" | "P" | "D" | "g" | "G" | "h" | "H" | "x")
        || substitution(rest)
}

/// What follows `/…/`, and a second one after a comma.
fn address(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('/')?;
    loop {
        let (pattern, after) = rest.split_once('/')?;
        if pattern.contains(['\\', '[']) {
            return None;
        }
        let after = after.trim_start_matches('!');
        match after.strip_prefix(",/") {
            Some(second) => rest = second,
            None => return Some(after.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'))),
        }
    }
}

/// `s/this/that/g` with flags that neither write nor execute.
fn substitution(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('s') else { return false };
    let Some(delimiter) = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\') else { return false };
    let parts: Vec<&str> = rest.split(delimiter).collect();
    // A backslash could hide a delimiter, or end a flag's line: only plain ones are taken.
    let plain = !rest.contains("\\\n") && !parts.iter().take(3).any(|part| part.ends_with('\\'));
    plain
        && matches!(&*parts, [_, _, _, flags] if flags.chars().all(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9')))
}

#[cfg(test)]
mod tests {
    use super::super::Analysis;
    use super::{is_harmless, only_edits};

    #[test]
    fn every_script_is_looked_at() {
        let edits = |line: &str| only_edits(&Analysis::of(line).commands[0].words[1..]);
        for line in [
            "sed p f",
            "sed -n 1p f",
            "sed -ne 1p f",
            "sed -e p -e d f",
            "sed -E --expression=s/a/b/ f",
            "sed f -n -e p",
        ] {
            assert!(edits(line), "{line}");
        }
        for line in [
            "sed -e p -e 'e id' f",
            "sed --expression='1e id' p",
            "sed --exp '1e id' p",
            "sed -e'1e id' p",
            "sed -ne '1e id' p",
            "sed p -e 'e id'",
            "sed -e \"$x\" p",
            "sed -- 'e id'",
            "sed --unknown p",
            "sed",
        ] {
            assert!(!edits(line), "{line}");
        }
    }

    #[test]
    fn only_printing_deleting_and_substituting_is_harmless() {
        for script in
            ["1,20p", "p", "$d", "s/a/b/", "s|a/b|c|g", "/foo/d", "/a/,/b/p", "5q", "s/x/y/gp;s/z//", "/a/!d", "1~2d"]
        {
            assert!(is_harmless(script), "{script}");
        }
        for script in [
            "",
            "s/a/b/e",
            "s/a/b/w out",
            "w out",
            "e id",
            "1e id",
            "r /etc/passwd",
            "s/a/b/we",
            "s/.*/id/e",
            "/x/w f",
            "s/a\\/b/c/e",
            "{p;e id}",
            "s/a/b/\ne id",
            "s/a/b/;e",
        ] {
            assert!(!is_harmless(script), "{script:?}");
        }
    }
}
