//! Proofs: that a leaf is in a tree, and that a tree is the beginning of a larger one.
//!
//! A proof is a list of hashes, each the root over a [`Span`] of neighbouring leaves. [`inclusion_spans`] and
//! [`consistency_spans`] say which; [`Span::subtrees`] says from which whole subtrees each is computed. [`inclusion`] and
//! [`consistency`] put them together. The two `verify_…` need nothing but what they are given.

use super::{Hash, Leaf, Subtree, joined, node};

/// The leaves from `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

impl Span {
    /// The whole subtrees it falls into, the largest first.
    pub fn subtrees(self) -> Vec<Subtree> {
        let (mut start, mut parts) = (self.start, vec![]);
        while let Some(level) = (self.end.saturating_sub(start)).checked_ilog2() {
            parts.push(Subtree { level, index: start >> level });
            start += 1 << level;
        }
        parts
    }

    /// Its halves as the tree has them; `None` for a single leaf.
    fn halves(self) -> Option<(Self, Self)> {
        let level = (self.end.saturating_sub(self.start).checked_sub(1)?).checked_ilog2()?;
        let middle = self.start + (1 << level);
        Some((Self { end: middle, ..self }, Self { start: middle, ..self }))
    }
}

/// Nothing can be proved of a tree that is not that large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("place or size {asked} lies beyond a tree of {size} leaves")]
pub struct Beyond {
    /// What was asked for.
    pub asked: u64,
    /// The tree.
    pub size: u64,
}

/// Of which spans the proof consists that the leaf at `place` is in the tree of `size` leaves.
pub fn inclusion_spans(place: u64, size: u64) -> Result<Vec<Span>, Beyond> {
    if place >= size {
        return Err(Beyond { asked: place, size });
    }
    let (mut within, mut spans) = (Span { start: 0, end: size }, vec![]);
    while let Some((left, right)) = within.halves() {
        let (here, beside) = if place < left.end { (left, right) } else { (right, left) };
        spans.push(beside);
        within = here;
    }
    spans.reverse();
    Ok(spans)
}

/// Of which spans the proof consists that the tree of `before` leaves is the beginning of that of `size`.
pub fn consistency_spans(before: u64, size: u64) -> Result<Vec<Span>, Beyond> {
    if before > size {
        return Err(Beyond { asked: before, size });
    }
    if before == 0 {
        return Ok(vec![]);
    }
    let (mut within, mut spans) = (Span { start: 0, end: size }, vec![]);
    while before < within.end
        && let Some((left, right)) = within.halves()
    {
        let (here, beside) = if before <= left.end { (left, right) } else { (right, left) };
        spans.push(beside);
        within = here;
    }
    // Whoever verifies knows the root of the smaller tree, so where that is the last span it is left out.
    if within.start > 0 {
        spans.push(within);
    }
    spans.reverse();
    Ok(spans)
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoProof<E> {
    /// The tree is smaller.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// A hash could not be read.
    #[error("a hash of the tree could not be read")]
    Unread(E),
}

/// The proof that the leaf at `place` is in the tree of `size` leaves. `read` gives the hash of a whole subtree of it.
pub fn inclusion<E>(
    place: u64,
    size: u64,
    read: impl FnMut(Subtree) -> Result<Hash, E>,
) -> Result<Vec<Hash>, NoProof<E>> {
    roots(&inclusion_spans(place, size)?, read).map_err(NoProof::Unread)
}

/// The proof that the tree of `before` leaves is the beginning of that of `size`. `read` gives the hash of a whole
/// subtree of the larger one.
pub fn consistency<E>(
    before: u64,
    size: u64,
    read: impl FnMut(Subtree) -> Result<Hash, E>,
) -> Result<Vec<Hash>, NoProof<E>> {
    roots(&consistency_spans(before, size)?, read).map_err(NoProof::Unread)
}

fn roots<E>(spans: &[Span], mut read: impl FnMut(Subtree) -> Result<Hash, E>) -> Result<Vec<Hash>, E> {
    let mut root = |span: &Span| {
        let hashes = span.subtrees().into_iter().map(&mut read).collect::<Result<Vec<_>, E>>()?;
        Ok(joined(&hashes))
    };
    spans.iter().map(&mut root).collect()
}

/// Why a proof proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadProof {
    /// The tree is smaller.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// A proof for these sizes has another length.
    #[error("the proof has {given} hashes where {expected} are due")]
    Length {
        /// How many are due.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// The hashes lead elsewhere.
    #[error("the proof does not lead to the root of the tree of {size} leaves")]
    Root {
        /// Which tree.
        size: u64,
    },
}

/// Whether `proof` proves that `leaf` is at `place` in the tree of `size` leaves with this root.
pub fn verify_inclusion(leaf: Leaf, place: u64, size: u64, proof: &[Hash], root: &Hash) -> Result<(), BadProof> {
    let spans = inclusion_spans(place, size)?;
    fits(&spans, proof)?;
    let beside = spans.iter().zip(proof);
    let led = beside.fold(
        leaf.0,
        |hash, (span, other)| {
            if span.start > place { node(&hash, other) } else { node(other, &hash) }
        },
    );
    if led == *root { Ok(()) } else { Err(BadProof::Root { size }) }
}

/// Whether `proof` proves that the tree of `before` leaves with the root `old` is the beginning of that of `size` leaves
/// with the root `new`.
pub fn verify_consistency(before: u64, old: &Hash, size: u64, new: &Hash, proof: &[Hash]) -> Result<(), BadProof> {
    let spans = consistency_spans(before, size)?;
    fits(&spans, proof)?;
    if before == 0 {
        return if *old == super::empty_root() { Ok(()) } else { Err(BadProof::Root { size: 0 }) };
    }
    let mut beside = spans.iter().zip(proof);
    // The last span of the smaller tree is the first of the proof, unless it is the smaller tree itself.
    let first = if spans.first().is_some_and(|span| span.end == before && !before.is_power_of_two()) {
        beside.next().map_or(*old, |(_, hash)| *hash)
    } else {
        *old
    };
    let (smaller, larger) = beside.fold((first, first), |(smaller, larger), (span, other)| {
        if span.start >= before {
            (smaller, node(&larger, other))
        } else {
            (node(other, &smaller), node(other, &larger))
        }
    });
    match (smaller == *old, larger == *new) {
        (true, true) => Ok(()),
        (false, _) => Err(BadProof::Root { size: before }),
        (true, false) => Err(BadProof::Root { size }),
    }
}

fn fits(spans: &[Span], proof: &[Hash]) -> Result<(), BadProof> {
    let (expected, given) = (spans.len(), proof.len());
    if expected == given { Ok(()) } else { Err(BadProof::Length { expected, given }) }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "trees of tests are small")]
mod tests {
    use super::super::tests::{LEAVES, ROOTS, defined, hash, leaves};
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn reader(leaves: &[Leaf]) -> impl Fn(Subtree) -> Result<Hash, Infallible> {
        |subtree| {
            let start = (subtree.index << subtree.level) as usize;
            Ok(defined(&leaves[start..start + (1 << subtree.level)]))
        }
    }

    fn published() -> Vec<Leaf> {
        LEAVES.iter().map(|bytes| Leaf::of(bytes)).collect()
    }

    /// Places from 0; the published tables count leaves from 1.
    #[test]
    fn inclusion_proofs_are_those_of_the_reference_implementation() {
        let cases: [(u64, u64, &[&str]); 5] = [
            (0, 1, &[]),
            (
                0,
                8,
                &[
                    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
                ],
            ),
            (
                5,
                8,
                &[
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                ],
            ),
            (2, 3, &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
            (
                1,
                5,
                &[
                    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                ],
            ),
        ];
        let leaves = published();
        for (place, size, proof) in cases {
            let proof: Vec<_> = proof.iter().map(|hex| hash(hex)).collect();
            assert_eq!(inclusion(place, size, reader(&leaves)).as_ref(), Ok(&proof), "{place} in {size}");
            let root = hash(ROOTS[size as usize]);
            assert_eq!(verify_inclusion(leaves[place as usize], place, size, &proof, &root), Ok(()));
        }
    }

    #[test]
    fn consistency_proofs_are_those_of_the_reference_implementation() {
        let cases: [(u64, u64, &[&str]); 4] = [
            (1, 1, &[]),
            (
                1,
                8,
                &[
                    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
                ],
            ),
            (
                6,
                8,
                &[
                    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                ],
            ),
            (
                2,
                5,
                &[
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                ],
            ),
        ];
        let leaves = published();
        for (before, size, proof) in cases {
            let proof: Vec<_> = proof.iter().map(|hex| hash(hex)).collect();
            assert_eq!(consistency(before, size, reader(&leaves)).as_ref(), Ok(&proof), "{before} to {size}");
            let (old, new) = (hash(ROOTS[before as usize]), hash(ROOTS[size as usize]));
            assert_eq!(verify_consistency(before, &old, size, &new, &proof), Ok(()));
        }
    }

    #[test]
    fn nothing_is_proved_of_what_lies_beyond_the_tree() {
        let beyond = Beyond { asked: 3, size: 3 };
        assert_eq!(inclusion(3, 3, reader(&[])), Err(NoProof::Beyond(beyond)));
        assert_eq!(verify_inclusion(Leaf::of(b""), 3, 3, &[], &[0; 32]), Err(BadProof::Beyond(beyond)));
        assert!(consistency(4, 3, reader(&[])).is_err());
        assert!(verify_consistency(4, &[0; 32], 3, &[0; 32], &[]).is_err());
    }

    #[test]
    fn every_proof_of_every_tree_of_up_to_40_leaves_verifies() {
        let leaves = leaves(40);
        for size in 0..=40 {
            let root = defined(&leaves[..size]);
            for smaller in 0..=size {
                let (old, before, size) = (defined(&leaves[..smaller]), smaller as u64, size as u64);
                let proof = consistency(before, size, reader(&leaves)).unwrap();
                assert_eq!(verify_consistency(before, &old, size, &root, &proof), Ok(()), "{before} to {size}");
                if before < size {
                    let proof = inclusion(before, size, reader(&leaves)).unwrap();
                    assert_eq!(verify_inclusion(leaves[smaller], before, size, &proof, &root), Ok(()));
                }
            }
        }
    }

    /// A place in a tree, with a bit of something that is changed.
    fn changed() -> impl Strategy<Value = (u64, u64, usize, usize)> {
        (2u64..200)
            .prop_flat_map(|size| (1..size, Just(size), any::<prop::sample::Index>(), 0usize..256))
            .prop_map(|(place, size, which, bit)| (place, size, which.index(64), bit))
    }

    fn flip(hash: &mut Hash, bit: usize) {
        hash[bit / 8] ^= 1 << (bit % 8);
    }

    proptest! {
        #[test]
        fn a_changed_bit_proves_nothing((place, size, which, bit) in changed()) {
            let leaves = leaves(size);
            let mut root = defined(&leaves);
            let mut leaf = leaves[place as usize];
            let mut proof = inclusion(place, size, reader(&leaves)).unwrap();
            match which % (proof.len() + 2) {
                0 => flip(&mut root, bit),
                1 => flip(&mut leaf.0, bit),
                i => flip(&mut proof[i - 2], bit),
            }
            prop_assert_eq!(verify_inclusion(leaf, place, size, &proof, &root), Err(BadProof::Root { size }));

            let (mut old, mut new) = (defined(&leaves[..place as usize]), defined(&leaves));
            let mut proof = consistency(place, size, reader(&leaves)).unwrap();
            match which % (proof.len() + 2) {
                0 => flip(&mut old, bit),
                1 => flip(&mut new, bit),
                i => flip(&mut proof[i - 2], bit),
            }
            prop_assert!(verify_consistency(place, &old, size, &new, &proof).is_err());
        }

        #[test]
        fn a_proof_holds_for_its_own_place_and_length_only((place, size, which, _) in changed()) {
            let leaves = leaves(size);
            let root = defined(&leaves);
            let mut proof = inclusion(place, size, reader(&leaves)).unwrap();
            let elsewhere = (place + 1 + which as u64) % size;
            if elsewhere != place {
                prop_assert!(verify_inclusion(leaves[place as usize], elsewhere, size, &proof, &root).is_err());
            }
            proof.push(root);
            prop_assert!(verify_inclusion(leaves[place as usize], place, size, &proof, &root).is_err());
        }
    }
}
