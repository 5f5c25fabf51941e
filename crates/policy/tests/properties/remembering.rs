//! A pattern that a person is offered to remember matches exactly what they were shown; and no text is bad enough to
//! make reading or matching a pattern panic or run away.

use crate::generate::{context_of, one_of, perhaps};
use countersign_domain::Call;
use countersign_domain::describe::{Described, Part, Resource, Surroundings};
use countersign_policy::pattern::{Fit, Pattern, resource_text};
use countersign_policy::source::{ContextSource, GrantSource, PolicySource, Source, UserSource};
use countersign_policy::{Layer, Policy, judge};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A call that names one thing, in the argument of that name.
#[derive(Debug, Clone)]
struct Named {
    server: Option<String>,
    tool: String,
    argument: &'static str,
    what: String,
}

/// Texts in which the characters that patterns use are frequent.
fn thorny() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ab*?()\\\\:./ ]{1,12}",
        1 => any::<String>().prop_filter("NUL makes it not understood", |text| !text.contains('\0')),
        1 => "(npm|rm) (run|-rf) [a-z:*]{1,6}",
    ]
}

fn url() -> impl Strategy<Value = String> {
    "(https|http|ftp)://(a|b|\\*)\\.(test|example)(:443|:8443)?(/[a*?():.%2]{0,4}){0,3}(\\?[a*]{0,3})?"
}

fn named() -> impl Strategy<Value = Named> {
    let of =
        |server: Option<String>, tool: &str, argument, what| Named { server, tool: tool.to_owned(), argument, what };
    prop_oneof![
        thorny().prop_map(move |what| of(None, "bash", "command", what)),
        thorny().prop_map(move |what| of(None, "file_read", "file_path", what)),
        url().prop_map(move |what| of(None, "web_fetch", "url", what)),
        thorny().prop_map(move |what| of(None, "note", "to", what)),
        (perhaps(&["fs", "a*b", "x(y"]), one_of(&["tool", "to*l", "t?ol", "t(l", "t)l", "t\\l"]), thorny())
            .prop_map(move |(server, tool, what)| of(server, &tool, "to", what)),
    ]
}

impl Named {
    fn described(&self, policy: &Policy) -> Described {
        let Value::Object(args) = json!({ self.argument: self.what }) else { panic!("an object") };
        let cwd = Some("/srv/repo".to_owned());
        let call = Call::new(self.server.clone(), self.tool.clone(), args, cwd).unwrap();
        policy.describe(call, &Surroundings::default())
    }
}

/// Whose `note` takes a text, and where ann has granted `patterns`.
fn policy(patterns: &[&str]) -> Policy {
    let allow = patterns.iter().map(|&pattern| GrantSource::Pattern(pattern.to_owned())).collect();
    let users = BTreeMap::from([("ann".to_owned(), UserSource { allow, ..UserSource::default() })]);
    let note = json!({"tool": "note", "resource": {"text": "to"}});
    let policy = PolicySource { users, ..PolicySource::default() };
    let source = Source { policy, tools: vec![serde_json::from_value(note).unwrap()], ..Source::default() };
    Policy::compile(&source).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn granted(policy: &Policy, call: &Described) -> bool {
    let context = context_of(&ContextSource { user: Some("ann".to_owned()), ..ContextSource::default() }, call.digest);
    judge(policy, call, &context).trail.iter().any(|reason| reason.layer == Layer::AllowGrant && reason.said.is_some())
}

/// Whether one exact pattern may cover the call: not one in doubt, a path with several spellings, an odd URL, or an
/// empty text, which cannot be written as a pattern.
fn coverable(call: &Described) -> bool {
    let plain = |part: &Part| match part {
        Part::Path(path) => path.spellings.len() == 1 && !path.adrift,
        Part::Url(url) => url.odd.is_none(),
        Part::Command { line: text, .. } | Part::Text(text) => !text.is_empty(),
    };
    call.doubts.is_empty() && matches!(&call.resource, Resource::Parts(parts) if parts.iter().all(plain))
}

/// Whether two URLs differ only in what does not matter: the query, or a trailing dot of the host.
fn same_address(one: &Described, other: &Described) -> bool {
    let address = |call: &Described| match &call.resource {
        Resource::Parts(parts) => match parts.first() {
            Some(Part::Url(url)) => Some((url.scheme.clone(), url.host.clone(), url.port, url.path.clone())),
            _ => None,
        },
        Resource::Nothing | Resource::NotUnderstood => None,
    };
    address(one).is_some() && address(one) == address(other)
}

/// Whether two command lines differ only in the blanks around them.
fn same_line(one: &Described, other: &Described) -> bool {
    let line = |call: &Described| match &call.resource {
        Resource::Parts(parts) => match parts.first() {
            Some(Part::Command { line, .. }) => Some(line.trim().to_owned()),
            _ => None,
        },
        Resource::Nothing | Resource::NotUnderstood => None,
    };
    line(one).is_some() && line(one) == line(other)
}

/// `text` with one character put in, taken out or exchanged.
fn mutated(text: &str, place: Index, with: Option<char>) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = place.index(chars.len() + 1);
    match with {
        Some(c) if at < chars.len() && place.index(2) == 0 => chars[at] = c,
        Some(c) => chars.insert(at, c),
        None if at < chars.len() => drop(chars.remove(at)),
        None => drop(chars.pop()),
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn what_is_offered_to_remember_covers_exactly_that_call(
        named in named(), place in any::<Index>(), with in prop::option::of(prop::sample::select(vec!['a', '*', '/', ' ', ':', '\\', ')', 'é'])),
    ) {
        let plain = policy(&[]);
        let call = named.described(&plain);
        let Some(text) = resource_text(&call).filter(|_| coverable(&call)) else { return Ok(()) };
        let remembering = policy(&[&text]);
        prop_assert!(granted(&remembering, &call), "`{text}` does not cover {:?}", call.resource);
        let other = Named { what: mutated(&named.what, place, with), ..named };
        let other = other.described(&plain);
        if resource_text(&other).as_ref() != Some(&text) && !same_address(&call, &other) && !same_line(&call, &other) {
            prop_assert!(!granted(&remembering, &other), "`{text}` covers {:?} as well", other.resource);
        }
    }

    #[test]
    fn reading_and_matching_any_pattern_never_panics(pattern in prop_oneof![any::<String>(), "[a*?()\\\\/:. ~]{0,20}", thorny()], named in named()) {
        if let Ok(read) = Pattern::parse(&pattern) {
            let call = named.described(&policy(&[]));
            let _: Fit = read.hits(&call);
        }
        let inside = format!("{}({pattern})", named.tool);
        if let Ok(read) = Pattern::parse(&inside) {
            let _: Fit = read.hits(&named.described(&policy(&[])));
        }
    }
}

/// How long it takes to find that the pattern does not fit.
#[expect(clippy::disallowed_methods, reason = "the time it takes is what is tested")]
fn time_to_miss(tool: &str, argument: &'static str, inside: &str, what: String) -> Duration {
    let named = Named { server: None, tool: tool.to_owned(), argument, what };
    let call = named.described(&policy(&[]));
    let pattern = Pattern::parse(&format!("{tool}({inside})")).unwrap();
    // The quickest of a few: other tests run beside this one.
    let once = || {
        let start = Instant::now();
        assert_eq!(pattern.hits(&call), Fit::No, "{tool}");
        start.elapsed()
    };
    (0..5).map(|_| once()).min().unwrap()
}

/// Four times the text takes about four times as long: were it the square, it would take sixteen times.
#[test]
fn many_wildcards_against_the_longest_text_take_time_in_proportion() {
    const LONGEST: usize = 250_000;
    let (stars, questions) = (|times: usize| "*a".repeat(times) + "b", |times: usize| "*?a".repeat(times) + "b");
    for (tool, argument, inside, before, filler) in [
        ("note", "to", stars(2_000), "", "a"),
        ("note", "to", questions(1_300), "", "a"),
        ("file_read", "file_path", format!("/{}", stars(2_000)), "/", "a"),
        (
            "file_read",
            "file_path",
            format!("/{}b", "**/a*/".repeat(600)),
            "",
            "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
        ("web_fetch", "url", format!("https://a.test/{}", stars(2_000)), "https://a.test/", "a"),
    ] {
        let what = |length: usize| format!("{before}{}", filler.repeat(length / filler.len()));
        let (short, long) = (LONGEST / 4, LONGEST);
        let (short, long) =
            (time_to_miss(tool, argument, &inside, what(short)), time_to_miss(tool, argument, &inside, what(long)));
        assert!(long < 10 * short + Duration::from_millis(20), "{tool}({inside:.20}…): {short:?}, then {long:?}");
    }
}
