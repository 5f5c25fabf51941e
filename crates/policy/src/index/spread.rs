//! Spreads literals over stems: tells those of a drawer apart part by part, until few are left together.

use super::entry::{Entry, Next};
use super::found::Found;
use super::key::{Hashing, Key, Side};
use super::shelf::{ShelfId, Slot};
use super::stems::Stems;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Literals, spread.
#[derive(Debug)]
pub(super) struct Spread {
    /// The stems at which the drawers begin.
    pub(super) roots: HashMap<Key, Slot, Hashing>,
    /// All others.
    pub(super) stems: Stems,
    /// What is kept at them.
    pub(super) entries: Vec<u8>,
}

/// What a text must begin or end with for a pattern to fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal<'a> {
    pub(super) text: &'a str,
    pub(super) side: Side,
    /// The text must have nothing else.
    pub(super) whole: bool,
    pub(super) found: Found,
    pub(super) shelf: ShelfId,
}

/// So few literals are not worth telling apart any further: they are looked at one by one.
const FEW: usize = 4;
/// So few are kept where all pass by, if by that the others are told apart by more bytes.
const SHORT: usize = 1;
/// Most are told apart by fewer bytes.
const LONGEST_PART: u8 = 32;

/// A stem in the making: literals that have their first bytes in common.
#[derive(Debug)]
struct Group {
    /// `None` where a drawer begins.
    stem: Option<Key>,
    /// So many bytes led to it.
    read: usize,
    /// Its literals among all.
    literals: Range<usize>,
}

impl Spread {
    /// Spreads `literals`, each with the key of its drawer.
    pub(super) fn of(mut literals: Vec<(Key, Literal<'_>)>) -> Self {
        literals.sort_unstable_by_key(|(drawer, _)| *drawer);
        let (mut work, mut start) = (Vec::new(), 0);
        for drawer in literals.chunk_by(|a, b| a.0 == b.0) {
            work.push(Group { stem: None, read: 0, literals: start..start + drawer.len() });
            start += drawer.len();
        }
        let mut taken: HashSet<Key, Hashing> = [Key::LAST].into_iter().collect();
        let (mut roots, mut stems, mut entries) = (HashMap::default(), Vec::new(), Vec::new());
        while let Some(group) = work.pop() {
            let together = literals.get_mut(group.literals.clone()).unwrap_or_default();
            let Some(&(drawer, _)) = together.first() else { continue };
            let slot = group.kept(together, &mut taken, &mut work, &mut entries);
            match group.stem {
                Some(stem) => stems.push((stem, slot)),
                None => _ = roots.insert(drawer, slot),
            }
        }
        Self { roots, stems: Stems::new(stems), entries }
    }
}

impl Group {
    /// Keeps what is kept here, and leaves what goes on as `work`.
    fn kept(
        &self,
        literals: &mut [(Key, Literal<'_>)],
        taken: &mut HashSet<Key, Hashing>,
        work: &mut Vec<Self>,
        entries: &mut Vec<u8>,
    ) -> Slot {
        let Some(part) = self.part(literals) else {
            literals.sort_unstable_by_key(|(_, literal)| literal.found);
            return Slot::new(written(literals.iter().map(|(_, literal)| literal), entries), 0);
        };
        let read = self.read + usize::from(part);
        for (key, literal) in &mut *literals {
            if let Some((part, _)) = literal.side.split(literal.after(self.read), part.into()) {
                *key = key.part(part);
            }
        }
        literals.sort_unstable_by_key(|(key, literal)| (literal.text.len() >= read, *key));
        let (short, long) = literals.split_at(literals.partition_point(|(_, literal)| literal.text.len() < read));
        let mut here: Vec<_> = short.iter().map(|(_, literal)| literal).collect();
        let mut start = self.literals.start + short.len();
        for together in long.chunk_by(|a, b| a.0 == b.0) {
            match together.first() {
                Some((stem, _)) if taken.insert(*stem) => {
                    work.push(Self { stem: Some(*stem), read, literals: start..start + together.len() });
                }
                // A key leads to one stem only. Whoever comes late stays where all pass by.
                _ => here.extend(together.iter().map(|(_, literal)| literal)),
            }
            start += together.len();
        }
        here.sort_unstable_by_key(|literal| literal.found);
        Slot::new(written(here.into_iter(), entries), part)
    }

    /// By how many bytes literals go on, but for very few that are shorter; `None` where none need to.
    fn part(&self, literals: &[(Key, Literal<'_>)]) -> Option<u8> {
        if literals.len() <= FEW {
            return None;
        }
        let mut shortest = [usize::MAX; SHORT + 1];
        for mut left in literals.iter().map(|(_, literal)| literal.text.len() - self.read).filter(|&left| left > 0) {
            for one in &mut shortest {
                (*one, left) = (left.min(*one), left.max(*one));
            }
        }
        let part = shortest.into_iter().rfind(|&left| left < usize::MAX)?;
        Some(u8::try_from(part).unwrap_or(LONGEST_PART).min(LONGEST_PART))
    }
}

/// Writes literals one after the other, and says where they begin, if there are any.
fn written<'a>(literals: impl ExactSizeIterator<Item = &'a Literal<'a>>, out: &mut Vec<u8>) -> Option<usize> {
    let (start, count) = (out.len(), literals.len());
    for (i, literal) in literals.enumerate() {
        literal.entry().write(if i + 1 < count { Next::Another } else { Next::None }, out);
    }
    (count > 0).then_some(start)
}

impl<'a> Literal<'a> {
    /// What is left of it after so many bytes from its side.
    fn after(&self, read: usize) -> &'a [u8] {
        self.side.split(self.text.as_bytes(), read).map_or(&[], |(_, left)| left)
    }

    fn entry(&self) -> Entry<'a> {
        Entry { literal: self.text.as_bytes(), whole: self.whole, found: self.found, shelf: self.shelf.on(self.side) }
    }
}
