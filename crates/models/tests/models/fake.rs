//! A model server that speaks the protocol, byte for byte as it is told.

use countersign_models::{Anthropic, OpenAi, Secret, Settings};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The key that is sent; no error may hold it.
pub const KEY: &str = "sk-very-secret-0123456789";

/// A server that gives its answers in turn, and closes connections after the last.
pub struct Fake {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    _tasks: JoinSet<()>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub head: String,
    pub body: Value,
}

/// What one request gets.
#[derive(Debug, Clone)]
pub struct Answer {
    head: String,
    pieces: Vec<Vec<u8>>,
    ending: Ending,
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Whole,
    Broken,
    Silent,
}

impl Fake {
    pub async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let answers: Mutex<VecDeque<Answer>> = Mutex::new(answers.into_iter().collect());
        let seen = Arc::clone(&requests);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            // Open connections end with the server.
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let answer = answers.lock().unwrap().pop_front();
                open.spawn(serve(stream, answer, Arc::clone(&seen)));
            }
        });
        Self { address, requests, _tasks: tasks }
    }

    pub fn settings(&self) -> Settings {
        Settings {
            key: Some(Secret::new(KEY)),
            first_pause: Duration::from_millis(1),
            ..Settings::new(format!("{}/v1/", self.address), "small")
        }
    }

    pub fn model(&self) -> OpenAi {
        OpenAi::new(self.settings()).unwrap()
    }

    pub fn anthropic(&self) -> Anthropic {
        Anthropic::new(Settings { base_url: self.address.clone(), ..self.settings() }).unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answer: Option<Answer>, seen: Arc<Mutex<Vec<Request>>>) {
    let Some(request) = read(&mut stream).await else { return };
    seen.lock().unwrap().push(request);
    let Some(answer) = answer else { return };
    stream.set_nodelay(true).unwrap();
    // The client may leave at any time, which is its right.
    let _ = write(&mut stream, &answer).await;
    if matches!(answer.ending, Ending::Silent) {
        std::future::pending::<()>().await;
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(Request { head: head.to_owned(), body: serde_json::from_str(body).unwrap() });
            }
        }
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&more[..count]);
        // A request starts with a verb; anything else is not HTTP, and hung up on.
        bytes.first().filter(|byte| byte.is_ascii_uppercase())?;
    }
}

async fn write(stream: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    if answer.head.is_empty() {
        return Ok(());
    }
    let head = format!("HTTP/1.1 {}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n", answer.head);
    stream.write_all(head.as_bytes()).await?;
    // An empty chunk would end the body.
    for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        stream.write_all(piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
        tokio::task::yield_now().await;
    }
    if matches!(answer.ending, Ending::Whole) {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    Ok(())
}

impl Answer {
    /// A stream of these events and `[DONE]`.
    pub fn events(events: &[Value]) -> Self {
        let events = events.iter().map(Value::to_string).chain(["[DONE]".to_owned()]);
        let lines: Vec<String> = events.map(|event| format!("data: {event}\n\n")).collect();
        Self::stream(&lines.concat())
    }

    /// A stream of these events as Anthropic names them.
    pub fn named_events(events: &[Value]) -> Self {
        let lines = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
        Self::stream(&lines.collect::<String>())
    }

    /// A stream of exactly this text.
    pub fn stream(text: &str) -> Self {
        let head = "200 OK\r\nContent-Type: text/event-stream".to_owned();
        Self { head, pieces: vec![text.as_bytes().to_vec()], ending: Ending::Whole }
    }

    /// A status, with headers, and a body.
    pub fn status(head: &str, body: &str) -> Self {
        Self { head: head.to_owned(), pieces: vec![body.as_bytes().to_vec()], ending: Ending::Whole }
    }

    /// Nothing at all, for as long as one listens.
    pub fn mute() -> Self {
        Self { head: String::new(), pieces: Vec::new(), ending: Ending::Silent }
    }

    /// All that it says.
    pub fn text(&self) -> String {
        String::from_utf8(self.pieces.concat()).unwrap()
    }

    pub fn len(&self) -> usize {
        self.pieces.concat().len()
    }

    /// The same, which ends after `length` bytes.
    pub fn cut_to(mut self, length: usize) -> Self {
        let whole = self.pieces.concat();
        self.pieces = vec![whole[..length].to_vec()];
        self
    }

    /// The same, cut into pieces of `size` bytes.
    pub fn in_pieces_of(mut self, size: usize) -> Self {
        self.pieces = self.pieces.concat().chunks(size).map(<[u8]>::to_vec).collect();
        self
    }

    /// The same, with the connection lost at the end.
    pub fn then_broken(self) -> Self {
        Self { ending: Ending::Broken, ..self }
    }

    /// The same, with the connection open and silent at the end.
    pub fn then_silent(self) -> Self {
        Self { ending: Ending::Silent, ..self }
    }
}
