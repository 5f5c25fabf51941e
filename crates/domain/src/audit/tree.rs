//! The Merkle tree of RFC 6962 with SHA-256: its hashes, and the frontier to which leaves are added.
//!
//! A tree of any size falls into whole subtrees of 1, 2, 4, 8 … leaves, the largest first. The [`Frontier`] is the list of
//! their hashes, and all that is needed to add leaves and to know the root: 64 hashes at the most. Whoever also keeps the
//! hash of every whole subtree as it comes up can prove anything about the tree with a few of them: [`proof`].

pub mod block;
pub mod proof;

use sha2::{Digest as _, Sha256};

/// A SHA-256, of a node or a whole tree.
pub type Hash = [u8; 32];

/// The hash of an entry as a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Leaf(pub Hash);

impl Leaf {
    /// The leaf of these bytes: the SHA-256 of a zero byte and them.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::new().chain_update([0]).chain_update(bytes).finalize().into())
    }
}

/// The hash of the node over these two.
pub fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of the tree without leaves.
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The root of the tree of these leaves.
pub fn root_of(leaves: impl IntoIterator<Item = Leaf>) -> Hash {
    let mut frontier = Frontier::default();
    for leaf in leaves {
        frontier.push(leaf);
    }
    frontier.root()
}

/// A whole subtree: the `2^level` leaves from `index * 2^level` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subtree {
    /// How many levels it is above the leaves; a leaf itself has level 0.
    pub level: u32,
    /// Its place among those of its level.
    pub index: u64,
}

/// The right edge of a tree: all that is needed to add leaves and to know the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    hashes: Vec<Hash>,
}

/// The hashes are not those of a tree of that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tree of {size} leaves falls into {expected} whole subtrees, not {given}")]
pub struct BadFrontier {
    size: u64,
    expected: u32,
    given: usize,
}

impl Frontier {
    /// The frontier of a tree of `size` leaves, as [`Frontier::hashes`] gave it.
    pub fn restore(size: u64, hashes: Vec<Hash>) -> Result<Self, BadFrontier> {
        let (expected, given) = (size.count_ones(), hashes.len());
        if given != expected as usize {
            return Err(BadFrontier { size, expected, given });
        }
        Ok(Self { size, hashes })
    }

    /// How many leaves there are.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The hashes of the whole subtrees, the largest first.
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Leaf) {
        self.push_noting(leaf, |_, _| {});
    }

    /// Adds a leaf, and tells `made` of every subtree of two leaves and more that is whole with it.
    pub fn push_noting(&mut self, leaf: Leaf, mut made: impl FnMut(Subtree, Hash)) {
        let (mut hash, mut subtree) = (leaf.0, Subtree { level: 0, index: self.size });
        while subtree.index % 2 == 1
            && let Some(left) = self.hashes.pop()
        {
            hash = node(&left, &hash);
            subtree = Subtree { level: subtree.level + 1, index: subtree.index / 2 };
            made(subtree, hash);
        }
        self.hashes.push(hash);
        self.size += 1;
    }

    /// The root of the tree.
    pub fn root(&self) -> Hash {
        joined(&self.hashes)
    }
}

/// The root over neighbouring subtrees, the largest first.
fn joined(hashes: &[Hash]) -> Hash {
    hashes.iter().rev().copied().reduce(|right, left| node(&left, &right)).unwrap_or_else(empty_root)
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "trees of tests are small")]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The leaves, and the roots of the first 0, 1, 2 … of them, that the reference implementation of certificate
    /// transparency is tested with.
    pub const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    pub const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    pub fn hash(hex: &str) -> Hash {
        *format!("sha256:{hex}").parse::<crate::Digest>().unwrap().bytes()
    }

    pub fn leaves(count: u64) -> Vec<Leaf> {
        (0..count).map(|i| Leaf::of(&i.to_be_bytes())).collect()
    }

    /// The definition of RFC 6962, word for word.
    pub fn defined(leaves: &[Leaf]) -> Hash {
        match leaves {
            [] => empty_root(),
            [leaf] => leaf.0,
            _ => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                node(&defined(left), &defined(right))
            }
        }
    }

    #[test]
    fn the_roots_are_those_of_the_reference_implementation() {
        let mut frontier = Frontier::default();
        assert_eq!(frontier.root(), hash(ROOTS[0]));
        for (leaf, root) in LEAVES.iter().zip(&ROOTS[1..]) {
            frontier.push(Leaf::of(leaf));
            assert_eq!(frontier.root(), hash(root));
        }
    }

    #[test]
    fn every_whole_subtree_is_told_once_with_its_root() {
        let (leaves, mut frontier, mut told) = (leaves(100), Frontier::default(), vec![]);
        for leaf in &leaves {
            frontier.push_noting(*leaf, |subtree, hash| told.push((subtree, hash)));
        }
        for (subtree, hash) in &told {
            let (start, width) = ((subtree.index << subtree.level) as usize, 1 << subtree.level);
            assert_eq!(*hash, defined(&leaves[start..start + width]), "{subtree:?}");
        }
        let whole = (1..7).map(|level| 100 >> level).sum::<usize>();
        let different: std::collections::BTreeSet<_> = told.iter().map(|(subtree, _)| subtree).collect();
        assert_eq!((told.len(), different.len()), (whole, whole));
    }

    proptest! {
        #[test]
        fn a_frontier_that_was_put_away_goes_on_where_it_was(before in 0u64..200, after in 0u64..200) {
            let leaves = leaves(before + after);
            let (first, second) = leaves.split_at(before as usize);
            let mut frontier = Frontier::default();
            for leaf in first {
                frontier.push(*leaf);
            }
            let mut again = Frontier::restore(frontier.size(), frontier.hashes().to_vec()).unwrap();
            prop_assert_eq!(again.root(), defined(first));
            for leaf in second {
                again.push(*leaf);
            }
            prop_assert_eq!(again.root(), defined(&leaves));
            prop_assert_eq!(again.root(), root_of(leaves));
            let mut lacking = again.hashes().to_vec();
            if lacking.pop().is_some() {
                prop_assert!(Frontier::restore(again.size(), lacking).is_err());
            }
        }
    }
}
