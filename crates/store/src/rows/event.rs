//! A row of `events`.

use super::Place;
use crate::{json, time};
use countersign_domain::RunId;
use countersign_domain::run::{Event, Recorded};
use countersign_runtime::ports::StoreError;
use jiff::Timestamp;
use serde_json::{Value, json};

/// One event, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    pub run: String,
    pub seq: i64,
    pub at: i64,
    pub step: Option<u32>,
    pub kind: String,
    pub data: String,
}

impl EventRow {
    /// The row for `event`.
    pub fn new(run: RunId, seq: u64, at: Timestamp, step: Option<u32>, event: &Event) -> Result<Self, StoreError> {
        let row = format!("{run}/{seq}");
        let place = Place { table: "events", row: &row };
        let mut whole = serde_json::to_value(event).map_err(|error| place.wrong(error))?;
        let data = whole.get_mut("data").map_or(Value::Null, Value::take);
        Ok(Self {
            run: run.to_string(),
            seq: place.column(seq)?,
            at: time::column(at),
            step,
            kind: event.word().to_owned(),
            data: json::write(&data).map_err(|why| place.wrong(why))?,
        })
    }
}

impl TryFrom<EventRow> for Recorded {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let name = format!("{}/{}", row.run, row.seq);
        let place = Place { table: "events", row: &name };
        let data = json::parse(&row.data).map_err(|why| place.wrong(why))?;
        let whole = json!({"type": row.kind, "data": data});
        Ok(Self {
            run: place.parse(&row.run)?,
            seq: place.count(row.seq)?,
            at: place.time(row.at)?,
            step: row.step,
            event: serde_json::from_value(whole).map_err(|error| place.wrong(error))?,
        })
    }
}
