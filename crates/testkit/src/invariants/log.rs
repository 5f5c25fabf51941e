//! The log: every event has one place in it, or waits for one.

use super::Rows;
use countersign_domain::audit::{Frontier, Stream};
use countersign_runtime::ports::{Store, StoreError};
use std::collections::BTreeMap;

/// All that is wrong with it.
pub async fn broken(store: &dyn Store, rows: &Rows) -> Result<Vec<String>, StoreError> {
    let mut broken = vec![];
    let mut tree = Frontier::default();
    let mut last: BTreeMap<Stream, u64> = BTreeMap::new();
    loop {
        let page = store.entries(tree.size(), 1_000).await?;
        if page.is_empty() {
            break;
        }
        for logged in page {
            let (place, entry) = (logged.place, &logged.entry);
            let before = last.insert(entry.of, entry.seq).unwrap_or_default();
            if place != tree.size() {
                broken.push(format!("the log goes on with place {place} after {} entries", tree.size()));
            }
            if entry.seq != before + 1 {
                broken.push(format!("place {place} of the log: event {} of {} follows {before}", entry.seq, entry.of));
            }
            if entry.leaf() != logged.leaf {
                broken.push(format!("place {place} of the log: the leaf is not that of the entry"));
            }
            tree.push(logged.leaf);
        }
    }
    if store.tree().await? != tree {
        broken.push("the tree is not that of the entries".to_owned());
    }
    let waiting = store.unplaced().await?;
    if tree.size() + waiting != rows.events {
        let (placed, events) = (tree.size(), rows.events);
        broken.push(format!("of {events} events {placed} have a place in the log and {waiting} wait for one"));
    }
    Ok(broken)
}
