//! Quotes and escapes: what stands for itself.

use super::{Parser, is_full_width, is_strange};

impl Parser {
    pub(super) fn in_double_quotes(&mut self, c: char) {
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
            '`' => self.backtick(true),
            c => {
                self.strange_in_quotes(c);
                self.quoted(c, 1);
            }
        }
    }

    pub(super) fn single_quotes(&mut self) {
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

    pub(super) fn backslash(&mut self) {
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

    pub(super) fn quoted(&mut self, c: char, length: usize) {
        self.draft().push_quoted(c);
        self.at += length;
        self.touch();
    }

    pub(super) fn strange_in_quotes(&mut self, c: char) {
        if is_strange(c) && !matches!(c, '\n') && !is_full_width(c) {
            self.mark("a character that is not seen or not what it looks like");
        }
    }

    pub(super) fn unfinished(&mut self) {
        self.mark("a quote that is not closed");
        self.draft().word.substitution = true;
        self.at += 1;
        self.touch();
    }
}
