//! `SQLite`: one file, one writer that commits waiting writes together, a few readers beside it.

mod advice;
mod claims;
mod connection;
mod disk;
mod erase;
mod events;
mod health;
mod house;
mod inspect;
mod interactions;
mod log;
mod mark;
mod migrate;
mod open;
mod pace;
#[cfg(test)]
mod plans;
mod policy;
mod readers;
mod receipts;
mod runs;
mod save;
mod secrets;
mod sessions;
mod tokens;
mod writer;

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
    Asking, Claim, Counts, Erasure, InteractionFilter, Log, Logged, Mark, Masks, NewToken, Once, Page, PastChange,
    PolicyChange, PolicyItem, Receipt, Remembered, RunFilter, RunSummary, SameCall, Save, SessionFilter,
    SessionSummary, SignedTree, Store, StoreError, TokenEntry, TokenForm,
};
use jiff::Timestamp;
use readers::Readers;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use writer::Writer;

/// A database in one file. Clones share it; the writer ends after the last of them is gone and all it was given is done.
#[derive(Debug, Clone)]
pub struct Sqlite {
    writer: Writer,
    readers: Readers,
    schema: Schema,
    vault: Arc<Vault>,
    lately: Arc<Lately>,
    /// The file of its write-ahead log.
    wal: Arc<Path>,
}

impl Sqlite {
    /// Its schema, and what opening it did about that.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The same database, where secrets are sealed under `key`: without one, under a key that is gone with it.
    #[must_use]
    pub fn sealing(self, key: Key) -> Self {
        Self { vault: Arc::new(Vault::new(key)), lately: Arc::default(), ..self }
    }

    /// Does `work`, which tests know as `what`, in a transaction.
    async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = move |db: &Connection| {
            let done = work(db)?;
            passing([what], Moment::BeforeCommit);
            Ok(done)
        };
        let done = self.writer.write(work).await?;
        passing([what], Moment::AfterCommit);
        Ok(done)
    }

    /// Makes changes of the policy, where somebody has `seen` a version only if it is still that one.
    async fn make(
        &self,
        mut changes: Vec<PolicyChange>,
        seen: Option<u64>,
        receipt: Option<Receipt>,
    ) -> Result<u64, StoreError> {
        let mut masker = self.masks().outside();
        for change in &mut changes {
            mask_change(change, &mut masker);
        }
        let rows: Vec<_> = changes.iter().map(ChangeRow::try_from).collect::<Result<_, _>>()?;
        let house: Vec<_> = rows.iter().map(HouseRow::try_from).collect::<Result<_, _>>()?;
        let receipt = receipt.map(ReceiptRow::from);
        let work = move |db: &Connection| {
            let version = policy::version(db)?;
            if seen.is_some_and(|seen| version != seen) {
                return Err(StoreError::PolicyMoved);
            }
            receipt.iter().try_for_each(|receipt| receipts::keep(db, receipt))?;
            rows.iter().try_for_each(|row| policy::change(db, row).map(drop))?;
            house.iter().try_for_each(|happened| house::append(db, happened))?;
            policy::version(db)
        };
        self.write("policy_change", work).await
    }
}

#[async_trait]
impl Store for Sqlite {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(time::now())
    }

    fn mark(&self) -> Option<Mark> {
        mark::of(&self.wal)
    }

    fn masks(&self) -> &Masks {
        self.vault.masks()
    }

    async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError> {
        let run = Arc::clone(&save.run);
        let rows = Arc::new(SaveRows::new(save, &self.vault)?);
        let written = Arc::clone(&rows);
        let work = move |db: &Connection| {
            let saved = save::save(db, &written, time::now())?;
            passing(written.words(), Moment::BeforeCommit);
            Ok(saved)
        };
        let saved = self.writer.write_short(work).await;
        if let Err(StoreError::Made(_)) = &saved {
            self.vault.masks().forget(rows.run);
        }
        let taken = saved?;
        passing(rows.words(), Moment::AfterCommit);
        self.lately.saved(&rows, run, taken);
        Ok(taken)
    }

    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        let vault = Arc::clone(&self.vault);
        let events = move |db: &Connection, most| events::with_secrets(db, run, most);
        self.readers.look_up_all(events, move |events| runs::unmasked(run, events, &vault)).await
    }

    async fn shown(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        let events = move |db: &Connection, most| events::all(db, run, most);
        self.readers.look_up_all(events, move |events| runs::masked(run, events)).await
    }

    async fn asking(&self, id: InteractionId) -> Result<Option<Asking>, StoreError> {
        let vault = Arc::clone(&self.vault);
        let events = move |db: &Connection, most| interactions::of_asking(db, id, most);
        self.readers.look_up_all(events, move |events| interactions::asking(events, &vault)).await
    }

    fn asking_lately(&self, id: InteractionId) -> Option<Asking> {
        self.lately.asking(id)
    }

    async fn calling(&self, call: CallId) -> Result<Option<RunId>, StoreError> {
        self.readers.look_up(move |db| runs::calling(db, call)).await
    }

    async fn receipt(&self, once: &Once) -> Result<Option<Receipt>, StoreError> {
        let Once { by, key, .. } = once.clone();
        self.readers.look_up(move |db| receipts::one(db, &by, &key)).await
    }

    async fn forget_receipts(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.writer.write(move |db| receipts::forget(db, before)).await
    }

    async fn claim(&self, lease: Duration, except: &[RunId], most: u32) -> Result<Vec<Claim>, StoreError> {
        let except = except.to_vec();
        self.write("claim", move |db| claims::claim(db, lease, &except, most, time::now())).await
    }

    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError> {
        self.write("renew", move |db| claims::renew(db, claim, lease, time::now())).await
    }

    async fn release(&self, claim: Claim) -> Result<(), StoreError> {
        self.write("release", move |db| claims::release(db, claim)).await
    }

    async fn release_all(&self) -> Result<u64, StoreError> {
        self.writer.write(claims::release_all).await
    }

    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.readers.read(move |db| interactions::overdue(db, now, limit.min(MOST_AT_ONCE))).await
    }

    async fn unreminded(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.readers.read(move |db| interactions::unreminded(db, now, limit.min(MOST_AT_ONCE))).await
    }

    async fn open_questions_of(&self, asker: Digest, most: u32) -> Result<u64, StoreError> {
        self.readers.look_up(move |db| interactions::open_of(db, asker, most)).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError> {
        self.readers.look_up(move |db| runs::summary(db, run, time::now())).await
    }

    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError> {
        self.readers.read(move |db| runs::page(db, &filter, page_size(filter.limit), time::now())).await
    }

    async fn sessions(&self, filter: SessionFilter) -> Result<Page<SessionSummary>, StoreError> {
        self.readers.read(move |db| sessions::page(db, &filter, page_size(filter.limit))).await
    }

    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
        self.readers.read(move |db| events::after(db, run, after, limit.min(MOST_AT_ONCE))).await
    }

    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
        let events = move |db: &Connection, most| interactions::of_asking(db, id, most);
        self.readers.look_up_all(events, move |events| interactions::one(id, events)).await
    }

    async fn decided(&self, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError> {
        self.readers.read(move |db| interactions::decided(db, call, limit.min(MOST_AT_ONCE))).await
    }

    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError> {
        self.readers.read(move |db| interactions::page(db, &filter, page_size(filter.limit))).await
    }

    async fn advise(&self, id: InteractionId, mut advice: Advice) -> Result<(), StoreError> {
        advice.mask(&mut self.masks().outside());
        let row = AdviceRow::new(id, advice);
        self.writer.write(move |db| advice::keep(db, &row)).await
    }

    async fn advice(&self, of: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError> {
        let of = of.to_vec();
        self.readers.read(move |db| advice::of(db, &of)).await
    }

    async fn unadvised(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.readers.read(move |db| advice::missing(db, after, limit.min(MOST_AT_ONCE))).await
    }

    async fn remembered(&self, what: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError> {
        let what = what.clone();
        self.readers.look_up(move |db| policy::remembered(db, &what, since)).await
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
        self.readers.look_up(policy::version).await
    }

    async fn policy_items(&self) -> Result<(u64, Vec<PolicyItem>), StoreError> {
        self.readers.read(policy::standing).await
    }

    async fn policy_changes(&self, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
        self.readers.read(move |db| policy::changes(db, after, limit.min(MOST_AT_ONCE))).await
    }

    async fn policy_history(&self, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError> {
        self.readers.read(move |db| policy::history(db, before, limit)).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        self.writer.write(health::touch).await
    }

    async fn standing(&self) -> Result<Counts, StoreError> {
        self.readers.read(health::standing).await
    }

    async fn add_token(&self, token: NewToken) -> Result<(), StoreError> {
        let row = TokenRow::try_from(&token)?;
        let made = HouseRow::token_made(&row, token.by.as_ref())?;
        let receipt = token.receipt.map(ReceiptRow::from);
        let work = move |db: &Connection| {
            receipt.iter().try_for_each(|receipt| receipts::keep(db, receipt))?;
            tokens::add(db, &row, token.hash)?;
            house::append(db, &made)
        };
        self.write("token", work).await
    }

    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
        let found = self.readers.look_up(move |db| tokens::holding(db, hash, now)).await?;
        match found {
            // Two may have read it by now: only the writer says who used it.
            Some(link) if link.form == TokenForm::Link => {
                self.writer.write(move |db| tokens::use_up_link(db, hash, now)).await
            }
            found => Ok(found),
        }
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError> {
        self.readers.read(tokens::all).await
    }

    async fn revoke(&self, id: &str, by: Option<&Principal>, now: Timestamp) -> Result<bool, StoreError> {
        let (id, ended) = (id.to_owned(), token_ended(id, by, now)?);
        let work = move |db: &Connection| {
            let is_known = tokens::revoke(db, &id, now)?;
            if is_known {
                house::append(db, &ended)?;
            }
            Ok(is_known)
        };
        let is_known = self.writer.write(work).await?;
        mark::renew(&self.wal);
        Ok(is_known)
    }

    async fn is_fresh(&self) -> Result<bool, StoreError> {
        self.readers.read(tokens::none_yet).await
    }
}

#[async_trait]
impl Log for Sqlite {
    async fn place(&self, most: u32) -> Result<Frontier, StoreError> {
        self.write("place", move |db| log::place(db, most)).await
    }

    async fn tree(&self) -> Result<Frontier, StoreError> {
        self.readers.read(log::tree).await
    }

    async fn recorded(&self) -> Result<u64, StoreError> {
        self.readers.read(log::recorded).await
    }

    async fn unplaced(&self) -> Result<u64, StoreError> {
        self.readers.read(log::unplaced).await
    }

    async fn entries(&self, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.readers.read(move |db| log::entries(db, from, limit.min(MOST_AT_ONCE))).await
    }

    async fn leaves(&self, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
        self.readers.read(move |db| log::leaves_from(db, from, limit.min(MOST_AT_ONCE))).await
    }

    async fn subtree(&self, subtree: Subtree) -> Result<Option<Hash>, StoreError> {
        self.readers.read(move |db| log::subtree(db, subtree)).await
    }

    async fn erase(&self, mut erasure: Erasure) -> Result<u64, StoreError> {
        self.masks().outside().mask_words(&mut erasure.why);
        let (run, happened) = (erasure.run, HouseRow::try_from(&erasure)?);
        let erased = self.writer.write(move |db| erase::erase(db, run, &happened)).await?;
        self.lately.forget(run);
        // Also where there was nothing: the last time may have been cut short here.
        self.readers.empty_log().await?;
        Ok(erased)
    }

    async fn written_before(&self, before: Timestamp, limit: u32) -> Result<Vec<RunId>, StoreError> {
        let before = time::column(before);
        self.readers.read(move |db| erase::written_before(db, before, limit.min(MOST_AT_ONCE))).await
    }

    async fn keep_checkpoint(&self, signed: SignedTree, at: Timestamp) -> Result<(), StoreError> {
        self.write("checkpoint", move |db| log::keep_checkpoint(db, &signed, time::column(at))).await
    }

    async fn checkpoints(&self, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError> {
        self.readers.read(move |db| log::checkpoints(db, over, limit.min(MOST_AT_ONCE))).await
    }

    async fn newest_checkpoint(&self) -> Result<Option<SignedTree>, StoreError> {
        self.readers.read(log::newest_checkpoint).await
    }
}
