//! Reads a command line. Whatever is not in this grammar marks the line as not understood; reading goes on.

use super::word::{Draft, Word, is_name};
use super::{Analysis, Assignment, Redirection, RedirectionKind, Role, Simple, ansi};
use countersign_domain::disguise;

/// Takes `line` apart, without looking behind wrappers.
pub(super) fn parse(line: &str) -> Analysis {
    let mut parser = Parser {
        chars: line.chars().collect(),
        at: 0,
        stack: vec![Frame::new(Inside::Top, 0, 0)],
        commands: Vec::new(),
        opaque: None,
    };
    while parser.at < parser.chars.len() {
        parser.step();
    }
    parser.finish();
    Analysis { commands: parser.commands, opaque: parser.opaque, guesses: Vec::new() }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    stack: Vec<Frame>,
    commands: Vec<Simple>,
    opaque: Option<&'static str>,
}

/// A list of commands that is being read: the line itself, a subshell, the inside of a substitution.
#[derive(Default)]
struct Frame {
    inside: Inside,
    simple: Simple,
    draft: Option<Draft>,
    in_double_quotes: bool,
    expects: Option<Expects>,
    /// Here-documents whose bodies start after the next line break.
    here: Vec<Here>,
    /// Where the simple command starts, and where its last token ended.
    from: usize,
    to: usize,
    /// How many commands had been found when the frame was opened.
    first: usize,
    /// The simple command reads from a pipe.
    piped: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Top,
    Subshell,
    /// `$(…)`, `<(…)` or `>(…)`, in double quotes or not.
    Substitution {
        quoted: bool,
    },
    /// `${…}` beyond a plain name.
    Parameter,
}

/// What the next word is for, if it is not an argument.
enum Expects {
    Target(RedirectionKind),
    Delimiter { tabs: bool },
}

struct Here {
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

impl Frame {
    fn new(inside: Inside, from: usize, first: usize) -> Self {
        Self { inside, from, to: from, first, ..Self::default() }
    }
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
            '`' => self.backtick(),
            c => self.plain(c),
        }
    }

    fn plain(&mut self, c: char) {
        let first = self.frame().draft.is_none();
        match c {
            '~' if first => self.draft().word.tilde = true,
            _ if is_strange(c) => self.mark("a character that is not seen or not what it looks like"),
            _ => {}
        }
        let draft = self.draft();
        // The value of an assignment is expanded after `=` and `:` too.
        if c == '~' && draft.equals.is_some() {
            draft.word.tilde = true;
        }
        draft.push(c);
        self.at += 1;
    }

    fn in_double_quotes(&mut self, c: char) {
        match c {
            '"' => {
                self.frame().in_double_quotes = false;
                self.at += 1;
            }
            '\\' => match self.chars.get(self.at + 1).copied() {
                Some('\n') => self.at += 2,
                Some(next @ ('$' | '`' | '"' | '\\')) => self.quoted(next, 2),
                Some(_) => self.quoted('\\', 1),
                None => self.unfinished(),
            },
            '$' => self.dollar(true),
            '`' => self.backtick(),
            c => {
                self.strange_in_quotes(c);
                self.quoted(c, 1);
            }
        }
    }

    /// Inside `${…}` only what could run a command is looked for.
    fn in_parameter(&mut self, c: char) {
        match c {
            '}' => {
                self.stack.pop();
                self.at += 1;
            }
            '\\' => self.at += 2,
            '$' => self.dollar(false),
            '`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    fn single_quotes(&mut self) {
        let body = self.chars.get(self.at + 1..).unwrap_or_default();
        let Some(length) = body.iter().position(|&c| c == '\'') else { return self.unfinished() };
        let text: Vec<char> = body.get(..length).unwrap_or_default().to_vec();
        self.draft().word.quoted = true;
        for c in text {
            self.strange_in_quotes(c);
            self.draft().push_quoted(c);
        }
        self.at += length + 2;
        self.touch();
    }

    fn backslash(&mut self) {
        match self.chars.get(self.at + 1).copied() {
            // A line that goes on.
            Some('\n') => self.at += 2,
            Some(c) => {
                self.strange_in_quotes(c);
                self.quoted(c, 2);
            }
            None => self.unfinished(),
        }
    }

    fn quoted(&mut self, c: char, length: usize) {
        self.draft().push_quoted(c);
        self.at += length;
        self.touch();
    }

    fn strange_in_quotes(&mut self, c: char) {
        if is_strange(c) && !matches!(c, '\n') && !is_full_width(c) {
            self.mark("a character that is not seen or not what it looks like");
        }
    }

    fn dollar(&mut self, quoted: bool) {
        let next = self.chars.get(self.at + 1).copied();
        match next {
            Some('(') => {
                if self.chars.get(self.at + 2) == Some(&'(') {
                    self.mark("an arithmetic expansion");
                }
                self.substitute(quoted, 2);
            }
            Some('{') => self.parameter(),
            Some('\'') if !quoted => {
                let read = self.chars.get(self.at + 2..).and_then(ansi::read);
                let Some((text, length)) = read else { return self.unfinished() };
                self.draft().word.quoted = true;
                for c in text.chars() {
                    self.strange_in_quotes(c);
                    self.draft().push_quoted(c);
                }
                self.at += 2 + length;
                self.touch();
            }
            Some('"') if !quoted => {
                self.mark("a translated string");
                self.at += 1;
            }
            Some('[') => {
                self.mark("an arithmetic expansion");
                self.variable("$[", 2);
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                let rest = self.chars.get(self.at + 1..).unwrap_or_default();
                let name: String = rest.iter().take_while(|c| **c == '_' || c.is_ascii_alphanumeric()).collect();
                self.variable(&format!("${name}"), name.len() + 1);
            }
            Some(c @ ('0'..='9' | '@' | '*' | '#' | '?' | '$' | '!' | '-')) => self.variable(&format!("${c}"), 2),
            _ if quoted => self.quoted('$', 1),
            _ => {
                self.draft().push('$');
                self.at += 1;
                self.touch();
            }
        }
    }

    /// `${NAME}` is a variable; anything else in braces may run commands.
    fn parameter(&mut self) {
        let rest = self.chars.get(self.at + 2..).unwrap_or_default();
        let name: String = rest.iter().take_while(|c| **c != '}').take(256).collect();
        if is_name(&name) && rest.get(name.len()) == Some(&'}') {
            return self.variable(&format!("${name}"), name.len() + 3);
        }
        self.mark("a parameter expansion");
        self.variable("${", 2);
        self.push(Inside::Parameter);
    }

    fn variable(&mut self, text: &str, length: usize) {
        let draft = self.draft();
        draft.word.variable = true;
        draft.word.text.push_str(text);
        self.at += length;
        self.touch();
    }

    fn substitute(&mut self, quoted: bool, length: usize) {
        self.draft().word.text.push_str("$(…)");
        self.at += length;
        self.touch();
        self.push(Inside::Substitution { quoted });
    }

    fn push(&mut self, inside: Inside) {
        if self.stack.len() == DEEPEST {
            self.mark("substitutions nested too deeply");
            return;
        }
        self.stack.push(Frame::new(inside, self.at, self.commands.len()));
    }

    /// The text between backticks is read apart, where it is looked for commands only.
    fn backtick(&mut self) {
        self.mark("a substitution in backticks");
        self.draft().word.substitution = true;
        self.draft().word.text.push('`');
        self.at += 1;
        self.touch();
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
            Inside::Top | Inside::Parameter => self.mark("a closing bracket without an opening one"),
            Inside::Subshell => {
                self.stack.pop();
                self.touch();
            }
            Inside::Substitution { quoted } => {
                let first = self.frame().first;
                self.stack.pop();
                self.end_substitution(quoted, first);
            }
        }
    }

    /// `"$(cat <<'END' …)"` writes out a text; any other substitution is only known to the shell.
    fn end_substitution(&mut self, quoted: bool, first: usize) {
        let written_out = quoted && self.commands.get_mut(first..).is_some_and(|inside| match inside {
            [only] if only.words.len() == 1 && only.program() == Some("cat") && only.assignments.is_empty() => {
                let written = matches!(&*only.redirections, [Redirection { kind: RedirectionKind::Text, target }] if target.is_literal());
                if written {
                    only.role = Role::WrittenOut;
                }
                written
            }
            _ => false,
        });
        let word = &mut self.draft().word;
        if written_out {
            word.written_out = true;
        } else {
            word.substitution = true;
        }
        self.touch();
    }

    fn line_break(&mut self) {
        self.end_command();
        self.at += 1;
        for here in std::mem::take(&mut self.frame().here) {
            self.here_document(&here);
        }
        if self.stack.iter().rev().skip(1).any(|frame| !frame.here.is_empty()) {
            self.mark("a here-document that starts outside a substitution");
        }
    }

    fn here_document(&mut self, here: &Here) {
        loop {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                return self.mark("a here-document without its end");
            }
            let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
            let line: String = rest.iter().take(length).collect();
            self.at += (length + 1).min(rest.len());
            let compared = if here.tabs { line.trim_start_matches('\t') } else { &line };
            if compared == here.delimiter {
                return;
            }
            if !here.quoted && line.contains(['$', '`', '\\']) {
                self.mark("a here-document with expansions");
            }
            if disguise::hidden_in_prose(&line).is_some() {
                self.mark("a character that is not seen or not what it looks like");
            }
        }
    }

    fn redirection(&mut self, c: char) {
        if self.next_is('(') {
            self.draft().word.substitution = true;
            return self.substitute(false, 2);
        }
        self.take_descriptor();
        let three: String = self.chars.iter().skip(self.at).take(3).collect();
        let (kind, length) = match (c, &*three) {
            ('<', "<<<") => (RedirectionKind::Text, 3),
            ('<', text) if text.starts_with("<<") => {
                let tabs = text == "<<-";
                self.at += if tabs { 3 } else { 2 };
                self.frame().expects = Some(Expects::Delimiter { tabs });
                return self.touch();
            }
            // Closing a descriptor is complete in itself.
            (_, "<&-" | ">&-") => {
                self.at += 3;
                self.touch();
                return self.add_redirection(RedirectionKind::Descriptor, Word { text: "-".into(), ..Word::default() });
            }
            ('<', text) if text.starts_with("<&") => (RedirectionKind::Descriptor, 2),
            ('<', text) if text.starts_with("<>") => (RedirectionKind::Write, 2),
            ('<', _) => (RedirectionKind::Read, 1),
            (_, text) if text.starts_with(">&") => (RedirectionKind::Descriptor, 2),
            (_, text) if text.starts_with(">>") || text.starts_with(">|") => (RedirectionKind::Write, 2),
            _ => (RedirectionKind::Write, 1),
        };
        self.start_redirection(kind, length);
    }

    /// Digits right before a redirection are its descriptor.
    fn take_descriptor(&mut self) {
        let frame = self.frame();
        let digits = |draft: &Draft| !draft.word.quoted && draft.word.text.bytes().all(|b| b.is_ascii_digit());
        if frame.draft.as_ref().is_some_and(|draft| digits(draft) && draft.word.text.len() < 4) {
            frame.draft = None;
        } else if frame
            .draft
            .as_ref()
            .is_some_and(|draft| draft.word.text.starts_with('{') && draft.word.text.ends_with('}'))
        {
            self.mark("a descriptor in a variable");
        }
        self.end_word();
    }

    fn start_redirection(&mut self, kind: RedirectionKind, length: usize) {
        if self.frame().expects.is_some() {
            self.mark("a redirection without its target");
        }
        self.frame().expects = Some(Expects::Target(kind));
        self.at += length;
        self.touch();
    }

    fn end_word(&mut self) {
        let Some(draft) = self.frame().draft.take() else { return };
        match self.frame().expects.take() {
            Some(Expects::Target(kind)) => self.add_redirection(kind, draft.word),
            Some(Expects::Delimiter { tabs }) => {
                if !draft.word.is_literal() {
                    self.mark("a here-document whose end is not plain");
                }
                let here = Here { delimiter: draft.word.text, quoted: draft.word.quoted, tabs };
                self.frame().here.push(here);
                self.add_redirection(RedirectionKind::Text, Word::default());
            }
            None => self.add_word(draft),
        }
    }

    fn add_redirection(&mut self, kind: RedirectionKind, target: Word) {
        // `>& file` writes a file, `>&2` and `>&-` do not.
        let descriptor = target.is_literal()
            && (target.text == "-" || target.text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()));
        // A name after `>&` is expanded twice, quotes or not.
        if kind == RedirectionKind::Descriptor && target.text.contains(['$', '`', '\\']) {
            self.mark("an expansion in a copied descriptor");
        }
        let kind = if kind == RedirectionKind::Descriptor && !descriptor { RedirectionKind::Write } else { kind };
        self.frame().simple.redirections.push(Redirection { kind, target });
    }

    fn add_word(&mut self, draft: Draft) {
        let first = self.frame().simple.words.is_empty();
        let bare = self.frame().simple == Simple::default();
        if first {
            if let Some((name, _)) = draft.assignment() {
                let assignment = Assignment { name: name.to_owned(), literal: draft.word.is_literal() };
                self.frame().simple.assignments.push(assignment);
                return;
            }
            if draft.equals.is_some() && draft.word.text.contains('[') {
                self.mark("an assignment to an array");
            }
            if bare && self.is_keyword(&draft) {
                return;
            }
            self.check_command_word(&draft.word);
        }
        self.frame().simple.words.push(draft.word);
    }

    /// Words with which bash begins or ends a compound command. They are passed over: what follows is a command.
    fn is_keyword(&mut self, draft: &Draft) -> bool {
        if draft.word.quoted || !draft.word.is_literal() {
            return false;
        }
        match &*draft.word.text {
            "if" | "then" | "elif" | "else" | "fi" | "while" | "until" | "do" | "done" | "!" | "{" | "}" => {
                self.frame().from = self.at;
                true
            }
            // Only at the start of a pipeline is it a word of the shell's own; before an option it may be a program.
            "time" if self.frame().piped => false,
            "time" => {
                let next = self.chars.iter().skip(self.at).find(|c| **c != ' ' && **c != '\t');
                if !next.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_')) {
                    self.mark("a compound command that is not taken apart");
                }
                self.frame().from = self.at;
                true
            }
            "case" | "esac" | "in" | "select" | "function" | "coproc" | "[[" | "]]" => {
                self.mark("a compound command that is not taken apart");
                true
            }
            _ => false,
        }
    }

    fn check_command_word(&mut self, word: &Word) {
        if !word.is_literal() {
            self.mark("a command word that only the shell knows");
        } else if word.text.starts_with('=') || word.text.is_empty() || !word.text.is_ascii() {
            self.mark("an unusual command word");
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if self.frame().expects.take().is_some() {
            self.mark("a redirection without its target");
        }
        let at = self.at;
        let frame = self.frame();
        let mut simple = std::mem::take(&mut frame.simple);
        let (from, to) = (frame.from, frame.to);
        (frame.from, frame.to) = (at, at);
        frame.piped = false;
        if simple == Simple::default() {
            return;
        }
        if simple.words.first().is_some_and(|word| word.text == "for" && !word.quoted) {
            let plain =
                |i: usize, text: &str| simple.words.get(i).is_some_and(|word| word.text == text && !word.quoted);
            if !plain(2, "in") || (3..simple.words.len()).any(|i| plain(i, "do")) {
                self.mark("a loop that is not taken apart");
            }
            if simple.redirections.is_empty() {
                return;
            }
            simple.words.clear();
        }
        let text: String = self.chars.get(from..to.min(self.chars.len())).unwrap_or_default().iter().collect();
        text.trim_matches([' ', '\t', '\n', ';', '&', '|', '(', ')']).clone_into(&mut simple.source);
        self.commands.push(simple);
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

    fn unfinished(&mut self) {
        self.mark("a quote that is not closed");
        self.draft().word.substitution = true;
        self.at += 1;
        self.touch();
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
