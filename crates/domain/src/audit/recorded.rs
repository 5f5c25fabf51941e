//! Entries of runs as the events that they are.

use super::entry::{Entry, Payload, Stream};
use crate::run::{Event, Recorded};
use serde_json::{Value, json};

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
        let event = event(&self.kind, &self.data, &self.payload);
        let event = event.map_err(|why| NoEvent { of: self.of, seq: self.seq, why })?;
        Ok(Some(Recorded { run, seq: self.seq, at: self.at, step: self.step, event }))
    }
}

/// The event of these halves.
fn event(kind: &str, data: &str, payload: &Payload) -> Result<Event, String> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    let mut event: Event =
        serde_json::from_value(json!({"type": kind, "data": read(data)?})).map_err(|error| error.to_string())?;
    let texts = match payload {
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
