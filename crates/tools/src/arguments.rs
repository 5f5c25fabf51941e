//! The arguments of a call: what is not understood is refused, never guessed.

use countersign_domain::Call;
use serde_json::Value;

/// The arguments of a call, all of which the tool knows.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<'a>(&'a Call);

impl<'a> Arguments<'a> {
    /// The arguments of `call`, whose tool knows only these.
    pub fn of(call: &'a Call, known: &[&str]) -> Result<Self, String> {
        match call.args().keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("`{}` does not know the argument `{key}`. Nothing was done.", call.tool())),
            None => Ok(Self(call)),
        }
    }

    /// A text.
    pub fn text(self, name: &str) -> Result<Option<&'a str>, String> {
        self.given(name).map(|value| value.as_str().ok_or_else(|| wrong(name, "a text"))).transpose()
    }

    /// A whole number of at least 1.
    pub fn count(self, name: &str) -> Result<Option<u64>, String> {
        let count = |value: &Value| value.as_u64().filter(|count| *count > 0);
        self.given(name)
            .map(|value| count(value).ok_or_else(|| wrong(name, "a whole number of at least 1")))
            .transpose()
    }

    /// A yes or no; no where it is not given.
    pub fn flag(self, name: &str) -> Result<bool, String> {
        self.given(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(|| wrong(name, "`true` or `false`")))
    }

    /// Models write `null` for what they leave out.
    fn given(self, name: &str) -> Option<&'a Value> {
        self.0.args().get(name).filter(|value| !value.is_null())
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("The argument `{name}` must be {expected}. Nothing was done.")
}
