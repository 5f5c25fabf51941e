//! Redirections: which file, descriptor or text.

use super::super::word::{Draft, Word};
use super::super::{Redirection, RedirectionKind};
use super::{Expects, Parser};

impl Parser {
    pub(super) fn redirection(&mut self, c: char) {
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
                self.check_sign(self.at);
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
    pub(super) fn take_descriptor(&mut self) {
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

    pub(super) fn start_redirection(&mut self, kind: RedirectionKind, length: usize) {
        if self.frame().expects.is_some() {
            self.mark("a redirection without its target");
        }
        self.frame().expects = Some(Expects::Target(kind));
        self.at += length;
        self.check_sign(self.at);
        self.touch();
    }

    pub(super) fn add_redirection(&mut self, kind: RedirectionKind, target: Word) {
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
}
