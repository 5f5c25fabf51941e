//! Reading an entry of a run: its kind and its data are an event.

use crate::audit::entry::Entry;
use crate::run::Event;
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, MapAccess};
use serde_json::de::StrRead;

/// The event that an entry of a run is. Its data must be one JSON value and nothing else: with more after it the line of
/// the entry would have keys that another reader may take for the true ones.
pub(super) fn event(entry: &Entry) -> Option<Event> {
    let mut data = serde_json::Deserializer::from_str(&entry.data);
    let parts = Parts { kind: &entry.kind, data: &mut data, next: Some(Part::Kind) };
    let event = Event::deserialize(MapAccessDeserializer::new(parts)).ok()?;
    data.end().ok().map(|()| event)
}

/// An entry as the object that an event is read from: `type`, then `data`.
struct Parts<'a, 'de> {
    kind: &'de str,
    data: &'a mut serde_json::Deserializer<StrRead<'de>>,
    next: Option<Part>,
}

#[derive(Clone, Copy)]
enum Part {
    Kind,
    Data,
}

impl<'de> MapAccess<'de> for Parts<'_, 'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        let Some(part) = self.next else { return Ok(None) };
        let key = match part {
            Part::Kind => "type",
            Part::Data => "data",
        };
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Self::Error> {
        if let Some(Part::Kind) = self.next {
            self.next = Some(Part::Data);
            return seed.deserialize(BorrowedStrDeserializer::new(self.kind));
        }
        self.next = None;
        seed.deserialize(&mut *self.data)
    }
}
