//! Entries of runs as the events that they are.

use super::entry::{Entry, Payload, Stream};
use super::reading;
use crate::run::{Event, Recorded};

/// An entry that is no event of a run, or none that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} of {of} cannot be read: {why}")]
pub struct NoEvent {
    /// The stream.
    pub of: Stream,
    /// The place in it.
    pub seq: u64,
    /// Why not.
    pub why: String,
}

impl Entry {
    /// The event that it is, with what was written in it; `None` if it happened outside of runs.
    pub fn recorded(&self) -> Result<Option<Recorded>, NoEvent> {
        let Stream::Run(run) = self.of else { return Ok(None) };
        let event = written(self).map_err(|why| NoEvent { of: self.of, seq: self.seq, why })?;
        Ok(Some(Recorded { run, seq: self.seq, at: self.at, step: self.step, event }))
    }
}

/// The event of both halves.
fn written(entry: &Entry) -> Result<Event, String> {
    let mut event = reading::event(entry).ok_or_else(|| format!("its data are those of no `{}`", entry.kind))?;
    let texts = match &entry.payload {
        Payload::None => vec![],
        Payload::Kept { texts, .. } => serde_json::from_str(texts).map_err(|error| error.to_string())?,
        Payload::Erased { .. } => {
            event.put_erased();
            return Ok(event);
        }
    };
    event.put_texts(texts).map_err(|wrong| wrong.to_string())?;
    Ok(event)
}
