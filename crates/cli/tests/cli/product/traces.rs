//! Traces: what a collector gets of a run that waits for a person, what it never gets, and a server whose collector is gone.

use super::server::{Server, one_call};
use countersign_domain::audit::hex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A collector that takes OTLP over HTTP, and keeps all that it was sent.
#[derive(Clone)]
struct Collector {
    endpoint: String,
    taken: Arc<Mutex<Vec<Request>>>,
}

/// One request to it: the first line, the headers, and the body.
struct Request {
    line: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let collector = Self { endpoint, taken: Arc::default() };
        let taken = Arc::clone(&collector.taken);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = Arc::clone(&taken);
                std::thread::spawn(move || while take(&stream, &taken).is_some() {});
            }
        });
        collector
    }

    /// All spans so far.
    fn spans(&self) -> Vec<Span> {
        self.taken.lock().unwrap().iter().flat_map(Request::spans).collect()
    }
}

fn take(stream: &TcpStream, taken: &Mutex<Vec<Request>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut lines = (&mut reader).lines();
    let line = lines.next()?.ok()?;
    let mut headers = BTreeMap::new();
    for header in lines.by_ref() {
        let header = header.ok().filter(|header| !header.is_empty());
        let Some(header) = header else { break };
        let (name, value) = header.split_once(": ")?;
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    taken.lock().unwrap().push(Request { line, headers, body });
    (&mut &*stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()
}

/// A span as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Span {
    trace: String,
    id: String,
    parent: Option<String>,
    name: String,
    kind: u64,
    start: u64,
    end: u64,
    said: BTreeMap<String, String>,
}

impl Request {
    fn spans(&self) -> Vec<Span> {
        match self.headers["content-type"].as_str() {
            "application/json" => of_json(&serde_json::from_slice(&self.body).unwrap()),
            "application/x-protobuf" => of_protobuf(&self.body),
            other => panic!("{other}"),
        }
    }
}

fn of_json(document: &Value) -> Vec<Span> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = vec![];
    for span in document.pointer("/resourceSpans/0/scopeSpans/0/spans").unwrap().as_array().unwrap() {
        let said = span["attributes"].as_array().unwrap().iter().map(|one| {
            let value = &one["value"];
            (text(&one["key"]), value["stringValue"].as_str().or(value["intValue"].as_str()).unwrap().to_owned())
        });
        found.push(Span {
            trace: text(&span["traceId"]),
            id: text(&span["spanId"]),
            parent: span["parentSpanId"].as_str().map(str::to_owned),
            name: text(&span["name"]),
            kind: span["kind"].as_u64().unwrap(),
            start: text(&span["startTimeUnixNano"]).parse().unwrap(),
            end: text(&span["endTimeUnixNano"]).parse().unwrap(),
            said: said.collect(),
        });
    }
    found
}

/// The fields of a message of protocol buffers: their numbers, and what they hold.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let (byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }
    let mut found = vec![];
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let held = match tag & 7 {
            0 => varint(&mut bytes).to_le_bytes().to_vec(),
            kind => {
                let length = if kind == 1 { 8 } else { usize::try_from(varint(&mut bytes)).unwrap() };
                let (held, rest) = bytes.split_at(length);
                bytes = rest;
                held.to_vec()
            }
        };
        found.push((tag >> 3, held));
    }
    found
}

/// By the numbers of `trace.proto`, `common.proto` and `trace_service.proto`.
fn of_protobuf(body: &[u8]) -> Vec<Span> {
    let all = |bytes: &[u8], number: u64| {
        fields(bytes).into_iter().filter(move |(field, _)| *field == number).map(|(_, held)| held).collect::<Vec<_>>()
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let number = |bytes: Vec<u8>| u64::from_le_bytes(bytes.try_into().unwrap());
    let [of_resource] = &all(body, 1)[..] else { panic!("one resource") };
    let [of_scope] = &all(of_resource, 2)[..] else { panic!("one scope") };
    let read = |span: Vec<u8>| {
        let mut read = Span::default();
        for (field, held) in fields(&span) {
            match field {
                1 => read.trace = hex(&held),
                2 => read.id = hex(&held),
                4 => read.parent = Some(hex(&held)),
                5 => read.name = text(held),
                6 => read.kind = number(held),
                7 => read.start = number(held),
                8 => read.end = number(held),
                9 => {
                    let (key, value) = (all(&held, 1).remove(0), all(&held, 2).remove(0));
                    let (kind, value) = fields(&value).remove(0);
                    let value = if kind == 1 { text(value) } else { number(value).to_string() };
                    read.said.insert(text(key), value);
                }
                15 => {}
                other => panic!("field {other}"),
            }
        }
        read
    };
    all(of_scope, 2).into_iter().map(read).collect()
}

/// A server that sends its traces to `collector` when it ends, or earlier if a test says so.
fn traced(collector: &str, more: &[(&'static str, &str)], turns: Vec<Value>) -> Server {
    let mut server = Server::not_started(None, turns, "");
    server.logs = true;
    server.env.push(("OTEL_EXPORTER_OTLP_ENDPOINT", collector.to_owned()));
    // So long that nothing is sent before the end by itself.
    server.env.push(("OTEL_BSP_SCHEDULE_DELAY", "3600000".to_owned()));
    server.env.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    server.start(None);
    server.make_tokens();
    server
}

const PLANTED: &str = "planted-needle-4711";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Starts a run below a trace of our own, answers what it asks, and waits until it is done.
async fn answered_run(server: &Server) -> String {
    let request = server.http().post(format!("{}/api/runs?q={PLANTED}", server.base)).bearer_auth(&server.operator);
    let request = request.header("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    let body = json!({"agent": "worker", "input": PLANTED, "user_id": "kim"});
    let started: Value = request.json(&body).send().await.unwrap().json().await.unwrap();
    let run = started["id"].as_str().unwrap().to_owned();
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    let answer = json!({"decision": "approve", "reason": PLANTED});
    assert_eq!(server.post(&server.approver, &format!("/api/interactions/{id}/respond"), answer).await.0, 200);
    server.until_status(&run, "completed").await;
    run
}

async fn traces_of_a_run(protocol: &'static str) {
    let collector = Collector::start();
    let call = json!([{"tool": "bash", "args": {"command": format!("echo {PLANTED}; PASSWORD=hunter2hunter2 true")}}]);
    let more = [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b"),
        ("OTEL_SERVICE_NAME", "gatekeeper"),
    ];
    let mut server = traced(&collector.endpoint, &more, vec![call, json!(PLANTED)]);
    let run = answered_run(&server).await;
    server.stop();

    let taken = collector.taken.lock().unwrap();
    assert!(!taken.is_empty(), "what is left is sent at the end");
    for request in taken.iter() {
        assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
        assert_eq!(request.headers["x-team"], "a b");
        let raw = String::from_utf8_lossy(&request.body);
        assert!(raw.contains("gatekeeper"));
        for hidden in [PLANTED, "hunter2", "echo", "PASSWORD", "sk-hidden", &server.operator, &server.approver, "kim"] {
            assert!(!raw.contains(hidden), "{hidden}: {raw}");
        }
    }
    drop(taken);
    holds_together(&collector.spans(), &run);
}

/// What was done for `run` stands below what caused it.
fn holds_together(spans: &[Span], run: &str) {
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let by_id: BTreeMap<_, _> = spans.iter().map(|span| (span.id.as_str(), span)).collect();
    assert_eq!(by_id.len(), spans.len(), "each has an id of its own");
    for span in spans {
        assert!(span.start > 0 && span.start <= span.end, "{span:?}");
        if let Some(parent) = span.parent.as_deref().filter(|parent| *parent != PARENT) {
            assert_eq!(by_id[parent].trace, span.trace, "{span:?}");
        }
    }
    let [start] = named("POST /api/runs")[..] else { panic!("{spans:#?}") };
    assert_eq!((start.trace.as_str(), start.parent.as_deref(), start.kind), (TRACE, Some(PARENT), 2));
    assert_eq!(start.said["http.response.status_code"], "201");
    let [answer] = named("POST /api/interactions/{id}/respond")[..] else { panic!("{spans:#?}") };
    assert_eq!((answer.parent.as_ref(), &*answer.said["http.route"]), (None, "/api/interactions/{id}/respond"));

    let turns = named("run turn");
    assert!(turns.len() >= 2, "a wait is no span: what goes on after it is another turn");
    for turn in &turns {
        assert_eq!(turn.said["countersign.run_id"], run);
        // Handed over by whoever woke the run; or found, if every worker was looking for work just then.
        let causes = [Some(start.id.as_str()), Some(answer.id.as_str()), None];
        assert!(causes.contains(&turn.parent.as_deref()), "{turn:?}");
    }
    let turn_of = |span: &Span| {
        let parent = by_id[span.parent.as_deref().unwrap_or_else(|| panic!("{span:?}"))];
        assert_eq!(parent.name, "run turn", "{span:?}");
        parent.id.clone()
    };
    let judged = named("judge");
    let verdicts: Vec<_> = judged.iter().map(|span| span.said["countersign.verdict"].as_str()).collect();
    assert_eq!(verdicts, ["ask", "allow"]);
    assert!(!judged[0].said.contains_key("countersign.waited_ms"));
    assert!(judged[1].said.contains_key("countersign.waited_ms"));
    // What goes on at once with an answer is judged with it.
    let again = judged[1].parent.as_deref().map(|parent| by_id[parent].name.as_str());
    assert!([Some("POST /api/interactions/{id}/respond"), Some("run turn")].contains(&again), "{judged:?}");
    let [executed] = named("execute tool")[..] else { panic!("{spans:#?}") };
    assert_ne!(turn_of(executed), turn_of(judged[0]));
    assert_eq!(executed.said["countersign.tool"], "bash");
    assert_eq!(executed.said["countersign.call_id"], judged[0].said["countersign.call_id"]);
    assert_eq!(executed.said["countersign.status"], "completed");
    let models = named("model request");
    assert_eq!(models.len(), 2);
    for model in models {
        turn_of(model);
        assert_eq!((model.said["gen_ai.request.model"].as_str(), model.kind), ("fake", 3));
        assert!(model.said.contains_key("gen_ai.usage.input_tokens"), "{model:?}");
    }
    assert!(named("store save").iter().all(|span| span.parent.is_some()));
    assert!(named("store save").len() >= 4);
}

#[tokio::test]
async fn a_collector_gets_the_spans_of_a_run_and_nothing_that_anybody_wrote_in_json() {
    traces_of_a_run("http/json").await;
}

#[tokio::test]
async fn a_collector_gets_the_spans_of_a_run_and_nothing_that_anybody_wrote_in_protobuf() {
    traces_of_a_run("http/protobuf").await;
}

/// Unless every worker was looking for work just then, what a request wakes goes on in its trace.
#[tokio::test]
async fn a_run_goes_on_in_the_trace_of_the_request_that_started_it() {
    let collector = Collector::start();
    let more = [("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"), ("OTEL_BSP_SCHEDULE_DELAY", "10")];
    let server = traced(&collector.endpoint, &more, one_call());
    for _ in 0..1_000 {
        answered_run(&server).await;
        let continued = |span: &Span| span.name == "run turn" && span.trace == TRACE;
        if collector.spans().iter().any(continued) {
            return;
        }
    }
    panic!("no run went on in the trace that it was started in: {:#?}", collector.spans());
}

#[tokio::test]
async fn what_a_caller_does_not_keep_is_not_sent_and_without_an_endpoint_nothing_is() {
    let collector = Collector::start();
    for more in [("OTEL_TRACES_SAMPLER", "always_off"), ("OTEL_SDK_DISABLED", "true")] {
        let mut server = traced(&collector.endpoint, &[more], one_call());
        answered_run(&server).await;
        server.stop();
    }
    assert_eq!(collector.spans(), vec![]);
}

#[tokio::test]
async fn without_a_collector_the_server_works_and_says_so_once() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let more = [("OTEL_BSP_SCHEDULE_DELAY", "1"), ("OTEL_BSP_MAX_QUEUE_SIZE", "8")];
    let mut server = traced(&format!("http://kim:{PLANTED}@{gone}"), &more, one_call());
    answered_run(&server).await;
    let dropped = |metrics: &Value| {
        let line = metrics
            .as_str()
            .unwrap()
            .lines()
            .find_map(|line| line.strip_prefix("countersign_spans_total{status=\"dropped\"}"));
        line.unwrap().trim().parse::<u64>().unwrap() > 20
    };
    server.until("/metrics", dropped).await;
    let said =
        |server: &Server| std::fs::read_to_string(server.path("log")).unwrap().matches("traces cannot be sent").count();
    while said(&server) == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    answered_run(&server).await;
    server.stop();
    let log = std::fs::read_to_string(server.path("log")).unwrap();
    assert_eq!(log.matches("traces").count(), 1, "{log}");
    assert!(!log.contains(PLANTED), "{log}");
}
