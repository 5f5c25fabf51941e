//! Conditions of rules, in CEL. Read once when the policy is loaded, with limits on everything that could grow.

use crate::context::Context;
use cel::Value as Cel;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::objects::{Key, Map};
use cel::parser::PrattParser;
use countersign_domain::describe::{Described, Resource};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// A condition that was read.
#[derive(Debug)]
pub struct Condition {
    text: String,
    expression: IdedExpr,
    /// How deep its loops are nested.
    loops: usize,
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCondition {
    /// Too long.
    #[error("the condition is longer than {LONGEST} bytes")]
    TooLong,
    /// Not CEL.
    #[error("the condition is not valid CEL: {0}")]
    Syntax(String),
    /// A name that stands for nothing.
    #[error("the condition speaks of `{0}`; it can speak of {KNOWN}")]
    UnknownName(String),
    /// A function that does not exist.
    #[error("the condition calls `{0}`, which CEL here does not have")]
    UnknownFunction(String),
    /// Loops within loops.
    #[error("the condition goes through lists within lists within lists: {MOST_LOOPS} levels are the most")]
    TooManyLoops,
}

const LONGEST: usize = 2048;
const DEEPEST: u16 = 32;
const MOST_NODES: usize = 400;
const MOST_LOOPS: usize = 2;
/// The longest list or map that a condition goes through, by how deep its loops are nested. Whoever makes a call chooses
/// how much is in it; CEL itself counts no steps.
const LONGEST_LOOPED: [usize; MOST_LOOPS + 1] = [usize::MAX, 1000, 64];
const VARIABLES: [&str; 6] = ["args", "call", "user", "agent", "run", "now"];
const KNOWN: &str = "`args`, `call`, `user`, `agent`, `run` and `now`";
const FUNCTIONS: [&str; 27] = [
    "contains",
    "size",
    "max",
    "min",
    "startsWith",
    "endsWith",
    "string",
    "bytes",
    "double",
    "int",
    "uint",
    "matches",
    "duration",
    "timestamp",
    "getFullYear",
    "getMonth",
    "getDayOfYear",
    "getDayOfMonth",
    "getDate",
    "getDayOfWeek",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
    "has",
    "bool",
    "type",
];

/// The condition could not be evaluated: an argument is missing, a type is wrong, a list is too long to go through, or it
/// gave no truth value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecided;

impl Condition {
    /// Reads a condition.
    pub fn compile(text: &str) -> Result<Self, BadCondition> {
        if text.len() > LONGEST {
            return Err(BadCondition::TooLong);
        }
        let parser = PrattParser::new().max_recursion_depth(DEEPEST).max_expression_node_count(MOST_NODES);
        let expression = parser.parse(text).map_err(|errors| {
            let first = errors.errors.into_iter().next().map_or_else(|| "it is empty".to_owned(), |error| error.msg);
            BadCondition::Syntax(first)
        })?;
        let loops = check(&expression, &mut Vec::new(), 0)?;
        Ok(Self { text: text.to_owned(), expression, loops })
    }

    /// The condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds.
    pub(crate) fn holds(&self, facts: &Facts) -> Result<bool, Undecided> {
        if LONGEST_LOOPED.get(self.loops).is_none_or(|&longest| facts.longest > longest) {
            return Err(Undecided);
        }
        match facts.known.resolve(&self.expression) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(_) | Err(_) => Err(Undecided),
        }
    }
}

/// Refuses names and functions that do not exist, which would otherwise fail at every call. Gives how deep loops are
/// nested, of which `loops` stand around the expression.
fn check<'a>(expression: &'a IdedExpr, bound: &mut Vec<&'a str>, loops: usize) -> Result<usize, BadCondition> {
    match &expression.expr {
        Expr::Unspecified | Expr::Literal(_) => Ok(loops),
        Expr::Ident(name) if name.starts_with('@') || VARIABLES.contains(&&**name) || bound.contains(&&**name) => {
            Ok(loops)
        }
        Expr::Ident(name) => Err(BadCondition::UnknownName(name.clone())),
        Expr::Select(select) => check(&select.operand, bound, loops),
        Expr::List(list) => check_all(&mut list.elements.iter(), bound, loops),
        Expr::Map(map) => check_all(&mut map.entries.iter().flat_map(|entry| parts_of(&entry.expr)), bound, loops),
        Expr::Struct(given) => Err(BadCondition::UnknownName(given.type_name.clone())),
        Expr::Call(call) => {
            let operator = call.func_name.contains(['_', '@']) || call.func_name.starts_with(['!', '-']);
            if !operator && !FUNCTIONS.contains(&&*call.func_name) {
                return Err(BadCondition::UnknownFunction(call.func_name.clone()));
            }
            check_all(&mut call.target.iter().map(|target| &**target).chain(&call.args), bound, loops)
        }
        Expr::Comprehension(over) => {
            if loops == MOST_LOOPS {
                return Err(BadCondition::TooManyLoops);
            }
            let around = check(&over.iter_range, bound, loops)?;
            let before = bound.len();
            bound.extend([&*over.iter_var, &*over.accu_var]);
            bound.extend(over.iter_var2.as_deref());
            let parts = [&over.accu_init, &over.loop_cond, &over.loop_step, &over.result];
            let inside = check_all(&mut parts.into_iter(), bound, loops + 1)?;
            bound.truncate(before);
            Ok(around.max(inside))
        }
    }
}

fn check_all<'a>(
    parts: &mut dyn Iterator<Item = &'a IdedExpr>,
    bound: &mut Vec<&'a str>,
    loops: usize,
) -> Result<usize, BadCondition> {
    let mut deepest = loops;
    for part in parts {
        deepest = deepest.max(check(part, bound, loops)?);
    }
    Ok(deepest)
}

fn parts_of(entry: &EntryExpr) -> impl Iterator<Item = &IdedExpr> {
    let parts = match entry {
        EntryExpr::StructField(field) => [Some(&field.value), None],
        EntryExpr::MapEntry(entry) => [Some(&entry.key), Some(&entry.value)],
    };
    parts.into_iter().flatten()
}

/// What conditions can speak of, made once per judgement and only if a condition is met.
pub(crate) struct Facts {
    known: cel::Context<'static, 'static>,
    /// The length of the longest list or map among the arguments.
    longest: usize,
}

impl Facts {
    pub(crate) fn of(call: &Described, context: &Context, role: Option<&str>) -> Self {
        let text = |value: Option<&str>| value.map_or(Cel::Null, string);
        let mut facts = cel::Context::default();
        facts.add_variable_from_value("args", object(call.call.args()));
        facts.add_variable_from_value(
            "call",
            map([
                ("server", text(call.server.as_deref())),
                ("tool", string(&call.tool)),
                ("cwd", text(call.call.cwd())),
                ("risk", string(call.risk.word())),
                ("capabilities", Cel::List(Arc::new(call.capabilities.iter().map(|name| string(name)).collect()))),
                (
                    "resource",
                    match &call.resource {
                        Resource::NotUnderstood => Cel::Null,
                        _ => text(crate::pattern::resource_text(call).as_deref()),
                    },
                ),
            ]),
        );
        facts.add_variable_from_value("user", map([("id", text(context.user.as_deref()))]));
        facts.add_variable_from_value("agent", map([("name", text(context.agent.as_deref())), ("role", text(role))]));
        let depth = i64::try_from(context.frames.len()).unwrap_or(i64::MAX);
        facts.add_variable_from_value(
            "run",
            map([
                ("id", text(context.run.as_deref())),
                ("session", text(context.session.as_deref())),
                ("depth", Cel::Int(depth)),
            ]),
        );
        let now = chrono::DateTime::from_timestamp(context.now.as_second(), 0).unwrap_or_default();
        facts.add_variable_from_value("now", Cel::Timestamp(now.fixed_offset()));
        Self { known: facts, longest: call.call.args().values().map(longest).fold(call.call.args().len(), usize::max) }
    }
}

/// The length of the longest list or map in `value`.
fn longest(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest).fold(items.len(), usize::max),
        Value::Object(members) => members.values().map(longest).fold(members.len(), usize::max),
        _ => 0,
    }
}

fn string(text: &str) -> Cel {
    Cel::String(Arc::new(text.to_owned()))
}

fn map<const N: usize>(entries: [(&str, Cel); N]) -> Cel {
    Cel::Map(Map { map: Arc::new(entries.into_iter().map(|(key, value)| (Key::from(key), value)).collect()) })
}

fn object(members: &serde_json::Map<String, Value>) -> Cel {
    let entries: HashMap<Key, Cel> = members.iter().map(|(key, value)| (Key::from(&**key), json(value))).collect();
    Cel::Map(Map { map: Arc::new(entries) })
}

/// JSON as CEL sees it: whole numbers are `int`, others `double`.
fn json(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(flag) => Cel::Bool(*flag),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Cel::Float(number.as_f64().unwrap_or(f64::NAN)), Cel::Int)
        }
        Value::String(text) => string(text),
        Value::Array(items) => Cel::List(Arc::new(items.iter().map(json).collect())),
        Value::Object(members) => object(members),
    }
}
