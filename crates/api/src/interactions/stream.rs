//! `GET /api/interactions/stream`: the inbox as it changes.

use super::inbox::Inbox;
use crate::body::Asked;
use crate::sign_in::{Pass, SignedIn};
use crate::streams::OpenStream;
use crate::{Api, Problem};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use countersign_runtime::ports::StoreError;
use futures_util::stream::unfold;
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use utoipa::IntoParams;

/// From where on.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Only what came after the event with this id; 0 is the beginning. `Last-Event-ID` goes before it. Without either the
    /// stream begins with the present.
    after: Option<u64>,
}

/// The inbox as it changes: `interaction_request`, `reminder`, `interaction_response`, `wait_completed`, each as in the events
/// of its run. A `reminder` comes once, when half of the time for an answer is over.
///
/// An id is a place in the record: the same on every node and after a restart. The first event is `ready`, with the id that the
/// stream begins after: who reads `GET /interactions` once it has come, and goes by the stream from then on, misses nothing.
#[utoipa::path(
    get, operation_id = "follow_interactions", path = "/interactions/stream", tag = "interactions", params(Which),
    responses(
        (status = 200, content((String = "text/event-stream"))),
        (status = 400, body = Problem), (status = 401, body = Problem)
    )
)]
pub async fn stream(
    State(api): State<Api>,
    who: SignedIn,
    pass: Pass,
    Asked(which): Asked<Which>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let open = api.streams.open(&who.0)?;
    // Before the log is looked at: what comes between is not missed.
    let length = api.runtime.log_length();
    let present = api.runtime.store().tree().await?.size();
    let next = last_event_id(&headers)?.or(which.after).unwrap_or(present);
    if next > present {
        return Err(Problem::invalid("no event has that id: begin without one, and read the list of what is open"));
    }
    let ready = format!("id: {next}\nevent: ready\ndata: {{\"type\":\"ready\",\"id\":{next}}}\n\n").into();
    let follow = Follow {
        closing: api.closing(),
        inbox: Arc::clone(&api.inbox),
        quiet: Instant::now(),
        ready: VecDeque::from([ready]),
        api,
        who,
        pass,
        next,
        present,
        length,
        _open: open,
    };
    let told = unfold(follow, async |mut follow| {
        let told = match follow.next().await {
            Ok(told) => told?,
            Err(error) => {
                tracing::warn!(%error, "a stream of the inbox ends: its reader may come back");
                return None;
            }
        };
        Some((Ok::<_, Infallible>(told), follow))
    });
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, Body::from_stream(told)).into_response())
}

/// The id after which a reader takes up again.
fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(id) = headers.get("last-event-id") else { return Ok(None) };
    let id = id.to_str().ok().and_then(|id| id.trim().parse().ok());
    id.map(Some).ok_or_else(|| Problem::invalid("`Last-Event-ID` is the id of an event of this stream: a number"))
}

/// How long nothing is said before a comment is, so that nobody takes the silence for a broken line.
const SILENCE: Duration = Duration::from_secs(15);

struct Follow {
    api: Api,
    inbox: Arc<Inbox>,
    who: SignedIn,
    pass: Pass,
    /// The place that is read next.
    next: u64,
    /// How long the log is, as far as is known.
    present: u64,
    length: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    ready: VecDeque<Bytes>,
    /// When something was last said.
    quiet: Instant,
    _open: OpenStream,
}

impl Follow {
    async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        loop {
            if *self.closing.borrow() || !self.pass.holds(&self.api).await? {
                return Ok(None);
            }
            if let Some(told) = self.ready.pop_front() {
                self.quiet = Instant::now();
                return Ok(Some(told));
            }
            self.present = self.present.max(*self.length.borrow_and_update());
            if self.next < self.present
                && let Some(stretch) = self.inbox.at(&self.api.runtime, self.next).await?
            {
                let new = stretch.told.iter().filter(|told| told.id > self.next);
                self.ready.extend(new.filter_map(|told| told.to(&self.who)));
                self.next = stretch.end;
                continue;
            }
            if self.quiet.elapsed() >= SILENCE {
                // With the place that was read, so that who comes back need not read all of it again.
                self.ready.push_back(format!(": still here\nid: {}\n\n", self.next).into());
                continue;
            }
            tokio::select! {
                grown = self.length.changed() => if grown.is_err() { return Ok(None) },
                _ = self.closing.changed() => {}
                () = sleep_until(self.pass.again().min(self.quiet + SILENCE)) => {}
            }
        }
    }
}
