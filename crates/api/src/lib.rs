//! Speaks HTTP: the API under `/api`, its OpenAPI document, live streams, and the web page. The only public JSON.
//!
//! A handler extracts, calls the runtime, and answers. Nothing is decided here but who is at the door.

#![expect(unused_qualifications, reason = "the macro that makes the OpenAPI document writes them")]

pub mod audit;
mod body;
mod config;
mod docs;
mod guard;
mod health;
mod interactions;
mod line;
mod making;
mod metrics;
mod openapi;
mod pace;
mod page;
mod policy;
mod problem;
mod runs;
mod serve;
mod sessions;
mod sign_in;
mod streams;
mod tokens;
mod tool_calls;

pub use openapi::document;
pub use pace::RateLimit;
pub use page::has_page;
pub use problem::Problem;
pub use serve::Connections;
pub use sign_in::Human;
pub use streams::MOST_STREAMS;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use countersign_runtime::Runtime;
use countersign_runtime::ports::Counts;
use health::{Found, Trouble};
use interactions::inbox::Inbox;
use jiff::SignedDuration;
use metrics::Requests;
use pace::Pace;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use streams::Streams;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

/// The largest request.
const LARGEST_BODY: usize = 1024 * 1024;

/// What all handlers share. Each request clones it several times, on every processor: so it is one pointer.
#[derive(Clone)]
pub struct Api {
    shared: Arc<Shared>,
}

/// What it points to.
pub struct Shared {
    runtime: Runtime,
    site: Site,
    inbox: Arc<Inbox>,
    pace: Pace,
    requests: Requests,
    found: Found<Vec<Trouble>>,
    standing: Found<Option<Counts>>,
    streams: Arc<Streams>,
    /// Whether the server is about to end.
    closing: watch::Sender<bool>,
}

/// Where and how the site is served.
#[derive(Debug, Clone)]
pub struct Site {
    /// The address people reach it at, if it is not the one it listens on: `https://countersign.example`.
    pub public_url: Option<String>,
    /// Whether it listens on this machine only.
    pub loopback: bool,
    /// How long a browser stays signed in.
    pub session: SignedDuration,
    /// How many requests a principal may send.
    pub rate_limit: RateLimit,
    /// How many streams a principal may have open at a time.
    pub most_streams: u32,
    /// How many connections there may be, and how long each may take.
    pub connections: Connections,
    /// Who counts as a person.
    pub human: Human,
}

impl Deref for Api {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Api {
    /// The API of `runtime`.
    pub fn new(runtime: Runtime, site: Site) -> Self {
        let shared = Shared {
            runtime,
            pace: Pace::new(site.rate_limit),
            streams: Arc::new(Streams::new(site.most_streams)),
            site,
            inbox: Arc::default(),
            requests: Requests::default(),
            found: Found::default(),
            standing: Found::default(),
            closing: watch::Sender::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Tells streams when the server is about to end: so do they, and whoever follows one comes back.
    fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Serves on `listener` until `stopped`, and then for `farewell` whoever is still being served.
    pub async fn serve(
        self,
        listener: TcpListener,
        stopped: impl Future<Output = ()> + Send + 'static,
        farewell: Duration,
    ) {
        let closing = self.closing.clone();
        let (limits, told) = (self.site.connections, self.closing());
        let serving = serve::serve(listener, self.router(), limits, told);
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => return,
            () = stopped => closing.send_replace(true),
        };
        // Somebody may not read to the end.
        let _ = timeout(farewell, serving).await;
    }

    fn router(self) -> Router {
        let (api, _) = openapi::routes().split_for_parts();
        let api = api.fallback(problem::no_such_path).method_not_allowed_fallback(problem::no_such_method);
        Router::new()
            .nest("/api", api)
            .merge(health::router())
            .fallback(page::serve)
            .layer(from_fn_with_state(self.clone(), threshold))
            .with_state(self)
    }
}

/// What every request passes: it is counted, and turned away where another site's page may have sent it.
async fn threshold(State(api): State<Api>, request: Request, next: Next) -> Response {
    let passage = metrics::Passage::of(&request);
    let response = passage.within(guard::checked(&api.site, request, next)).await;
    api.requests.add(&passage, response.status());
    response
}
