//! `GET /metrics`: how this process is, in the text format of Prometheus. Numbers only: no names, nothing that anybody wrote.

use crate::health::PATIENCE;
use crate::{Api, Problem};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use countersign_runtime::ports::Counts;
use countersign_runtime::spans::{self, PARENT, SPANS};
use countersign_runtime::tally::{ANSWERING, Count, ENDS, Histogram, RUNS, SAVING, VERDICTS};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use tokio::time::timeout;
use tracing::{Instrument as _, Span};

/// Requests by route, and of each by method and status.
#[derive(Debug, Default)]
pub struct Requests(Mutex<BTreeMap<String, OfRoute>>);

type OfRoute = BTreeMap<(&'static str, u16), u64>;

impl Requests {
    /// Counts a request that was answered.
    pub fn add(&self, passage: &Passage, status: StatusCode) {
        let (route, of) = (passage.route(), (passage.method, status.as_u16()));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(route) {
            Some(known) => *known.entry(of).or_default() += 1,
            None => drop(all.insert(route.to_owned(), OfRoute::from([(of, 1)]))),
        }
    }
}

/// The way of a request through the server, by the route that it takes. What somebody made up is no label: there are as many as
/// there are routes.
pub struct Passage {
    route: Option<MatchedPath>,
    method: &'static str,
    span: Span,
}

impl Passage {
    /// That of a request.
    pub fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>().cloned();
        let method = match *request.method() {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::PUT => "PUT",
            Method::DELETE => "DELETE",
            _ => "other",
        };
        let parent = request.headers().get(PARENT).and_then(|parent| parent.to_str().ok());
        let span = spans::request(method, named(route.as_ref()), parent);
        Self { route, method, span }
    }

    /// What answers the request, as a part of its trace.
    pub async fn within(&self, answering: impl Future<Output = Response>) -> Response {
        let response = answering.instrument(self.span.clone()).await;
        spans::answered(&self.span, response.status().as_u16());
        response
    }

    fn route(&self) -> &str {
        named(self.route.as_ref())
    }
}

fn named(route: Option<&MatchedPath>) -> &str {
    route.map_or("other", MatchedPath::as_str)
}

/// How things stand in the database; nothing where it does not say.
async fn standing(api: &Api) -> Option<Counts> {
    match timeout(PATIENCE, api.runtime.store().standing()).await {
        Ok(Ok(counts)) => Some(counts),
        Ok(Err(error)) => {
            tracing::error!(%error, "cannot read how things stand");
            None
        }
        Err(_) => None,
    }
}

fn no_figures() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "the database does not answer: try again")
}

/// What there is to tell.
pub async fn tell(State(api): State<Api>) -> Result<Response, Problem> {
    let standing = api.standing.or(standing(&api)).await.ok_or_else(no_figures)?;
    let (tally, followers) = (api.runtime.tally(), api.runtime.followers());
    let mut page = Page::default();
    page.counts("calls_judged_total", "Calls that were judged here, by verdict.", "verdict", &VERDICTS, &tally.judged);
    page.head("questions_asked_total", "Questions that were put to people here.", "counter");
    page.line("questions_asked_total", "", tally.asked.get());
    page.counts("questions_settled_total", "Questions that ended here, by how.", "status", &ENDS, &tally.settled);
    page.histogram("answer_seconds", "How long people took to answer here.", &ANSWERING, &tally.answering);
    page.counts(
        "runs_total",
        "Runs that were started or ended here, by what became of them.",
        "status",
        &RUNS,
        &tally.runs,
    );
    page.histogram("store_save_seconds", "How long it took to save a step.", &SAVING, &tally.saving);
    page.head("questions_open", "Questions that wait for somebody, on all nodes.", "gauge");
    page.line("questions_open", "", standing.open_questions);
    page.head("runs_live", "Runs that have not ended, on all nodes.", "gauge");
    page.line("runs_live", r#"{status="ready"}"#, standing.ready_runs);
    page.line("runs_live", r#"{status="waiting"}"#, standing.waiting_runs);
    page.head("log_unplaced", "Events that have no place in the log yet, on all nodes.", "gauge");
    page.line("log_unplaced", "", standing.unplaced);
    page.head(
        "database_looks_total",
        "How often this node looked at the database for whoever watches over it.",
        "counter",
    );
    page.line("database_looks_total", r#"{of="ready"}"#, api.found.looks.get());
    page.line("database_looks_total", r#"{of="standing"}"#, api.standing.looks.get());
    page.head("streams", "Open streams of this node.", "gauge");
    page.line("streams", r#"{of="inbox"}"#, followers.inbox);
    page.line("streams", r#"{of="run"}"#, followers.runs);
    page.head("spans_total", "Spans of traces, by what became of them.", "counter");
    page.line("spans_total", r#"{status="sent"}"#, SPANS.sent.get());
    page.line("spans_total", r#"{status="dropped"}"#, SPANS.dropped.get());
    page.head("http_requests_total", "Requests to this node, by route and status.", "counter");
    let requests = api.requests.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (route, of) in requests {
        for ((method, status), many) in of {
            let labels = format!(r#"{{route="{route}",method="{method}",status="{status}"}}"#);
            page.line("http_requests_total", &labels, many);
        }
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page.0).into_response())
}

/// What is told. Writing to a string does not fail.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = write!(self.0, "# HELP countersign_{name} {help}\n# TYPE countersign_{name} {kind}\n");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "countersign_{name}{labels} {value}");
    }

    fn counts(&mut self, name: &str, help: &str, label: &str, words: &[&str], counts: &[Count]) {
        self.head(name, help, "counter");
        for (word, count) in words.iter().zip(counts) {
            self.line(name, &format!(r#"{{{label}="{word}"}}"#), count.get());
        }
    }

    fn histogram(&mut self, name: &str, help: &str, bounds: &[f64], times: &Histogram) {
        self.head(name, help, "histogram");
        let mut so_far = 0;
        for (bound, bucket) in bounds.iter().zip(&times.buckets) {
            so_far += bucket.get();
            self.line(&format!("{name}_bucket"), &format!(r#"{{le="{bound}"}}"#), so_far);
        }
        // Counted one after the other: all of them is never fewer than those that are in a bucket.
        let all = times.all.get().max(so_far);
        self.line(&format!("{name}_bucket"), r#"{le="+Inf"}"#, all);
        self.line(&format!("{name}_sum"), "", times.sum());
        self.line(&format!("{name}_count"), "", all);
    }
}
