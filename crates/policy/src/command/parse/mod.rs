//! Reads a command line. Whatever is not in this grammar marks the line as not understood; reading goes on.

mod expansion;
mod frame;
mod here;
mod parameter;
mod quotes;
mod redirection;
mod simple;

use super::word::{Draft, Word, is_name};
use super::{Analysis, RedirectionKind, Simple};
use countersign_domain::disguise;
use frame::{Compound, Expects, Frame, Here, Inside};

/// Takes `line` apart, without looking behind wrappers.
pub(super) fn parse(line: &str) -> Analysis {
    let mut chars = Vec::with_capacity(line.len());
    chars.extend(line.chars());
    let stack = vec![Frame::new(Inside::Top, 0, 0)];
    let mut parser = Parser { chars, at: 0, stack, commands: Vec::with_capacity(signs(line)), opaque: None };
    while parser.at < parser.chars.len() {
        parser.step();
    }
    parser.finish();
    Analysis { commands: parser.commands, opaque: parser.opaque, guesses: Vec::new() }
}

/// About how many commands `line` has: to make room for them once is quicker than to move them time and again.
fn signs(line: &str) -> usize {
    const MOST: usize = 1 << 15;
    let signs = line.bytes().filter(|byte| matches!(byte, b';' | b'&' | b'|' | b'(' | b'\n')).count();
    (signs + 1).min(MOST)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    stack: Vec<Frame>,
    commands: Vec<Simple>,
    opaque: Option<&'static str>,
}

/// Substitutions within substitutions that are followed; a line with more is not understood.
const DEEPEST: usize = 64;

impl Parser {
    fn step(&mut self) {
        let Some(&c) = self.chars.get(self.at) else { return };
        if self.frame().in_double_quotes {
            return self.in_double_quotes(c);
        }
        if self.frame().inside == Inside::Parameter {
            return self.in_parameter(c);
        }
        if matches!(c, '&' | '|' | ';' | '<' | '>' | '(') {
            self.check_sign(self.at + 1);
        }
        if self.in_condition(c) {
            return;
        }
        match c {
            ' ' | '\t' => self.blank(),
            '\n' => self.line_break(),
            ';' => {
                if self.next_is(';') || self.next_is('&') {
                    self.mark("a case statement");
                }
                self.separator(1);
            }
            '&' => self.ampersand(),
            '|' => {
                let or = self.next_is('|');
                self.separator(if or || self.next_is('&') { 2 } else { 1 });
                self.frame().piped = !or;
            }
            '(' => self.open(),
            ')' => self.close(),
            '<' | '>' => self.redirection(c),
            '#' if self.frame().draft.is_none() => self.comment(),
            '\'' => self.single_quotes(),
            '"' => {
                self.draft().word.quoted = true;
                self.frame().in_double_quotes = true;
                self.at += 1;
            }
            '\\' => self.backslash(),
            '$' => self.dollar(false),
            '`' => self.backtick(false),
            c => self.plain(c),
        }
    }

    /// Bash takes a backslash before a line break away before it looks at signs: `<`, a line break and `(` are one.
    fn check_sign(&mut self, at: usize) {
        let rest = self.chars.get(at..).unwrap_or_default();
        let broken = rest.chunks(2).take_while(|pair| *pair == ['\\', '\n']).count();
        let next = rest.get(2 * broken);
        if broken > 0 && next.is_none_or(|c| matches!(c, '&' | '|' | ';' | '<' | '>' | '(' | '-')) {
            self.mark("a sign that goes on in the next line");
        }
    }

    /// Whether a `[` here follows a name where an assignment may stand: bash reads on to the `]`, over blanks and all.
    fn is_index(&mut self) -> bool {
        let frame = self.frame();
        let open = frame.simple.words.is_empty() && frame.expects.is_none();
        open && frame.draft.as_ref().is_some_and(|draft| !draft.word.quoted && is_name(&draft.word.text))
    }

    /// Between `[[` and `]]` nothing separates commands. Whether `c` was dealt with.
    fn in_condition(&mut self, c: char) -> bool {
        let ends_word = matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>' | '\n');
        if self.frame().compound != Some(Compound::Condition) || !(ends_word || c == '#') {
            return false;
        }
        if ends_word {
            self.end_word();
        }
        if self.frame().compound.is_none() {
            return false;
        }
        if matches!(c, '&' | '|') && self.next_is(c) {
            let text = String::from_iter([c, c]);
            self.frame().simple.words.push(Word { text, ..Word::default() });
            self.at += 2;
            return true;
        }
        self.mark("a condition that is not taken apart");
        false
    }

    fn plain(&mut self, c: char) {
        let first = self.frame().draft.is_none();
        match c {
            '~' if first => self.draft().word.tilde = true,
            _ if is_strange(c) => self.mark("a character that is not seen or not what it looks like"),
            _ => {}
        }
        if c == '[' && self.is_index() {
            self.mark("an index of an array");
        }
        let draft = self.draft();
        // The value of an assignment is expanded after `=` and `:` too.
        if c == '~' && draft.equals.is_some() {
            draft.word.tilde = true;
        }
        draft.push(c);
        self.at += 1;
        self.ordinary();
    }

    /// Takes in at once what goes on in a word and never means anything but itself.
    fn ordinary(&mut self) {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let ordinary = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | ':' | '@' | '%' | '+');
        let length = rest.iter().position(|c| !ordinary(c)).unwrap_or(rest.len());
        let run = rest.get(..length).unwrap_or_default();
        if let Some(frame) = self.stack.last_mut()
            && let Some(draft) = &mut frame.draft
            && !run.is_empty()
        {
            self.at += length;
            frame.to = frame.to.max(self.at);
            draft.word.text.extend(run);
        }
    }

    fn push(&mut self, inside: Inside) {
        if self.stack.len() == DEEPEST {
            self.mark("substitutions nested too deeply");
            return;
        }
        self.stack.push(Frame::new(inside, self.at, self.commands.len()));
    }

    fn blank(&mut self) {
        self.end_word();
        self.at += 1;
    }

    fn comment(&mut self) {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
        if rest.iter().take(length).any(|&c| is_strange(c)) {
            self.mark("a character that is not seen or not what it looks like");
        }
        self.at += length;
    }

    fn separator(&mut self, length: usize) {
        self.end_command();
        self.at += length;
    }

    fn ampersand(&mut self) {
        if self.next_is('>') {
            let appends = self.chars.get(self.at + 2) == Some(&'>');
            self.end_word();
            self.start_redirection(RedirectionKind::Write, if appends { 3 } else { 2 });
        } else {
            self.separator(if self.next_is('&') { 2 } else { 1 });
        }
    }

    fn open(&mut self) {
        let frame = self.frame();
        let at_start = frame.draft.is_none() && frame.simple == Simple::default() && frame.expects.is_none();
        if !at_start || self.next_is('(') {
            self.mark("a function, an array or an arithmetic command");
            return self.separator(1);
        }
        self.at += 1;
        self.push(Inside::Subshell);
    }

    fn close(&mut self) {
        self.end_command();
        self.at += 1;
        if !self.frame().here.is_empty() {
            self.mark("a here-document without its text");
        }
        match self.frame().inside {
            Inside::Top | Inside::Parameter | Inside::Backticks { .. } => {
                self.mark("a closing bracket without an opening one");
            }
            Inside::Subshell => {
                self.stack.pop();
                self.touch();
                self.frame().piped = false;
            }
            Inside::Substitution { quoted } => {
                let first = self.frame().first;
                self.stack.pop();
                self.end_substitution(quoted, first);
            }
        }
    }

    fn finish(&mut self) {
        while self.stack.len() > 1 {
            self.unfinished_frame();
        }
        if self.frame().in_double_quotes {
            self.mark("a quote that is not closed");
        }
        self.end_command();
        if !self.frame().here.is_empty() {
            self.mark("a here-document without its text");
        }
    }

    fn unfinished_frame(&mut self) {
        self.mark("a bracket that is not closed");
        self.end_command();
        self.stack.pop();
    }

    fn mark(&mut self, why: &'static str) {
        self.opaque.get_or_insert(why);
    }

    fn next_is(&self, c: char) -> bool {
        self.chars.get(self.at + 1) == Some(&c)
    }

    /// The word that is being read; it starts here if none is.
    fn draft(&mut self) -> &mut Draft {
        self.touch();
        self.frame().draft.get_or_insert_default()
    }

    /// The simple command reaches up to here.
    fn touch(&mut self) {
        let at = self.at;
        let frame = self.frame();
        frame.to = frame.to.max(at + 1);
    }

    fn frame(&mut self) -> &mut Frame {
        if self.stack.is_empty() {
            self.stack.push(Frame::default());
        }
        let last = self.stack.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the stack was just seen not to be empty")]
        &mut self.stack[last]
    }
}

/// Control characters, blanks other than the two that bash knows, what is not seen, and full-width letters that look alike.
fn is_strange(c: char) -> bool {
    let mut buffer = [0; 4];
    !(c.is_ascii_graphic() || c == ' ' || c == '\t' || c == '\n')
        && (c.is_ascii() || is_full_width(c) || disguise::hidden_in(c.encode_utf8(&mut buffer)).is_some())
}

fn is_full_width(c: char) -> bool {
    ('\u{ff01}'..='\u{ff5e}').contains(&c)
}
