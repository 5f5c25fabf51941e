//! Pages of lists, cut the same way in every database.

use countersign_runtime::ports::Page;

/// The most that one list returns, whatever it was asked for.
pub const MOST_AT_ONCE: u32 = 1_000;

/// A page has at least one entry, or nobody would come to its end.
pub fn page_size(limit: u32) -> u32 {
    limit.clamp(1, MOST_AT_ONCE)
}

/// Cuts `found`, which was asked for one more than `size`, to a page; `cursor` names where the next one starts.
pub fn page_of<T>(mut found: Vec<T>, size: u32, cursor: impl FnOnce(&T) -> String) -> Page<T> {
    let size = size as usize;
    let has_more = found.len() > size;
    found.truncate(size);
    let next = found.last().filter(|_| has_more).map(cursor);
    Page { items: found, next }
}
