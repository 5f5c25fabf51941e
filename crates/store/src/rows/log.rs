//! The row of `log_head`.

use super::Place;
use countersign_domain::audit::{Frontier, Hash};
use countersign_runtime::ports::StoreError;

/// The tree of so many entries with these hashes, one behind the other.
pub fn frontier(size: u64, hashes: &[u8]) -> Result<Frontier, StoreError> {
    let place = Place { table: "log_head", row: &"frontier" };
    let (whole, rest) = hashes.as_chunks::<{ size_of::<Hash>() }>();
    if !rest.is_empty() {
        return Err(place.wrong("it is cut off"));
    }
    Frontier::restore(size, whole.to_vec()).map_err(|wrong| place.wrong(wrong))
}
