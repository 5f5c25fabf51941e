//! PostgreSQL: any number of processes on one database. Time is the database's, claims skip what others are taking, a step
//! is one statement, and hints go from process to process beside the transactions.

mod address;
mod claims;
mod clock;
mod connection;
mod events;
mod hints;
mod interactions;
mod migrate;
mod open;
mod pool;
mod runs;
mod save;
mod settle;
mod tls;
mod tokens;

pub use address::{Address, BadAddress};
pub use connection::{ConnectError, Failed};
pub use tls::BadRoots;

use crate::page::{MOST_AT_ONCE, page_size};
use crate::rows::{SaveRows, TokenRow};
use crate::schema::Schema;
use async_trait::async_trait;
use countersign_domain::interaction::Interaction;
use countersign_domain::run::{Recorded, Run};
use countersign_domain::{Digest, InteractionId, RunId};
use countersign_runtime::ports::{
    Claim, Hint, InteractionFilter, NewToken, Page, RunFilter, RunSummary, Save, Store, StoreError, TokenEntry,
    TokenForm,
};
use hints::Hints;
use jiff::Timestamp;
use open::Winding;
use pool::Pool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// A database on a server. Clones share its connections, which are closed after the last of them is gone.
#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    hints: Arc<Hints>,
    schema: Schema,
    _clock: Arc<Winding>,
}

impl Postgres {
    /// Its schema, and what opening it did about that.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}

#[async_trait]
impl Store for Postgres {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.pool.clock().now())
    }

    fn hints(&self) -> Option<broadcast::Receiver<Hint>> {
        Some(self.hints.listen())
    }

    async fn save(&self, save: Save) -> Result<(), StoreError> {
        let rows = SaveRows::try_from(save)?;
        settle::save(&self.pool, &rows).await?;
        match rows.claim {
            None if rows.ready_since.is_some() => self.hints.ready(rows.run),
            _ => self.hints.changed(rows.run),
        }
        Ok(())
    }

    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        runs::load(&*self.pool.take().await?, run).await
    }

    async fn claim(&self, lease: Duration, except: &[RunId]) -> Result<Option<Claim>, StoreError> {
        claims::claim(&*self.pool.take().await?, lease, except).await
    }

    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError> {
        claims::renew(&*self.pool.take().await?, claim, lease).await
    }

    async fn release(&self, claim: Claim) -> Result<(), StoreError> {
        claims::release(&*self.pool.take().await?, claim).await?;
        self.hints.ready(claim.run);
        Ok(())
    }

    async fn release_all(&self) -> Result<u64, StoreError> {
        claims::release_all(&*self.pool.take().await?).await
    }

    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        interactions::overdue(&*self.pool.take().await?, now, limit.min(MOST_AT_ONCE)).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError> {
        runs::summary(&*self.pool.take().await?, run).await
    }

    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError> {
        runs::page(&*self.pool.take().await?, &filter, page_size(filter.limit)).await
    }

    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
        events::after(&*self.pool.take().await?, run, after, limit.min(MOST_AT_ONCE).into()).await
    }

    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
        interactions::one(&*self.pool.take().await?, id).await
    }

    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError> {
        interactions::page(&*self.pool.take().await?, &filter, page_size(filter.limit)).await
    }

    async fn add_token(&self, token: NewToken) -> Result<(), StoreError> {
        let row = TokenRow::try_from(&token)?;
        tokens::add(&*self.pool.take().await?, &row, token.hash).await
    }

    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
        let db = self.pool.take().await?;
        match tokens::holding(&db, hash, now).await? {
            // Two may have read it by now: only who writes is told that they used it.
            Some(link) if link.form == TokenForm::Link => tokens::use_up_link(&db, hash, now).await,
            found => Ok(found),
        }
    }

    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError> {
        tokens::all(&*self.pool.take().await?).await
    }

    async fn revoke(&self, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        tokens::revoke(&*self.pool.take().await?, id, now).await
    }

    async fn is_fresh(&self) -> Result<bool, StoreError> {
        tokens::none_yet(&*self.pool.take().await?).await
    }
}
