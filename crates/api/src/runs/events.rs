//! `GET /api/runs/{id}/events`: what happened, as a list or as a stream that goes on.

use crate::body::{Asked, Named};
use crate::interactions::body::{AnswerBody, InteractionBody};
use crate::sign_in::{Pass, Sight, SignedIn};
use crate::streams::OpenStream;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_domain::RunId;
use countersign_domain::interaction::Interaction;
use countersign_domain::run::{Event, Interactions, Recorded, step_id};
use countersign_runtime::ports::StoreError;
use countersign_runtime::{News, NewsOf, Runtime};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

/// Which ones.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Only events after this `seq`. A stream takes `Last-Event-ID` before it.
    after: Option<u64>,
    /// For a list: at most so many, up to 1000. Default: 200.
    limit: Option<u32>,
}

/// One event of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventBody {
    /// Its place, counted from 1 without gaps; absent on `step_delta`, which is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// What happened.
    #[serde(rename = "type")]
    kind: &'static str,
    run_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<String>,
    /// The run within which this one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_run_id: Option<String>,
    /// How many runs are above this one.
    depth: u32,
    /// The rest, by type.
    #[schema(value_type = Object)]
    data: Value,
}

/// A page of events.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventPage {
    items: Vec<EventBody>,
    /// Where the next page starts; null where there is nothing more yet.
    next: Option<String>,
}

/// The events of a run. With `Accept: text/event-stream` they go on until the run ends.
#[utoipa::path(
    get, operation_id = "run_events", path = "/runs/{id}/events", tag = "runs", params(("id" = String, Path, description = "`run_…`"), Which),
    responses(
        (status = 200, content((EventPage = "application/json"), (String = "text/event-stream"))),
        (status = 204, description = "The stream of a run that has ended, after its last event"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)
    )
)]
pub async fn events(
    State(api): State<Api>,
    who: SignedIn,
    pass: Pass,
    Named(id): Named<RunId>,
    Asked(which): Asked<Which>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = who.seen(api.runtime.store().run(id).await?)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let after = last.or(which.after).unwrap_or(0);
    if wants_stream(&headers) {
        // Nothing more will ever come, and a browser that hears this does not ask again.
        if run.status.has_ended() && after >= run.seq {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        let open = api.streams.open(&who.0)?;
        return Ok(follow(&api, &who, pass, open, id, after).into_response());
    }
    let limit = which.limit.unwrap_or(200).clamp(1, 1000);
    let events = api.runtime.store().events(id, after, limit).await?;
    let above = Above::of(&api.runtime, run.parent_run_id).await?;
    let next = events.last().filter(|_| events.len() == limit as usize).map(|last| last.seq.to_string());
    Ok(Json(EventPage { items: told(&api, who.sight(), id, above, events).await?, next }).into_response())
}

/// Whether the one who asks wants a stream.
pub fn wants_stream(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    accepts.flat_map(|accept| accept.split(',')).any(|kind| kind.trim().starts_with("text/event-stream"))
}

/// Events that are read at a time.
const BATCH: u32 = 100;
/// How often a stream looks for itself, whatever it was told.
const LOOK: Duration = Duration::from_secs(5);

/// The events of `run` after `after`, until it ends. What is stored is the truth; news only say when to look.
pub fn follow(
    api: &Api,
    who: &SignedIn,
    pass: Pass,
    open: OpenStream,
    run: RunId,
    after: u64,
) -> Sse<impl Stream<Item = Result<Message, Infallible>> + use<>> {
    let state = Follow {
        api: api.clone(),
        sight: who.sight(),
        pass,
        run,
        above: None,
        after,
        ready: VecDeque::new(),
        news: api.runtime.news_of(run),
        closing: api.closing(),
        ended: false,
        told: 0,
        _open: open,
    };
    let stream = unfold(state, |mut state| async move {
        let message = state.next().await?;
        Some((Ok(message), state))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

struct Follow {
    api: Api,
    sight: Sight,
    pass: Pass,
    run: RunId,
    /// What is above the run; `None` until something was told.
    above: Option<Above>,
    after: u64,
    ready: VecDeque<Message>,
    news: NewsOf,
    closing: watch::Receiver<bool>,
    ended: bool,
    /// The last step that has been told in full: pieces of it that come late are not told again.
    told: u32,
    _open: OpenStream,
}

impl Follow {
    async fn next(&mut self) -> Option<Message> {
        loop {
            match self.pass.holds(&self.api).await {
                Ok(true) if !*self.closing.borrow() => {}
                Ok(_) => return None,
                Err(error) => return over(&error),
            }
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.ended {
                return None;
            }
            let events = match self.api.runtime.store().events(self.run, self.after, BATCH).await {
                Ok(events) => events,
                Err(error) => return over(&error),
            };
            let Some(last) = events.last() else {
                self.wait().await;
                let run = self.api.runtime.store().run(self.run).await.ok().flatten();
                self.ended = run.is_none_or(|run| run.status.has_ended() && self.after >= run.seq);
                continue;
            };
            (self.after, self.ended) = (last.seq, last.event.is_last());
            let steps = events.iter().filter(|event| matches!(event.event, Event::StepCompleted(_)));
            self.told = steps.filter_map(|event| event.step).max().unwrap_or(self.told);
            match self.told(events).await {
                Ok(bodies) => self.ready.extend(bodies.iter().map(message)),
                Err(error) => return over(&error),
            }
        }
    }

    async fn told(&mut self, events: Vec<Recorded>) -> Result<Vec<EventBody>, StoreError> {
        let above = if let Some(above) = self.above {
            above
        } else {
            let run = self.api.runtime.store().run(self.run).await?;
            Above::of(&self.api.runtime, run.and_then(|run| run.parent_run_id)).await?
        };
        self.above = Some(above);
        told(&self.api, self.sight, self.run, above, events).await
    }

    /// Waits until there may be something new, and passes on what is live only.
    async fn wait(&mut self) {
        let news = async {
            loop {
                match self.news.next().await {
                    News::Delta { step, .. } if step <= self.told => {}
                    news => return news,
                }
            }
        };
        let news = tokio::select! {
            news = timeout(LOOK, news) => news,
            _ = self.closing.changed() => return,
        };
        if let Ok(News::Delta { run, step, text }) = news {
            self.ready.push_back(message(&delta(run, step, &text)));
        }
    }
}

/// A stream that cannot go on: its reader comes back, and takes up where it was.
fn over<T>(error: &dyn std::error::Error) -> Option<T> {
    tracing::warn!(%error, "a stream ends: its reader may come back");
    None
}

/// Events as they are told. What they say of questions their run knows.
async fn told(
    api: &Api,
    sight: Sight,
    run: RunId,
    above: Above,
    events: Vec<Recorded>,
) -> Result<Vec<EventBody>, StoreError> {
    let of_question = |event: &Recorded| {
        use Event::{ExecutionSuspended, InteractionRequest, Reminder, WaitCompleted};
        matches!(
            event.event,
            InteractionRequest(_) | ExecutionSuspended { .. } | Reminder { .. } | WaitCompleted { .. }
        )
    };
    let asked = if events.iter().any(of_question) {
        api.runtime.store().shown(run).await?.map(|run| run.interactions).unwrap_or_default()
    } else {
        BTreeMap::new()
    };
    let asked = asked.into_iter().map(|(id, asked)| (id, Box::new(sight.of(*asked)))).collect();
    Ok(events.into_iter().map(|event| EventBody::new(sight.of_event(event), above, &asked)).collect())
}

fn message(event: &EventBody) -> Message {
    let message = Message::default().event(event.kind).data(serde_json::to_string(event).unwrap_or_default());
    match event.seq {
        Some(seq) => message.id(seq.to_string()),
        None => message,
    }
}

fn delta(run: RunId, step: u32, text: &str) -> EventBody {
    EventBody {
        seq: None,
        kind: "step_delta",
        run_id: run.to_string(),
        at: None,
        step_id: Some(step_id(step)),
        // Only agents are heard while they speak, and above the run of one is none.
        parent_run_id: None,
        depth: 0,
        data: json!({"text": text}),
    }
}

/// What is above a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Above {
    parent: Option<RunId>,
    depth: u32,
}

/// Runs above one another that are counted.
const MOST_ABOVE: u32 = 100;

impl Above {
    /// What is above a run with this one directly above it.
    pub async fn of(runtime: &Runtime, parent: Option<RunId>) -> Result<Self, StoreError> {
        let (mut next, mut depth) = (parent, 0);
        while let Some(id) = next.filter(|_| depth < MOST_ABOVE) {
            depth += 1;
            next = runtime.store().run(id).await?.and_then(|run| run.parent_run_id);
        }
        Ok(Self { parent, depth })
    }
}

impl EventBody {
    /// What is told of an event, by somebody who knows these questions.
    pub fn new(recorded: Recorded, above: Above, asked: &Interactions) -> Self {
        let kind = recorded.event.word();
        Self {
            seq: Some(recorded.seq),
            kind,
            run_id: recorded.run.to_string(),
            at: Some(recorded.at.to_string()),
            step_id: recorded.step.map(step_id),
            parent_run_id: above.parent.map(|parent| parent.to_string()),
            depth: above.depth,
            data: data(recorded.event, asked),
        }
    }
}

/// What is told of an event. Interactions and answers look as they do everywhere.
fn data(event: Event, asked: &Interactions) -> Value {
    let plain = |event: Event| {
        let mut value = serde_json::to_value(event).unwrap_or_default();
        value.get_mut("data").map(Value::take).unwrap_or_default()
    };
    match event {
        Event::InteractionRequest(request) => {
            json!({"interaction_request": asked.get(&request.id).map(|asked| InteractionBody::as_asked(Interaction::clone(asked)))})
        }
        Event::InteractionResponse { interaction_request_id, response, settled } => json!({
            "interaction_request_id": interaction_request_id,
            "response": AnswerBody::from(response),
            "settled": settled,
        }),
        Event::ExecutionSuspended { interaction_request_id: id, .. }
        | Event::Reminder { interaction_request_id: id }
        | Event::WaitCompleted { interaction_request_id: id, .. } => {
            let is_over = matches!(event, Event::WaitCompleted { .. });
            let mut data = plain(event);
            if let (Some(data), Some(asked)) = (data.as_object_mut(), asked.get(&id)) {
                data.insert("correlation_key".into(), asked.correlation_key.clone().into());
                if is_over {
                    data.insert("status".into(), asked.status.word().into());
                } else {
                    data.insert("expires_at".into(), asked.expires_at.to_string().into());
                }
            }
            data
        }
        event => plain(event),
    }
}
