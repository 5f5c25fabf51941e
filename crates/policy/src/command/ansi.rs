//! `$'…'`: the escapes of ANSI C, as bash reads them.

/// Reads what follows `$'` up to and with the closing quote. `None` where it is not closed, or holds an escape whose
/// meaning depends on more than the text.
pub(super) fn read(chars: &[char]) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut at = 0;
    loop {
        match *chars.get(at)? {
            '\'' => return Some((out, at + 1)),
            '\\' => {
                let (c, used) = escape(chars.get(at + 1..)?)?;
                out.push(c);
                at += 1 + used;
            }
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
}

/// One escape after its backslash: the character and how much of the text it took.
fn escape(chars: &[char]) -> Option<(char, usize)> {
    let simple = |c: char| Some((c, 1));
    match *chars.first()? {
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'e' | 'E' => simple('\u{1b}'),
        'f' => simple('\u{c}'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\u{b}'),
        c @ ('\\' | '\'' | '"' | '?') => simple(c),
        'x' => number(chars.get(1..)?, 16, 2).map(|(c, used)| (c, used + 1)),
        'u' => number(chars.get(1..)?, 16, 4).map(|(c, used)| (c, used + 1)),
        'U' => number(chars.get(1..)?, 16, 8).map(|(c, used)| (c, used + 1)),
        '0'..='7' => number(chars, 8, 3),
        _ => None,
    }
}

/// Only what is ASCII and not NUL has one meaning in every locale.
fn number(chars: &[char], radix: u32, most: usize) -> Option<(char, usize)> {
    let digits: String = chars.iter().take(most).take_while(|c| c.is_digit(radix)).collect();
    let value = u32::from_str_radix(&digits, radix).ok()?;
    let c = char::from_u32(value).filter(|c| c.is_ascii() && *c != '\0')?;
    Some((c, digits.len()))
}
