//! Files that commands name: a path that is denied to the file tools is denied to a command that names it, and a
//! command that could reach it in a way only the shell knows is asked about.

use super::Fit;
use super::command::Writes;
use super::path::PathPattern;
use crate::command::{Analysis, RedirectionKind, Simple, Word};
use crate::subject::Subject;
use countersign_domain::describe::{Described, PathPart, Surroundings, path::normal};

/// Whether a command of `line` names a file that `pattern` denies.
pub(super) fn hits(pattern: &PathPattern, line: &Analysis, call: &Subject<'_>) -> Fit {
    let folders = folders(line, call);
    let found = line
        .commands
        .iter()
        .flat_map(named)
        .map(|word| hits_word(pattern, word, &folders, call))
        .max()
        .unwrap_or(Fit::No);
    // What was not understood may name it as well.
    if line.opaque.is_some() || folders.len() == MOST_FOLDERS { found.max(Fit::Maybe) } else { found }
}

/// Whether `writes` holds for `path` from every folder that the line may be in when it gets there.
pub(super) fn from_every_folder(path: &str, line: &Analysis, call: &Described, writes: Writes<'_>) -> bool {
    let folders = folders(line, call);
    let changed = folders.get(1..).unwrap_or_default();
    if changed.is_empty() || path.starts_with(['/', '~']) {
        return writes(path);
    }
    let there = |folder: &Option<String>| folder.as_ref().is_some_and(|folder| writes(&format!("{folder}/{path}")));
    folders.len() < MOST_FOLDERS && writes(path) && changed.iter().all(there)
}

/// The words of a command that may name files: its arguments and what it redirects.
fn named(command: &Simple) -> impl Iterator<Item = &Word> {
    let files =
        command.redirections.iter().filter(|one| matches!(one.kind, RedirectionKind::Read | RedirectionKind::Write));
    command.words.iter().skip(1).chain(files.map(|one| &one.target))
}

/// The folders that relative paths may start from: the call's own, and those that the line changes to.
fn folders(line: &Analysis, call: &Described) -> Vec<Option<String>> {
    let cwd = call.call.cwd().map(str::to_owned);
    let mut folders = vec![cwd];
    for command in line.commands.iter().filter(|command| matches!(command.program(), Some("cd" | "pushd"))) {
        for target in command.words.iter().skip(1).take(2) {
            let base = folders.last().cloned().flatten().unwrap_or_default();
            let target = home(&target.text, call);
            folders.push(Some(if target.starts_with('/') {
                normal(&target)
            } else {
                normal(&format!("/{base}/{target}"))
            }));
        }
        folders.truncate(MOST_FOLDERS);
    }
    folders
}

/// Changes of folder that are followed.
const MOST_FOLDERS: usize = 16;

fn home(text: &str, call: &Described) -> String {
    match (text.strip_prefix('~'), &call.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => text.to_owned(),
    }
}

fn hits_word(pattern: &PathPattern, word: &Word, folders: &[Option<String>], call: &Subject<'_>) -> Fit {
    // `{}` is put in by `find` and the like.
    if word.variable || word.substitution || word.text.contains("{}") {
        return Fit::Maybe;
    }
    // `--file=PATH`, `@PATH`, `-oPATH`.
    let text = &*word.text;
    let after_equals = text.split_once('=').map(|(_, value)| value);
    let attached = text.strip_prefix('-').and_then(|rest| rest.get(1..));
    let texts = [Some(text), after_equals, text.strip_prefix('@'), attached];
    let candidates = texts.into_iter().flatten().filter(|text| !text.is_empty() && !text.starts_with('-'));
    candidates.map(|text| hits_text(pattern, text, word, folders, call)).max().unwrap_or(Fit::No)
}

fn hits_text(pattern: &PathPattern, text: &str, word: &Word, folders: &[Option<String>], call: &Subject<'_>) -> Fit {
    let around = Surroundings { home: call.home.clone(), ..Surroundings::default() };
    let one = |folder: &Option<String>| {
        if word.glob || word.brace {
            return if may_reach(pattern, &home(text, call), folder.as_deref(), call) { Fit::Maybe } else { Fit::No };
        }
        PathPart::read(text, folder.as_deref(), &around).map_or(Fit::Maybe, |path| match pattern.hits(&path, call) {
            // A word need not be a path at all: only a certain hit counts where the folder is not known.
            Fit::Maybe if path.adrift => Fit::No,
            fit => fit,
        })
    };
    folders.iter().map(one).max().unwrap_or(Fit::No)
}

/// Whether a glob may reach what the pattern denies: one of the two written-out beginnings must begin the other.
fn may_reach(pattern: &PathPattern, text: &str, folder: Option<&str>, call: &Subject<'_>) -> bool {
    let Some(denied) = pattern.literal_path(call) else { return true };
    let whole = if text.starts_with('/') { text.to_owned() } else { format!("{}/{text}", folder.unwrap_or_default()) };
    let (before, open) = whole.split_at(whole.find(['*', '?', '[', '{']).unwrap_or(whole.len()));
    let written = normal(before.rsplit_once('/').map_or("", |(folder, _)| folder));
    let begins = |short: &str, long: &str| {
        short == "/" || long == short || long.strip_prefix(short).is_some_and(|rest| rest.starts_with('/'))
    };
    if begins(&denied, &written) {
        return true;
    }
    // The first open segment must be able to be the next name on the way to what is denied.
    let next = denied
        .strip_prefix(written.trim_end_matches('/'))
        .and_then(|rest| rest.trim_start_matches('/').split('/').next());
    let start = before.rsplit('/').next().unwrap_or_default();
    let many = open.starts_with(['*', '[', '{', '?']);
    begins(&written, &denied) && next.is_some_and(|next| next.starts_with(start) || (many && start.is_empty()))
}
