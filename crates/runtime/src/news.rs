//! News within this process: that something happened to a run, here or in another one. Hints to look; the store is the truth.

use countersign_domain::RunId;
use std::sync::Arc;
use tokio::sync::{Notify, broadcast};

/// Something happened.
#[derive(Debug, Clone)]
pub enum News {
    /// A run has new events.
    Run(RunId),
    /// Any run may have.
    Look,
    /// A piece of what a model is saying. Not stored.
    Delta {
        /// The run.
        run: RunId,
        /// The step.
        step: u32,
        /// The words.
        text: Arc<str>,
    },
}

/// News that a slow reader may lag behind before it must look for itself.
const BACKLOG: usize = 1024;

pub(crate) struct Newsroom {
    news: broadcast::Sender<News>,
    /// Wakes a worker that has nothing to do.
    pub(crate) work: Notify,
}

impl Default for Newsroom {
    fn default() -> Self {
        Self { news: broadcast::Sender::new(BACKLOG), work: Notify::new() }
    }
}

impl Newsroom {
    /// Tells whoever listens. Nobody does? Nothing is lost.
    pub(crate) fn tell(&self, news: News) {
        let _ = self.news.send(news);
    }

    pub(crate) fn delta(&self, run: RunId, step: u32, text: &str) {
        self.tell(News::Delta { run, step, text: text.into() });
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }
}
