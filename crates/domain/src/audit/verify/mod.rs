//! Verifying the log: entries in, in the order of their places; whatever is wrong out.
//!
//! First the [`Checkpoints`] are read, from wherever somebody kept some. Then every entry passes once:
//!
//! 1. It is at the next place, and its leaf is the one that was kept for it.
//! 2. It is the next of its stream.
//! 3. It follows from those before it in its run, and whatever was executed was allowed: [`Breach`].
//! 4. Wherever a checkpoint was signed, the tree has the root that was signed.
//!
//! Of a part of a log, which has whole runs and what was said of erasures, each entry brings a proof that it is in the tree that
//! was signed; it need not be at the next place.
//!
//! What is remembered of a run is let go of when the run ends, but for its id: so that nothing comes after the end
//! unnoticed. All else is bounded by what is open at one moment, and by the number of checkpoints.

mod checkpoints;
mod finding;
mod meaning;
mod part;
#[cfg(test)]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "logs of tests are small")]
mod tests;

pub use checkpoints::Checkpoints;
pub use finding::{Finding, Named, Wrong};
pub use meaning::{Breach, Unapproved};

use super::entry::{Entry, Payload, Stream};
use super::reading;
use super::tree::{Frontier, Hash, Leaf};
use crate::RunId;
use crate::run::Event;
use meaning::Course;
use part::Part;
use std::collections::{HashMap, HashSet};

/// What is kept beside an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its leaf.
    pub leaf: Leaf,
    /// The commitment to its payload, where that is kept by itself. With it a changed payload can be told from a changed
    /// entry.
    pub commitment: Option<Hash>,
}

/// Verifies a log, entry by entry.
#[derive(Debug)]
pub struct Verifier {
    checkpoints: Checkpoints,
    tree: Frontier,
    /// Set where a part of the log is verified only.
    part: Option<Part>,
    house: u64,
    /// Runs in which something was erased, each with the first entry of which it was.
    erased: HashMap<RunId, (u64, u64)>,
    /// Runs of which somebody said so.
    said: HashSet<RunId>,
    open: HashMap<RunId, Followed>,
    ended: HashSet<RunId>,
    /// The place of the next entry.
    place: u64,
    /// How many checkpoints held.
    held: u64,
    /// How many entries the last of them is of.
    signed: u64,
    /// Whether the last checkpoint did not hold. Then the next ones hardly do: the first is enough to be told.
    astray: bool,
    /// The line of the entry that is looked at.
    line: String,
}

/// The word for that what was written in a run was erased.
pub const TEXTS_ERASED: &str = "texts_erased";

/// The run in which, as an entry says, something was erased; `None` if it says nothing of the kind.
pub fn erased(entry: &Entry) -> Result<Option<RunId>, serde_json::Error> {
    /// What is said beside who erased.
    #[derive(serde::Deserialize)]
    struct Erasure {
        run: RunId,
    }
    if entry.of != Stream::House || entry.kind != TEXTS_ERASED {
        return Ok(None);
    }
    serde_json::from_str(&entry.data).map(|Erasure { run }| Some(run))
}

/// A run that has not ended.
#[derive(Debug)]
struct Followed {
    seq: u64,
    /// `None` once nobody can tell any more what follows, because something is missing or unreadable. That is a finding
    /// by itself, and whatever else would be said of the run but noise.
    course: Option<Course>,
}

/// What a log was found to be, beside the findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// The root of the tree over them.
    pub root: Hash,
    /// How many runs have ended.
    pub ended: u64,
    /// How many have not.
    pub open: u64,
    /// At how many sizes a checkpoint was held against the tree, and held.
    pub checkpoints: u64,
    /// How many entries come after the last checkpoint that held: nobody has signed for them yet.
    pub unsigned: u64,
}

impl Verifier {
    /// Verifies a log of which these checkpoints were signed.
    pub fn new(checkpoints: Checkpoints) -> Self {
        Self {
            checkpoints,
            tree: Frontier::default(),
            part: None,
            house: 0,
            erased: HashMap::new(),
            said: HashSet::new(),
            open: HashMap::new(),
            ended: HashSet::new(),
            place: 0,
            held: 0,
            signed: 0,
            astray: false,
            line: String::new(),
        }
    }

    /// Takes the next entry, which is kept at `place`, counted from 0.
    pub fn entry(&mut self, place: u64, entry: &Entry, kept: &Kept) -> Vec<Finding> {
        let mut findings = self.seen(place, entry, kept);
        self.tree.push(kept.leaf);
        findings.extend(self.at_checkpoint());
        findings
    }

    /// What is wrong with an entry, whatever the tree is.
    fn seen(&mut self, place: u64, entry: &Entry, kept: &Kept) -> Vec<Finding> {
        let mut wrong = vec![];
        let is_due = if self.part.is_some() { place >= self.place } else { place == self.place };
        if !is_due {
            wrong.push(Wrong::Place { expected: self.place });
        }
        self.place = place.saturating_add(1);
        wrong.extend(self.hashes(entry, kept));
        match (entry.of, &entry.payload) {
            (Stream::Run(run), Payload::Erased { .. }) => {
                self.erased.entry(run).or_insert((place, entry.seq));
            }
            // Of what happens outside of runs nobody erases anything.
            (Stream::House, Payload::Erased { .. }) => wrong.push(Wrong::Erased),
            _ => {}
        }
        wrong.extend(match entry.of {
            Stream::House => self.of_house(entry),
            Stream::Run(run) => self.of_run(run, entry),
        });
        let of_entry = |wrong| Finding { place: Some(place), entry: Some((entry.of, entry.seq)), wrong };
        wrong.into_iter().map(of_entry).collect()
    }

    /// There are no more entries.
    pub fn end(self) -> (Verified, Vec<Finding>) {
        let entries = self.tree.size();
        let (ended, open) = (self.ended.len() as u64, self.open.len() as u64);
        let verified = match &self.part {
            Some(part) => part.verified(ended, open),
            None => Verified {
                entries,
                root: self.tree.root(),
                ended,
                open,
                checkpoints: self.held,
                unsigned: entries - self.signed,
            },
        };
        let in_silence = self.erased.iter().filter(|(run, _)| !self.said.contains(run));
        let mut findings: Vec<_> = in_silence
            .map(|(run, (place, seq))| Finding {
                place: Some(*place),
                entry: Some((Stream::Run(*run), *seq)),
                wrong: Wrong::Erased,
            })
            .collect();
        findings.sort_by_key(|finding| finding.place);
        if self.part.is_none() {
            findings.extend(self.checkpoints.beyond(entries));
        }
        (verified, findings)
    }

    fn hashes(&mut self, entry: &Entry, kept: &Kept) -> Option<Wrong> {
        let written = entry.payload.commitment();
        let mut leaf = |commitment| {
            self.line.clear();
            entry.write_line(commitment, &mut self.line);
            Leaf::of(self.line.as_bytes())
        };
        let is_as_kept = kept.commitment.is_none() || kept.commitment == written;
        if leaf(written) == kept.leaf {
            (!is_as_kept).then_some(Wrong::Payload)
        } else if !is_as_kept && leaf(kept.commitment) == kept.leaf {
            Some(Wrong::Payload)
        } else {
            Some(Wrong::Leaf)
        }
    }

    fn of_house(&mut self, entry: &Entry) -> Option<Wrong> {
        let expected = self.house.saturating_add(1);
        self.house = self.house.max(entry.seq);
        // Of what happens outside of runs a part has only some.
        if entry.seq != expected && self.part.is_none() {
            return Some(Wrong::Gap { expected });
        }
        let unreadable = || Wrong::Unreadable { kind: entry.kind.clone() };
        match erased(entry) {
            Ok(Some(run)) => {
                self.said.insert(run);
                None
            }
            Ok(None) => {
                let read = serde_json::from_str::<serde::de::IgnoredAny>(&entry.data);
                read.is_err().then(unreadable)
            }
            Err(_) => Some(unreadable()),
        }
    }

    fn of_run(&mut self, id: RunId, entry: &Entry) -> Option<Wrong> {
        if self.ended.contains(&id) {
            return Some(Wrong::Meaning(Breach::AfterEnd));
        }
        let followed = self.open.entry(id).or_insert(Followed { seq: 0, course: Some(Course::new(id)) });
        let expected = followed.seq.saturating_add(1);
        followed.seq = followed.seq.max(entry.seq);
        let read = reading::event(entry);
        let is_last = read.as_ref().is_some_and(Event::is_last);
        let wrong = match (entry.seq == expected, read) {
            (false, _) => Some(Wrong::Gap { expected }),
            (true, None) => Some(Wrong::Unreadable { kind: entry.kind.clone() }),
            (true, Some(event)) => {
                followed.course.as_mut().and_then(|course| course.take(event).err()).map(Wrong::Meaning)
            }
        };
        if matches!(wrong, Some(Wrong::Gap { .. } | Wrong::Unreadable { .. })) {
            followed.course = None;
        }
        if is_last {
            self.open.remove(&id);
            self.ended.insert(id);
        }
        wrong
    }

    fn at_checkpoint(&mut self) -> Option<Finding> {
        let size = self.tree.size();
        let (named, root) = self.checkpoints.at(size)?;
        let was_astray = self.astray;
        self.astray = root != self.tree.root();
        if !self.astray {
            (self.held, self.signed) = (self.held + 1, size);
        }
        (self.astray && !was_astray).then_some(Finding { place: None, entry: None, wrong: Wrong::Root { named, size } })
    }
}
