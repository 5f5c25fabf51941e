//! The conditions that generated rules carry, each with what it means, written by hand.

use countersign_domain::describe::Described;
use countersign_policy::source::ContextSource;
use serde_json::Value;

/// What a condition can look at.
pub struct Facts<'a> {
    pub call: &'a Described,
    pub capabilities: &'a [String],
    pub context: &'a ContextSource,
}

/// `None`: it cannot be evaluated.
type Meaning = fn(&Facts) -> Option<bool>;

pub const POOL: &[(&str, Meaning)] = &[
    ("true", |_| Some(true)),
    ("false", |_| Some(false)),
    ("args.amount > 1000", big),
    ("!(args.amount > 1000)", |facts| big(facts).map(|big| !big)),
    ("args.amount > 1000 ? true : false", big),
    ("args.amount", |_| None),
    ("has(args.amount) && args.amount > 1000", |facts| {
        if argument(facts, "amount").is_none() { Some(false) } else { big(facts) }
    }),
    ("args.amount > 1000 || user.id == \"ann\"", |facts| either(big(facts), is_ann(facts))),
    ("user.id == \"ann\" || args.amount > 1000", |facts| either(big(facts), is_ann(facts))),
    ("args.amount > 1000 && user.id == \"ann\"", |facts| both(big(facts), is_ann(facts))),
    ("user.id == \"ann\"", |facts| Some(is_ann(facts))),
    ("args.path.startsWith(\"/etc/\")", |facts| Some(argument(facts, "path")?.as_str()?.starts_with("/etc/"))),
    ("args.to == \"bob\"", |facts| Some(argument(facts, "to")? == "bob")),
    ("args.to in [\"bob\", \"eve\"]", |facts| {
        let to = argument(facts, "to")?;
        Some(to == "bob" || to == "eve")
    }),
    ("call.tool == \"pay\"", |facts| Some(facts.call.call.tool() == "pay")),
    ("call.server == \"fs\"", |facts| Some(facts.call.call.server() == Some("fs"))),
    ("\"payment\" in call.capabilities", |facts| Some(facts.capabilities.iter().any(|name| name == "payment"))),
    ("agent.name != \"helper\"", |facts| Some(facts.context.agent.as_deref() != Some("helper"))),
    ("run.depth > 1", |facts| Some(facts.context.delegated.frames().len() > 1)),
    ("now > timestamp(\"2026-06-01T12:00:00Z\")", |_| Some(false)),
    ("now >= timestamp(\"2026-06-01T12:00:00Z\")", |_| Some(true)),
];

pub fn holds(text: &str, facts: &Facts) -> Option<bool> {
    let (_, meaning) = POOL.iter().find(|(known, _)| *known == text).unwrap();
    meaning(facts)
}

fn argument<'a>(facts: &'a Facts, name: &str) -> Option<&'a Value> {
    facts.call.call.args().get(name)
}

/// Numbers compare across their kinds; anything else does not compare.
fn big(facts: &Facts) -> Option<bool> {
    Some(argument(facts, "amount")?.as_f64()? > 1000.0)
}

fn is_ann(facts: &Facts) -> bool {
    facts.context.user.as_deref() == Some("ann")
}

/// In CEL one side that is true is enough, even if the other cannot be evaluated.
fn either(one: Option<bool>, other: bool) -> Option<bool> {
    if other { Some(true) } else { one }
}

/// And one side that is false likewise.
fn both(one: Option<bool>, other: bool) -> Option<bool> {
    if other { one } else { Some(false) }
}
