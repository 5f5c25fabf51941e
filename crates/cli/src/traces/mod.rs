//! Traces: what was done when and how long it took, sent to a collector by OTLP over HTTP.
//!
//! Everything is named by the usual environment variables; without an endpoint there are none, and nothing is kept or sent.
//! What leaves is a closed list: names of ours, ids, numbers, names of tools and models. Nothing that anybody wrote.

mod context;
mod export;
mod json;
mod layer;
mod protobuf;
mod sampler;
mod settings;
mod span;

pub use layer::Spans;
pub use settings::Settings;

use crate::failure::Failure;
use export::Export;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long what is left may take to be sent when the process ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// Traces that are to be sent, before anybody sends them.
pub struct Traces {
    settings: Settings,
    ended: mpsc::Receiver<span::Span>,
}

impl Traces {
    /// What the environment asks for, with what notes the spans down; nothing if it asks for none.
    pub fn wanted() -> Result<Option<(Self, Spans)>, Failure> {
        let Some(settings) = Settings::read(&|name| std::env::var(name).ok())? else { return Ok(None) };
        let (out, ended) = mpsc::channel(settings.queue);
        let spans = Spans::new(settings.sampler, out);
        Ok(Some((Self { settings, ended }, spans)))
    }

    /// Begins to send them.
    pub fn start(self) -> Result<Sending, Failure> {
        let (stop, stopped) = watch::channel(false);
        let export = Export::new(self.settings)?;
        Ok(Sending { stop, task: tokio::spawn(export.run(self.ended, stopped)) })
    }
}

/// Traces that are being sent.
pub struct Sending {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Sending {
    /// Sends what is left, for a while.
    pub async fn finish(mut self) {
        self.stop.send_replace(true);
        if timeout(FAREWELL, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}
