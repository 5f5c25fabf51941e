//! A row of `events`.

use super::Place;
use crate::{json, time};
use countersign_domain::RunId;
use countersign_domain::run::{Event, Recorded};
use countersign_runtime::ports::StoreError;
use jiff::Timestamp;
use serde_json::{Value, json};

/// One event, as it is stored. Whose it is stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    pub seq: i64,
    pub at: i64,
    pub step: Option<u32>,
    pub kind: String,
    pub data: String,
}

impl EventRow {
    /// The row for `event` of `run`.
    pub fn new(run: RunId, seq: u64, at: Timestamp, step: Option<u32>, event: &Event) -> Result<Self, StoreError> {
        let row = format!("{run}/{seq}");
        let place = Place { table: "events", row: &row };
        let mut whole = serde_json::to_value(event).map_err(|error| place.wrong(error))?;
        let data = whole.get_mut("data").map_or(Value::Null, Value::take);
        Ok(Self {
            seq: place.column(seq)?,
            at: time::column(at),
            step,
            kind: event.word().to_owned(),
            data: json::write(&data).map_err(|why| place.wrong(why))?,
        })
    }

    /// The event of `run` that it is.
    pub fn of(self, run: RunId) -> Result<Recorded, StoreError> {
        let name = format!("{run}/{}", self.seq);
        let place = Place { table: "events", row: &name };
        let data = json::parse(&self.data).map_err(|why| place.wrong(why))?;
        let whole = json!({"type": self.kind, "data": data});
        Ok(Recorded {
            run,
            seq: place.count(self.seq)?,
            at: place.time(self.at)?,
            step: self.step,
            event: serde_json::from_value(whole).map_err(|error| place.wrong(error))?,
        })
    }
}
