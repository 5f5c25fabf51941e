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

/// The condition could not be evaluated: an argument is missing, a type is wrong, or it gave no truth value.
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
        check(&expression, &mut Vec::new(), 0)?;
        Ok(Self { text: text.to_owned(), expression })
    }

    /// The condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds.
    pub(crate) fn holds(&self, facts: &Facts) -> Result<bool, Undecided> {
        match facts.0.resolve(&self.expression) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(_) | Err(_) => Err(Undecided),
        }
    }
}

/// Refuses names and functions that do not exist, which would otherwise fail at every call.
fn check<'a>(expression: &'a IdedExpr, bound: &mut Vec<&'a str>, loops: usize) -> Result<(), BadCondition> {
    match &expression.expr {
        Expr::Unspecified | Expr::Literal(_) => Ok(()),
        Expr::Ident(name) if name.starts_with('@') || VARIABLES.contains(&&**name) || bound.contains(&&**name) => {
            Ok(())
        }
        Expr::Ident(name) => Err(BadCondition::UnknownName(name.clone())),
        Expr::Select(select) => check(&select.operand, bound, loops),
        Expr::List(list) => list.elements.iter().try_for_each(|element| check(element, bound, loops)),
        Expr::Map(map) => map.entries.iter().try_for_each(|entry| check_entry(&entry.expr, bound, loops)),
        Expr::Struct(given) => Err(BadCondition::UnknownName(given.type_name.clone())),
        Expr::Call(call) => {
            let operator = call.func_name.contains(['_', '@']) || call.func_name.starts_with(['!', '-']);
            if !operator && !FUNCTIONS.contains(&&*call.func_name) {
                return Err(BadCondition::UnknownFunction(call.func_name.clone()));
            }
            call.target.iter().map(|target| &**target).chain(&call.args).try_for_each(|part| check(part, bound, loops))
        }
        Expr::Comprehension(over) => {
            if loops == MOST_LOOPS {
                return Err(BadCondition::TooManyLoops);
            }
            check(&over.iter_range, bound, loops)?;
            let before = bound.len();
            bound.extend([&*over.iter_var, &*over.accu_var]);
            bound.extend(over.iter_var2.as_deref());
            for part in [&over.accu_init, &over.loop_cond, &over.loop_step, &over.result] {
                check(part, bound, loops + 1)?;
            }
            bound.truncate(before);
            Ok(())
        }
    }
}

fn check_entry<'a>(entry: &'a EntryExpr, bound: &mut Vec<&'a str>, loops: usize) -> Result<(), BadCondition> {
    match entry {
        EntryExpr::StructField(field) => check(&field.value, bound, loops),
        EntryExpr::MapEntry(entry) => {
            check(&entry.key, bound, loops)?;
            check(&entry.value, bound, loops)
        }
    }
}

/// What conditions can speak of, made once per judgement and only if a condition is met.
pub(crate) struct Facts(cel::Context<'static, 'static>);

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
        Self(facts)
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
