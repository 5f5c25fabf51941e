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
    let mut found = Fit::No;
    let mut look_at = |name: &Name| found = found.max(name.hit_by(pattern, call));
    match call.names_in(line) {
        Some(names) => names.iter().for_each(look_at),
        None => each_name(line, call, |name| look_at(&name)),
    }
    // What was not understood may name it as well.
    if line.opaque.is_some() { found.max(Fit::Maybe) } else { found }
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

/// What a word may name, read once for all the patterns that ask.
#[derive(Debug)]
pub(crate) enum Name {
    /// Only the shell knows.
    Unknown,
    Path(PathPart),
    /// Whatever the shell finds by this, seen from a folder.
    Glob(String, Option<String>),
}

/// Lines that name more are read anew by each pattern, so that a long one takes no more memory than time.
const MOST_KEPT: usize = 512;

/// What the words of `line` may name; `None` where that is too much to keep.
pub(crate) fn names(line: &Analysis, call: &Subject<'_>) -> Option<Vec<Name>> {
    let words = line.commands.iter().flat_map(named).count();
    if words.saturating_mul(folders(line, call).len()) > MOST_KEPT {
        return None;
    }
    let mut names = Vec::new();
    each_name(line, call, |name| names.push(name));
    Some(names)
}

fn each_name(line: &Analysis, call: &Subject<'_>, mut take: impl FnMut(Name)) {
    let folders = folders(line, call);
    let around = Surroundings { home: call.home.clone(), ..Surroundings::default() };
    // Folders beyond the last that is followed are not known.
    if folders.len() == MOST_FOLDERS {
        take(Name::Unknown);
    }
    for word in line.commands.iter().flat_map(named) {
        // `{}` is put in by `find` and the like.
        if word.variable || word.substitution || word.text.contains("{}") {
            take(Name::Unknown);
            continue;
        }
        for text in spelled(word) {
            for folder in &folders {
                take(if word.glob || word.brace {
                    Name::Glob(home(text, call), folder.clone())
                } else {
                    PathPart::read(text, folder.as_deref(), &around).map_or(Name::Unknown, Name::Path)
                });
            }
        }
    }
}

impl Name {
    fn hit_by(&self, pattern: &PathPattern, call: &Subject<'_>) -> Fit {
        match self {
            Self::Unknown => Fit::Maybe,
            Self::Glob(text, folder) if may_reach(pattern, text, folder.as_deref(), call) => Fit::Maybe,
            Self::Glob(..) => Fit::No,
            Self::Path(path) => match pattern.hits(path, call) {
                // A word need not be a path at all: only a certain hit counts where the folder is not known.
                Fit::Maybe if path.adrift => Fit::No,
                fit => fit,
            },
        }
    }
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

/// What of a word may be a path: all of it, or what stands in `--file=PATH`, `@PATH`, `-oPATH`.
fn spelled(word: &Word) -> impl Iterator<Item = &str> {
    let text = &*word.text;
    let after_equals = text.split_once('=').map(|(_, value)| value);
    let attached = text.strip_prefix('-').and_then(|rest| rest.get(1..));
    let texts = [Some(text), after_equals, text.strip_prefix('@'), attached];
    texts.into_iter().flatten().filter(|text| !text.is_empty() && !text.starts_with('-'))
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
