//! A fake model server: it speaks both protocols over real HTTP, says what it was told to, and counts.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A model that proposes the same turns in every conversation.
pub struct FakeModel {
    pub base: String,
    asked: Arc<Mutex<Vec<Value>>>,
    /// With what it refuses to say anything.
    refusal: Arc<Mutex<Option<String>>>,
    /// Whether it says all but the end of its turn.
    lingers: Arc<AtomicBool>,
}

impl FakeModel {
    /// Starts it. A turn is a list of calls `[{"tool", "args"}]`, or a text, which ends the conversation.
    pub fn start(turns: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let refusal: Arc<Mutex<Option<String>>> = Arc::default();
        let lingers: Arc<AtomicBool> = Arc::default();
        let (seen, refuses, waits) = (asked.clone(), refusal.clone(), lingers.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (turns, seen, refuses, waits) = (turns.clone(), seen.clone(), refuses.clone(), waits.clone());
                std::thread::spawn(move || {
                    let why = refuses.lock().unwrap().clone();
                    match why {
                        Some(why) => refuse(stream, &why),
                        None => answer(stream, &turns, &seen, &waits),
                    }
                });
            }
        });
        Self { base, asked, refusal, lingers }
    }

    /// Has it say all but the end of its turn, until it is told not to: whoever listens hears it speak.
    pub fn linger(&self, lingers: bool) {
        self.lingers.store(lingers, Ordering::SeqCst);
    }

    /// From now on it says nothing, and `why`.
    pub fn refuse(&self, why: &str) {
        *self.refusal.lock().unwrap() = Some(why.to_owned());
    }

    /// How often it was asked for each turn.
    pub fn times_asked(&self, turn: usize) -> usize {
        self.asked.lock().unwrap().iter().filter(|body| turn_of(body) == turn).count()
    }

    /// The last conversation it was shown.
    pub fn last_asked(&self) -> Value {
        self.asked.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

/// Which turn a conversation is waiting for: as many as the model has spoken in it.
fn turn_of(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

fn answer(mut stream: TcpStream, turns: &[Value], seen: &Mutex<Vec<Value>>, lingers: &AtomicBool) {
    let Some((path, body)) = request(&mut stream) else { return };
    let turn = turn_of(&body);
    seen.lock().unwrap().push(body);
    let said = turns.get(turn);
    let events = if path.ends_with("/messages") { anthropic(turn, said) } else { openai(turn, said) };
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    let last = events.len() - 1;
    for (i, event) in events.iter().enumerate() {
        while i == last && lingers.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = write!(stream, "data: {event}\n\n");
        let _ = stream.flush();
    }
}

/// A turn as OpenAI's chat completions stream it.
fn openai(turn: usize, said: Option<&Value>) -> Vec<String> {
    let mut pieces = Vec::new();
    match said {
        Some(Value::Array(calls)) => {
            for (i, call) in calls.iter().enumerate() {
                let function = json!({"name": call["tool"], "arguments": call["args"].to_string()});
                let call = json!({"index": i, "id": format!("c{turn}-{i}"), "type": "function", "function": function});
                pieces.push(json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}));
            }
            pieces.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
        }
        text => {
            let text = text.and_then(Value::as_str).unwrap_or("done");
            // Long ones in small pieces, cut anywhere.
            let letters: Vec<char> = text.chars().collect();
            for piece in letters.chunks(if letters.len() > 200 { 11 } else { 200 }) {
                let piece: String = piece.iter().collect();
                pieces.push(json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
            }
            pieces.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        }
    }
    pieces.push(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}));
    pieces.iter().map(Value::to_string).chain(["[DONE]".to_owned()]).collect()
}

/// A turn as Anthropic's messages API streams it.
fn anthropic(turn: usize, said: Option<&Value>) -> Vec<String> {
    let mut events =
        vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 11, "output_tokens": 1}}})];
    let mut stop = "end_turn";
    let block = |i: usize, block: Value| json!({"type": "content_block_start", "index": i, "content_block": block});
    let delta = |i: usize, delta: Value| json!({"type": "content_block_delta", "index": i, "delta": delta});
    match said {
        Some(Value::Array(calls)) => {
            stop = "tool_use";
            for (i, call) in calls.iter().enumerate() {
                let id = format!("toolu_{turn}_{i}");
                events.push(block(i, json!({"type": "tool_use", "id": id, "name": call["tool"], "input": {}})));
                let input = call["args"].to_string();
                events.push(delta(i, json!({"type": "input_json_delta", "partial_json": input})));
            }
        }
        text => {
            let text = text.and_then(Value::as_str).unwrap_or("done");
            events.push(block(0, json!({"type": "text", "text": ""})));
            events.push(delta(0, json!({"type": "text_delta", "text": text})));
        }
    }
    let usage = json!({"output_tokens": 7});
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(Value::to_string).collect()
}

fn refuse(mut stream: TcpStream, why: &str) {
    if request(&mut stream).is_some() {
        let body = json!({"error": {"message": why, "type": "invalid_request_error"}}).to_string();
        let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close";
        let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    }
}

/// The path and the body of a request.
pub fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(given) = line.strip_prefix("content-length:") {
            length = given.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, serde_json::from_slice(&body).ok()?))
}
