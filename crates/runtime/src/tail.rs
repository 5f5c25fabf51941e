//! The end of the log, for whoever follows it: how long the log is, as far as this process knows, and a bell that has events
//! given their places sooner. Nobody follows? Nothing hurries.

use crate::Runtime;
use tokio::sync::{Notify, watch};

/// The end of the log.
pub(crate) struct Tail {
    length: watch::Sender<u64>,
    bell: Notify,
}

impl Default for Tail {
    fn default() -> Self {
        Self { length: watch::Sender::new(0), bell: Notify::new() }
    }
}

impl Tail {
    /// Something was saved that somebody may want to read soon.
    pub(crate) fn hurry(&self) {
        if self.length.receiver_count() > 0 {
            self.bell.notify_one();
        }
    }

    /// How many follow.
    pub(crate) fn followers(&self) -> usize {
        self.length.receiver_count()
    }

    /// Ends when somebody waits for what was saved.
    pub(crate) async fn hurried(&self) {
        self.bell.notified().await;
    }

    /// The log is so long by now.
    pub(crate) fn reaches(&self, length: u64) {
        self.length.send_if_modified(|known| {
            let longer = length > *known;
            *known = length.max(*known);
            longer
        });
    }
}

impl Runtime {
    /// How long the log is, as far as this process knows: the truth is in the store. For as long as somebody holds this, what
    /// is saved gets its place in the log within milliseconds.
    pub fn log_length(&self) -> watch::Receiver<u64> {
        self.inner.newsroom.tail.length.subscribe()
    }
}
