//! A model server that says what its cases tell it to, byte for byte.

use super::cases::{Case, Ending};
use crate::product::model::request;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Fake {
    pub base: String,
    told: Arc<Mutex<HashMap<usize, String>>>,
}

impl Fake {
    pub fn start(cases: Vec<Case>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let told = Arc::new(Mutex::new(HashMap::new()));
        let (seen, cases) = (Arc::clone(&told), Arc::new(cases));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (cases, seen) = (Arc::clone(&cases), Arc::clone(&seen));
                std::thread::spawn(move || answer(stream, &cases, &seen));
            }
        });
        Self { base, told }
    }

    /// The last thing that the model of a case was told after it had spoken.
    pub fn told(&self, case: usize) -> Option<String> {
        self.told.lock().unwrap().get(&case).cloned()
    }
}

fn answer(mut stream: TcpStream, cases: &[Case], told: &Mutex<HashMap<usize, String>>) {
    let Some((_, body)) = request(&mut stream) else { return };
    let messages = body["messages"].as_array().unwrap();
    let turn = messages.iter().filter(|message| message["role"] == "assistant").count();
    let first = messages.iter().find(|message| message["role"] == "user").unwrap();
    let number: usize = words(&first["content"]).trim_start_matches("case ").parse().unwrap();
    if turn > 0 {
        told.lock().unwrap().insert(number, words(&messages.last().unwrap()["content"]));
    }
    let answer = (cases[number].says)(turn);
    // The client may leave at any time, which is its right.
    let _ = stream.write_all(&answer.bytes).and_then(|()| stream.flush());
    if answer.ending == Ending::Silent {
        std::thread::sleep(Duration::from_secs(5));
    }
}

/// The words of a message, in both wire formats.
fn words(content: &Value) -> String {
    let texts = |block: &Value| match block["type"].as_str() {
        Some("tool_result") => words(&block["content"]),
        _ => block["text"].as_str().unwrap_or_default().to_owned(),
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(texts).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
