//! The bodies of here-documents, which start after a line break.

use super::{Here, Parser};
use countersign_domain::disguise;

impl Parser {
    pub(super) fn line_break(&mut self) {
        self.end_command();
        self.at += 1;
        for here in std::mem::take(&mut self.frame().here) {
            self.here_document(&here);
        }
        if self.stack.iter().rev().skip(1).any(|frame| !frame.here.is_empty()) {
            self.mark("a here-document that starts outside a substitution");
        }
    }

    pub(super) fn here_document(&mut self, here: &Here) {
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
}
