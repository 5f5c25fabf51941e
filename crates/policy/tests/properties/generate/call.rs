//! Calls: known, declared and unknown tools, with arguments that fit, that are missing and that make no sense.

use super::vocabulary::{COMMANDS, DISGUISED, PATHS, TEXTS, TOOLS, URLS};
use super::{one_of, perhaps};
use countersign_domain::Call;
use countersign_domain::describe::Surroundings;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const BUILTIN: &[(&str, Draw)] = &[
    ("bash", Draw::Command),
    ("cmd", Draw::Command),
    ("file_read", Draw::File),
    ("file_write", Draw::File),
    ("list_files", Draw::Folder),
    ("web_fetch", Draw::Url),
    ("ask_user", Draw::Anything),
    ("memory_write", Draw::Anything),
];

#[derive(Debug, Clone, Copy)]
enum Draw {
    Command,
    File,
    Folder,
    Url,
    Anything,
}

pub fn call() -> impl Strategy<Value = Call> {
    let builtin = prop::sample::select(BUILTIN).prop_flat_map(|(tool, draw)| {
        (prop_oneof![9 => Just(None), 1 => Just(Some("fs".to_owned()))], Just(tool.to_owned()), arguments(draw))
    });
    let other = (server(), one_of(TOOLS), anything());
    let disguised = (server(), one_of(DISGUISED), anything());
    let cwd = prop_oneof![3 => Just(Some("/srv/repo".to_owned())), 1 => Just(None)];
    (prop_oneof![5 => builtin, 5 => other, 1 => disguised], cwd).prop_map(|((server, tool, args), cwd)| {
        // Without a working folder every word of a command may be a file that is denied.
        let cwd = cwd.or_else(|| args.contains_key("command").then(|| "/srv/repo".to_owned()));
        Call::new(server, tool, args, cwd).unwrap()
    })
}

/// Calls of one tool that nobody declared.
pub fn payment() -> impl Strategy<Value = Call> {
    let args = prop::sample::select(vec![json!({"amount": 5, "to": "bob"}), json!({"to": "b*b"}), json!({})]);
    args.prop_map(|args| Call::new(None, "pay".to_owned(), args.as_object().unwrap().clone(), None).unwrap())
}

fn server() -> impl Strategy<Value = Option<String>> {
    perhaps(&["fs", "db", "fs__read"])
}

/// The home folder and one link, each there or not.
pub fn surroundings() -> impl Strategy<Value = Surroundings> {
    (perhaps(&["/home/dev"]), any::<bool>()).prop_map(|(home, linked)| {
        let link = ("/srv/repo/link".to_owned(), "/srv/repo/secrets".to_owned());
        Surroundings { home, paths: linked.then_some(link).into_iter().collect() }
    })
}

fn arguments(draw: Draw) -> BoxedStrategy<Map<String, Value>> {
    let (name, value) = match draw {
        Draw::Command => ("command", text(COMMANDS)),
        Draw::File => ("file_path", text(PATHS)),
        Draw::Folder => ("path", text(PATHS)),
        Draw::Url => ("url", text(URLS)),
        Draw::Anything => return anything().boxed(),
    };
    let fitting = value.clone().prop_map(move |value| object([(name, value)]));
    let wrong = nonsense().prop_map(move |value| object([(name, value)]));
    let alias = value.clone().prop_map(|value| object([("path", value)]));
    let both = value.clone().prop_map(|value| object([("path", value.clone()), ("file_path", value)]));
    let more = value.prop_map(move |value| object([(name, value), ("zzz", json!(1))]));
    prop_oneof![16 => fitting, 1 => wrong, 1 => alias, 1 => both, 1 => more, 1 => Just(Map::new())].boxed()
}

/// Any subset of the arguments that conditions and declarations speak of.
fn anything() -> impl Strategy<Value = Map<String, Value>> {
    let amount = prop_oneof![
        6 => prop::sample::select(&[5, 1000, 1001, 5000][..]).prop_map(|amount| json!(amount)),
        1 => prop::sample::select(&[0.5, 1000.5][..]).prop_map(|amount| json!(amount)),
        1 => nonsense(),
    ];
    let odd = |value: BoxedStrategy<Value>| prop_oneof![12 => value, 1 => nonsense()];
    let path = odd(text(PATHS));
    let several = prop::collection::vec(text(PATHS), 0..3).prop_map(Value::Array);
    (
        prop::option::of(amount),
        prop::option::of(odd(text(TEXTS))),
        prop::option::weighted(0.4, prop_oneof![4 => path, 1 => several]),
        prop::option::weighted(0.3, odd(text(COMMANDS))),
        prop::option::weighted(0.3, odd(text(URLS))),
        prop::option::weighted(0.1, Just(json!(1))),
    )
        .prop_map(|(amount, to, path, command, url, zzz)| {
            let given =
                [("amount", amount), ("to", to), ("path", path), ("command", command), ("url", url), ("zzz", zzz)];
            object(given.into_iter().filter_map(|(name, value)| Some((name, value?))))
        })
}

fn text(texts: &'static [&'static str]) -> BoxedStrategy<Value> {
    one_of(texts).prop_map(Value::String).boxed()
}

fn nonsense() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![json!(null), json!(7), json!([]), json!("nul\0"), json!({"a": 1})])
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
