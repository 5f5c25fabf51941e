//! Proofs of neighbouring leaves. Those of one block share all hashes above it, so whoever goes through a log block by block
//! looks up a few hashes for each, and none for a leaf.

use super::proof::{Beyond, NoProof, inclusion, inclusion_spans};
use super::{Frontier, Hash, Leaf, Subtree};
use std::collections::BTreeMap;

/// How many levels a block is above its leaves. The hashes of whole subtrees from this level on are kept.
pub const LEVEL: u32 = 8;

/// How many leaves a whole block has.
pub const WIDTH: u64 = 1 << LEVEL;

/// The leaves of a block, the last of which may lack some, and the hashes of what is whole below it.
#[derive(Debug, Clone, Default)]
pub struct Block {
    hashes: BTreeMap<Subtree, Hash>,
}

impl Block {
    /// The block of this number, counted from 0.
    pub fn new(number: u64, leaves: &[Leaf]) -> Self {
        let (mut frontier, mut hashes) = (Frontier::default(), BTreeMap::new());
        for (index, leaf) in (0..).zip(leaves) {
            hashes.insert(Subtree { level: 0, index: number * WIDTH + index }, leaf.0);
            frontier.push_noting(*leaf, |made, hash| {
                let before = number * (WIDTH >> made.level.min(LEVEL));
                hashes.insert(Subtree { index: before + made.index, ..made }, hash);
            });
        }
        Self { hashes }
    }
}

/// The whole subtrees above blocks that proofs of the leaves of a block consist of, in a tree of `size` leaves.
pub fn above(block: u64, size: u64) -> Result<Vec<Subtree>, Beyond> {
    let spans = inclusion_spans(block.saturating_mul(WIDTH), size)?;
    Ok(spans.iter().flat_map(|span| span.subtrees()).filter(|subtree| subtree.level >= LEVEL).collect())
}

/// The hash of this subtree is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hash of subtree {index} of level {level} is not there", index = .0.index, level = .0.level)]
pub struct Missing(pub Subtree);

/// The proof of the leaf at `place` in the tree of `size` leaves: from its block, the last block of the tree, and what
/// [`above`] named.
pub fn proof(
    place: u64,
    size: u64,
    within: &Block,
    last: &Block,
    kept: &BTreeMap<Subtree, Hash>,
) -> Result<Vec<Hash>, NoProof<Missing>> {
    inclusion(place, size, |subtree| {
        let known = [&within.hashes, &last.hashes, kept].into_iter().find_map(|hashes| hashes.get(&subtree));
        known.copied().ok_or(Missing(subtree))
    })
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "trees of tests are small")]
mod tests {
    use super::super::proof::verify_inclusion;
    use super::super::tests::leaves;
    use super::*;
    use proptest::prelude::*;

    fn block(leaves: &[Leaf], number: u64) -> Block {
        let start = (number * WIDTH) as usize;
        Block::new(number, &leaves[start..leaves.len().min(start + WIDTH as usize)])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_leaf_of_a_block_is_proven_with_what_is_kept_above_it(size in 1u64..3_000, chosen in any::<prop::sample::Index>()) {
            let leaves = leaves(size);
            let (mut frontier, mut all) = (Frontier::default(), BTreeMap::new());
            for leaf in &leaves {
                frontier.push_noting(*leaf, |subtree, hash| {
                    all.insert(subtree, hash);
                });
            }
            let number = chosen.index(size as usize) as u64 / WIDTH;
            let kept = above(number, size).unwrap().into_iter().map(|subtree| (subtree, all[&subtree])).collect();
            let (within, last) = (block(&leaves, number), block(&leaves, (size - 1) / WIDTH));
            for place in number * WIDTH..size.min((number + 1) * WIDTH) {
                let proof = proof(place, size, &within, &last, &kept).unwrap();
                verify_inclusion(leaves[place as usize], place, size, &proof, &frontier.root()).unwrap();
            }
        }
    }
}
