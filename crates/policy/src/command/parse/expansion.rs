//! What the shell puts in: variables, and the output of commands.

use super::super::word::is_name;
use super::super::{Profile, Redirection, RedirectionKind, Role, ansi};
use super::{Inside, Parser, parameter};

impl Parser {
    pub(super) fn dollar(&mut self, quoted: bool) {
        let next = self.chars.get(self.at + 1).copied();
        if next == Some('\\') && self.chars.get(self.at + 2) == Some(&'\n') {
            self.mark("a sign that goes on in the next line");
        }
        match next {
            Some('(') if self.chars.get(self.at + 2) == Some(&'(') => self.arithmetic(quoted),
            Some('(') => self.substitute(quoted, 2),
            Some('{') => self.parameter(quoted),
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
                self.variable("$[", 2, quoted);
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                let rest = self.chars.get(self.at + 1..).unwrap_or_default();
                let name: String = rest.iter().take_while(|c| **c == '_' || c.is_ascii_alphanumeric()).collect();
                self.variable(&format!("${name}"), name.len() + 1, quoted);
            }
            Some(c @ ('0'..='9' | '@' | '*' | '#' | '?' | '$' | '!' | '-')) => {
                self.variable(&format!("${c}"), 2, quoted);
            }
            _ if quoted => self.quoted('$', 1),
            _ => {
                self.draft().push('$');
                self.at += 1;
                self.touch();
            }
        }
    }

    /// `${NAME}` and its plain relatives are variables; anything else in braces may run commands.
    fn parameter(&mut self, quoted: bool) {
        let rest = self.chars.get(self.at + 2..).unwrap_or_default();
        let inside: String = rest.iter().take_while(|c| **c != '}').take(256).collect();
        if rest.get(inside.chars().count()) == Some(&'}') && parameter::is_plain(&inside) {
            let shown = if is_name(&inside) { format!("${inside}") } else { format!("${{{inside}}}") };
            return self.variable(&shown, inside.len() + 3, quoted);
        }
        self.mark("a parameter expansion");
        self.variable("${", 2, quoted);
        self.push(Inside::Parameter);
    }

    /// Inside `${…}` only what could run a command is looked for.
    pub(super) fn in_parameter(&mut self, c: char) {
        match c {
            '}' => {
                self.stack.pop();
                self.at += 1;
            }
            '\\' => self.at += 2,
            '$' => self.dollar(false),
            '`' => self.backtick(false),
            _ => self.at += 1,
        }
    }

    fn variable(&mut self, text: &str, length: usize, quoted: bool) {
        let draft = self.draft();
        draft.word.variable = true;
        draft.word.splits |= !quoted || text == "$@";
        draft.word.text.push_str(text);
        self.at += length;
        self.touch();
    }

    /// `$((2 * 3))`, if it computes with numbers alone: the value of a variable is computed too, and may run commands.
    fn arithmetic(&mut self, quoted: bool) {
        let rest = self.chars.get(self.at + 3..).unwrap_or_default();
        let plain = |c: &&char| c.is_ascii_digit() || matches!(c, ' ' | '+' | '-' | '*' | '/' | '%' | '(' | ')');
        let inside: String = rest.iter().take_while(plain).take(256).collect();
        let closed = parameter::length_within_brackets(&inside).filter(|&end| inside.get(end..end + 2) == Some("))"));
        if let Some(end) = closed {
            return self.variable("$((…))", end + 5, quoted);
        }
        self.mark("an arithmetic expansion");
        self.substitute(quoted, 2);
    }

    pub(super) fn substitute(&mut self, quoted: bool, length: usize) {
        self.draft().word.text.push_str("$(…)");
        self.at += length;
        self.check_sign(self.at);
        self.touch();
        self.push(Inside::Substitution { quoted });
    }

    /// `"$(cat <<'END' …)"` writes out a text; any other substitution is only known to the shell.
    pub(super) fn end_substitution(&mut self, quoted: bool, first: usize) {
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
        let settled = matches!(self.commands.get(first..), Some([only]) if Profile::is_settled(only));
        let word = &mut self.draft().word;
        if written_out {
            word.written_out = true;
        } else {
            word.settled = settled && (word.settled || !word.substitution);
            word.substitution = true;
            word.splits |= !quoted;
        }
        self.touch();
    }

    /// A plain text between backticks is read like `$(…)`. In any other, quotes and backslashes mean something else.
    pub(super) fn backtick(&mut self, quoted: bool) {
        if let Inside::Backticks { quoted } = self.frame().inside {
            return self.end_backticks(quoted);
        }
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || " _./:=,@%+-|*".contains(*c);
        let length = rest.iter().take_while(|c| plain(c)).count();
        self.draft().word.text.push_str("$(…)");
        self.at += 1;
        self.touch();
        if self.chars.get(self.at + length) == Some(&'`') {
            self.push(Inside::Backticks { quoted });
        } else {
            self.draft().word.substitution = true;
            self.mark("a substitution in backticks");
        }
    }

    fn end_backticks(&mut self, quoted: bool) {
        self.end_command();
        self.at += 1;
        let first = self.frame().first;
        self.stack.pop();
        self.end_substitution(quoted, first);
    }
}
