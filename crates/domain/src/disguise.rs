//! Characters that make a text look like another one, or like nothing.
//!
//! A name that could be mistaken for another is covered by no allow; a path, URL or text that hides something is
//! covered by no wildcard. People see what stands there; see also the display of calls.

use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection, skeleton};

/// Why a name cannot be trusted to be what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Disguise {
    /// A blank, a control character, or one that is not seen.
    #[error("the name holds U+{0:04X}, which is blank, invisible or unusual in names")]
    Unseen(u32),
    /// Letters of several scripts, or of another script that look like ASCII.
    #[error("the name mixes scripts or imitates other letters")]
    LookAlike,
}

/// The disguise of a tool's or a server's name, if it wears one.
pub fn of_name(name: &str) -> Option<Disguise> {
    if name.bytes().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    let unseen = |c: &char| if c.is_ascii() { !c.is_ascii_graphic() } else { !c.identifier_allowed() };
    if let Some(c) = name.chars().find(unseen) {
        return Some(Disguise::Unseen(u32::from(c)));
    }
    // Punctuation says nothing about scripts.
    let letters: String = name.chars().filter(|c| c.is_alphanumeric() || !c.is_ascii()).collect();
    let mixed = letters.detect_restriction_level() > RestrictionLevel::HighlyRestrictive;
    (mixed || skeleton(name).all(|c| c.is_ascii())).then_some(Disguise::LookAlike)
}

/// The first character of `text` that a reader would not see, or that changes how the rest is shown.
///
/// Line breaks and tabs are such characters too: in a path or an address they have no business.
pub fn hidden_in(text: &str) -> Option<char> {
    text.chars().find(|&c| hides(c))
}

/// The same for prose, where line breaks, tabs, blanks of other widths and the joiners of emoji are ordinary.
pub fn hidden_in_prose(text: &str) -> Option<char> {
    if is_plain(text) {
        return None;
    }
    text.chars().find(|&c| {
        hides(c)
            && !matches!(
                c,
                '\n' | '\r'
                    | '\t'
                    | '\u{a0}'
                    | '\u{202f}'
                    | '\u{2009}'
                    | '\u{3000}'
                    | '\u{200c}'
                    | '\u{200d}'
                    | '\u{fe0e}'
                    | '\u{fe0f}'
            )
    })
}

/// Nearly every text is, and so need not be looked at letter by letter.
fn is_plain(text: &str) -> bool {
    // Several at a time: each chunk is looked at whole, which processors do at once.
    text.as_bytes().chunks(16).all(|chunk| chunk.iter().fold(true, |plain, b| plain & matches!(b, b' '..=b'~')))
}

/// Control characters, bidirectional controls, and what Unicode calls default-ignorable or shows as blank.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{13430}'..='\u{1343f}' | '\u{16fe4}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || (c.is_whitespace() && c != ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_wear_no_disguise() {
        for name in [
            "bash",
            "read_file",
            "admin.tools.delete",
            "my-server",
            "get@v2",
            "ファイルを読む",
            "读取文件",
            "read_文件",
            "größe",
            "читать",
        ] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }

    #[test]
    fn disguised_names_are_found() {
        for name in [
            "bash ",
            " bash",
            "read\u{200b}",
            "ba\u{ad}sh",
            "gіt",
            "rеad_file",
            "re\nad",
            "a\u{202e}b",
            "ｂａｓｈ",
            "сору",
            "ba\u{e0041}sh",
            "bash\0",
        ] {
            assert!(of_name(name).is_some(), "{name:?}");
        }
    }

    #[test]
    fn hidden_characters_are_found() {
        for text in [
            "a\u{1b}[2K",
            "a\u{202e}b",
            "\u{2066}x\u{2069}",
            "te\u{200b}st",
            "a\rb",
            "a\u{8}",
            "x\u{a0}y",
            "x\u{3000}y",
            "a\u{13430}b",
            "a\u{1343f}b",
            "a\u{1d159}b",
            "a\u{16fe4}b",
            "a\u{fffe}b",
            "a\u{ffff}b",
        ] {
            assert!(hidden_in(text).is_some(), "{text:?}");
        }
        assert_eq!(hidden_in("日本語 a b.md"), None);
        assert_eq!(hidden_in_prose("two lines\n\tand a ❤\u{fe0f}"), None);
        assert!(hidden_in_prose("a\u{202e}b").is_some());
    }
}
