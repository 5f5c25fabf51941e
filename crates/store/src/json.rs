//! JSON as it is stored: canonical text, read back by the strict reader.
//!
//! A lenient reader rounds some numbers, and a call whose arguments were rounded has another digest than the one that was
//! approved.

use countersign_domain::canonical::{self, Limits, Text, read};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The text to store for `thing`. Fails on what could not be read again: better no step than a run that cannot be loaded.
pub fn text_of(thing: &impl Serialize) -> Result<String, String> {
    let written = canonical::text_of(thing).map_err(|error| error.to_string())?;
    if !is_readable(&written) {
        parse(&written.text)?;
    }
    Ok(written.text)
}

/// Whether there is nothing in a text that the reader could refuse: texts and keys are always read back. The reader itself
/// has the last word, but is asked only where this is not so.
pub fn is_readable(written: &Text) -> bool {
    written.is_plain && written.depth <= Limits::DOCUMENT.depth && written.text.len() <= Limits::DOCUMENT.bytes
}

/// The value that a stored text holds.
pub fn parse(text: &str) -> Result<Value, String> {
    read(text.as_bytes(), Limits::DOCUMENT).map_err(|error| error.to_string())
}

/// The thing that a stored text holds.
pub fn thing_in<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(parse(text)?).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::canonical::canonical;
    use proptest::prelude::*;
    use serde_json::{Number, json};

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| json!([inner]))
    }

    #[test]
    fn what_the_reader_refuses_is_not_written() {
        for refused in [json!(1_u64 << 53), json!(i64::MIN), json!(u64::MAX), json!(1e20), json!({"a": [1_u64 << 60]})]
        {
            assert!(text_of(&refused).is_err(), "{refused}");
        }
        assert!(text_of(&nested(Limits::DOCUMENT.depth)).is_ok());
        assert!(text_of(&nested(Limits::DOCUMENT.depth + 1)).is_err());
    }

    fn value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Number::from),
            any::<u64>().prop_map(Number::from),
            any::<f64>().prop_filter_map("a number", Number::from_f64),
            (-(1_i64 << 53) - 2..=(1 << 53) + 2).prop_map(Number::from),
            (0_i64..100).prop_map(Number::from),
        ];
        let text = prop_oneof![any::<String>(), "[\\PC\u{0}-\u{1f}\"\\\\]{0,8}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number.prop_map(Value::Number),
            text.clone().prop_map(Value::String),
        ];
        leaf.prop_recursive(6, 64, 8, move |inner| {
            let members = prop::collection::hash_map(text.clone(), inner.clone(), 0..8);
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(Value::Array),
                members.prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whether or not the reader is asked, it would say the same.
        #[test]
        fn what_is_written_can_be_read_and_what_cannot_is_refused(value in value()) {
            let text = canonical(&value);
            prop_assert_eq!(text_of(&value).is_ok(), parse(&text).is_ok());
            if is_readable(&canonical::text_of(&value).unwrap()) {
                prop_assert_eq!(parse(&text), Ok(value));
            }
        }
    }
}
