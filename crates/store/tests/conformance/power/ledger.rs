//! What a test did to a store, and when it was told that it is done: to hold against what is left of it.

use crate::fixture::{Tale, at, much_later};
use countersign_domain::run::Run;
use countersign_domain::{Digest, RunId};
use countersign_runtime::ports::{Claim, SameCall, Store};
use countersign_store::Sqlite;
use countersign_testkit::invariants::{self, Look, Rows};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// Everything that was attempted. A moment is one of the record of the disk: what was acknowledged then must be there
/// after it.
#[derive(Debug, Default)]
pub struct Ledger {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The states of each run that were saved or to be saved.
    runs: BTreeMap<RunId, Vec<Attempt<Run>>>,
    /// What was to be saved together with a state of a run: a grant with this key, and the answer that short memory keeps.
    brought: Vec<(RunId, u64, String)>,
    /// Hashes of tokens.
    tokens: Vec<Attempt<Digest>>,
    claims: Vec<Attempt<Claim>>,
}

#[derive(Debug)]
struct Attempt<T> {
    what: T,
    acknowledged: Option<usize>,
}

impl<T> Attempt<T> {
    fn stands_at(&self, moment: usize) -> bool {
        self.acknowledged.is_some_and(|at| at <= moment)
    }
}

impl Ledger {
    /// `run` is about to be saved, and may be there from now on.
    pub fn tries(&self, run: &Run) {
        let attempt = Attempt { what: run.clone(), acknowledged: None };
        self.inner.lock().unwrap().runs.entry(run.id).or_default().push(attempt);
    }

    /// What is saved of `run` next brings a grant with this key, and the answer with it.
    pub fn brings(&self, run: &Run, key: String) {
        self.inner.lock().unwrap().brought.push((run.id, run.seq, key));
    }

    /// The last that was tried of `run` was acknowledged: it is there from `moment` on.
    pub fn saved(&self, run: RunId, moment: usize) {
        let mut inner = self.inner.lock().unwrap();
        inner.runs.get_mut(&run).unwrap().last_mut().unwrap().acknowledged = Some(moment);
    }

    /// A token with this hash is there from `moment` on.
    pub fn token(&self, hash: Digest, moment: usize) {
        self.inner.lock().unwrap().tokens.push(Attempt { what: hash, acknowledged: Some(moment) });
    }

    /// A run is claimed from `moment` on.
    pub fn claim(&self, claim: Claim, moment: usize) {
        self.inner.lock().unwrap().claims.push(Attempt { what: claim, acknowledged: Some(moment) });
    }

    /// All that is wrong with the database at `path`, of which the power went at `moment`.
    pub async fn wrong_at(&self, path: &Path, moment: usize) -> Vec<String> {
        let store = match Sqlite::open(path) {
            Ok(store) => store,
            Err(error) => return vec![format!("it does not open: {error}")],
        };
        let rows = match (unsound(path), Rows::of_sqlite(path)) {
            (Ok(None), Ok(rows)) => rows,
            (unsound, rows) => return vec![format!("it is corrupt: {unsound:?}, {:?}", rows.err())],
        };
        let Look { runs, broken: mut wrong } = match invariants::look(&store, &rows).await {
            Ok(look) => look,
            Err(error) => return vec![format!("it cannot be read: {error}")],
        };
        wrong.extend(self.lost_runs(&runs, moment));
        wrong.extend(self.torn_apart(&store, &runs).await);
        wrong.extend(self.lost_tokens(&store, moment).await);
        wrong.extend(self.lost_claims(&rows, moment));
        wrong
    }

    /// Each run is as it was after one of its saves, and not before the last that was acknowledged.
    fn lost_runs(&self, runs: &BTreeMap<RunId, Run>, moment: usize) -> Vec<String> {
        let inner = self.inner.lock().unwrap();
        let unfit = |(id, attempts): (&RunId, &Vec<_>)| {
            unfit(attempts, runs.get(id), moment).map(|what| format!("{id} {what}"))
        };
        inner.runs.iter().filter_map(unfit).collect()
    }

    /// What a save brought is there if it is.
    async fn torn_apart(&self, store: &Sqlite, runs: &BTreeMap<RunId, Run>) -> Vec<String> {
        let items = store.policy_items().await.map(|(_, items)| items).unwrap_or_default();
        let granted: BTreeSet<String> = items.into_iter().map(|item| item.key).collect();
        let brought = self.inner.lock().unwrap().brought.clone();
        let mut wrong = vec![];
        for (run, seq, key) in brought {
            let is_saved = runs.get(&run).is_some_and(|run| run.seq >= seq);
            let is_remembered = matches!(store.remembered(&same_call(&key), at(0)).await, Ok(Some(_)));
            if (granted.contains(&key), is_remembered) != (is_saved, is_saved) {
                wrong.push(format!("{run} at {seq} and what it brought were torn apart"));
            }
        }
        wrong
    }

    async fn lost_tokens(&self, store: &Sqlite, moment: usize) -> Vec<String> {
        let mut wrong = vec![];
        let promised: Vec<Digest> = {
            let inner = self.inner.lock().unwrap();
            inner.tokens.iter().filter(|token| token.stands_at(moment)).map(|token| token.what).collect()
        };
        for hash in promised {
            if !matches!(store.principal(hash, at(0)).await, Ok(Some(_))) {
                wrong.push(format!("the token {hash} was acknowledged, and is not there"));
            }
        }
        wrong
    }

    /// No fencing number is given twice.
    fn lost_claims(&self, rows: &Rows, moment: usize) -> Vec<String> {
        let inner = self.inner.lock().unwrap();
        let promised = inner.claims.iter().filter(|claim| claim.stands_at(moment)).map(|claim| claim.what);
        let lost = promised.filter(|claim| rows.runs.get(&claim.run).is_none_or(|row| row.fence < claim.fence));
        lost.map(|claim| format!("{} was claimed as number {}, and that may come again", claim.run, claim.fence))
            .collect()
    }
}

/// The call that short memory is to remember under this key.
pub fn same_call(key: &str) -> SameCall {
    SameCall { user: "ann".into(), session: "s1".into(), digest: Digest::of(key.as_bytes()) }
}

/// What is wrong with a run that is `found` like this after a loss of power at `moment`, if it was to be saved like that.
fn unfit(attempts: &[Attempt<Run>], found: Option<&Run>, moment: usize) -> Option<String> {
    let seq = found.map_or(0, |run| run.seq);
    let promised = attempts.iter().filter(|save| save.stands_at(moment)).max_by_key(|save| save.what.seq);
    match promised.map(|save| &save.what) {
        Some(promised) if promised.seq > seq => Some(format!("was acknowledged at {}, and is at {seq}", promised.seq)),
        Some(promised) if promised.seq == seq && Some(promised) != found => {
            Some(format!("was acknowledged at {seq}, and is another there"))
        }
        _ if found.is_some_and(|run| attempts.iter().all(|save| save.what != *run)) => {
            Some(format!("is at {seq} nothing that was ever saved"))
        }
        _ => None,
    }
}

/// What `SQLite` itself finds wrong.
fn unsound(path: &Path) -> rusqlite::Result<Option<String>> {
    let db = Connection::open(path)?;
    let says: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    if says != "ok" {
        return Ok(Some(says));
    }
    let strays = db.prepare("PRAGMA foreign_key_check")?.exists([])?;
    Ok(strays.then(|| "rows refer to rows that are not there".to_owned()))
}

/// Whether the store takes a new run and gives it back: it works on.
pub async fn works_on(store: &Sqlite) -> bool {
    let tale = Tale::begin(store, much_later()).await;
    store.load(tale.run.id).await.is_ok_and(|run| run == Some(tale.run))
}
