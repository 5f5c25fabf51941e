//! What changes in a file, as people read it.

use countersign_domain::interaction::ChangeKind;
use similar::TextDiff;
use std::time::Duration;

/// How many lines of a diff are shown.
const MOST_LINES: usize = 500;
/// How many characters of a line are shown.
const LONGEST_LINE: usize = 500;
/// How long the shortest diff is looked for. After that any will do.
const LONGEST_SEARCH: Duration = Duration::from_millis(500);
/// How many lines around a change are shown.
const AROUND: usize = 3;

/// What becomes of a file that holds `before`, or is not there, when it holds `after`.
pub fn between(before: Option<&[u8]>, after: &[u8]) -> (ChangeKind, String) {
    let old = before.unwrap_or_default();
    if before == Some(after) {
        return (ChangeKind::Note, "Nothing would change: the file holds exactly this already.".to_owned());
    }
    let texts = (str::from_utf8(old), str::from_utf8(after));
    let (Ok(old_text), Ok(new_text)) = texts else {
        let (from, to) = (old.len(), after.len());
        let note =
            format!("The file there is not text. All of it, {from} bytes, would be replaced by {to} bytes of text.");
        return (ChangeKind::Note, note);
    };
    if before.is_none() && after.is_empty() {
        return (ChangeKind::Note, "An empty file would be made.".to_owned());
    }
    let diff = TextDiff::configure().timeout(LONGEST_SEARCH).diff_lines(old_text, new_text);
    let names = if before.is_none() { ("/dev/null", "new") } else { ("now", "then") };
    let whole = diff.unified_diff().context_radius(AROUND).header(names.0, names.1).to_string();
    (ChangeKind::Diff, cut(&whole))
}

/// As much of the diff as is shown, and what is left out of it.
fn cut(whole: &str) -> String {
    let mut lines = whole.split_inclusive('\n');
    let mut shown: String = lines.by_ref().take(MOST_LINES).map(cut_line).collect();
    let left_out = lines.count();
    if left_out > 0 {
        shown.push_str(&format!("[… {left_out} more lines of this change are not shown …]\n"));
    }
    shown
}

fn cut_line(line: &str) -> String {
    let left_out = line.trim_end_matches(['\n', '\r']).chars().count().saturating_sub(LONGEST_LINE);
    if left_out == 0 {
        return line.to_owned();
    }
    let shown: String = line.chars().take(LONGEST_LINE).collect();
    format!("{shown}[… {left_out} more characters of this line are not shown …]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: Option<&str>, after: &str) -> String {
        let (kind, text) = between(before.map(str::as_bytes), after.as_bytes());
        assert_eq!(kind, ChangeKind::Diff);
        text
    }

    #[test]
    fn a_change_is_drawn_with_lines_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- now\n+++ then\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(diff(Some(before), &before.replace('5', "five")), expected);
        assert_eq!(diff(None, "a\n"), "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+a\n");
        assert!(diff(Some("a"), "a\n").contains("\\ No newline at end of file"));
        assert!(diff(Some("a\r\n"), "a\n").contains("-a\r\n+a\n"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let long = (0..1000).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
        let shown = diff(None, &long);
        assert!(shown.ends_with("\n+496\n[… 503 more lines of this change are not shown …]\n"), "{shown}");
        let shown = diff(None, &format!("{}\nnext\n", "é".repeat(600)));
        assert!(shown.contains("éé[… 101 more characters of this line are not shown …]\n+next\n"), "{shown}");
    }

    #[test]
    fn what_has_no_diff_is_told() {
        for (before, after, expected) in [
            (
                Some(&b"\xFF"[..]),
                "a",
                "The file there is not text. All of it, 1 bytes, would be replaced by 1 bytes of text.",
            ),
            (Some(b"a"), "a", "Nothing would change: the file holds exactly this already."),
            (None, "", "An empty file would be made."),
        ] {
            assert_eq!(between(before, after.as_bytes()), (ChangeKind::Note, expected.to_owned()));
        }
    }

    #[test]
    fn a_large_change_takes_no_longer_than_it_may() {
        let lines = |shift: usize| {
            (0..200_000).map(|n| format!("{}\n", n * 7919 % 100_003 + shift)).collect::<Vec<_>>().concat()
        };
        let shown = diff(Some(&lines(0)), &lines(1));
        assert!(shown.lines().count() <= MOST_LINES + 1);
    }
}
