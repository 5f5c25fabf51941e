//! Simple commands: their words, and the words with which bash begins or ends a compound one.

use super::super::word::{Draft, Word, is_name};
use super::super::{Assignment, RedirectionKind, Simple};
use super::{Compound, Expects, Here, Parser};

impl Parser {
    pub(super) fn end_command(&mut self) {
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
        match frame.compound.take() {
            Some(Compound::Loop) => self.end_loop(&mut simple),
            Some(Compound::Condition) => self.mark("a condition that is not closed"),
            None => {}
        }
        if simple == Simple::default() {
            return;
        }
        let text = self.chars.get(from..to.min(self.chars.len())).unwrap_or_default();
        let outside = |c: &char| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')');
        let start = text.iter().position(|c| !outside(c)).unwrap_or(text.len());
        let end = text.iter().rposition(|c| !outside(c)).map_or(start, |last| last + 1);
        simple.source = text_of(text.get(start..end).unwrap_or_default());
        // Words are kept in no more room than they need; the room they were read into is used again.
        let mut words = std::mem::take(&mut simple.words);
        simple.words.reserve_exact(words.len());
        simple.words.append(&mut words);
        self.frame().simple.words = words;
        self.commands.push(simple);
    }

    /// What `for NAME in …` does is to set a variable.
    fn end_loop(&mut self, simple: &mut Simple) {
        let words = std::mem::take(&mut simple.words);
        let plain = |i: usize, text: &str| words.get(i).is_some_and(|word| word.text == text && !word.quoted);
        let name = words.get(1).filter(|word| word.is_literal() && !word.quoted && is_name(&word.text));
        match name {
            Some(name) if plain(2, "in") && !(3..words.len()).any(|i| plain(i, "do")) => {
                simple.assignments.push(Assignment { name: name.text.clone(), literal: false });
            }
            _ => self.mark("a loop that is not taken apart"),
        }
    }

    pub(super) fn end_word(&mut self) {
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

    pub(super) fn add_word(&mut self, draft: Draft) {
        let first = self.frame().simple.words.is_empty();
        if first {
            let bare = self.frame().simple == Simple::default();
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
        let frame = self.frame();
        if frame.compound == Some(Compound::Condition) && draft.word.text == "]]" && !draft.word.quoted {
            frame.compound = None;
        }
        frame.simple.words.push(draft.word);
    }

    /// Words with which bash begins or ends a compound command. They are passed over: what follows is a command.
    pub(super) fn is_keyword(&mut self, draft: &Draft) -> bool {
        if draft.word.quoted || !draft.word.is_literal() {
            return false;
        }
        match &*draft.word.text {
            "if" | "then" | "elif" | "else" | "fi" | "while" | "until" | "do" | "done" | "!" | "{" | "}" => {
                self.frame().from = self.at;
                // What follows begins anew.
                self.frame().piped = false;
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
            "for" => {
                self.frame().compound = Some(Compound::Loop);
                false
            }
            "[[" => {
                self.frame().compound = Some(Compound::Condition);
                false
            }
            "case" | "esac" | "in" | "select" | "function" | "coproc" | "]]" => {
                self.mark("a compound command that is not taken apart");
                true
            }
            _ => false,
        }
    }

    pub(super) fn check_command_word(&mut self, word: &Word) {
        if !word.is_literal() {
            self.mark("a command word that only the shell knows");
        } else if word.text.starts_with('=') || word.text.is_empty() || !word.text.is_ascii() {
            self.mark("an unusual command word");
        }
    }
}

/// The characters as a text that takes no more room than it needs.
fn text_of(chars: &[char]) -> String {
    let mut text = String::with_capacity(chars.iter().map(|c| c.len_utf8()).sum());
    text.extend(chars);
    text
}
