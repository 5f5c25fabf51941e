//! `GET /metrics`: how this process is, in the text format of Prometheus. Numbers only: no names, nothing that anybody wrote.

use crate::health::PATIENCE;
use crate::{Api, Problem};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use countersign_runtime::ports::Counts;
use countersign_runtime::spans::{self, PARENT, SPANS};
use countersign_runtime::tally::{ANSWERING, Count, ENDS, Histogram, RUNS, SAVING, VERDICTS};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use tokio::time::timeout;
use tracing::Instrument as _;

/// Requests by route, method and status.
#[derive(Debug, Default)]
pub struct Requests(Mutex<BTreeMap<(String, &'static str, u16), u64>>);

impl Requests {
    fn add(&self, route: &str, method: &'static str, status: u16) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((route.to_owned(), method, status)).or_default() += 1;
    }
}

/// Counts a request by the route that it took. What somebody made up is no label: there are as many as there are routes.
pub async fn count(State(api): State<Api>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "other",
    };
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    let parent = request.headers().get(PARENT).and_then(|parent| parent.to_str().ok());
    let span = spans::request(method, route, parent);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    spans::answered(&span, status);
    api.requests.add(route, method, status);
    response
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
    for ((route, method, status), many) in requests {
        page.line("http_requests_total", &format!(r#"{{route="{route}",method="{method}",status="{status}"}}"#), many);
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
