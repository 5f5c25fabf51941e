//! The record as a file, part by part.

use super::body::CallBody;
use super::filter::{Filter, Format};
use countersign_domain::RunId;
use countersign_domain::audit::calls::{CallRow, Calls};
use countersign_domain::audit::export::{push_checkpoint, push_entry, push_part_of};
use countersign_domain::audit::verify::erased;
use countersign_domain::audit::{Entry, NoEvent, Stream, csv};
use countersign_runtime::ports::{Log, Logged, StoreError};
use countersign_runtime::proofs::{PAGE, Proofs};
use std::collections::HashSet;

/// Checkpoints that are read at a time.
const MANY: u32 = 1_000;

/// Why an export ends before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An entry.
    #[error(transparent)]
    Entry(#[from] NoEvent),
    /// There is nothing to prove a part by.
    #[error("nothing of the log is signed yet, so nothing of it can be proven: try again in a minute")]
    Unsigned,
}

/// An export under way: part by part, so that it needs hardly more memory for a long log than for a short one.
pub struct Export {
    format: Format,
    filter: Filter,
    calls: Calls,
    /// Set where a part of the log is exported, or proofs are wanted for all of it.
    proving: Option<Proving>,
    place: u64,
    rows: u64,
    at: At,
}

/// What is exported of the log, and the proofs of that.
#[derive(Default)]
struct Proving {
    proofs: Option<Proofs>,
    /// The runs; `None`: everything.
    chosen: Option<HashSet<RunId>>,
}

impl Proving {
    /// A run with all its entries, so that they can be followed; and who erased what, so that nothing seems to lack.
    fn has(&self, entry: &Entry) -> bool {
        match (&self.chosen, entry.of) {
            (None, _) => true,
            (Some(chosen), Stream::Run(run)) => chosen.contains(&run),
            (Some(chosen), Stream::House) => {
                erased(entry).is_ok_and(|run| run.is_some_and(|run| chosen.contains(&run)))
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Head,
    Choice,
    Entries,
    End,
}

impl Export {
    /// The export of what `filter` lets through. The log itself is exported whole, or in part with the runs of such calls.
    pub fn new(format: Format, filter: Filter) -> Self {
        let is_part = format == Format::Jsonl && filter != Filter::default();
        let proving =
            is_part.then(|| Proving { chosen: Some(filter.only_run().into_iter().collect()), ..Proving::default() });
        Self { format, filter, calls: Calls::default(), proving, place: 0, rows: 0, at: At::Head }
    }

    /// The same, each entry of the log with its own proof, also where all of them are there.
    #[must_use]
    pub fn with_proofs(mut self) -> Self {
        if self.format == Format::Jsonl {
            self.proving.get_or_insert_default();
        }
        self
    }

    /// How many entries were read so far.
    pub const fn read(&self) -> u64 {
        self.place
    }

    /// The next part of it; `None` after the last.
    pub async fn part(&mut self, log: &dyn Log) -> Result<Option<String>, Stopped> {
        match self.at {
            At::Head => self.head(log).await.map(Some),
            At::Choice => self.choose(log).await.map(|()| Some(String::new())),
            At::Entries => self.entries(log).await.map(Some),
            At::End => Ok(None),
        }
    }

    async fn head(&mut self, log: &dyn Log) -> Result<String, Stopped> {
        self.at = At::Entries;
        let mut head = String::new();
        match (self.format, &mut self.proving) {
            (Format::Csv, _) => csv::push_row(CallRow::COLUMNS, &mut head),
            (Format::Json, _) => head.push_str("[\n"),
            (Format::Jsonl, Some(proving)) => {
                let signed = log.newest_checkpoint().await?.filter(|signed| signed.size > 0);
                let signed = signed.ok_or(Stopped::Unsigned)?;
                proving.proofs = Some(Proofs::new(log, signed.size).await?);
                if proving.chosen.as_ref().is_some_and(HashSet::is_empty) {
                    self.at = At::Choice;
                }
                push_part_of(signed.size, &mut head);
                push_checkpoint(&signed.note, &mut head);
            }
            (Format::Jsonl, None) => checkpoints(log, &mut head).await?,
        }
        Ok(head)
    }

    /// Looks through some entries for runs with a call that is wanted.
    async fn choose(&mut self, log: &dyn Log) -> Result<(), Stopped> {
        let page = log.entries(self.place, PAGE).await?;
        let mut rows = vec![];
        for logged in &page {
            self.place = logged.place.saturating_add(1);
            rows.extend(logged.entry.recorded()?.and_then(|recorded| self.calls.take(recorded)));
        }
        if page.is_empty() {
            rows.extend(std::mem::take(&mut self.calls).open());
            (self.at, self.place) = (At::Entries, 0);
        }
        let wanted = rows.into_iter().filter(|row| self.filter.lets(row)).map(|row| row.run);
        if let Some(chosen) = self.proving.as_mut().and_then(|proving| proving.chosen.as_mut()) {
            chosen.extend(wanted);
        }
        Ok(())
    }

    async fn entries(&mut self, log: &dyn Log) -> Result<String, Stopped> {
        let page = log.entries(self.place, PAGE).await?;
        let mut part = String::new();
        let Some(last) = page.last() else {
            self.at = At::End;
            self.end(&mut part);
            return Ok(part);
        };
        self.place = last.place.saturating_add(1);
        match (self.format, &mut self.proving) {
            (Format::Jsonl, Some(Proving { proofs: Some(proofs), .. })) => {
                let proofs = proofs.of(log, &page).await?;
                // What is not signed yet cannot be proven, and is left out.
                for (logged, proof) in page.iter().zip(&proofs).filter(|(_, proof)| proof.is_some()) {
                    if self.proving.as_ref().is_some_and(|proving| proving.has(&logged.entry)) {
                        push_entry(logged.place, &logged.entry, logged.leaf, proof.as_deref(), &mut part);
                    }
                }
            }
            (Format::Jsonl, _) => {
                for logged in &page {
                    push_entry(logged.place, &logged.entry, logged.leaf, None, &mut part);
                }
            }
            (Format::Csv | Format::Json, _) => page.iter().try_for_each(|logged| self.entry(logged, &mut part))?,
        }
        Ok(part)
    }

    fn entry(&mut self, logged: &Logged, to: &mut String) -> Result<(), NoEvent> {
        let ended = logged.entry.recorded()?.and_then(|recorded| self.calls.take(recorded));
        if let Some(row) = ended.filter(|row| self.filter.lets(row)) {
            self.row(row, to);
        }
        Ok(())
    }

    fn row(&mut self, row: CallRow, to: &mut String) {
        if self.format == Format::Csv {
            csv::push_row(row.fields().iter().map(String::as_str), to);
        } else {
            to.push_str(if self.rows > 0 { ",\n" } else { "" });
            to.push_str(&serde_json::to_string(&CallBody::from(row)).unwrap_or_default());
        }
        self.rows += 1;
    }

    /// What has not ended comes last.
    fn end(&mut self, to: &mut String) {
        let open = std::mem::take(&mut self.calls).open();
        for row in open.into_iter().filter(|row| self.filter.lets(row)).collect::<Vec<_>>() {
            self.row(row, to);
        }
        if self.format == Format::Json {
            to.push_str("\n]\n");
        }
    }
}

/// All that was signed.
async fn checkpoints(log: &dyn Log, to: &mut String) -> Result<(), StoreError> {
    let mut over = 0;
    loop {
        let page = log.checkpoints(over, MANY).await?;
        let Some(last) = page.last() else { return Ok(()) };
        over = last.size;
        for signed in page {
            push_checkpoint(&signed.note, to);
        }
    }
}
