//! What is on a disk for good at a moment of its record, and what a loss of power can leave of the rest.

use crate::dice::Dice;
use crate::disk::SECTOR;
use crate::record::{Entry, FileId};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A disk at a moment of its record.
#[derive(Debug)]
pub struct Platter<'a> {
    record: &'a [Entry],
    moment: usize,
    files: BTreeMap<FileId, Content>,
    names: BTreeMap<String, Name>,
    dice: Dice,
}

/// The bytes of a file that no loss of power takes away, and the entries of the record that it may.
#[derive(Debug, Default)]
struct Content {
    kept: Vec<u8>,
    unsure: Vec<usize>,
}

/// Which file a name surely stands for, and what has been done to it since.
#[derive(Debug, Default)]
struct Name {
    kept: Option<FileId>,
    unsure: Vec<(usize, Option<FileId>)>,
}

/// What becomes of all that was not flushed when the power goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// All of it is there: only the program was killed.
    Nothing,
    /// None of it is there.
    Everything,
    /// What was done first is there, and what was done later is not.
    Latter,
    /// Of each file other sectors are there, in no order; and of the names some.
    Torn,
}

impl Loss {
    /// Each kind.
    pub const ALL: [Self; 4] = [Self::Nothing, Self::Everything, Self::Latter, Self::Torn];
}

/// The files of a disk after a loss of power.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// By name.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl<'a> Platter<'a> {
    /// The disk before anything of `record` was done.
    pub fn new(record: &'a [Entry], seed: u64) -> Self {
        Self { record, moment: 0, files: BTreeMap::new(), names: BTreeMap::new(), dice: Dice::new(seed) }
    }

    /// Goes on to the moment at which so many entries were done. It never goes back.
    pub fn turn_to(&mut self, moment: usize) {
        for (index, entry) in self.record.iter().enumerate().take(moment).skip(self.moment) {
            self.take_in(index, entry);
        }
        self.moment = self.moment.max(moment);
    }

    fn take_in(&mut self, index: usize, entry: &Entry) {
        match entry {
            Entry::Made { file, name } => {
                self.files.entry(*file).or_default();
                self.names.entry(name.clone()).or_default().unsure.push((index, Some(*file)));
            }
            Entry::Removed { name } => self.names.entry(name.clone()).or_default().unsure.push((index, None)),
            Entry::Wrote { file, .. } | Entry::Cut { file, .. } => {
                self.files.entry(*file).or_default().unsure.push(index);
            }
            Entry::Synced { file, covers } => {
                let record = self.record;
                self.files.entry(*file).or_default().settle(record, *covers);
            }
            Entry::SyncFailed { file } => {
                let content = self.files.entry(*file).or_default();
                content.kept = torn(self.record, content, &mut self.dice);
                content.unsure.clear();
            }
            Entry::FolderSynced { covers } => {
                for name in self.names.values_mut() {
                    name.settle(*covers);
                }
            }
        }
    }

    /// What a loss of power at this moment leaves.
    pub fn image(&mut self, loss: Loss) -> Image {
        let first = self.first_unsure();
        // For `Latter`: the entries before this one are there.
        let end = first + self.dice.below((self.moment - first).saturating_add(1));
        let (record, dice) = (self.record, &mut self.dice);
        let mut files = BTreeMap::new();
        for (name, entry) in &self.names {
            let survives = match loss {
                Loss::Nothing => entry.unsure.len(),
                Loss::Everything => 0,
                Loss::Latter => entry.unsure.iter().filter(|(index, _)| *index < end).count(),
                Loss::Torn => dice.below(entry.unsure.len() + 1),
            };
            let Some(file) = entry.after(survives) else { continue };
            let Some(content) = self.files.get(&file) else { continue };
            let bytes = match loss {
                Loss::Nothing => content.after(record, usize::MAX),
                Loss::Everything => content.kept.clone(),
                Loss::Latter => content.after(record, end),
                Loss::Torn => torn(record, content, dice),
            };
            files.insert(name.clone(), bytes);
        }
        Image { files }
    }

    fn first_unsure(&self) -> usize {
        let writes = self.files.values().filter_map(|file| file.unsure.first().copied());
        let names = self.names.values().filter_map(|name| name.unsure.first().map(|(index, _)| *index));
        writes.chain(names).min().unwrap_or(self.moment)
    }
}

impl Content {
    /// The entries before `end` are there for good.
    fn settle(&mut self, record: &[Entry], end: usize) {
        let later = self.unsure.split_off(self.unsure.partition_point(|index| *index < end));
        for index in std::mem::replace(&mut self.unsure, later) {
            if let Some(entry) = record.get(index) {
                apply(&mut self.kept, entry);
            }
        }
    }

    /// The bytes, where the entries before `end` are there.
    fn after(&self, record: &[Entry], end: usize) -> Vec<u8> {
        let mut bytes = self.kept.clone();
        for entry in self.unsure.iter().filter(|index| **index < end).filter_map(|index| record.get(*index)) {
            apply(&mut bytes, entry);
        }
        bytes
    }
}

impl Name {
    fn settle(&mut self, end: usize) {
        let later = self.unsure.split_off(self.unsure.partition_point(|(index, _)| *index < end));
        if let Some((_, file)) = self.unsure.last() {
            self.kept = *file;
        }
        self.unsure = later;
    }

    /// The file, where so many of the unsure changes are there.
    fn after(&self, changes: usize) -> Option<FileId> {
        match changes.checked_sub(1).and_then(|last| self.unsure.get(last)) {
            Some((_, file)) => *file,
            None => self.kept,
        }
    }
}

/// The bytes where chance says of each sector of each write whether it is there.
fn torn(record: &[Entry], content: &Content, dice: &mut Dice) -> Vec<u8> {
    // Now most of it, now hardly any.
    let percent = 5 + dice.below(91);
    let mut bytes = content.kept.clone();
    for entry in content.unsure.iter().filter_map(|index| record.get(*index)) {
        let Entry::Wrote { at, bytes: written, .. } = entry else {
            if dice.chance(percent) {
                apply(&mut bytes, entry);
            }
            continue;
        };
        for (from, sector) in sectors(*at, written) {
            if dice.chance(percent) {
                put(&mut bytes, from, sector);
            }
        }
    }
    bytes
}

/// A write, cut where the sectors of the disk end.
fn sectors(at: usize, bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let (mut parts, mut at, mut rest) = (vec![], at, bytes);
    while !rest.is_empty() {
        let (sector, more) = rest.split_at(rest.len().min(SECTOR - at % SECTOR));
        parts.push((at, sector));
        at += sector.len();
        rest = more;
    }
    parts
}

fn apply(file: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Wrote { at, bytes, .. } => put(file, *at, bytes),
        Entry::Cut { length, .. } => file.resize(*length, 0),
        _ => {}
    }
}

fn put(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at.saturating_add(bytes.len());
    if file.len() < end {
        file.resize(end, 0);
    }
    if let Some(place) = file.get_mut(at..end) {
        place.copy_from_slice(bytes);
    }
}

impl Image {
    /// Writes the files into `folder`.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        self.files.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
    }
}

#[cfg(test)]
mod tests;
