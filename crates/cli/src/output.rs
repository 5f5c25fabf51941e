//! Writing to the terminal. A reader that has gone away is no error.

use std::io::{self, IsTerminal, Write};

/// Prints `text` and a line break.
pub fn line(text: &str) {
    let mut out = io::stdout().lock();
    // A closed pipe means that nobody wants more.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Prints `text` as it is.
pub fn piece(text: &str) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Prints what somebody else says, every line of it marked: nothing of it can look like a line of ours. Tabs stay what
/// they are, for columns.
pub fn marked(words: &str) {
    let seen = |words: &str| words.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    if !words.is_empty() {
        let words = words.strip_suffix('\n').unwrap_or(words);
        words.split('\n').for_each(|words| line(&format!("│ {}", seen(words))));
    }
}

/// Prints one JSON text as one line, whatever its reader takes for the end of a line: characters that are not seen
/// are escaped.
pub fn json_line(json: &str) {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let mut buffer = [0; 4];
        if !c.is_ascii() && countersign_domain::disguise::hidden_in(c.encode_utf8(&mut buffer)).is_some() {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    line(&out);
}

/// Prints `text` and a line break where errors go.
pub fn to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Colours for verdicts, where somebody looks.
#[derive(Debug, Clone, Copy)]
pub struct Paint(bool);

impl Paint {
    /// Paint if standard output is a terminal and nobody asked for none.
    pub fn for_stdout() -> Self {
        Self(io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()))
    }

    /// A verdict in its colour.
    pub fn verdict(self, word: &str) -> String {
        let colour = match word {
            "allow" => "32",
            "ask" => "33",
            "deny" => "31",
            _ => "2",
        };
        if self.0 { format!("\x1b[1;{colour}m{word:<6}\x1b[0m") } else { format!("{word:<6}") }
    }

    /// Less important text.
    pub fn faint(self, text: &str) -> String {
        if self.0 { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// `text` with every character that would not be seen, or that would change what is shown, made visible.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        if countersign_domain::disguise::hidden_in(c.encode_utf8(&mut buffer)).is_some() {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}
