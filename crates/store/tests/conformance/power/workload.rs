//! Work for a store: runs that are started, asked about, answered, executed and ended, by several at once.

use super::ledger::{Ledger, same_call};
use super::{FILE, closed};
use crate::fixture::{Tale, allowed, answered, asked, at, done, end_of_questions, failed, person, said};
use countersign_domain::Digest;
use countersign_domain::interaction::Decision;
use countersign_domain::run::{CallState, Draft, End, EndStatus, Input, Run};
use countersign_runtime::ports::{
    NewToken, PolicyChange, PolicyKind, Remembered, Save, Store, StoreError, Take, TokenEntry, TokenForm,
};
use countersign_store::Sqlite;
use countersign_testdisk::{Dice, Disk};
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Those who write at once.
const WRITERS: u64 = 6;

/// For how long a run is claimed: longer than any test.
const LEASE: Duration = Duration::from_hours(1);

/// How often a lease is renewed.
const HEARTBEATS: u32 = 25;

/// A store on a disk, and what was done to it.
#[derive(Clone)]
pub struct Bench {
    pub store: Sqlite,
    pub disk: Arc<Disk>,
    pub ledger: Arc<Ledger>,
}

impl Bench {
    /// A store in `folder`, which is on `disk`.
    pub fn over(folder: &Path, disk: Disk) -> Self {
        let store = Sqlite::open(folder.join(FILE)).unwrap();
        Self { store, disk: Arc::new(disk), ledger: Arc::default() }
    }

    /// The same, closed and opened again.
    pub async fn reopened(self, path: &Path) -> Self {
        let Self { store, disk, ledger } = self;
        drop(store);
        closed(&disk).await;
        Self { store: Sqlite::open(path).unwrap(), disk, ledger }
    }

    /// Several writers, each of whom sees `runs` runs through, while something else is done to the disk.
    pub async fn busy(&self, seed: u64, runs: u64, meanwhile: impl Fn(&mut Dice) + Send + 'static) {
        let over = Arc::new(AtomicBool::new(false));
        let other = std::thread::spawn({
            let (over, mut dice) = (Arc::clone(&over), Dice::new(seed));
            move || {
                while !over.load(Ordering::Relaxed) {
                    meanwhile(&mut dice);
                    std::thread::sleep(Duration::from_millis(5 + dice.any() % 40));
                }
            }
        });
        let writers = (1..=WRITERS).map(|n| {
            let (bench, mut dice) = (self.clone(), Dice::new(seed.wrapping_add(n)));
            tokio::spawn(async move {
                for _ in 0..runs {
                    bench.see_through(&mut dice).await;
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        over.store(true, Ordering::Relaxed);
        other.join().unwrap();
    }

    /// One run, from its start to wherever chance takes it.
    pub async fn see_through(&self, dice: &mut Dice) {
        let mut tale = self.begin().await;
        if dice.chance(30) {
            self.add_token(dice).await;
        }
        if dice.chance(40) {
            self.claim().await;
        }
        let calls: Vec<_> =
            (0..=dice.below(3)).map(|n| tale.proposal(n, json!({"n": n, "text": text(dice)}))).collect();
        let mut ask = vec![said(calls.clone())];
        ask.extend(calls.iter().map(|call| asked(call, end_of_questions())));
        ask.push(Input::Slept);
        self.insist(&mut tale, ask, dice).await;
        for question in tale.run.open_interactions().iter().map(|open| open.id).collect::<Vec<_>>() {
            let input = match dice.below(10) {
                0 => return,
                1 => return self.insist(&mut tale, vec![failed()], dice).await,
                2 => Input::Expired(question),
                3 => answered(question, Decision::Reject, "eve"),
                _ => answered(question, Decision::Approve, "bob"),
            };
            self.answer(&mut tale, input, dice).await;
        }
        let mut go_on = vec![Input::Resumed];
        for call in &calls {
            if tale.run.call(call.call_id).unwrap().state == CallState::Proposed {
                go_on.push(allowed(call, 1));
                self.insist(&mut tale, go_on, dice).await;
                let end = End { status: EndStatus::Completed, output: text(dice), latency_ms: None };
                go_on = vec![Input::Finished { call: call.call_id, end, expires_at: end_of_questions() }];
            }
        }
        go_on.push(done());
        self.insist(&mut tale, go_on, dice).await;
    }

    /// A new run. A disk in trouble is tried again.
    pub async fn begin(&self) -> Tale {
        let (save, run) = Tale::unsaved(at(0));
        while self.save(save.clone()).await.is_err() {}
        Tale { run, claim: None }
    }

    /// Takes `inputs` in and saves what comes of them: now all together, as a worker does, now one by one. A disk in trouble
    /// is tried again.
    async fn insist(&self, tale: &mut Tale, inputs: Vec<Input>, dice: &mut Dice) {
        let together = if dice.chance(60) { inputs.len() } else { 1 };
        for inputs in inputs.chunks(together) {
            while self.then(tale, inputs).await.is_err() {}
        }
    }

    /// The same with an answer, which may bring something and take the run.
    async fn answer(&self, tale: &mut Tale, input: Input, dice: &mut Dice) {
        let (mut save, after) = drafted(tale, &[input]);
        save.take = dice.chance(30).then_some(Take { lease: LEASE, fence: None });
        if dice.chance(30) {
            let key = format!("g{:016x}", dice.any());
            self.ledger.brings(&after, key.clone());
            save.remember = Some((same_call(&key), Remembered { approved: true, at: at(1) }));
            let (kind, by) = (PolicyKind::Grant, person("bob"));
            save.policy = vec![PolicyChange { kind, key, body: Some(json!({})), by, why: None, at: at(1) }];
        }
        while self.save(save.clone()).await.is_err() {}
        tale.run = after;
    }

    /// Takes `inputs` in, and saves what comes of them if the disk lets it.
    pub async fn then(&self, tale: &mut Tale, inputs: &[Input]) -> Result<(), StoreError> {
        let (save, after) = drafted(tale, inputs);
        self.save(save).await?;
        tale.run = after;
        Ok(())
    }

    /// Saves, and notes both that it was tried and that it was done.
    async fn save(&self, save: Save) -> Result<(), StoreError> {
        let run = save.run.id;
        self.ledger.tries(&save.run);
        match self.store.save(save).await {
            Ok(taken) => {
                let moment = self.disk.moment();
                self.ledger.saved(run, moment);
                if let Some(claim) = taken {
                    self.ledger.claim(claim, moment);
                }
                Ok(())
            }
            Err(error) if error.passes() => Err(error),
            Err(error) => panic!("{error}"),
        }
    }

    async fn add_token(&self, dice: &mut Dice) {
        let id = format!("t{:016x}", dice.any());
        let hash = Digest::of(id.as_bytes());
        let (form, principal) = (TokenForm::Token, person("ann"));
        let entry =
            TokenEntry { id, form, principal, parent: None, created_at: at(0), expires_at: None, ended_at: None };
        if self.store.add_token(NewToken { entry, hash, by: None, receipt: None }).await.is_ok() {
            self.ledger.token(hash, self.disk.moment());
        }
    }

    /// Claims any run, and holds it for a while: that fills the log. Whoever works on the run here writes from outside, and
    /// needs no claim.
    async fn claim(&self) {
        for claim in self.store.claim(LEASE, &[], 1).await.unwrap_or_default() {
            self.ledger.claim(claim, self.disk.moment());
            for _ in 0..HEARTBEATS {
                let _ = self.store.renew(claim, LEASE).await;
            }
        }
    }
}

/// What `inputs` make of a run, not saved.
fn drafted(tale: &Tale, inputs: &[Input]) -> (Save, Run) {
    let mut draft = Draft::of(tale.run.clone());
    for input in inputs {
        draft = draft.take(input.clone(), at(1)).unwrap();
    }
    let after = draft.run.clone();
    (Save::of(draft, at(1)), after)
}

/// Mostly short, and now and then longer than a page.
fn text(dice: &mut Dice) -> String {
    let most = if dice.chance(5) { 9_000 } else { 90 };
    "x".repeat(dice.below(most))
}

/// Empties the log, as another process may do at any time.
pub fn empty_the_log(path: &Path, dice: &mut Dice) {
    let how = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][dice.below(4)];
    let db = Connection::open(path).unwrap();
    db.busy_timeout(Duration::from_secs(5)).unwrap();
    // Busy or in trouble is an answer too.
    let _ = db.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |_| Ok(()));
}
