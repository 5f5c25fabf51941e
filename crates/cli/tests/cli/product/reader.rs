//! Somebody who reads a stream, event by event.

use super::server::Server;
use reqwest::{Client, Response, StatusCode};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// How long anything may take before a test gives up. Generous: it only decides how long a failure takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// A stream of events.
pub struct Reader {
    response: Response,
    rest: Vec<u8>,
    /// The id of the last event, or the one that came with a comment.
    pub last: Option<u64>,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub id: Option<u64>,
    pub event: String,
    pub data: Value,
}

impl Reader {
    /// Opens the inbox of `base`, after the event with this id.
    pub async fn inbox(http: &Client, base: &str, token: &str, after: Option<u64>) -> Result<Self, StatusCode> {
        let mut request = http.get(format!("{base}/api/interactions/stream")).bearer_auth(token);
        if let Some(after) = after {
            request = request.header("last-event-id", after.to_string());
        }
        let response = request.send().await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        if response.status() != 200 {
            return Err(response.status());
        }
        Ok(Self::of(response))
    }

    /// The events of a response.
    pub fn of(response: Response) -> Self {
        Self { response, rest: vec![], last: None }
    }

    /// The next event; `None` if the stream has ended.
    pub async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
                let message: Vec<u8> = self.rest.drain(..end + 2).collect();
                let told = read(std::str::from_utf8(&message).unwrap());
                self.last = told.id.or(self.last);
                // A comment says nothing.
                if told.data != Value::Null {
                    return Some(told);
                }
                continue;
            }
            let piece = timeout(PATIENCE, self.response.chunk()).await.expect("something comes, or the end").ok()??;
            self.rest.extend_from_slice(&piece);
        }
    }

    /// The next event of this type.
    pub async fn until(&mut self, event: &str) -> Told {
        loop {
            let told = self.next().await.expect("the stream goes on");
            if told.event == event {
                return told;
            }
        }
    }
}

fn read(message: &str) -> Told {
    let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    Told {
        id: field("id: ").parse().ok(),
        event: field("event: ").to_owned(),
        data: serde_json::from_str(field("data: ")).unwrap_or_default(),
    }
}

/// The inbox of a server, as its operator sees it from now on.
pub async fn inbox(server: &Server) -> Reader {
    let mut reader = Reader::inbox(server.http(), &server.base, &server.operator, None).await.unwrap();
    assert_eq!(reader.next().await.unwrap().event, "ready");
    reader
}
