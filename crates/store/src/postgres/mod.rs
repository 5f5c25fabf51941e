//! PostgreSQL: any number of processes on one database. Time is the database's, claims skip what others are taking, a step
//! is one statement, and hints go from process to process beside the transactions.

mod address;
mod advice;
mod claims;
mod clock;
mod connection;
mod erase;
mod events;
mod groups;
mod health;
mod hints;
mod house;
mod inspect;
mod interactions;
mod log;
mod migrate;
mod open;
#[cfg(test)]
mod plans;
mod policy;
mod pool;
mod receipts;
mod runs;
mod save;
mod secrets;
mod sessions;
mod settle;
mod statement;
mod steps;
mod tls;
mod tokens;

pub use address::{Address, BadAddress};
pub use connection::{ConnectError, Failed};
pub use tls::BadRoots;

use crate::lately::Lately;
use crate::page::{MOST_AT_ONCE, page_size};
use crate::rows::{AdviceRow, ChangeRow, HouseRow, ReceiptRow, SaveRows, TokenRow, mask_change, token_ended};
use crate::schema::Schema;
use crate::time;
use crate::vault::Vault;
use async_trait::async_trait;
use countersign_domain::audit::tree::Subtree;
use countersign_domain::audit::{Frontier, Hash, Leaf};
use countersign_domain::interaction::{Advice, Interaction};
use countersign_domain::run::{Recorded, Run};
use countersign_domain::secret::Key;
use countersign_domain::{CallId, Digest, InteractionId, Principal, RunId};
use countersign_runtime::failpoint::{Moment, passing};
use countersign_runtime::ports::{
    Asking, Claim, Counts, Erasure, Hint, InteractionFilter, Log, Logged, Masks, NewToken, Once, Page, PastChange,
    PolicyChange, PolicyItem, Receipt, Remembered, RunFilter, RunSummary, SameCall, Save, SessionFilter,
    SessionSummary, SignedTree, Store, StoreError, TokenEntry, TokenForm,
};
use groups::Groups;
use hints::Hints;
use jiff::Timestamp;
use open::Winding;
use pool::{Pool, Taken};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// A database on a server. Clones share its connections, which are closed after the last of them is gone.
#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    steps: Arc<Groups<Arc<SaveRows>>>,
    asking: Arc<Groups<InteractionId>>,
    hints: Arc<Hints>,
    schema: Schema,
    vault: Arc<Vault>,
    lately: Arc<Lately>,
    /// How long it is tried to find out what became of a step.
    patience: Duration,
    _clock: Arc<Winding>,
}

impl Postgres {
    /// Its schema, and what opening it did about that.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The same database, where secrets are sealed under `key`: without one, under a key that is gone with it.
    #[must_use]
    pub fn sealing(self, key: Key) -> Self {
        Self { vault: Arc::new(Vault::new(key)), lately: Arc::default(), ..self }
    }

    async fn db(&self) -> Result<Taken, StoreError> {
        self.pool.take().await
    }

    /// Makes changes of the policy, where somebody has `seen` a version only if it is still that one.
    async fn make(
        &self,
        mut changes: Vec<PolicyChange>,
        seen: Option<u64>,
        receipt: Option<Receipt>,
    ) -> Result<u64, StoreError> {
        let mut masker = self.vault.masks().outside();
        for change in &mut changes {
            mask_change(change, &mut masker);
        }
        let rows: Vec<_> = changes.iter().map(ChangeRow::try_from).collect::<Result<_, _>>()?;
        let house: Vec<_> = rows.iter().map(HouseRow::try_from).collect::<Result<_, _>>()?;
        let (db, receipt) = (self.db().await?, receipt.map(ReceiptRow::from));
        let made = written("policy_change", policy::change(&db, &rows, &house, seen, receipt.as_ref())).await?;
        self.hints.policy();
        Ok(made)
    }
}

/// Waits for `work`, a statement, which tests know as `what`: it is committed as soon as it is carried out.
async fn written<T>(what: &'static str, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    passing([what], Moment::BeforeCommit);
    let done = work.await?;
    passing([what], Moment::AfterCommit);
    Ok(done)
}

#[async_trait]
impl Store for Postgres {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.pool.clock().now())
    }

    fn hints(&self) -> Option<broadcast::Receiver<Hint>> {
        Some(self.hints.listen())
    }

    fn masks(&self) -> &Masks {
        self.vault.masks()
    }

    async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError> {
        let run = Arc::clone(&save.run);
        let rows = Arc::new(SaveRows::new(save, &self.vault)?);
        passing(rows.words(), Moment::BeforeCommit);
        let saved = settle::save(&self.pool, &self.steps, &rows, self.patience).await;
        if let Err(StoreError::Made(_)) = &saved {
            self.vault.masks().forget(rows.run);
        }
        let claim = saved?;
        passing(rows.words(), Moment::AfterCommit);
        self.lately.saved(&rows, run, claim);
        // Whoever took the run or holds it goes on with it.
        match rows.claim.or(claim) {
            None if rows.ready_since.is_some() => self.hints.ready(rows.run),
            _ => self.hints.changed(rows.run),
        }
        if !rows.policy.is_empty() {
            self.hints.policy();
        }
        Ok(claim)
    }

    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        secrets::load(&*self.db().await?, run, &self.vault).await
    }

    async fn shown(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        events::fold(&*self.db().await?, run).await
    }

    async fn asking(&self, id: InteractionId) -> Result<Option<Asking>, StoreError> {
        secrets::asking(&self.pool, &self.asking, id, &self.vault).await
    }

    fn asking_lately(&self, id: InteractionId) -> Option<Asking> {
        self.lately.asking(id)
    }

    async fn calling(&self, call: CallId) -> Result<Option<RunId>, StoreError> {
        runs::calling(&*self.db().await?, call).await
    }

    async fn receipt(&self, once: &Once) -> Result<Option<Receipt>, StoreError> {
        receipts::one(&*self.db().await?, &once.by, &once.key).await
    }

    async fn forget_receipts(&self, before: Timestamp) -> Result<u64, StoreError> {
        receipts::forget(&*self.db().await?, before).await
    }

    async fn claim(&self, lease: Duration, except: &[RunId], most: u32) -> Result<Vec<Claim>, StoreError> {
        written("claim", claims::claim(&*self.db().await?, lease, except, most)).await
    }

    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError> {
        written("renew", claims::renew(&*self.db().await?, claim, lease)).await
    }

    async fn release(&self, claim: Claim) -> Result<(), StoreError> {
        written("release", claims::release(&*self.db().await?, claim)).await?;
        self.hints.ready(claim.run);
        Ok(())
    }

    async fn release_all(&self) -> Result<u64, StoreError> {
        claims::release_all(&*self.db().await?).await
    }

    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        interactions::overdue(&*self.db().await?, now, limit.min(MOST_AT_ONCE)).await
    }

    async fn unreminded(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        interactions::unreminded(&*self.db().await?, now, limit.min(MOST_AT_ONCE)).await
    }

    async fn open_questions_of(&self, asker: Digest, most: u32) -> Result<u64, StoreError> {
        interactions::open_of(&*self.db().await?, asker, most).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError> {
        runs::summary(&*self.db().await?, run).await
    }

    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError> {
        runs::page(&*self.db().await?, &filter, page_size(filter.limit)).await
    }

    async fn sessions(&self, filter: SessionFilter) -> Result<Page<SessionSummary>, StoreError> {
        sessions::page(&*self.db().await?, &filter, page_size(filter.limit)).await
    }

    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
        events::after(&*self.db().await?, run, after, limit.min(MOST_AT_ONCE)).await
    }

    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
        interactions::one(&*self.db().await?, id).await
    }

    async fn decided(&self, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError> {
        interactions::decided(&*self.db().await?, call, limit.min(MOST_AT_ONCE)).await
    }

    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError> {
        interactions::page(&*self.db().await?, &filter, page_size(filter.limit)).await
    }

    async fn advise(&self, id: InteractionId, mut advice: Advice) -> Result<(), StoreError> {
        advice.mask(&mut self.masks().outside());
        advice::keep(&*self.db().await?, &AdviceRow::new(id, advice)).await
    }

    async fn advice(&self, of: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError> {
        advice::of(&*self.db().await?, of).await
    }

    async fn unadvised(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        advice::missing(&*self.db().await?, after, limit.min(MOST_AT_ONCE)).await
    }

    async fn remembered(&self, what: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError> {
        policy::remembered(&*self.db().await?, what, since).await
    }

    async fn change_policy(&self, changes: Vec<PolicyChange>) -> Result<u64, StoreError> {
        self.make(changes, None, None).await
    }

    async fn change_policy_of(
        &self,
        seen: u64,
        changes: Vec<PolicyChange>,
        receipt: Option<Receipt>,
    ) -> Result<u64, StoreError> {
        self.make(changes, Some(seen), receipt).await
    }

    async fn policy_version(&self) -> Result<u64, StoreError> {
        policy::version(&*self.db().await?).await
    }

    async fn policy_items(&self) -> Result<(u64, Vec<PolicyItem>), StoreError> {
        policy::standing(&*self.db().await?).await
    }

    async fn policy_changes(&self, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
        policy::changes(&*self.db().await?, after, limit.min(MOST_AT_ONCE)).await
    }

    async fn policy_history(&self, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError> {
        policy::history(&*self.db().await?, before, limit).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        health::touch(&*self.db().await?).await
    }

    async fn standing(&self) -> Result<Counts, StoreError> {
        health::standing(&*self.db().await?).await
    }

    async fn add_token(&self, token: NewToken) -> Result<(), StoreError> {
        let row = TokenRow::try_from(&token)?;
        let made = HouseRow::token_made(&row, token.by.as_ref())?;
        let receipt = token.receipt.map(ReceiptRow::from);
        written("token", tokens::add(&*self.db().await?, row, token.hash, made, receipt.as_ref())).await
    }

    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
        let db = self.db().await?;
        match tokens::holding(&db, hash, now).await? {
            // Two may have read it by now: only who writes is told that they used it.
            Some(link) if link.form == TokenForm::Link => tokens::use_up_link(&db, hash, now).await,
            found => Ok(found),
        }
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError> {
        tokens::all(&*self.db().await?).await
    }

    async fn revoke(&self, id: &str, by: Option<&Principal>, now: Timestamp) -> Result<bool, StoreError> {
        tokens::revoke(&*self.db().await?, id, now, token_ended(id, by, now)?).await
    }

    async fn is_fresh(&self) -> Result<bool, StoreError> {
        tokens::none_yet(&*self.db().await?).await
    }
}

#[async_trait]
impl Log for Postgres {
    async fn place(&self, most: u32) -> Result<Frontier, StoreError> {
        written("place", log::place(&*self.db().await?, most)).await
    }

    async fn tree(&self) -> Result<Frontier, StoreError> {
        log::tree(&*self.db().await?).await
    }

    async fn recorded(&self) -> Result<u64, StoreError> {
        log::recorded(&*self.db().await?).await
    }

    async fn unplaced(&self) -> Result<u64, StoreError> {
        log::unplaced(&*self.db().await?).await
    }

    async fn entries(&self, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        log::entries(&*self.db().await?, from, limit.min(MOST_AT_ONCE)).await
    }

    async fn leaves(&self, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
        log::leaves_from(&*self.db().await?, from, limit.min(MOST_AT_ONCE)).await
    }

    async fn subtree(&self, subtree: Subtree) -> Result<Option<Hash>, StoreError> {
        log::subtree(&*self.db().await?, subtree).await
    }

    async fn erase(&self, mut erasure: Erasure) -> Result<u64, StoreError> {
        self.masks().outside().mask_words(&mut erasure.why);
        let happened = HouseRow::try_from(&erasure)?;
        let db = self.db().await?;
        let erased = erase::erase(&db, erasure.run, happened).await?;
        self.lately.forget(erasure.run);
        if erased > 0 {
            erase::sweep(&db).await;
        }
        Ok(erased)
    }

    async fn written_before(&self, before: Timestamp, limit: u32) -> Result<Vec<RunId>, StoreError> {
        erase::written_before(&*self.db().await?, time::column(before), limit.min(MOST_AT_ONCE)).await
    }

    async fn keep_checkpoint(&self, signed: SignedTree, at: Timestamp) -> Result<(), StoreError> {
        written("checkpoint", log::keep_checkpoint(&*self.db().await?, &signed, time::column(at))).await
    }

    async fn checkpoints(&self, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError> {
        log::checkpoints(&*self.db().await?, over, limit.min(MOST_AT_ONCE)).await
    }

    async fn newest_checkpoint(&self) -> Result<Option<SignedTree>, StoreError> {
        log::newest_checkpoint(&*self.db().await?).await
    }
}
