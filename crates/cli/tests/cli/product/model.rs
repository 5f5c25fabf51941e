//! A fake model server: it speaks the protocol over real HTTP, says what it was told to, and counts.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A model that proposes the same turns in every conversation.
pub struct FakeModel {
    pub base: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl FakeModel {
    /// Starts it. A turn is a list of calls `[{"tool", "args"}]`, or a text, which ends the conversation.
    pub fn start(turns: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (turns, seen) = (turns.clone(), seen.clone());
                std::thread::spawn(move || answer(stream, &turns, &seen));
            }
        });
        Self { base, asked }
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

fn answer(mut stream: TcpStream, turns: &[Value], seen: &Mutex<Vec<Value>>) {
    let Some(body) = request(&mut stream) else { return };
    let turn = turn_of(&body);
    seen.lock().unwrap().push(body);
    let mut pieces = Vec::new();
    match turns.get(turn) {
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
            pieces.push(json!({"choices": [{"index": 0, "delta": {"content": text}}]}));
            pieces.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        }
    }
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    pieces.push(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}));
    for piece in pieces {
        let _ = write!(stream, "data: {piece}\n\n");
        let _ = stream.flush();
    }
    let _ = write!(stream, "data: [DONE]\n\n");
}

/// The body of a request.
fn request(stream: &mut TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
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
    serde_json::from_slice(&body).ok()
}
