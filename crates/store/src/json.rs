//! JSON as it is stored: canonical text, read back by the strict reader.
//!
//! A lenient reader rounds some numbers, and a call whose arguments were rounded has another digest than the one that was
//! approved.

use countersign_domain::canonical::{Limits, canonical, read};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The text to store for `value`. Fails on what could not be read again: better no step than a run that cannot be loaded.
pub fn write(value: &Value) -> Result<String, String> {
    let text = canonical(value);
    parse(&text)?;
    Ok(text)
}

/// The text to store for `thing`.
pub fn text_of(thing: &impl Serialize) -> Result<String, String> {
    write(&serde_json::to_value(thing).map_err(|error| error.to_string())?)
}

/// The value that a stored text holds.
pub fn parse(text: &str) -> Result<Value, String> {
    read(text.as_bytes(), Limits::DOCUMENT).map_err(|error| error.to_string())
}

/// The thing that a stored text holds.
pub fn thing_in<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(parse(text)?).map_err(|error| error.to_string())
}
