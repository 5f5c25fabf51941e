//! What the shell puts in: variables, and the output of commands.

use super::super::word::is_name;
use super::super::{Redirection, RedirectionKind, Role, ansi};
use super::{Inside, Parser};

impl Parser {
    pub(super) fn dollar(&mut self, quoted: bool) {
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
    pub(super) fn parameter(&mut self) {
        let rest = self.chars.get(self.at + 2..).unwrap_or_default();
        let name: String = rest.iter().take_while(|c| **c != '}').take(256).collect();
        if is_name(&name) && rest.get(name.len()) == Some(&'}') {
            return self.variable(&format!("${name}"), name.len() + 3);
        }
        self.mark("a parameter expansion");
        self.variable("${", 2);
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
            '`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    pub(super) fn variable(&mut self, text: &str, length: usize) {
        let draft = self.draft();
        draft.word.variable = true;
        draft.word.text.push_str(text);
        self.at += length;
        self.touch();
    }

    pub(super) fn substitute(&mut self, quoted: bool, length: usize) {
        self.draft().word.text.push_str("$(…)");
        self.at += length;
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
        let word = &mut self.draft().word;
        if written_out {
            word.written_out = true;
        } else {
            word.substitution = true;
        }
        self.touch();
    }

    /// The text between backticks is read apart, where it is looked for commands only.
    pub(super) fn backtick(&mut self) {
        self.mark("a substitution in backticks");
        self.draft().word.substitution = true;
        self.draft().word.text.push('`');
        self.at += 1;
        self.touch();
    }
}
