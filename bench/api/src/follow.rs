//! Streams that are open at once, and whoever answers while they are: how long until each stream tells of the answer.
//!
//! All in one process, and so by one clock: the time is taken right before an answer is sent.

use crate::wire::{Wire, find, get, post};
use crate::{Failure, processor_time};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// What is followed, and how often somebody answers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    pub address: SocketAddr,
    pub token: String,
    /// Streams of the inbox.
    pub inboxes: usize,
    /// Runs that are followed, each by one stream.
    pub runs: Vec<String>,
    pub answers: usize,
    pub every: Duration,
}

/// What came of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Told {
    /// Seconds from an answer to the event, at each stream of the inbox and at each of its run.
    pub inbox: Vec<f64>,
    pub run: Vec<f64>,
    /// Seconds until the answer was acknowledged.
    pub acknowledged: Vec<f64>,
    /// Answers a second.
    pub rate: f64,
    /// Processor time of this process, in seconds.
    pub processor: f64,
}

/// How long anything may take before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections that answers are sent on.
const ANSWERERS: usize = 8;

#[derive(Default)]
struct Seen {
    /// When each question was answered.
    sent: RefCell<HashMap<String, Instant>>,
    told: RefCell<Told>,
    /// Streams that have begun.
    open: Cell<usize>,
}

pub async fn follow(plan: Plan) -> Result<(), Failure> {
    LocalSet::new().run_until(followed(plan)).await
}

async fn followed(plan: Plan) -> Result<(), Failure> {
    let (seen, (asked, mut questions)) = (Rc::new(Seen::default()), mpsc::unbounded_channel());
    let streams = plan.inboxes + plan.runs.len();
    let inbox = get(plan.address, "/api/interactions/stream", &plan.token);
    for _ in 0..plan.inboxes {
        spawn_local(reported(read(plan.address, inbox.clone(), Of::Inbox, Rc::clone(&seen), asked.clone())));
    }
    for run in &plan.runs {
        let request = get(plan.address, &format!("/api/runs/{run}/events"), &plan.token);
        spawn_local(reported(read(plan.address, request, Of::Run, Rc::clone(&seen), asked.clone())));
    }
    patiently("not all streams began", || seen.open.get() == streams).await?;
    let (began, processor) = (Instant::now(), processor_time());
    let (give, answers) = answerers(ANSWERERS, &plan, &seen).await?;
    let mut ticks = interval(plan.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for _ in 0..plan.answers {
        ticks.tick().await;
        let question = timeout(PATIENCE, questions.recv()).await?.ok_or("nobody asks any more")?;
        give.send(question)?;
    }
    let rate = plan.answers as f64 / began.elapsed().as_secs_f64();
    drop(give);
    for answerer in answers {
        answerer.await??;
    }
    let all = || {
        let told = seen.told.borrow();
        told.inbox.len() == plan.inboxes * plan.answers && told.run.len() == plan.answers
    };
    patiently("not every stream told of every answer", all).await?;
    let told = seen.told.take();
    let told = Told { rate, processor: processor_time() - processor, ..told };
    serde_json::to_writer(std::io::stdout(), &told)?;
    Ok(())
}

type Answerers = Vec<tokio::task::JoinHandle<Result<(), Failure>>>;

/// Whoever answers what they are given, so many at once.
async fn answerers(
    many: usize,
    plan: &Plan,
    seen: &Rc<Seen>,
) -> Result<(mpsc::UnboundedSender<String>, Answerers), Failure> {
    let (give, taken) = mpsc::unbounded_channel::<String>();
    let taken = Rc::new(tokio::sync::Mutex::new(taken));
    let mut all = vec![];
    for _ in 0..many {
        let mut wire = Wire::to(plan.address).await?;
        let (address, token, seen, taken) = (plan.address, plan.token.clone(), Rc::clone(seen), Rc::clone(&taken));
        all.push(spawn_local(async move {
            loop {
                let next = taken.lock().await.recv().await;
                let Some(question) = next else { return Ok(()) };
                let path = format!("/api/interactions/{question}/respond");
                let request = post(address, &path, &token, r#"{"decision":"approve"}"#);
                let now = Instant::now();
                seen.sent.borrow_mut().insert(question, now);
                let (status, text) = wire.answer(&request).await?;
                if status != 200 {
                    return Err(format!("an answer was answered with {}", String::from_utf8_lossy(text)).into());
                }
                seen.told.borrow_mut().acknowledged.push(now.elapsed().as_secs_f64());
            }
        }));
    }
    Ok((give, all))
}

/// What a stream is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Inbox,
    Run,
}

/// Reads a stream to its end.
async fn read(
    address: SocketAddr,
    request: Vec<u8>,
    of: Of,
    seen: Rc<Seen>,
    asked: mpsc::UnboundedSender<String>,
) -> Result<(), Failure> {
    let mut stream = Wire::to(address).await?.into_stream();
    stream.write_all(&request).await?;
    let mut lines = BufReader::with_capacity(16 * 1024, stream);
    let (mut line, mut kind, mut has_begun) = (vec![], Kind::Other, false);
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).await? == 0 {
            return Err("a stream ended".into());
        }
        if let Some(event) = line.strip_prefix(b"event: ") {
            kind = Kind::of(event.trim_ascii_end());
            if !has_begun {
                has_begun = true;
                seen.open.set(seen.open.get() + 1);
            }
            continue;
        }
        if !line.starts_with(b"data: ") {
            continue;
        }
        match (kind, of) {
            (Kind::Response, of) => {
                let now = Instant::now();
                let question = text_after(&line, b"\"interaction_request_id\":\"").ok_or("an answer to nothing")?;
                let Some(sent) = seen.sent.borrow().get(question).copied() else { continue };
                let took = now.duration_since(sent).as_secs_f64();
                let mut told = seen.told.borrow_mut();
                if of == Of::Inbox { told.inbox.push(took) } else { told.run.push(took) }
            }
            (Kind::Request, Of::Run) => {
                let value: serde_json::Value =
                    serde_json::from_slice(line.strip_prefix(b"data: ").unwrap_or_default())?;
                let id = value.pointer("/data/interaction_request/id").and_then(|id| id.as_str());
                asked.send(id.ok_or("a question without an id")?.to_owned())?;
            }
            _ => {}
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Request,
    Response,
    Other,
}

impl Kind {
    fn of(event: &[u8]) -> Self {
        match event {
            b"interaction_request" => Self::Request,
            b"interaction_response" => Self::Response,
            _ => Self::Other,
        }
    }
}

/// What stands between `before` and the next quotation mark.
fn text_after<'a>(line: &'a [u8], before: &[u8]) -> Option<&'a str> {
    let rest = line.get(find(line, before)? + before.len()..)?;
    std::str::from_utf8(rest.get(..rest.iter().position(|byte| *byte == b'"')?)?).ok()
}

/// Waits until something holds.
async fn patiently(otherwise: &str, mut holds: impl FnMut() -> bool) -> Result<(), Failure> {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > end {
            return Err(otherwise.into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// A stream that fails is missed later; why it did is told now.
async fn reported(reading: impl Future<Output = Result<(), Failure>>) {
    if let Err(error) = reading.await {
        eprintln!("a stream: {error}");
    }
}
