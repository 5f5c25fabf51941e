//! Hints between the processes that share a database: that there is work, or that something happened to runs.
//!
//! They are sent by `NOTIFY` on a connection of their own, a few times a second at the most, with all that has gathered
//! meanwhile: a `NOTIFY` takes a lock of the whole server when it commits, so one in each transaction would make all others
//! wait. A hint may be lost; whoever listens also looks without one.

use super::address::Address;
use super::connection::{Connection, Failed, Greeted};
use countersign_domain::RunId;
use countersign_runtime::ports::Hint;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_postgres::Notification;

/// What all processes listen to. It reaches no further than the database.
const CHANNEL: &str = "countersign";

/// The time between two hints.
const PACE: Duration = Duration::from_millis(50);

/// Runs that one hint names at the most: a payload may have 8,000 bytes. Where there are more, everybody looks.
const MOST_RUNS: usize = 200;

/// Hints that a slow listener may lag behind.
const BACKLOG: usize = 256;

/// How long to wait before the connection is made again, and at the most. It doubles from one to the next.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The hints of this process and of all others.
pub struct Hints {
    address: Address,
    // Of those who opened the database: the task lives there, whoever is first to need it.
    home: Handle,
    gathered: Arc<Gathered>,
    heard: broadcast::Sender<Hint>,
    task: OnceLock<JoinHandle<()>>,
}

#[derive(Default)]
struct Gathered {
    hints: Mutex<Gathering>,
    bell: Notify,
}

/// What is to be told next.
#[derive(Debug, Default, PartialEq, Eq)]
struct Gathering {
    work: bool,
    policy: bool,
    runs: BTreeSet<RunId>,
    /// More happened than can be told.
    look: bool,
}

impl Hints {
    /// Nothing is connected before somebody listens or has something to tell.
    pub fn new(address: Address) -> Self {
        let (gathered, heard) = (Arc::default(), broadcast::Sender::new(BACKLOG));
        Self { address, home: Handle::current(), gathered, heard, task: OnceLock::new() }
    }

    /// What other processes tell from now on.
    pub fn listen(&self) -> broadcast::Receiver<Hint> {
        let heard = self.heard.subscribe();
        self.start();
        heard
    }

    /// Tells the others that something happened to `run`.
    pub fn changed(&self, run: RunId) {
        self.gather(|next| next.changed(run));
    }

    /// Tells the others that `run` has something to do and is nobody's.
    pub fn ready(&self, run: RunId) {
        self.gather(|next| {
            next.work = true;
            next.changed(run);
        });
    }

    /// Tells the others that the policy was changed.
    pub fn policy(&self) {
        self.gather(|next| next.policy = true);
    }

    fn gather(&self, note: impl FnOnce(&mut Gathering)) {
        note(&mut self.gathered.lock());
        self.gathered.bell.notify_one();
        self.start();
    }

    fn start(&self) {
        self.task.get_or_init(|| {
            let told = exchange(self.address.clone(), Arc::clone(&self.gathered), self.heard.clone());
            self.home.spawn(told)
        });
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Gathered {
    fn lock(&self) -> MutexGuard<'_, Gathering> {
        self.hints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gathering {
    fn changed(&mut self, run: RunId) {
        if self.runs.len() < MOST_RUNS {
            self.runs.insert(run);
        } else {
            self.look |= !self.runs.contains(&run);
        }
    }

    /// `look`, or `work`, `policy` and runs, one word each.
    fn payload(&self) -> String {
        if self.look {
            return "look".into();
        }
        let work = self.work.then(|| "work".to_owned());
        let policy = self.policy.then(|| "policy".to_owned());
        let runs = self.runs.iter().map(ToString::to_string);
        work.into_iter().chain(policy).chain(runs).collect::<Vec<_>>().join(" ")
    }
}

/// The hints in a payload. One that a newer program worded says that there is something to see.
fn read(payload: &str) -> Vec<Hint> {
    let says = |word: &str, hint| payload.split(' ').any(|one| one == word).then_some(hint);
    let runs = payload.split(' ').filter(|word| !matches!(*word, "work" | "policy")).map(str::parse);
    let runs: Result<Vec<RunId>, _> = runs.collect();
    let Ok(runs) = runs else { return vec![Hint::Look] };
    let told = [says("work", Hint::Work), says("policy", Hint::Policy), (!runs.is_empty()).then_some(Hint::Runs(runs))];
    told.into_iter().flatten().collect()
}

/// Listens and tells for ever, on one connection after the other.
async fn exchange(address: Address, gathered: Arc<Gathered>, heard: broadcast::Sender<Hint>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let began = Instant::now();
        let why = match connected(&address).await {
            Ok(line) => {
                // What was told meanwhile is lost.
                let _ = heard.send(Hint::Look);
                line.carry(&gathered, &heard).await.to_string()
            }
            Err(why) => why,
        };
        tracing::warn!(why, "no hints from other nodes: everything goes on, only later");
        pause = if began.elapsed() > LONGEST_PAUSE { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep(pause).await;
    }
}

/// A connection that listens.
struct Line {
    db: Connection,
    told: mpsc::Receiver<Notification>,
}

async fn connected(address: &Address) -> Result<Line, String> {
    let (sender, told) = mpsc::channel(BACKLOG);
    let opened = Connection::open(address, Some(sender)).await;
    let Greeted { connection: db, .. } = opened.map_err(|error| error.to_string())?;
    db.batch(&format!("LISTEN {CHANNEL}")).await.map_err(|failed| failed.said())?;
    Ok(Line { db, told })
}

impl Line {
    /// Carries hints both ways until the connection breaks.
    async fn carry(mut self, gathered: &Gathered, heard: &broadcast::Sender<Hint>) -> &'static str {
        let mut next = Instant::now();
        loop {
            tokio::select! {
                told = self.told.recv() => match told {
                    None => return "the connection broke",
                    // Whoever told it knows.
                    Some(own) if own.process_id() == self.db.pid() => {}
                    Some(told) => read(told.payload()).into_iter().for_each(|hint| drop(heard.send(hint))),
                },
                () = rung(gathered, next) => {
                    let all = std::mem::take(&mut *gathered.lock());
                    if all != Gathering::default() && self.tell(&all.payload()).await.is_err() {
                        gathered.lock().look = true;
                        return "the connection broke";
                    }
                    next = Instant::now() + PACE;
                }
            }
        }
    }

    async fn tell(&self, payload: &str) -> Result<(), Failed> {
        self.db.rows("SELECT pg_notify($1, $2)", &[&CHANNEL, &payload]).await.map(|_| ())
    }
}

/// Waits until there is something to tell, and then until it may be told.
async fn rung(gathered: &Gathered, next: Instant) {
    let has_some = *gathered.lock() != Gathering::default();
    if !has_some {
        gathered.bell.notified().await;
    }
    sleep_until(next).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn run(n: u128) -> RunId {
        RunId::new(Uuid::from_u128(n))
    }

    #[test]
    fn what_is_told_is_heard() {
        let mut next = Gathering::default();
        next.changed(run(2));
        next.changed(run(1));
        next.changed(run(2));
        assert_eq!(read(&next.payload()), [Hint::Runs(vec![run(1), run(2)])]);
        next.work = true;
        assert_eq!(read(&next.payload()), [Hint::Work, Hint::Runs(vec![run(1), run(2)])]);
        next.policy = true;
        assert_eq!(read(&next.payload()), [Hint::Work, Hint::Policy, Hint::Runs(vec![run(1), run(2)])]);
        assert_eq!((read("work"), read("policy")), (vec![Hint::Work], vec![Hint::Policy]));
    }

    #[test]
    fn of_too_much_only_is_told_that_there_is_something() {
        let mut next = Gathering::default();
        (0..MOST_RUNS as u128).for_each(|n| next.changed(run(n)));
        next.changed(run(7));
        assert!(!next.look && next.payload().len() < 7_999, "a payload has 7,999 bytes at the most");
        next.changed(run(MOST_RUNS as u128));
        assert_eq!(read(&next.payload()), [Hint::Look]);
        assert_eq!(read("runs from a newer program"), [Hint::Look]);
    }
}
