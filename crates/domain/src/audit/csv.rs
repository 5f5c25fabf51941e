//! Comma-separated values that a spreadsheet shows and does not execute.
//!
//! Rows end with CR and LF, and fields are quoted where they must be, as RFC 4180 has it. A text that a spreadsheet would
//! take for a formula gets an apostrophe before it: one that begins with `=`, `+`, `-`, `@`, a tab or a break, or does so
//! after spaces and quotation marks, which some programs leave out. A number is no formula and stays a number.

/// Adds one row.
pub fn push_row<'a>(fields: impl IntoIterator<Item = &'a str>, to: &mut String) {
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            to.push(',');
        }
        push_field(field, to);
    }
    to.push_str("\r\n");
}

/// Adds one field.
pub fn push_field(text: &str, to: &mut String) {
    let formula = is_formula(text);
    // A field that other separators would split is quoted too, for programs that are set to them.
    if !formula && !text.contains([',', ';', '\t', '|', '"', '\r', '\n']) && text.trim() == text {
        to.push_str(text);
        return;
    }
    to.push('"');
    if formula {
        to.push('\'');
    }
    for letter in text.chars() {
        if letter == '"' {
            to.push('"');
        }
        to.push(letter);
    }
    to.push('"');
}

/// Whether a spreadsheet may take `text` for a formula.
fn is_formula(text: &str) -> bool {
    if is_number(text) {
        return false;
    }
    let begins = |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let is_passed_over =
        |letter: char| matches!(letter, '"' | '\'' | '`') || letter.is_whitespace() || is_unseen(letter);
    begins(text) || begins(text.trim_start_matches(is_passed_over))
}

/// Control characters, and those that take no room.
fn is_unseen(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Digits, perhaps with a minus before and a fraction after them.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    text.split_once('.').map_or_else(|| digits(text), |(whole, fraction)| digits(whole) && digits(fraction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(text: &str) -> String {
        let mut to = String::new();
        push_field(text, &mut to);
        to
    }

    #[test]
    fn formulas_are_defused_and_all_else_stays() {
        let cases = [
            ("", ""),
            ("plain", "plain"),
            ("7", "7"),
            ("-7", "-7"),
            ("-7.25", "-7.25"),
            ("a,b", "\"a,b\""),
            ("a;b", "\"a;b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" padded ", "\" padded \""),
            ("=1+1", "\"'=1+1\""),
            ("+49 123", "\"'+49 123\""),
            ("-", "\"'-\""),
            ("-1+cmd|' /C calc'!A0", "\"'-1+cmd|' /C calc'!A0\""),
            ("--7", "\"'--7\""),
            ("-7.", "\"'-7.\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("  =1", "\"'  =1\""),
            ("\"=1\"", "\"'\"\"=1\"\"\""),
            ("' \"=1", "\"'' \"\"=1\""),
            ("\u{feff}=1", "\"'\u{feff}=1\""),
            ("＝1", "\"'＝1\""),
            ("a=1", "a=1"),
            ("{\"a\":1}", "\"{\"\"a\"\":1}\""),
        ];
        for (text, expected) in cases {
            assert_eq!(field(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_row_is_one_line() {
        let mut to = String::new();
        push_row(["a", "", "b c"], &mut to);
        push_row(["=1"], &mut to);
        assert_eq!(to, "a,,b c\r\n\"'=1\"\r\n");
    }

    /// What a reader of RFC 4180 makes of a row.
    fn read(row: &str) -> Vec<String> {
        let (mut fields, mut field, mut quoted) = (vec![], String::new(), false);
        let mut letters = row.strip_suffix("\r\n").unwrap().chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(std::mem::take(&mut field)),
                letter => field.push(letter),
            }
        }
        fields.push(field);
        fields
    }

    proptest! {
        #[test]
        fn every_row_is_read_as_it_was_written_and_holds_no_formula(
            fields in prop::collection::vec("[-=+@,;\"' \t\r\na1.]{0,6}|\\PC{0,8}", 1..5),
        ) {
            let mut row = String::new();
            push_row(fields.iter().map(String::as_str), &mut row);
            let back = read(&row);
            prop_assert_eq!(back.len(), fields.len());
            for (back, field) in back.iter().zip(&fields) {
                let is_same = back == field || back.strip_prefix('\'') == Some(field.as_str());
                prop_assert!(is_same);
                let first = back.chars().next();
                prop_assert!(is_number(back) || !matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r')));
            }
        }
    }
}
