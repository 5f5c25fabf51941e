//! A row of `events`.

use super::Place;
use crate::{json, time};
use countersign_domain::RunId;
use countersign_domain::run::{Event, Recorded};
use countersign_runtime::ports::StoreError;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::Value;

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
        Ok(Self {
            seq: place.column(seq)?,
            at: time::column(at),
            step,
            kind: event.word().to_owned(),
            data: data(event).map_err(|why| place.wrong(why))?,
        })
    }

    /// The event of `run` that it is.
    pub fn of(self, run: RunId) -> Result<Recorded, StoreError> {
        let name = format!("{run}/{}", self.seq);
        let place = Place { table: "events", row: &name };
        let data = json::parse(&self.data).map_err(|why| place.wrong(why))?;
        // The type first: then the data are read as what they are, and not kept until it is known.
        let whole = [("type", Value::String(self.kind)), ("data", data)];
        Ok(Recorded {
            run,
            seq: place.count(self.seq)?,
            at: place.time(self.at)?,
            step: self.step,
            event: Event::deserialize(MapDeserializer::new(whole.into_iter()))
                .map_err(|error: serde_json::Error| place.wrong(error))?,
        })
    }
}

/// What is stored of an event beside its type.
fn data(event: &Event) -> Result<String, String> {
    // In canonical text the data come first, and the type is a plain word.
    let mut whole = json::text_of(event)?;
    let (begin, end) = ("{\"data\":", format!(",\"type\":\"{}\"}}", event.word()));
    let data = whole.strip_prefix(begin).and_then(|rest| rest.strip_suffix(&end)).map(str::len);
    let data = data.ok_or("it is not written as a type and its data")?;
    whole.truncate(begin.len() + data);
    whole.drain(..begin.len());
    Ok(whole)
}
