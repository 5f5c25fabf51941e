//! Stems by their keys: one flat table, and before it a sieve so small that it stays in the processor's caches. Most of
//! what is sought is not there, and the sieve says so.

use super::key::Key;
use super::shelf::Slot;

/// An open table in the order of its keys. A key stands at its home or behind it, before any that is greater.
#[derive(Debug, Clone, Default)]
pub(super) struct Stems {
    /// Two bits of one word are set for each key. Where one of them is not, there is no such key.
    sieve: Box<[u64]>,
    places: Box<[(Key, Slot)]>,
    /// Keys are at home among so many places; those behind them take in what has no room there.
    homes: usize,
}

/// So many stems share a word of the sieve: of what is not there one in about sixty slips through.
const TOGETHER: usize = 4;

impl Stems {
    /// The table of these. No two have one key, and none has the last, which stands where there is nothing.
    pub(super) fn new(mut stems: Vec<(Key, Slot)>) -> Self {
        let homes = stems.len() + stems.len() / 2;
        let mut sieve = vec![0; stems.len().div_ceil(TOGETHER)];
        let mut places: Vec<(Key, Slot)> = Vec::with_capacity(homes + 1);
        stems.sort_unstable_by_key(|(key, _)| *key);
        for (key, slot) in stems {
            let word = key.home(sieve.len());
            if let Some(word) = sieve.get_mut(word) {
                *word |= key.two_bits();
            }
            // Homes ascend with keys, so each has its place behind those before it.
            let free = places.len().max(key.home(homes));
            places.resize(free, (Key::LAST, Slot::default()));
            places.push((key, slot));
        }
        Self { sieve: sieve.into(), places: places.into(), homes }
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Slot> {
        let (bits, word) = (key.two_bits(), self.sieve.get(key.home(self.sieve.len()))?);
        if word & bits == bits { self.look_up(key) } else { None }
    }

    fn look_up(&self, key: Key) -> Option<Slot> {
        let near = self.places.get(key.home(self.homes)..)?;
        let (_, slot) = near.iter().find(|(own, _)| *own >= key).filter(|(own, _)| *own == key)?;
        Some(*slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        for count in [0, 1, 2, 3, 100, 10_000] {
            let key = |i: usize| Key::server(&format!("{i}"));
            let stems = Stems::new((0..count).map(|i| (key(i), Slot::new(Some(i), 0))).collect());
            assert!((0..count).all(|i| stems.get(key(i)).and_then(Slot::start) == Some(i)));
            assert!((count..2 * count + 10).all(|i| stems.get(key(i)).is_none()));
        }
    }
}
