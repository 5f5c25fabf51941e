//! A draft: what several inputs make of a run, one after the other, before anything is saved.

use super::advance::take_in;
use super::{Event, Input, Refused, Run};
use jiff::Timestamp;

/// A run that has moved on, and the events by which it did. They are saved together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The run as it would be.
    pub run: Run,
    /// How many events are saved.
    pub seen: u64,
    /// Those that are not.
    pub events: Vec<Event>,
}

impl Draft {
    /// Nothing new yet.
    pub fn of(run: Run) -> Self {
        Self { seen: run.seq, run, events: vec![] }
    }

    /// Takes `input` in. What is refused leaves no draft behind.
    pub fn take(mut self, input: Input, now: Timestamp) -> Result<Self, Refused> {
        let events = take_in(&mut self.run, input, now)?;
        self.events.extend(events);
        Ok(self)
    }
}
