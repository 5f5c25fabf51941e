//! News within this process: that something happened to a run, here or in another one. Hints to look; the store is the truth.

use crate::tail::Tail;
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
const BACKLOG: usize = 64;

#[derive(Default)]
pub(crate) struct Newsroom {
    /// Whoever follows a run.
    readers: Readers,
    /// Whoever drives a run, to be told that somebody else did something to it.
    drivers: Drivers,
    /// Wakes a worker that has nothing to do.
    pub(crate) work: Notify,
    /// The end of the log.
    pub(crate) tail: Tail,
}

impl Newsroom {
    /// Tells whoever follows the run. Nobody does? Nothing is lost.
    pub(crate) fn tell(&self, news: News) {
        if !matches!(news, News::Delta { .. }) {
            self.tail.hurry();
        }
        let run = match &news {
            News::Look => None,
            News::Run(run) | News::Delta { run, .. } => Some(*run),
        };
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        match run {
            None => readers.values().for_each(|readers| drop(readers.send(News::Look))),
            Some(run) => drop(readers.get(&run).map(|readers| readers.send(news))),
        }
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

    /// How many follow runs.
    pub(crate) fn followers(&self) -> usize {
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.values().map(broadcast::Sender::receiver_count).sum()
    }

    /// What happens to `run` from now on.
    pub(crate) fn follow(&self, run: RunId) -> NewsOf {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let news = readers.entry(run).or_insert_with(|| broadcast::Sender::new(BACKLOG)).subscribe();
        NewsOf { run, news: Some(news), readers: Arc::clone(&self.readers) }
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

/// Whoever follows runs.
type Readers = Arc<Mutex<HashMap<RunId, broadcast::Sender<News>>>>;

/// What happens to a run: hints to look, not the truth.
pub struct NewsOf {
    run: RunId,
    /// There until the end.
    news: Option<broadcast::Receiver<News>>,
    readers: Readers,
}

impl NewsOf {
    /// What comes next. Who has not kept up is told to look.
    pub async fn next(&mut self) -> News {
        match &mut self.news {
            // Whoever tells is there for as long as this is.
            Some(news) => news.recv().await.unwrap_or(News::Look),
            None => std::future::pending().await,
        }
    }
}

impl Drop for NewsOf {
    fn drop(&mut self) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that of several who go the last is seen to be the last.
        self.news = None;
        if let Entry::Occupied(of_run) = readers.entry(self.run)
            && of_run.get().receiver_count() == 0
        {
            of_run.remove();
        }
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
