//! Patterns against what calls touch, both drawn from small grammars, so that near misses are frequent.

use crate::generate::{compile, context_of, perhaps, rule_over};
use crate::oracle::pattern::{Fit as Expected, Pattern as Plain, Unqualified, cover_all};
use countersign_domain::Call;
use countersign_domain::describe::{Described, Part, Resource, Surroundings};
use countersign_policy::pattern::{Fit, Pattern};
use countersign_policy::source::{ContextSource, EffectName, EffectSource, PolicySource, Source};
use countersign_policy::{Layer, Policy, judge};
use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Value, json};

/// A path, absolute or not, of short names; `.` and `..` among them.
fn path() -> impl Strategy<Value = String> {
    string_regex("(/|\\./|\\.\\./|~/)?(a|b|ab|\\[a\\])(/(a|b|ab|\\.|\\.\\.)){0,3}/?|/|\\.|\\.\\.|~").unwrap()
}

fn path_pattern() -> impl Strategy<Value = String> {
    string_regex("(/|\\./|\\.\\./|~/|\\*\\*/)?(a|b|\\*|a\\*|\\?|\\*\\*|\\[a\\])(/(a|b|\\*|a\\*|\\?|\\*\\*)){0,3}")
        .unwrap()
        .prop_filter("", |text| !text.contains("**/**"))
}

fn url() -> impl Strategy<Value = String> {
    string_regex("(https|http)://(a\\.|b\\.){0,2}(t|u)\\.?(:443|:80|:8443)?(/|/a|/a/b|/b|/ab)?(\\?q)?(#f)?").unwrap()
}

fn url_pattern() -> impl Strategy<Value = String> {
    string_regex("((https|http)://)?(\\*\\.|a\\.|b\\.|\\*\\.a\\.|a\\.\\*\\.){0,1}(t|u|\\*)(:443|:8443)?(/|/a|/\\*|/\\*\\*|/a/\\*|/a\\*)?").unwrap()
}

fn text() -> impl Strategy<Value = String> {
    string_regex("[ab*?)(\\\\]{0,5}").unwrap()
}

fn text_pattern() -> impl Strategy<Value = String> {
    string_regex("([ab(*?]|\\\\[*?)\\\\]){1,5}").unwrap()
}

/// A tool of this kind of resource, the argument that names it, what stands there, and a pattern for it.
fn touching() -> impl Strategy<Value = (&'static str, &'static str, String, String)> {
    prop_oneof![
        4 => (path(), path_pattern()).prop_map(|(what, inside)| ("file_read", "file_path", what, inside)),
        3 => (url(), url_pattern()).prop_map(|(what, inside)| ("web_fetch", "url", what, inside)),
        2 => (text(), text_pattern()).prop_map(|(what, inside)| ("note", "to", what, inside)),
    ]
}

fn described(policy: &Policy, tool: &str, args: &Value, cwd: Option<String>, home: Option<String>) -> Described {
    let call = Call::new(None, tool.to_owned(), args.as_object().unwrap().clone(), cwd).unwrap();
    policy.describe(call, &Surroundings { home, ..Surroundings::default() })
}

/// A policy whose only rule allows what `pattern` covers.
fn allowing(pattern: &str) -> Policy {
    let rules = vec![rule_over(pattern, EffectSource::Name(EffectName::Allow))];
    let note = json!({"tool": "note", "resource": {"text": "to"}});
    let tools = vec![serde_json::from_value(note).unwrap()];
    compile(&Source { policy: PolicySource { rules, ..PolicySource::default() }, tools, ..Source::default() })
}

/// Whether the rules of `policy`, which all allow, cover the call.
fn ruled(policy: &Policy, call: &Described) -> bool {
    let context = context_of(&ContextSource::default(), call.digest);
    judge(policy, call, &context).trail.iter().any(|reason| reason.layer == Layer::Rule && reason.said.is_some())
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn patterns_hit_and_cover_what_the_specification_says(
        (tool, argument, what, inside) in touching(),
        cwd in perhaps(&["/a", "/a/b", "/"]),
        home in perhaps(&["/a", "/b"]),
    ) {
        let pattern = format!("{tool}({inside})");
        let policy = allowing(&pattern);
        let call = described(&policy, tool, &json!({argument: what}), cwd, home);
        let plain = Plain::read(&pattern);
        let hits = match Pattern::parse(&pattern).unwrap().hits(&call) {
            Fit::No => Expected::No,
            Fit::Maybe => Expected::Perhaps,
            Fit::Yes => Expected::Yes,
        };
        let expected = plain.hits(&call);
        // The root has no name that a wildcard could match, and nobody knows where a path without a working folder
        // leads. A denial that takes them for more than they are does no harm.
        let nameless = matches!(&call.resource, Resource::Parts(parts)
            if matches!(parts.first(), Some(Part::Path(path)) if path.adrift || path.canonical() == "/"));
        prop_assert!(hits == expected || (nameless && hits > expected), "`{pattern}` in a denial is {hits:?} and not {expected:?} of {:?}", call.resource);
        prop_assert_eq!(ruled(&policy, &call), cover_all(&[plain], &call), "`{}` in an allow, of {:?}", &pattern, &call.resource);
    }

    #[test]
    fn names_match_whole_and_by_star_alone(
        tool in "[ab?é]{1,4}", server in prop::option::of("[ab]{1,3}"),
        pattern in "([ab]{1,3}/|\\*/|a\\*/)?[ab*?é]{1,4}",
    ) {
        let policy = allowing(&pattern);
        let call = Call::new(server, tool, serde_json::Map::new(), None).unwrap();
        let call = policy.describe(call, &Surroundings::default());
        let plain = Plain::read(&pattern);
        prop_assert_eq!(Pattern::parse(&pattern).unwrap().hits(&call) == Fit::Yes, plain.names(&call, Unqualified::Anything));
        prop_assert_eq!(ruled(&policy, &call), plain.names(&call, Unqualified::AnyServer) && call.doubts.is_empty());
    }
}
