//! The bodies of here-documents, which start after a line break.

use super::super::RedirectionKind;
use super::super::Simple;
use super::{Here, Parser, parameter};
use countersign_domain::disguise;

impl Parser {
    pub(super) fn line_break(&mut self) {
        // A pipeline goes on in the next line.
        let frame = self.frame();
        let goes_on = frame.piped && frame.draft.is_none() && frame.simple == Simple::default();
        self.end_command();
        self.frame().piped = goes_on;
        self.at += 1;
        let commands = self.commands.len();
        let mut expanded = false;
        for here in std::mem::take(&mut self.frame().here) {
            expanded |= self.here_document(&here);
        }
        let first = std::mem::replace(&mut self.frame().line_first, commands);
        if expanded {
            self.mark_texts(first);
        }
        if self.stack.iter().rev().skip(1).any(|frame| !frame.here.is_empty()) {
            self.mark("a here-document that starts outside a substitution");
        }
    }

    /// Reads a body; whether it holds variables.
    fn here_document(&mut self, here: &Here) -> bool {
        let mut expanded = false;
        loop {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                self.mark("a here-document without its end");
                return expanded;
            }
            let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
            let line: String = rest.iter().take(length).collect();
            self.at += (length + 1).min(rest.len());
            let compared = if here.tabs { line.trim_start_matches('\t') } else { &line };
            if compared == here.delimiter {
                return expanded;
            }
            if !here.quoted && line.contains(['$', '`', '\\']) {
                expanded = true;
                if !only_variables(&line) {
                    self.mark("a here-document with expansions");
                }
            }
            if disguise::hidden_in_prose(&line).is_some() {
                self.mark("a character that is not seen or not what it looks like");
            }
        }
    }

    /// Which of the texts of this line holds the variables is not looked for: all of them are only known to the shell.
    fn mark_texts(&mut self, first: usize) {
        let texts = self.commands.iter_mut().skip(first).flat_map(|command| &mut command.redirections);
        for text in texts.filter(|redirection| redirection.kind == RedirectionKind::Text) {
            text.target.variable = true;
        }
    }
}

/// Variables only put in a text; whatever else is expanded may run commands.
fn only_variables(line: &str) -> bool {
    let plain = |rest: &str| match rest.strip_prefix('{') {
        Some(braced) => braced.split_once('}').is_some_and(|(inside, _)| parameter::is_plain(inside)),
        None => !rest.starts_with(['(', '[']),
    };
    !line.contains(['`', '\\']) && line.split('$').skip(1).all(plain)
}
