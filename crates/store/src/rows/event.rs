//! A row of `events`.

use super::Place;
use crate::vault::Vault;
use crate::{json, time};
use countersign_domain::RunId;
use countersign_domain::audit::{Entry, Hash, Payload, Stream};
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
    pub payload: Payload,
    pub leaf: Hash,
}

impl EventRow {
    /// The row for `event` of `run`.
    pub fn new(
        run: RunId,
        seq: u64,
        at: Timestamp,
        step: Option<u32>,
        event: Event,
        salt: [u8; 16],
    ) -> Result<Self, StoreError> {
        let row = format_args!("{run}/{seq}");
        let place = Place { table: "events", row: &row };
        let (kind, data, payload) = parted(event, salt).map_err(|why| place.wrong(why))?;
        let entry = Entry { of: Stream::Run(run), seq, at, step, kind, data, payload };
        let leaf = entry.leaf().0;
        let Entry { kind, data, payload, .. } = entry;
        Ok(Self { seq: place.column(seq)?, at: time::column(at), step, kind, data, payload, leaf })
    }

    /// The event of `run` that it is.
    pub fn of(self, run: RunId) -> Result<Recorded, StoreError> {
        let name = format_args!("{run}/{}", self.seq);
        let place = Place { table: "events", row: &name };
        Ok(Recorded {
            run,
            seq: place.count(self.seq)?,
            at: place.time(self.at)?,
            step: self.step,
            event: joined(&self.kind, &self.data, &self.payload).map_err(|why| place.wrong(why))?,
        })
    }

    /// The same, with the secrets that are sealed beside it.
    pub fn unmasked(self, run: RunId, sealed: Option<&[u8]>, vault: &Vault) -> Result<Recorded, StoreError> {
        let seq = self.seq;
        let mut recorded = self.of(run)?;
        if let Some(sealed) = sealed {
            vault.unmask(run, seq, sealed, &mut recorded.event)?;
        }
        Ok(recorded)
    }

    /// The entry of the log that it is.
    pub fn entry(self, of: Stream) -> Result<Entry, StoreError> {
        let name = format_args!("{of}/{}", self.seq);
        let place = Place { table: "events", row: &name };
        Ok(Entry {
            of,
            seq: place.count(self.seq)?,
            at: place.time(self.at)?,
            step: self.step,
            kind: self.kind,
            data: self.data,
            payload: self.payload,
        })
    }

    /// Whether it says the same, though it may have been hashed otherwise.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let words = |row: &Self| columns(&row.payload).0.map(ToOwned::to_owned);
        (self.seq, self.step, &self.kind, &self.data) == (other.seq, other.step, &other.kind, &other.data)
            && words(self) == words(other)
    }
}

/// The word, the skeleton and the texts of an event.
fn parted(mut event: Event, salt: [u8; 16]) -> Result<(String, String, Payload), String> {
    let texts = event.take_texts();
    let payload = if texts.is_empty() { Payload::None } else { Payload::Kept { salt, texts: json::text_of(&texts)? } };
    Ok((event.word().to_owned(), data(&event)?, payload))
}

/// The event of these halves.
pub fn joined(kind: &str, data: &str, payload: &Payload) -> Result<Event, String> {
    // The type first: then the data are read as what they are, and not kept until it is known.
    let whole = [("type", Value::from(kind)), ("data", json::parse(data)?)];
    let mut event = Event::deserialize(MapDeserializer::new(whole.into_iter()))
        .map_err(|error: serde_json::Error| error.to_string())?;
    match payload {
        Payload::None => event.put_texts(vec![]),
        Payload::Kept { texts, .. } => event.put_texts(json::thing_in(texts)?),
        Payload::Erased { .. } => {
            event.put_erased();
            Ok(())
        }
    }
    .map_err(|wrong| wrong.to_string())?;
    Ok(event)
}

/// What these columns hold: the texts and their salt, or the commitment to texts that were erased.
pub fn payload(texts: Option<String>, salt: Option<&[u8]>, commitment: Option<&[u8]>) -> Option<Payload> {
    Some(match (texts, salt, commitment) {
        (None, None, None) => Payload::None,
        (Some(texts), Some(salt), None) => Payload::Kept { texts, salt: salt.try_into().ok()? },
        (None, None, Some(commitment)) => Payload::Erased { commitment: commitment.try_into().ok()? },
        _ => return None,
    })
}

/// The columns for texts and salt.
pub fn columns(payload: &Payload) -> (Option<&str>, Option<&[u8]>) {
    match payload {
        Payload::Kept { texts, salt } => (Some(texts), Some(salt)),
        Payload::None | Payload::Erased { .. } => (None, None),
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
