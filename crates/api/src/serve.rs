//! Serving: whoever connects is given a line, so long as there are lines to give; who does not say what they want in time is let go.

use crate::line::Line;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

/// How many connections a server keeps, and how long each may take to say what it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// How many are open at a time. Others wait to be let in.
    pub most: usize,
    /// How long the headers of a request may take, from when they are waited for; so a line on which nothing is asked ends too.
    pub headers_within: Duration,
    /// How long the body of a request may take, however many pieces it comes in.
    pub body_within: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        // Longer than clients keep a connection on which nothing happens: they close it, and never find it closed.
        Self { most: 10_000, headers_within: Duration::from_mins(2), body_within: Duration::from_secs(30) }
    }
}

/// How long to wait before somebody is let in again, after the system had no more to give.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves on `listener` until `closing` says so, and then whoever is still being served.
pub async fn serve(listener: TcpListener, router: Router, limits: Connections, mut closing: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(limits.most.max(1)));
    let mut lines = JoinSet::new();
    loop {
        while lines.try_join_next().is_some() {}
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            Some((accepted(&listener).await, place))
        };
        let next = tokio::select! {
            next = next => next,
            _ = closing.wait_for(|closing| *closing) => None,
        };
        let Some((stream, place)) = next else { break };
        lines.spawn(served(stream, place, router.clone(), limits, closing.clone()));
    }
    drop(listener);
    while lines.join_next().await.is_some() {}
}

async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_theirs(&error) => {}
            Err(error) => {
                tracing::error!(%error, "cannot let anybody in");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Whether somebody went away before they were let in.
fn is_theirs(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn served(
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
    router: Router,
    limits: Connections,
    mut closing: watch::Receiver<bool>,
) {
    // An event is small, and is not to wait for the next.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.headers_within);
    let line = http.serve_connection(TokioIo::new(Line::new(stream)), TowerToHyperService::new(router));
    tokio::pin!(line);
    tokio::select! {
        // However it ended: nobody is left to be told.
        _ = line.as_mut() => return,
        _ = closing.wait_for(|closing| *closing) => line.as_mut().graceful_shutdown(),
    }
    let _ = line.await;
}
