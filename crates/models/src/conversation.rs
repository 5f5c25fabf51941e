//! A conversation as providers take it: they refuse names and ids in history that they would not have given themselves.

use countersign_domain::run::{Message, Said};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// The longest name of a tool, and the longest id of a call, that all providers take.
const LONGEST: usize = 64;

/// `messages` with plain names, and ids of which no two are the same. What was plain before stays as it is.
///
/// A result belongs to the first call of its id that has none yet.
pub fn tidied(messages: &[Message]) -> Vec<Message> {
    let mut taken = HashSet::new();
    let mut waiting: HashMap<&str, VecDeque<String>> = HashMap::new();
    let mut tidy = Vec::with_capacity(messages.len());
    for message in messages {
        tidy.push(match message {
            Message::User(text) => Message::User(text.clone()),
            Message::Assistant { text, calls } => {
                waiting.clear();
                let mut tidied_call = |said: &'_ Said| {
                    let id = unique(&plain(&said.id, "call"), &mut taken);
                    Said { id, name: plain(&said.name, "unnamed").into_owned(), arguments: said.arguments.clone() }
                };
                let tidied: Vec<Said> = calls.iter().map(&mut tidied_call).collect();
                for (said, tidied) in calls.iter().zip(&tidied) {
                    waiting.entry(&said.id).or_default().push_back(tidied.id.clone());
                }
                Message::Assistant { text: text.clone(), calls: tidied }
            }
            Message::Tool(result) => {
                let mut result = result.clone();
                let id = waiting.get_mut(&*result.id).and_then(VecDeque::pop_front);
                result.id = id.unwrap_or_else(|| plain(&result.id, "call").into_owned());
                result.name = plain(&result.name, "unnamed").into_owned();
                Message::Tool(result)
            }
        });
    }
    tidy
}

/// `text` if it is plain; else what is plain of it, and `nothing` if nothing is.
fn plain<'a>(text: &'a str, nothing: &'a str) -> Cow<'a, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.is_empty() {
        return nothing.into();
    }
    if text.len() <= LONGEST && text.chars().all(is_plain) {
        return text.into();
    }
    text.chars().take(LONGEST).map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// `id`, with a number after it if there has been one like it.
fn unique(id: &str, taken: &mut HashSet<String>) -> String {
    let mut unique = id.to_owned();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        let end = format!("_{number}");
        unique = id.chars().take(LONGEST - end.len()).chain(end.chars()).collect();
        number += 1;
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::run::ToolResult;

    fn turn(calls: &[(&str, &str)]) -> Message {
        let said = |(id, name): &(&str, &str)| Said { id: (*id).into(), name: (*name).into(), arguments: "{}".into() };
        Message::Assistant { text: String::new(), calls: calls.iter().map(said).collect() }
    }

    fn result(id: &str, text: &str) -> Message {
        Message::Tool(ToolResult { id: id.into(), name: "bash".into(), text: text.into(), failed: false })
    }

    /// Each call as `id name`, each result as `id = text`.
    fn shown(messages: &[Message]) -> Vec<String> {
        tidied(messages)
            .into_iter()
            .flat_map(|message| match message {
                Message::User(text) => vec![text],
                Message::Assistant { calls, .. } => {
                    calls.into_iter().map(|said| format!("{} {}", said.id, said.name)).collect()
                }
                Message::Tool(result) => vec![format!("{} = {}", result.id, result.text)],
            })
            .collect()
    }

    #[test]
    fn what_is_plain_stays() {
        let messages = [turn(&[("call_1", "bash"), ("toolu-2", "file_read")]), result("toolu-2", "b")];
        assert_eq!(shown(&messages), ["call_1 bash", "toolu-2 file_read", "toolu-2 = b"]);
    }

    #[test]
    fn ids_that_come_twice_are_told_apart_with_their_results() {
        let messages = [
            turn(&[("a", "bash"), ("a", "bash")]),
            result("a", "first"),
            result("a", "second"),
            turn(&[("a", "bash")]),
            result("a", "third"),
        ];
        let expected = ["a bash", "a_2 bash", "a = first", "a_2 = second", "a_3 bash", "a_3 = third"];
        assert_eq!(shown(&messages), expected);
    }

    #[test]
    fn names_that_a_provider_would_refuse_are_made_plain() {
        let long = "x".repeat(500);
        let messages = [turn(&[("", "functions.bash"), ("i d", "\u{202e}hsab\0"), (&long, ""), (&long, "é")])];
        let shown = shown(&messages);
        assert_eq!(shown.first().unwrap(), "call functions_bash");
        assert_eq!(shown.get(1).unwrap(), "i_d _hsab_");
        assert_eq!(shown.get(2).unwrap(), &format!("{} unnamed", "x".repeat(64)));
        assert_eq!(shown.get(3).unwrap(), &format!("{}_2 _", "x".repeat(62)));
    }
}
