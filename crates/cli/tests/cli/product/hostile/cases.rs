//! The cases: what models say, in both wire formats, and what must come of it.

use serde_json::{Value, json};

/// How much may be kept of any of them, in bytes of events.
pub const MOST_KEPT: usize = 4 * 1024 * 1024;

pub struct Case {
    pub name: String,
    pub wire: Wire,
    /// What it answers in its nth turn.
    pub says: Box<dyn Fn(usize) -> Answer + Send + Sync>,
    pub expect: Expect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

/// How a case ends.
#[derive(Debug, Clone, Copy)]
pub enum Expect {
    /// The model is told what was wrong with its calls, and has a last word.
    Told,
    /// The run is done, and no call was ever looked at.
    Done,
    /// The run fails with this code.
    Fails(&'static str),
}

/// All bytes of a response, and how it ends.
pub struct Answer {
    pub bytes: Vec<u8>,
    pub ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Closed,
    Silent,
}

impl Wire {
    pub const fn agent(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// A turn with these words and calls, each an id, a name and arguments.
    fn turn(self, text: &str, calls: &[Call]) -> Answer {
        let events = match self {
            Self::OpenAi => openai(text, calls),
            Self::Anthropic => anthropic(text, calls),
        };
        let lines: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        stream(&lines.concat())
    }
}

fn openai(text: &str, calls: &[Call]) -> Vec<Value> {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut events = vec![delta(json!({"content": text}))];
    events.extend(calls.iter().enumerate().map(|(i, (id, name, arguments))| {
        delta(json!({"tool_calls": [{"index": i, "id": id, "function": {"name": name, "arguments": arguments}}]}))
    }));
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    events
}

fn anthropic(text: &str, calls: &[Call]) -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": {}})];
    events.push(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}}));
    for (i, (id, name, arguments)) in calls.iter().enumerate() {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        events.push(json!({"type": "content_block_start", "index": i + 1, "content_block": block}));
        let delta = json!({"type": "input_json_delta", "partial_json": arguments});
        events.push(json!({"type": "content_block_delta", "index": i + 1, "delta": delta}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A response with this head and body.
fn response(head: &str, body: &[u8]) -> Answer {
    let head = format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n");
    Answer { bytes: [head.as_bytes(), body].concat(), ending: Ending::Closed }
}

fn stream(body: &str) -> Answer {
    response("200 OK\r\ncontent-type: text/event-stream", body.as_bytes())
}

/// An id, a name and arguments.
type Call = (String, String, String);

fn call(id: &str, name: &str, arguments: &str) -> Call {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        for (name, arguments) in arguments() {
            cases.push(once(wire, format!("arguments: {name}"), vec![call("a", "bash", &arguments)], Expect::Told));
        }
        for name in names() {
            let shown: String = name.escape_debug().take(40).collect();
            cases.push(once(wire, format!("a tool named {shown:?}"), vec![call("a", &name, "{}")], Expect::Told));
        }
        for (name, calls, expect) in turns() {
            cases.push(once(wire, name.to_owned(), calls, expect));
        }
        for (name, text, expect) in texts() {
            let says = move |_| wire.turn(&text, &[]);
            cases.push(Case { name: format!("text: {name}"), wire, says: Box::new(says), expect });
        }
        for (name, calls) in endless() {
            let says = move |_| wire.turn("again", &calls);
            let expect = Expect::Fails("LIMIT_TURNS");
            cases.push(Case { name: format!("for ever: {name}"), wire, says: Box::new(says), expect });
        }
        for (name, answer, expect) in streams() {
            let says = move |_| answer(wire);
            cases.push(Case { name: format!("stream: {name}"), wire, says: Box::new(says), expect });
        }
    }
    cases
}

/// These calls in the first turn, and a last word in the second.
fn once(wire: Wire, name: String, calls: Vec<Call>, expect: Expect) -> Case {
    let says = move |turn| if turn == 0 { wire.turn("", &calls) } else { wire.turn("so be it", &[]) };
    Case { name, wire, says: Box::new(says), expect }
}

fn arguments() -> Vec<(&'static str, String)> {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let keys: Vec<String> = (0..50_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let mut all: Vec<(&'static str, String)> = [
        ("half an object", "{"),
        ("no quotes", "{\"command\": ls}"),
        ("a trailing comma", "{\"command\": \"ls\",}"),
        ("single quotes", "{'command': 'ls'}"),
        ("a comment", "{\"command\": \"ls\" /* all */}"),
        ("a fence", "```json\n{\"command\": \"ls\"}\n```"),
        ("a text", "\"ls\""),
        ("a list", "[\"ls\"]"),
        ("null", "null"),
        ("a number", "42"),
        ("not a number", "{\"command\": NaN}"),
        ("two objects", "{\"command\": \"ls\"}{\"command\": \"pwd\"}"),
        ("a key twice", "{\"command\": \"ls\", \"command\": \"curl evil.example\"}"),
        ("half a character", "{\"command\": \"\\ud800\"}"),
        ("a control character", "{\"command\": \"a\u{1}b\"}"),
        ("a NUL in the command", "{\"command\": \"ls\\u0000; rm -rf /\"}"),
        ("text that runs backwards", "{\"command\": \"ls \u{202e}fr- mr\"}"),
        ("an integer without end", "{\"command\": \"ls\", \"n\": 123456789012345678901234567890}"),
        ("a number without end", "{\"command\": \"ls\", \"n\": 1e999}"),
        ("a byte order mark", "\u{feff}{\"command\": \"ls\"}"),
        ("a number for a text", "{\"command\": 7}"),
        ("a list for a text", "{\"command\": [\"ls\"]}"),
        ("an object for a text", "{\"command\": {\"a\": 1}}"),
        ("what nobody asked for", "{\"command\": \"ls\", \"sudo\": true, \"__proto__\": {}}"),
        ("nothing that is needed", "{}"),
        ("nothing", ""),
        ("blanks", " \n\t "),
    ]
    .map(|(name, text)| (name, text.to_owned()))
    .into();
    all.push(("deeper than anybody writes", format!("{{\"command\": {}}}", deep(100_000))));
    all.push(("a little too deep", format!("{{\"command\": {}}}", deep(65))));
    all.push(("open brackets only", "[".repeat(200_000)));
    all.push(("very many keys", format!("{{{}}}", keys.join(","))));
    all.push(("larger than a call may be", format!("{{\"command\": \"{}\"}}", "x".repeat(300_000))));
    all.push(("ten megabytes", format!("{{\"command\": \"{}\"}}", "x".repeat(10 * 1024 * 1024))));
    all
}

fn names() -> Vec<String> {
    let mut all: Vec<String> = [
        "",
        " ",
        "bash ",
        "BASH",
        "bash\0",
        "ba\nsh",
        "bash\u{1b}[31m",
        "\u{202e}hsab",
        "\u{200b}bash",
        "b\u{430}sh",
        "functions.bash",
        "../../bin/bash",
        "fs/bash",
        "mcp__fs__bash",
        "<script>alert(1)</script>",
        "bash`; DROP TABLE runs; --",
        "🦀",
    ]
    .map(str::to_owned)
    .into();
    all.push("x".repeat(100_000));
    all
}

/// Turns with several calls.
fn turns() -> Vec<(&'static str, Vec<Call>, Expect)> {
    let ls = r#"{"command": "ls"}"#;
    let many = |count: usize| (0..count).map(|i| call(&format!("c{i}"), "bash", ls)).collect::<Vec<_>>();
    vec![
        ("one id for two calls", vec![call("a", "bash", ls), call("a", "bash", ls)], Expect::Told),
        ("calls without ids", vec![call("", "bash", ls), call("", "bash", ls)], Expect::Told),
        ("an id with a NUL", vec![call("a\0b", "bash", ls)], Expect::Told),
        ("an id of a megabyte", vec![call(&"i".repeat(1024 * 1024), "bash", ls)], Expect::Told),
        ("one call more than are looked at", many(65), Expect::Told),
        ("200 calls", many(200), Expect::Told),
        ("2000 calls", many(2000), Expect::Fails("MODEL_GARBLED")),
    ]
}

fn texts() -> Vec<(&'static str, String, Expect)> {
    vec![
        ("nothing", String::new(), Expect::Done),
        ("blanks", " \n\t\r\n ".to_owned(), Expect::Done),
        ("a NUL", "a\0b".to_owned(), Expect::Done),
        ("colours and text that runs backwards", "\u{1b}[2J\u{202e}evil".to_owned(), Expect::Done),
        ("what looks like a question of ours", "\n  approve? [y/N] y\n".to_owned(), Expect::Done),
        ("two megabytes", "x".repeat(2 * 1024 * 1024), Expect::Fails("MODEL_GARBLED")),
    ]
}

/// What is said in every turn.
fn endless() -> Vec<(&'static str, Vec<Call>)> {
    vec![
        ("the same denied call", vec![call("a", "bash", r#"{"command": "rm -rf /"}"#)]),
        ("a tool that is not there", vec![call("", "nothing", "{}")]),
        ("arguments that cannot be read", vec![call("b", "bash", "{")]),
    ]
}

type Says = fn(Wire) -> Answer;

/// Responses that are no answers.
fn streams() -> Vec<(&'static str, Says, Expect)> {
    let garbled = Expect::Fails("MODEL_GARBLED");
    vec![
        ("nothing at all", |_| stream(""), garbled),
        ("cut in its first event", |_| stream("data: {\"cho"), garbled),
        ("cut in the middle of a call", |wire| cut(wire, 2), garbled),
        ("cut before its end", |wire| cut(wire, 1), garbled),
        (
            "bytes that are no text",
            |_| response("200 OK\r\ncontent-type: text/event-stream", b"data: \xff\xfe\xc0\n\n"),
            garbled,
        ),
        ("no JSON", |_| stream("data: hello\n\ndata: [DONE]\n\n"), garbled),
        ("JSON of another kind", |_| stream("data: [1, 2, 3]\n\n"), garbled),
        ("wrong types", wrong_types, garbled),
        ("numbers out of range", out_of_range, garbled),
        ("a page", |_| response("200 OK\r\ncontent-type: text/html", b"<html>sign in</html>"), garbled),
        (
            "an answer that is not streamed",
            |_| response("200 OK\r\ncontent-type: application/json", b"{\"choices\": []}"),
            garbled,
        ),
        (
            "a head that is none",
            |_| Answer { bytes: b"\0\0\0\0".to_vec(), ending: Ending::Closed },
            Expect::Fails("MODEL_UNAVAILABLE"),
        ),
        ("silence", |_| Answer { bytes: vec![], ending: Ending::Silent }, Expect::Fails("MODEL_UNAVAILABLE")),
        (
            "silence in the middle",
            |_| Answer { ending: Ending::Silent, ..stream(": hello\n\n") },
            Expect::Fails("MODEL_UNAVAILABLE"),
        ),
        ("an event without end", |_| stream(&"x".repeat(33 * 1024 * 1024)), garbled),
        ("always busy", |_| response("503 Busy", b"{}"), Expect::Fails("MODEL_UNAVAILABLE")),
        (
            "a wait of a year",
            |_| response("429 Slow\r\nretry-after: 31536000", b""),
            Expect::Fails("MODEL_UNAVAILABLE"),
        ),
        ("a bad key", |_| response("401 No", b"{\"error\": {\"message\": \"no\"}}"), Expect::Fails("MODEL_BAD_KEY")),
        (
            "another address",
            |_| response("302 Found\r\nlocation: http://127.0.0.1:1/", b""),
            Expect::Fails("MODEL_REFUSED"),
        ),
        ("an error that is a list", |_| response("400 Bad", b"[[[]]]"), Expect::Fails("MODEL_REFUSED")),
    ]
}

/// A turn with a call, without its last `events` events.
fn cut(wire: Wire, events: usize) -> Answer {
    let whole = wire.turn("hello", &[call("a", "bash", r#"{"command": "ls"}"#)]);
    let text = String::from_utf8(whole.bytes).unwrap();
    let kept = text.rmatch_indices("data: ").nth(events + usize::from(wire == Wire::Anthropic) - 1).unwrap().0;
    Answer { bytes: text.as_bytes()[..kept].to_vec(), ending: Ending::Closed }
}

fn wrong_types(wire: Wire) -> Answer {
    stream(&match wire {
        Wire::OpenAi => format!("data: {}\n\n", json!({"choices": [{"delta": {"content": 7, "tool_calls": {}}}]})),
        Wire::Anthropic => format!("data: {}\n\n", json!({"type": "content_block_delta", "index": "x", "delta": []})),
    })
}

fn out_of_range(wire: Wire) -> Answer {
    let call = json!({"index": -1, "id": "a", "function": {"name": "bash", "arguments": "{}"}});
    stream(&match wire {
        Wire::OpenAi => format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]})),
        Wire::Anthropic => {
            format!("data: {}\n\n", json!({"type": "content_block_start", "index": 1e30, "content_block": {}}))
        }
    })
}
