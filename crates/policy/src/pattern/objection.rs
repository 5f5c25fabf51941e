//! What speaks against covering a command by a wildcard, whatever the pattern.

use super::command::Writes;
use crate::command::{Assignment, Profile, Redirection, RedirectionKind, Simple, Word};
use countersign_domain::describe::{Described, path::normal};

/// Why a wildcard does not cover `command`, of which the pattern names `named` words itself.
pub(super) fn objection(command: &Simple, named: usize, call: &Described, writes: Writes<'_>) -> Option<String> {
    let (Some(first), Some(program)) = (command.words.first(), command.program()) else {
        return Some("a command word that only the shell knows".to_owned());
    };
    let profile = Profile::of(program);
    let harmless = |one: &Assignment| {
        one.literal
            && (Profile::is_harmless_variable(&one.name)
                || profile.is_some_and(|profile| profile.may_be_given(&one.name)))
    };
    if let Some(assignment) = command.assignments.iter().find(|one| !harmless(one)) {
        return Some(changing(assignment));
    }
    if first.text.split('/').any(|segment| segment == "..") {
        return Some("the program's path leads upwards".to_owned());
    }
    if let Some(redirection) = command.redirections.iter().find(|one| !is_harmless(one, writes)) {
        return Some(format!("the redirection to `{}`", redirection.target.text));
    }
    let written = profile.into_iter().flat_map(|profile| profile.written(command));
    if let Some(file) = written.into_iter().find(|file| !may_be_written(file, writes)) {
        return Some(format!("it writes `{}`", file.text));
    }
    // What an option could do is known of few programs; to those without harmful ones any text may be given.
    let takes_anything = profile.is_some_and(Profile::takes_any_text);
    if !takes_anything && command.words.iter().any(|word| word.substitution && !word.settled) {
        return Some("the output of another command".to_owned());
    }
    if !takes_anything && command.words.iter().any(|word| word.variable) {
        return Some("a variable may become an option that does harm".to_owned());
    }
    if matches!(program, "cd" | "pushd") && !stays_inside(command, call) {
        return Some("it leaves the working folder".to_owned());
    }
    profile.and_then(|profile| profile.objection(command, named))
}

/// Why a command without words, which sets variables or opens files, is not harmless.
pub(super) fn objection_to_wordless(command: &Simple, writes: Writes<'_>) -> Option<String> {
    let assignment = command.assignments.iter().find(|one| !Profile::is_free_variable(&one.name)).map(changing);
    let redirection = || command.redirections.iter().find(|one| !is_harmless(one, writes));
    assignment.or_else(|| redirection().map(|one| format!("the redirection to `{}`", one.target.text)))
}

fn changing(assignment: &Assignment) -> String {
    format!("the variable `{}` may change what is run", assignment.name)
}

fn is_harmless(redirection: &Redirection, writes: Writes<'_>) -> bool {
    let target = &redirection.target;
    let text = &*target.text;
    let network = text.starts_with("/dev/tcp") || text.starts_with("/dev/udp");
    match redirection.kind {
        // A text from a command that is covered itself is what a pipe would give.
        RedirectionKind::Descriptor | RedirectionKind::Text => true,
        RedirectionKind::Read => target.is_literal() && !network,
        RedirectionKind::Write => may_be_written(target, writes),
    }
}

fn may_be_written(target: &Word, writes: Writes<'_>) -> bool {
    let text = &*target.text;
    (target.is_literal() && matches!(text, "/dev/null" | "/dev/stdout" | "/dev/stderr"))
        || ((target.is_literal() || only_tilde(target)) && writes(text))
}

fn only_tilde(word: &Word) -> bool {
    Word { tilde: false, ..word.clone() }.is_literal()
}

/// Whether a change of folder stays inside the call's working folder.
fn stays_inside(command: &Simple, call: &Described) -> bool {
    let mut operands = command.words.iter().skip(1).filter(|word| !matches!(&*word.text, "--" | "-P" | "-L"));
    let (Some(target), None) = (operands.next(), operands.next()) else { return false };
    if !target.is_literal() || target.text.starts_with('-') || target.text.is_empty() {
        return false;
    }
    match call.call.cwd() {
        Some(cwd) => {
            let whole = if target.text.starts_with('/') {
                normal(&target.text)
            } else {
                normal(&format!("{cwd}/{}", target.text))
            };
            let cwd = normal(cwd);
            whole == cwd || whole.strip_prefix(&*cwd).is_some_and(|rest| rest.starts_with('/'))
        }
        None => !target.text.starts_with('/') && !normal(&target.text).starts_with(".."),
    }
}
