//! The store's lists, read to their ends.

use countersign_domain::interaction::{Interaction, Status};
use countersign_domain::run::Recorded;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{InteractionFilter, PolicyChange, RunFilter, RunSummary, Store, StoreError};
use std::collections::BTreeMap;

/// As many as a page may have.
const PAGE: u32 = 500;

/// All runs.
pub async fn runs(store: &dyn Store) -> Result<BTreeMap<RunId, RunSummary>, StoreError> {
    let (mut found, mut after) = (BTreeMap::new(), None);
    loop {
        let page = store.runs(RunFilter { after, limit: PAGE, ..Default::default() }).await?;
        found.extend(page.items.into_iter().map(|run| (run.id, run)));
        after = page.next.and_then(|next| next.parse().ok());
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// All events of a run.
pub async fn events(store: &dyn Store, run: RunId) -> Result<Vec<Recorded>, StoreError> {
    let mut found: Vec<Recorded> = vec![];
    loop {
        let page = store.events(run, found.last().map_or(0, |last| last.seq), PAGE).await?;
        let is_last = page.len() < PAGE as usize;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}

/// All open questions.
pub async fn open_questions(store: &dyn Store) -> Result<BTreeMap<InteractionId, Interaction>, StoreError> {
    let (mut found, mut after) = (BTreeMap::new(), None);
    loop {
        let filter = InteractionFilter { status: Some(Status::Open), after, limit: PAGE, ..Default::default() };
        let page = store.interactions(filter).await?;
        found.extend(page.items.into_iter().map(|asked| (asked.id, asked)));
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// All changes of the policy, with their versions.
pub async fn policy_changes(store: &dyn Store) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
    let mut found: Vec<(u64, PolicyChange)> = vec![];
    loop {
        let page = store.policy_changes(found.last().map_or(0, |(version, _)| *version), PAGE).await?;
        let is_last = page.len() < PAGE as usize;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}
