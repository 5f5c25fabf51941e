//! Looks behind programs that run other programs.

use super::profile::Profile;
use super::{Analysis, Role, Simple, Word, parse};

/// Commands behind commands that are looked at, and how much text they may be, in lines as long as the line.
const MOST_COMMANDS: usize = 4096;
const MOST_TEXT: usize = 4;

/// Adds the commands that the commands of `analysis` run. What cannot be seen through marks the line.
pub(super) fn unwrap(analysis: &mut Analysis, length: usize) {
    let mut text_left = MOST_TEXT * length + 4096;
    let mut words_left = MOST_TEXT * length + 4096;
    let mut i = 0;
    while let Some(command) = analysis.commands.get(i) {
        i += 1;
        let Some(profile) = command.program().and_then(Profile::of) else { continue };
        let (mut found, texts) = behind(command, profile);
        for inner in &mut found {
            inner.behind = inner.behind.map(|(_, start)| (i - 1, start));
        }
        if profile.through && !found.is_empty() {
            let outer = i - 1;
            if let Some(command) =
                analysis.commands.get_mut(outer).filter(|command| profile.objection(command, 1).is_none())
            {
                command.role = Role::Through;
            }
        }
        let size: usize = found.iter().flat_map(|command| &command.words).map(|word| word.text.len() + 1).sum();
        if analysis.commands.len() + found.len() > MOST_COMMANDS || size > words_left {
            analysis.opaque.get_or_insert("too many commands behind commands");
            return;
        }
        words_left -= size;
        analysis.commands.extend(found);
        for text in texts {
            if text.len() > text_left {
                analysis.opaque.get_or_insert("too many commands behind commands");
                return;
            }
            text_left -= text.len();
            let inner = parse::parse(&text);
            analysis.opaque = analysis.opaque.or(inner.opaque);
            let wrapped = inner.commands.into_iter().map(|command| Simple { role: Role::Wrapped, ..command });
            analysis.commands.extend(wrapped);
        }
    }
}

/// The commands, and the texts of commands, that `command` runs.
fn behind(command: &Simple, profile: &Profile) -> (Vec<Simple>, Vec<String>) {
    let arguments = command.words.get(1..).unwrap_or_default();
    if arguments.first().is_some_and(|first| first.is_literal() && profile.instead.contains(&first.text)) {
        return (Vec::new(), Vec::new());
    }
    let wrapped = |words: &[Word], start: usize| Simple {
        words: words.to_vec(),
        role: Role::Wrapped,
        behind: Some((0, start + 1)),
        ..Simple::default()
    };
    let mut commands = Vec::new();
    let mut texts: Vec<String> =
        profile.texts.iter().filter(|option| *option != "*").flat_map(|option| values(option, arguments)).collect();
    let start =
        if profile.runs { profile.start_of_command(arguments) } else { profile.start_after_sub_command(arguments) };
    if let Some(rest) = start.and_then(|start| arguments.get(start..)) {
        if profile.texts.iter().any(|option| option == "*") {
            texts.push(rest.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" "));
        }
        commands.push(wrapped(rest, start.unwrap_or(0)));
    }
    let mut i = 0;
    while let Some(word) = arguments.get(i) {
        i += 1;
        if profile.after.contains(&word.text) {
            let rest = arguments.get(i..).unwrap_or_default();
            let length = rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
            commands.push(wrapped(rest.get(..length).unwrap_or_default(), i));
            i += length;
        }
    }
    commands.retain(|command| !command.words.is_empty());
    (commands, texts)
}

/// The values that `option` has in `arguments`: the next word, or attached.
fn values(option: &str, arguments: &[Word]) -> Vec<String> {
    let letter = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
    let mut found = Vec::new();
    for (i, word) in arguments.iter().enumerate() {
        let text = &*word.text;
        let merged =
            letter.is_some_and(|letter| text.starts_with('-') && !text.starts_with("--") && text.contains(letter));
        if text == option || merged {
            found.extend(arguments.get(i + 1).map(|next| next.text.clone()));
        }
        if let Some(value) = text.strip_prefix(option).filter(|value| !value.is_empty()) {
            found.push(value.trim_start_matches('=').to_owned());
        }
    }
    found
}
