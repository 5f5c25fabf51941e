//! Asks whoever sits at the terminal, whatever the question is about.
//!
//! What an agent or a tool says is marked line by line: nothing of it can look like a question of ours.

mod form;
mod prompt;

use crate::output::{self, visible};
use countersign_domain::canonical::{Limits, read};
use countersign_domain::interaction::Form;
use form::Filled;
use prompt::{line, lines};
use serde_json::{Value, json};

/// What the person answers to `asked`, as the body of a response. `None` if they do not: the terminal was closed, or it is
/// of a kind that is newer than this program.
///
/// `advice` asks for what a model says of the call by now: it may still be looking at it.
pub async fn answer(asked: &Value, advice: impl AsyncFn() -> Option<Value>) -> Option<Value> {
    let mut body = match text(asked, "purpose") {
        "approval" => approval(asked, advice).await,
        "question" => question(asked).await,
        "result_review" => review(asked).await,
        "uncertain_outcome" => outcome(asked).await,
        _ => None,
    }?;
    body.as_object_mut()?.insert("request_id".into(), asked.get("id")?.clone());
    Some(body)
}

async fn approval(asked: &Value, advice: impl AsyncFn() -> Option<Value>) -> Option<Value> {
    show_call(asked);
    show_preview(asked);
    let advised = show_advice(advice().await.as_ref());
    let more = [("edit", "e: edit, "), ("answer", "a: answer in its place, ")];
    let more: String = more.iter().filter(|(decision, _)| takes(asked, decision)).map(|(_, word)| *word).collect();
    let again = if advised == Advised::Pending { "?: the model's advice, " } else { "" };
    loop {
        let given = line(format!("  approve? [y/N, {more}{again}a reason to reject, or /later] ")).await?;
        return Some(match given.trim() {
            "y" | "Y" | "yes" => json!({"decision": "approve"}),
            "" | "n" | "N" | "no" => json!({"decision": "reject"}),
            "?" if advised != Advised::Never => {
                show_advice(advice().await.as_ref());
                continue;
            }
            "e" | "edit" if takes(asked, "edit") => match edited(asked).await? {
                Some(args) => json!({"decision": "edit", "edited_args": args}),
                None => continue,
            },
            "a" | "answer" if takes(asked, "answer") => {
                let text = lines("  what it is told instead, ended by an empty line:\n  ".into()).await?;
                if text.trim().is_empty() {
                    continue;
                }
                json!({"decision": "answer", "text": text})
            }
            reason => json!({"decision": "reject", "reason": reason}),
        });
    }
}

fn takes(asked: &Value, decision: &str) -> bool {
    let allowed = asked.get("allowed_decisions").and_then(Value::as_array);
    allowed.is_some_and(|allowed| allowed.iter().any(|one| one == decision))
}

/// Other arguments; `None` if they are left as they are.
async fn edited(asked: &Value) -> Option<Option<Value>> {
    let args = asked.get("call").and_then(|call| call.get("args"))?;
    output::line("  the arguments as they are:");
    output::line(&format!("  {}", visible(&args.to_string())));
    loop {
        let text = lines("  the arguments as they shall be, as JSON, ended by an empty line:\n  ".into()).await?;
        if text.trim().is_empty() {
            return Some(None);
        }
        match read(text.as_bytes(), Limits::CALL) {
            Ok(args @ Value::Object(_)) => return Some(Some(args)),
            Ok(_) => output::line("  expected an object: { … }"),
            Err(wrong) => output::line(&format!("  {}", visible(&wrong.to_string()))),
        }
    }
}

async fn question(asked: &Value) -> Option<Value> {
    let form: Form = serde_json::from_value(asked.clone()).ok()?;
    let agent = asked.get("asked_by").map_or("", |by| text(by, "agent"));
    output::line(&format!("  {} asks, in its own words:", visible(agent)));
    output::marked(text(asked, "title"));
    if !is_drawn(asked) {
        output::marked(text(asked, "description"));
    }
    output::line("  (/decline, with a reason if you like, gives no answer; /later puts it off)");
    let required = asked.get("required") != Some(&Value::Bool(false));
    match form::fill(&form, required).await? {
        Filled::In(reply) => {
            let mut body = serde_json::to_value(reply).ok()?;
            body.as_object_mut()?.insert("decision".into(), "answer".into());
            Some(body)
        }
        Filled::Declined(reason) => Some(json!({"decision": "reject", "reason": reason})),
    }
}

async fn review(asked: &Value) -> Option<Value> {
    let result = asked.get("result").unwrap_or(&Value::Null);
    let failed = if result.get("failed") == Some(&Value::Bool(true)) { ", which failed," } else { "" };
    show_call(asked);
    output::line(&format!("  the tool{failed} gave:"));
    output::marked(text(result, "output"));
    loop {
        let given =
            line("  may the agent see it? [r: release, p: replace, w: withhold, with a reason] ".into()).await?;
        match first_word(&given) {
            ("r" | "release", "") => return Some(json!({"decision": "release"})),
            ("p" | "replace", "") => {
                let replacement = lines("  what it is told instead, ended by an empty line:\n  ".into()).await?;
                if !replacement.trim().is_empty() {
                    return Some(json!({"decision": "replace", "replacement": replacement}));
                }
            }
            ("w" | "withhold", reason) => return Some(decided("reject", reason)),
            _ => {}
        }
    }
}

async fn outcome(asked: &Value) -> Option<Value> {
    output::line("  this call was started, and nobody knows whether it happened:");
    show_call(asked);
    loop {
        let given = line("  what became of it? [h: it happened, r: run it again, g: give up] ".into()).await?;
        match first_word(&given) {
            ("h" | "happened", reason) => return Some(decided("happened", reason)),
            ("r" | "run_again", reason) => return Some(decided("run_again", reason)),
            ("g" | "give_up", reason) => return Some(decided("give_up", reason)),
            _ => {}
        }
    }
}

fn decided(decision: &str, reason: &str) -> Value {
    json!({"decision": decision, "reason": Some(reason).filter(|reason| !reason.is_empty())})
}

/// The word that decides, and what follows it.
fn first_word(given: &str) -> (&str, &str) {
    let given = given.trim();
    let (word, rest) = given.split_once(char::is_whitespace).unwrap_or((given, ""));
    (word, rest.trim())
}

/// The call as it would be executed: every argument, marked line by line.
fn show_call(asked: &Value) {
    let call = asked.get("call").unwrap_or(&Value::Null);
    let name = [text(call, "server"), text(call, "tool")].into_iter().filter(|part| !part.is_empty());
    let mut about = vec![name.collect::<Vec<_>>().join("/")];
    about.extend(Some(text(call, "cwd")).filter(|cwd| !cwd.is_empty()).map(|cwd| format!("in {cwd}")));
    about.push(format!("risk {}", text(call, "risk")));
    output::line(&format!("  {}", visible(&about.join(", "))));
    for (key, value) in call.get("args").and_then(Value::as_object).into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output::marked(&format!("{key}: {value}"));
    }
}

/// What the call would do, if its tool could tell.
fn show_preview(asked: &Value) {
    let Some(preview) = asked.get("preview") else { return };
    let path = visible(text(preview, "path"));
    match text(preview, "kind") {
        "diff" => output::line(&format!("  what would change in {path}:")),
        "note" => output::line(&format!("  about {path}:")),
        _ => output::line(&format!("  that is {path}")),
    }
    output::marked(text(preview, "text"));
}

/// How far a model is with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advised {
    /// It is looking at it.
    Pending,
    /// It has spoken, or failed.
    Settled,
    /// Nobody asks it.
    Never,
}

/// What a model says of the call, apart from it and marked as a model's.
fn show_advice(advice: Option<&Value>) -> Advised {
    let Some(advice) = advice else { return Advised::Never };
    match text(advice, "status") {
        "pending" => {
            output::line("  a model is looking at this…");
            return Advised::Pending;
        }
        "given" => {
            output::line(&format!("  a model's advice (not a decision), from {}:", visible(text(advice, "model"))));
            output::marked(text(advice, "text"));
        }
        _ => output::line("  no review: the model that was to look at this said nothing"),
    }
    Advised::Settled
}

/// Whether nobody described the question, so that its call does, which says nothing here.
fn is_drawn(asked: &Value) -> bool {
    let description = text(asked, "description");
    let resource = asked.get("call").map_or("", |call| text(call, "resource"));
    description == resource || description == format!("a call of `{}`", text(asked, "tool_name"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
