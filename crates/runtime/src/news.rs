//! News within this process: that something happened to a run, here or in another one. Hints to look; the store is the truth.

use countersign_domain::RunId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Whoever drives a run, to be told that somebody else did something to it.
    drivers: Drivers,
    /// Wakes a worker that has nothing to do.
    pub(crate) work: Notify,
}

impl Default for Newsroom {
    fn default() -> Self {
        Self { news: broadcast::Sender::new(BACKLOG), drivers: Arc::default(), work: Notify::new() }
    }
}

impl Newsroom {
    /// Tells whoever listens. Nobody does? Nothing is lost.
    pub(crate) fn tell(&self, news: News) {
        let _ = self.news.send(news);
    }

    /// Tells whoever listens, and whoever drives the run, that somebody from outside did something to it.
    pub(crate) fn tell_driver(&self, run: RunId) {
        self.tell(News::Run(run));
        if let Some(driver) = self.drivers.lock().unwrap_or_else(PoisonError::into_inner).get(&run) {
            driver.bell.notify_one();
        }
    }

    /// Tells everybody that anything may have happened, to any run.
    pub(crate) fn tell_everybody(&self) {
        self.tell(News::Look);
        let drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        drivers.values().for_each(|driver| driver.bell.notify_one());
    }

    /// Whether somebody in this process drives the run, or is about to.
    pub(crate) fn is_driven(&self, run: RunId) -> bool {
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&run)
    }

    pub(crate) fn delta(&self, run: RunId, step: u32, text: &str) {
        self.tell(News::Delta { run, step, text: text.into() });
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// From now on, until what is returned is dropped, its holder drives `run`, or is about to. What is called meanwhile is
    /// heard later.
    pub(crate) fn called(&self, run: RunId) -> Called {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        // Of two who want to drive it one will, under the same bell.
        let driver = drivers.entry(run).or_default();
        driver.many += 1;
        let bell = Arc::clone(&driver.bell);
        Called { run, bell, drivers: Arc::clone(&self.drivers) }
    }
}

/// Whoever drives runs, or is about to.
type Drivers = Arc<Mutex<HashMap<RunId, Driver>>>;

/// Whoever drives a run, or is about to: how many do, and the bell they hear.
#[derive(Default)]
struct Driver {
    many: usize,
    bell: Arc<Notify>,
}

/// By which whoever drives a run hears that it is called.
pub(crate) struct Called {
    run: RunId,
    bell: Arc<Notify>,
    drivers: Drivers,
}

impl Called {
    /// Ends when somebody did something to the run.
    pub(crate) async fn again(&self) {
        self.bell.notified().await;
    }
}

impl Drop for Called {
    fn drop(&mut self) {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut driver) = drivers.entry(self.run) {
            driver.get_mut().many -= 1;
            if driver.get().many == 0 {
                driver.remove();
            }
        }
    }
}
