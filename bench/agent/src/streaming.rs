//! How long a piece of a model's words takes from the model to whoever follows the run by the API.

use crate::Failure;
use crate::house::{House, person};
use async_trait::async_trait;
use countersign_api::{Api, Connections, Human, RateLimit, Site};
use countersign_runtime::ports::{Heard, Model, ModelError, Prompt, Spoken};
use countersign_runtime::principals::make_token;
use jiff::SignedDuration;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Pieces that are said.
const PIECES: usize = 500;

/// Seconds that each piece took, in ascending order.
pub async fn delays(folder: &Path) -> Result<Vec<f64>, Failure> {
    let began = Instant::now();
    let house = House::open(folder, Arc::new(Clock { began }), 1)?;
    let token = make_token(house.runtime.store(), person(), None, None).await?.secret;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let site = Site {
        public_url: None,
        loopback: true,
        session: SignedDuration::from_hours(1),
        rate_limit: RateLimit::default(),
        most_streams: u32::MAX,
        connections: Connections::default(),
        human: Human::Token,
    };
    let api = Api::new(house.runtime.clone(), site);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(api.serve(
        listener,
        async move {
            let _ = stopped.await;
        },
        Duration::ZERO,
    ));
    let run = house.start().await?;
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let request = format!(
        "GET /api/runs/{run}/events HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\nauthorization: Bearer {}\r\n\r\n",
        token.reveal()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let mut delays = Vec::with_capacity(PIECES);
    while let Some(line) = lines.next_line().await? {
        let now = began.elapsed().as_secs_f64();
        let Some(event) = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data).ok()) else {
            continue;
        };
        match event.get("type").and_then(Value::as_str) {
            Some("step_delta") => {
                let said = event.pointer("/data/text").and_then(Value::as_str).unwrap_or_default();
                // Pieces that were put together are as late as the last of them.
                let said = said.split_whitespace().last().and_then(|said| said.parse::<f64>().ok());
                delays.extend(said.map(|said| now - said));
            }
            Some("run_completed") => break,
            Some("run_failed") => return Err(format!("the run failed: {event}").into()),
            _ => {}
        }
    }
    drop(stop);
    serving.await?;
    house.close().await;
    delays.sort_by(f64::total_cmp);
    Ok(delays)
}

/// A model that says what time it is, again and again.
struct Clock {
    began: Instant,
}

#[async_trait]
impl Model for Clock {
    async fn speak(
        &self,
        _: &Prompt<'_>,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        // Until whoever follows is there.
        tokio::time::sleep(Duration::from_millis(500)).await;
        for _ in 0..PIECES {
            live(Heard::Words(&format!("{:.9} ", self.began.elapsed().as_secs_f64())));
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
        Ok(Spoken { text: "that was the time".into(), ..Spoken::default() })
    }
}
