//! Scripts of sed: which of them only print, delete and substitute.

/// Whether `script` does nothing but print, delete, quit, count lines and substitute. Anything unusual is not.
pub(super) fn is_harmless(script: &str) -> bool {
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
    use super::is_harmless;

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
