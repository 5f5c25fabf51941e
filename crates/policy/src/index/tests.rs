use super::*;
use crate::catalog::Catalog;
use crate::compile::Policy;
use crate::context::Context;
use crate::judge;
use crate::pattern::{Fit, Pattern, cover};
use crate::source::{ContextSource, GrantSource, RoleSource, Source, ToolSource, UserSource};
use countersign_domain::Call;
use countersign_domain::describe::Surroundings;
use proptest::prelude::*;
use serde_json::json;

/// Few letters, so that much fits; lengths around a chunk and two.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![6 => "[ab/]{0,3}", 2 => "[ab]{7,9}", 1 => "a{15,17}[ab]?", 1 => "curl [ab]{0,2}", 1 => "é[ab]é"]
}

fn brackets() -> impl Strategy<Value = String> {
    let wild = (texts(), prop::sample::select(vec!["*", "**", "?", "*a*", ":*", "*?"]), texts());
    prop_oneof![texts(), wild.prop_map(|(before, wildcard, after)| format!("{before}{wildcard}{after}"))]
        .prop_filter("something must stand there", |text| !text.is_empty())
}

fn patterns() -> impl Strategy<Value = String> {
    let server = prop::sample::select(vec!["", "", "", "s/", "t/", "s*/", "*/", "mcp__s__", "mcp__s__t__", "mcp__*"]);
    let tool = prop::sample::select(vec![
        "note",
        "note",
        "bash",
        "file_read",
        "web_fetch",
        "ask_user",
        "other",
        "n*",
        "*e",
        "n*e",
        "*",
        "*o*",
        "long_name_of_*",
        "*_name_of_a_tool",
    ]);
    (server, tool, prop::option::weighted(0.7, brackets())).prop_map(|(server, tool, brackets)| match brackets {
        Some(brackets) => format!("{server}{tool}({brackets})"),
        None => format!("{server}{tool}"),
    })
}

fn calls() -> impl Strategy<Value = Call> {
    let server = prop::sample::select(vec![None, None, Some("s"), Some("t"), Some("u"), Some("s__t")]);
    let tool = prop::sample::select(vec![
        "note",
        "note",
        "note",
        "bash",
        "file_read",
        "web_fetch",
        "ask_user",
        "other",
        "long_name_of_a_tool",
    ]);
    (server, tool, prop::collection::vec(texts(), 0..3)).prop_map(|(server, tool, texts)| {
        let first = texts.first().cloned().unwrap_or_default();
        let args = match tool {
            "note" => json!({"q": texts}),
            "bash" => json!({"command": first}),
            "file_read" => json!({"file_path": first}),
            "web_fetch" => json!({"url": format!("https://{first}")}),
            "ask_user" => json!({}),
            _ => json!({"a": first}),
        };
        let args = args.as_object().unwrap().clone();
        Call::new(server.map(str::to_owned), tool.to_owned(), args, Some("/a".into())).unwrap()
    })
}

/// Texts in lists for `note`, of any server.
fn tools() -> Vec<ToolSource> {
    serde_json::from_value(json!([
        {"tool": "note", "resource": {"text": "q"}},
        {"tool": "memo", "resource": {"text": "q"}},
        {"server": "*", "tool": "n*", "resource": {"text": "q"}},
        {"server": "s", "tool": "note", "risk": "low"},
        {"tool": "*_tool", "execution": "ask-always"},
    ]))
    .unwrap()
}

fn sources() -> impl Strategy<Value = Source> {
    let effect = prop::sample::select(vec!["allow", "allow", "require_approval", "require_human", "deny"]);
    let when = prop::sample::select(vec![None, None, None, Some("args.q.size() > 1"), Some("call.tool == 'note'")]);
    let rules = prop::collection::vec((patterns(), effect, 0..3_i64, when), 0..12);
    let grants = || prop::collection::vec(patterns(), 0..8);
    let lists = (prop::option::weighted(0.2, grants()), grants());
    let overrides = prop::collection::btree_map(patterns(), Just(json!({"execution": "auto"})), 0..3);
    (rules, grants(), grants(), lists, overrides).prop_map(|(rules, allow, deny, (allowed, denied), overrides)| {
        let catalog = Catalog::new(&tools(), &mut Vec::new());
        let read = |pattern: &str| Pattern::parse(pattern).unwrap();
        let good = |pattern: &String| catalog.check(&read(pattern)).and_then(|()| read(pattern).check_clear()).is_ok();
        let narrow = |pattern: &str| Pattern::parse(pattern).unwrap().is_narrow();
        let wide = |pattern: &str| Pattern::parse(pattern).unwrap().too_wide_to_grant().is_some();
        let mut source = Source { tools: tools(), ..Source::default() };
        source.policy.rules = rules
            .into_iter()
            .filter(|(tool, ..)| good(tool))
            .map(|(tool, effect, priority, when)| {
                serde_json::from_value(json!({"tool": tool, "effect": effect, "priority": priority, "when": when}))
                    .unwrap()
            })
            .collect();
        let user = UserSource {
            allow: allow.into_iter().filter(good).filter(|grant| !wide(grant)).map(GrantSource::Pattern).collect(),
            deny: deny.into_iter().filter(good).map(GrantSource::Pattern).collect(),
            overrides: overrides
                .into_iter()
                .filter(|(tool, _)| !narrow(tool) && good(tool))
                .map(|(tool, entry)| (tool, serde_json::from_value(entry).unwrap()))
                .collect(),
        };
        source.policy.users.insert("u".into(), user);
        let role = RoleSource {
            allowed_tools: allowed.map(|allowed| allowed.into_iter().filter(good).collect()),
            denied_tools: Some(denied.into_iter().filter(good).collect()),
            ..RoleSource::default()
        };
        source.roles.insert("r".into(), role);
        source
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_fits_is_found_in_order(
        texts in prop::collection::vec(patterns(), 0..20),
        calls in prop::collection::vec(calls(), 1..8),
    ) {
        let policy = Policy::compile(&Source { tools: tools(), ..Source::default() }).unwrap();
        let patterns: Vec<_> = texts.iter().map(|text| Pattern::parse(text).unwrap()).collect();
        let index = Index::new(patterns.iter());
        for call in calls {
            let call = policy.describe(call, &Surroundings::default());
            let found: Vec<_> = index.places(&Sought::call(&call)).collect();
            prop_assert!(found.is_sorted_by(|a, b| a < b));
            for one in index.find(&Sought::call(&call)).iter().filter(|one| one.is_sure()) {
                prop_assert_eq!(patterns[one.place()].hits(&call), Fit::Yes, "{} {:?}", texts[one.place()], &call);
            }
            for (i, pattern) in patterns.iter().enumerate() {
                let fits = pattern.hits(&call) != Fit::No || cover(std::iter::once(pattern), &crate::subject::Subject::new(&call), &|_| false);
                prop_assert!(!fits || found.contains(&i), "{} {call:?}", pattern.text());
            }
        }
    }

    /// So many that they are told apart chunk by chunk, to the end of the longest.
    #[test]
    fn whatever_fits_is_found_among_many_of_one_tool(
        texts in prop::collection::vec(brackets(), 20..80),
        said in prop::collection::vec(texts(), 1..8),
    ) {
        let policy = Policy::compile(&Source { tools: tools(), ..Source::default() }).unwrap();
        let patterns: Vec<_> = texts.iter().map(|text| Pattern::parse(&format!("note({text})")).unwrap()).collect();
        let index = Index::new(patterns.iter());
        for text in said {
            let args = json!({"q": text}).as_object().unwrap().clone();
            let call = policy.describe(Call::new(None, "note".into(), args, None).unwrap(), &Surroundings::default());
            let found: Vec<_> = index.places(&Sought::call(&call)).collect();
            prop_assert!(found.is_sorted_by(|a, b| a < b));
            for (i, pattern) in patterns.iter().enumerate() {
                prop_assert!(pattern.hits(&call) == Fit::No || found.contains(&i), "{} {call:?}", pattern.text());
            }
        }
    }

    #[test]
    fn judging_by_the_index_is_judging_by_a_plain_loop(
        source in sources(),
        calls in prop::collection::vec(calls(), 20..40),
        role in prop::option::weighted(0.3, Just("r".to_owned())),
    ) {
        let indexed = Policy::compile(&source).unwrap();
        let scanned = Policy::compile(&source).unwrap().scanned();
        for call in calls {
            let call = indexed.describe(call, &Surroundings::default());
            let context = ContextSource { user: Some("u".into()), role: role.clone(), ..ContextSource::default() };
            let context = Context::new(&context, call.digest, jiff::Timestamp::UNIX_EPOCH).unwrap();
            prop_assert_eq!(judge(&indexed, &call, &context), judge(&scanned, &call, &context), "{:?}", call);
        }
    }
}

#[test]
fn of_very_many_patterns_few_are_looked_at() {
    let policy = Policy::compile(&Source { tools: tools(), ..Source::default() }).unwrap();
    let texts = (0..1000).flat_map(|i| {
        [format!("note(x {i})"), format!("note(run {i}:*)"), format!("note(/a{i}/*/Cargo.toml)"), format!("s{i}/get_*")]
    });
    let patterns: Vec<_> = texts.map(|text| Pattern::parse(&text).unwrap()).collect();
    let index = Index::new(patterns.iter());
    for (server, tool, text, found) in [
        (None, "note", "x 7", 1),
        (None, "note", "run 70:x", 1),
        (None, "note", "/a77/b/Cargo.toml", 1),
        (Some("s7"), "get_issue", "", 1),
        (None, "note", "none", 0),
    ] {
        let args = json!({"q": text}).as_object().unwrap().clone();
        let call = Call::new(server.map(str::to_owned), tool.to_owned(), args, None).unwrap();
        let call = policy.describe(call, &Surroundings::default());
        assert_eq!(index.find(&Sought::call(&call)).len(), found, "{tool} {text}");
    }
}

/// A text that begins a pattern, and one that leads from there among the patterns of `note` to where the first alone leads
/// among those of `memo`.
fn crafted() -> (String, String) {
    let shelf = |tool: &str| Key::ANY_SERVER.tool(tool).drawer(Drawer::Starts);
    let crafted = (0..1_000_000).find_map(|i| {
        let start = format!("ab{i:06}");
        let chunk = u64::from_le_bytes(*start.as_bytes().first_chunk().unwrap());
        let like = shelf("note").part(start.as_bytes()).chunk_like(shelf("memo"), chunk).to_le_bytes();
        let plain = like.iter().all(u8::is_ascii_alphanumeric);
        plain.then(|| (start, String::from_utf8(like.to_vec()).unwrap()))
    });
    crafted.unwrap()
}

/// Where `index` finds patterns for a text that `tool` is given, and whether it is sure of them.
fn found(index: &Index, tool: &str, text: &str) -> Vec<(usize, bool)> {
    let policy = Policy::compile(&Source { tools: tools(), ..Source::default() }).unwrap();
    let args = json!({"q": text}).as_object().unwrap().clone();
    let call = policy.describe(Call::new(None, tool.into(), args, None).unwrap(), &Surroundings::default());
    index.find(&Sought::call(&call)).iter().map(|one| (one.place(), one.is_sure())).collect()
}

/// Keys are no secret: whoever knows a policy can make a text that leads from the patterns of one tool to one of another.
#[test]
fn a_text_made_to_lead_to_another_tools_pattern_makes_nobody_sure_of_it() {
    let (start, like) = crafted();
    let others = (0..20).flat_map(|i| [format!("note({start}other{i:03}*)"), format!("memo(x{i:07}*)")]);
    let texts: Vec<_> = others.chain([format!("memo({start}*)")]).collect();
    let patterns: Vec<_> = texts.iter().map(|text| Pattern::parse(text).unwrap()).collect();
    let index = Index::new(patterns.iter());
    assert_eq!(found(&index, "note", &format!("{start}{like}")), [(40, false)]);
}

/// And a pattern that is made to be kept where one of another tool is kept hides neither.
#[test]
fn patterns_made_to_have_one_key_are_all_found() {
    let (start, like) = crafted();
    let others = (0..20).flat_map(|i| [format!("note({start}other{i:03}*)"), format!("memo(x{i:07}*)")]);
    let made = (0..20).map(|i| format!("note({start}{like}{i:03}*)"));
    let texts: Vec<_> = others.chain(made).chain([format!("memo({start}*)")]).collect();
    let patterns: Vec<_> = texts.iter().map(|text| Pattern::parse(text).unwrap()).collect();
    let index = Index::new(patterns.iter());
    assert_eq!(found(&index, "note", &format!("{start}{like}007")).first(), Some(&(47, true)));
    assert_eq!(found(&index, "memo", &format!("{start}{like}007")), [(60, true)]);
}
