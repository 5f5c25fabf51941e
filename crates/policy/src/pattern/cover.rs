//! Covering: patterns that allow, taken together, over all that a call touches.

use super::{Pattern, Stance, command, files, objection};
use crate::command::Role;
use crate::subject::Subject;
use countersign_domain::describe::{Part, Resource};

/// Whether `patterns`, which allow, together cover every part of `call`. A call in doubt is covered by nothing.
/// `writes` says which files a command may write by redirection.
pub(crate) fn cover<'a>(
    patterns: impl Iterator<Item = &'a Pattern> + Clone,
    call: &Subject<'_>,
    writes: command::Writes<'_>,
) -> bool {
    if !call.doubts.is_empty() {
        return false;
    }
    let named = patterns.filter(|pattern| pattern.names(call, Stance::Allow));
    match &call.resource {
        Resource::NotUnderstood => false,
        Resource::Nothing => named.clone().any(|pattern| !pattern.is_narrow()),
        Resource::Parts(parts) => {
            named.clone().next().is_some() && parts.iter().all(|part| cover_part(named.clone(), part, call, writes))
        }
    }
}

fn cover_part<'a>(
    named: impl Iterator<Item = &'a Pattern> + Clone,
    part: &Part,
    call: &Subject<'_>,
    writes: command::Writes<'_>,
) -> bool {
    let Part::Command { line, .. } = part else { return named.clone().any(|pattern| pattern.covers(part, call)) };
    if named.clone().any(|pattern| !pattern.is_narrow()) {
        return true;
    }
    let patterns = named.filter_map(|pattern| pattern.what.as_ref().map(|what| what.command(&pattern.text)));
    command::cover_line(&patterns, line, call.analysis(line), call, writes)
}

/// The simple commands of `call`, each with the pattern that covers it or the reason that none does.
pub(crate) fn account_for_commands<'a>(
    patterns: impl Iterator<Item = &'a Pattern> + Clone,
    call: &Subject<'_>,
    writes: command::Writes<'_>,
) -> Vec<(String, Result<&'a str, String>)> {
    let named = patterns.filter(|pattern| pattern.names(call, Stance::Allow));
    let whole = named.clone().find(|pattern| !pattern.is_narrow()).map(Pattern::text);
    let narrow = named.filter_map(|pattern| Some((pattern.text(), pattern.what.as_ref()?.command(&pattern.text))));
    let mut accounts = Vec::new();
    for line in call.command_lines() {
        let anywhere = |path: &str| files::from_every_folder(path, line, call, writes);
        let writes: command::Writes<'_> = &anywhere;
        accounts
            .extend(line.opaque.map(|why| (String::new(), Err(format!("the line is not understood: it holds {why}")))));
        for one in line.commands.iter().filter(|one| matches!(one.role, Role::Own | Role::Wrapped)) {
            let text = if one.source.is_empty() {
                one.words.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ")
            } else {
                one.source.clone()
            };
            if one.words.is_empty() && objection::objection_to_wordless(one, writes).is_none() {
                continue;
            }
            accounts.push((text, whole.map_or_else(|| command::account(narrow.clone(), one, call, writes), Ok)));
        }
    }
    accounts
}
