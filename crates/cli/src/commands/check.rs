//! `countersign check`: judges a call without doing anything, and says why.

use crate::args::Check;
use crate::config::{Config, Loaded, from_json};
use crate::failure::{BAD_INPUT, Failure};
use crate::output::{self, Paint, visible};
use crate::rim;
use countersign_domain::Call;
use countersign_domain::canonical::{Limits, canonical, read};
use countersign_domain::describe::{Described, Doubt};
use countersign_policy::pattern::resource_text;
use countersign_policy::source::ContextSource;
use countersign_policy::{
    Context, Effect, Explained, ExplainedCommand, Policy, Verdict, explain, explain_commands, judge, refusal,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Carries out the command.
pub fn run(check: &Check) -> Result<u8, Failure> {
    let policy = match &check.policy {
        Some(path) => Some(Loaded::read(path)?.policy()?),
        None => None,
    };
    match &check.batch {
        Some(file) => batch(policy, if file == Path::new("-") { &check.call } else { file }),
        None => one(policy, check),
    }
}

fn one(policy: Option<Policy>, check: &Check) -> Result<u8, Failure> {
    let mut text = Vec::new();
    let limit = Limits::DOCUMENT.bytes as u64 + 1;
    open(&check.call)?.take(limit).read_to_end(&mut text).map_err(|error| Failure::unreadable(&check.call, &error))?;
    let mut judge = Judge::new(policy);
    let judged = judge.judge(&text)?;
    if check.json {
        output::json_line(&judged.json());
    } else {
        output::line(&judged.for_people(Paint::for_stdout()));
    }
    Ok(match judged.verdict.effect {
        Effect::Allow => 0,
        Effect::Ask(_) => 10,
        Effect::Deny => 11,
    })
}

fn batch(policy: Option<Policy>, file: &Path) -> Result<u8, Failure> {
    let mut judge = Judge::new(policy);
    let mut code = 0;
    let mut lines = open(file)?;
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = Limits::DOCUMENT.bytes as u64 + 2;
        let read = lines
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::unreadable(file, &error))?;
        if read == 0 {
            return Ok(code);
        }
        // The rest of a line that is too long is no line of its own.
        while !line.ends_with(b"\n") && read as u64 == limit {
            line.truncate(Limits::DOCUMENT.bytes + 1);
            let more = lines
                .by_ref()
                .take(limit)
                .read_until(b'\n', &mut line)
                .map_err(|error| Failure::unreadable(file, &error))?;
            if more == 0 {
                break;
            }
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match judge.judge(&line) {
            Ok(judged) => output::json_line(&judged.json()),
            Err(failure) => {
                code = BAD_INPUT;
                output::json_line(&json!({"id": id_of(&line), "error": failure.in_one_line()}).to_string());
            }
        }
    }
}

fn open(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let opened = std::fs::File::open(file).map_err(|error| Failure::unreadable(file, &error))?;
    Ok(Box::new(BufReader::new(opened)))
}

/// The id of a line that was refused, as far as it can be made out.
fn id_of(line: &[u8]) -> Value {
    serde_json::from_slice::<Value>(line).ok().and_then(|value| value.get("id").cloned()).unwrap_or_default()
}

/// A call to check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default)]
    id: Value,
    call: CallSource,
    #[serde(default)]
    context: ContextSource,
    /// Read apart, because the same one often stands in many lines.
    #[serde(default)]
    config: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallSource {
    server: Option<String>,
    tool: String,
    #[serde(default)]
    args: Map<String, Value>,
    cwd: Option<String>,
}

/// Judges calls, each with its own policy or with the one that was given.
struct Judge {
    given: Option<Policy>,
    /// The last policy that stood in a call, with its text.
    latest: Option<(String, Policy)>,
    now: Timestamp,
}

/// A call that was judged.
struct Judged {
    id: Value,
    call: Described,
    verdict: Verdict,
    reasons: Vec<Explained>,
    commands: Vec<ExplainedCommand>,
    refusal: Option<String>,
}

impl Judge {
    fn new(given: Option<Policy>) -> Self {
        Self { given, latest: None, now: rim::now() }
    }

    fn judge(&mut self, text: &[u8]) -> Result<Judged, Failure> {
        let value = read(text, Limits::DOCUMENT).map_err(Failure::new)?;
        if !value.is_object() || value.get("call").is_some_and(|call| !call.is_object()) {
            return Err(Failure::new("expected an object with `call`, which is an object with `tool` and `args`"));
        }
        if value.get("call").is_none() && value.get("tool").is_some() {
            return Err(Failure::new(
                "missing field `call`: put the call into it, as in `{\"call\": {\"tool\": \"bash\", \"args\": {…}}}`",
            ));
        }
        for section in ["context", "config"] {
            maps_are_maps(section, value.get(section))?;
        }
        let question: Question = from_json(value)?;
        let now = self.now;
        let policy = self.policy(question.config)?;
        let several = question.call.server.is_none().then(|| several_readings(&question.call.tool)).flatten();
        let (server, tool) = translated(question.call.server, question.call.tool);
        let call = Call::new(server, tool, question.call.args, question.call.cwd)
            .map_err(|error| Failure::new(format!("call: {error}")))?;
        if let Some(role) = question.context.role.as_ref().filter(|role| !policy.has_role(role)) {
            return Err(Failure::new(format!("context: there is no role `{role}` in `roles`")));
        }
        if question.context.home.as_ref().is_some_and(|home| !home.starts_with('/')) {
            return Err(Failure::new("context: `home` must be an absolute path, such as `/home/dev`"));
        }
        let mut call = rim::describe(policy, call, &question.context);
        call.doubts.extend(several);
        let context = Context::new(&question.context, call.digest, now)
            .map_err(|error| Failure::new(format!("context: {error}")))?;
        let verdict = judge(policy, &call, &context);
        let reasons = explain(&verdict, policy, &call, &context);
        let refusal = refusal(&verdict, policy, &call, &context);
        let commands = explain_commands(policy, &call, &context);
        Ok(Judged { id: question.id, call, verdict, reasons, commands, refusal })
    }

    fn policy(&mut self, config: Option<Value>) -> Result<&Policy, Failure> {
        let Some(config) = config else {
            if self.given.is_none() {
                self.given = Some(compile(&Config::default())?);
            }
            return self.given.as_ref().ok_or_else(|| Failure::new("no policy"));
        };
        let text = canonical(&config);
        if self.latest.as_ref().is_none_or(|(latest, _)| *latest != text) {
            let config: Config =
                from_json(config).map_err(|failure| Failure::new(format!("config: {}", failure.in_one_line())))?;
            if !config.include.is_empty() {
                return Err(Failure::new("config: `include` is for files"));
            }
            self.latest = Some((text, compile(&config)?));
        }
        self.latest.as_ref().map(|(_, policy)| policy).ok_or_else(|| Failure::new("no policy"))
    }
}

fn compile(config: &Config) -> Result<Policy, Failure> {
    Policy::compile(&config.source(vec![])).map_err(|problems| Failure::problems(&problems))
}

/// A list is no map, though its items might be taken for the values of one.
fn maps_are_maps(section: &str, value: Option<&Value>) -> Result<(), Failure> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(()) };
    let lists = ["delegated", "approvals", "remembered", "rules", "tools", "tests", "allow", "deny"];
    let mut ahead = vec![(section.to_owned(), value, true)];
    while let Some((place, value, wants_map)) = ahead.pop() {
        match value {
            Value::Array(_) if wants_map => return Err(Failure::new(format!("{place}: expected a map, found a list"))),
            Value::Array(items) => ahead
                .extend(items.iter().enumerate().map(|(i, item)| (format!("{place}[{i}]"), item, !item.is_string()))),
            Value::Object(members) => {
                ahead.extend(members.iter().filter(|(key, _)| *key != "args").map(|(key, member)| {
                    let known = [
                        "policy",
                        "risk",
                        "users",
                        "roles",
                        "overrides",
                        "capabilities",
                        "by",
                        "call",
                        "context",
                        "hitl",
                    ];
                    let nested = member.is_array() && lists.contains(&&**key);
                    (format!("{place}.{key}"), member, !nested && known.contains(&&**key))
                }));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `mcp__a__b__c` is `b__c` of `a`, or `c` of `a__b`. Whichever is judged, a denial may be about the other.
fn several_readings(tool: &str) -> Option<Doubt> {
    let rest = tool.strip_prefix("mcp__")?;
    let splits = rest.char_indices().filter(|&(i, _)| {
        let (server, tool) = rest.split_at(i);
        !server.is_empty() && tool.strip_prefix("__").is_some_and(|tool| !tool.is_empty())
    });
    (splits.count() > 1).then(|| Doubt::SeveralReadings(tool.to_owned()))
}

/// Coding agents write `mcp__server__tool`; it is the tool of that server.
fn translated(server: Option<String>, tool: String) -> (Option<String>, String) {
    let Some((named, short)) = tool.strip_prefix("mcp__").and_then(|rest| match &server {
        Some(server) => rest.strip_prefix(&**server)?.strip_prefix("__").map(|short| (&**server, short)),
        None => rest.split_once("__"),
    }) else {
        return (server, tool);
    };
    if named.is_empty() || short.is_empty() {
        return (server, tool);
    }
    (Some(named.to_owned()), short.to_owned())
}

/// What machines are told.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Value::is_null")]
    id: &'a Value,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approvers: Option<&'a [Vec<String>]>,
    reasons: &'a [Explained],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    commands: &'a [ExplainedCommand],
    digest: String,
    resource: Option<String>,
    risk: &'static str,
    capabilities: &'a [String],
    policy: String,
}

impl Judged {
    fn json(&self) -> String {
        let ask = if let Effect::Ask(ask) = &self.verdict.effect { Some(ask) } else { None };
        let answer = Answer {
            id: &self.id,
            verdict: self.verdict.effect.word(),
            mode: ask.map(|ask| ask.mode.word()),
            by: ask.map(|ask| ask.by.word()),
            approvals: ask.map(|ask| ask.approvals).filter(|approvals| *approvals > 1),
            approvers: ask.map(|ask| &*ask.approvers).filter(|approvers| !approvers.is_empty()),
            reasons: &self.reasons,
            commands: &self.commands,
            digest: self.call.digest.to_string(),
            resource: resource_text(&self.call),
            risk: self.call.risk.word(),
            capabilities: &self.call.capabilities,
            policy: self.verdict.policy.to_string(),
        };
        serde_json::to_string(&answer).unwrap_or_default()
    }

    fn for_people(&self, paint: Paint) -> String {
        let mut out = String::new();
        let shown = resource_text(&self.call).unwrap_or_else(|| self.call.call.name());
        out.push_str(&format!("{} {}\n", paint.verdict(self.verdict.effect.word()), visible(&shown)));
        if let Effect::Ask(ask) = &self.verdict.effect {
            let who = match ask.by.word() {
                "second_person" => "a second person",
                "human" => "a person",
                _ => "anyone who may approve",
            };
            out.push_str(&format!("       {who}, {}\n", if ask.mode.word() == "once" { "once" } else { "every time" }));
        }
        if let Some(refusal) = &self.refusal {
            out.push_str(&format!("       {}\n", visible(refusal)));
        }
        for reason in &self.reasons {
            let line = format!("{:<12} {}", reason.layer, visible(&reason.text));
            let line = if reason.said == "silent" { paint.faint(&line) } else { line };
            out.push_str(&format!("  {} {line}\n", paint.verdict(reason.said)));
        }
        for part in &self.commands {
            let said = match (&part.covered_by, &part.why_not) {
                (Some(pattern), _) => format!("covered by {pattern}"),
                (None, why) => why.clone().unwrap_or_default(),
            };
            out.push_str(&format!("  command  {}  {}\n", visible(&part.command), paint.faint(&visible(&said))));
        }
        out.push_str(&paint.faint(&format!("  {}", self.call.digest)));
        out
    }
}
