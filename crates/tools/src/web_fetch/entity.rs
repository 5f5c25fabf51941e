//! Characters that HTML writes by name or number.

/// `text` with these as what they stand for. One that is not known stays as it is.
pub fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        // Looked for nearby only: a page of nothing but `&` must not be read over and over.
        let end = after.bytes().take(LONGEST + 1).position(|byte| byte == b';');
        let known = end.and_then(|end| Some((character(after.get(..end)?)?, after.get(end + 1..)?)));
        let (c, left) = known.unwrap_or(('&', after));
        out.push(c);
        rest = left;
    }
    out.push_str(rest);
    out
}

/// No name that is known is longer.
const LONGEST: usize = 10;

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "laquo" => '«',
        "raquo" => '»',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "middot" => '·',
        "bull" => '•',
        "times" => '×',
        "rarr" => '→',
        "larr" => '←',
        "para" => '¶',
        "sect" => '§',
        "euro" => '€',
        _ => return None,
    })
}
