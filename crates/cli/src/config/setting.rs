//! A text in the configuration that may speak of the environment: `${NAME}`.

use crate::failure::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

/// A text in which `${NAME}` stands for an environment variable. It may hold a secret, so it is never printed.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Setting(String);

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Setting(…)")
    }
}

impl Setting {
    /// Whether it speaks of the environment.
    pub fn is_from_environment(&self) -> bool {
        self.0.contains("${")
    }

    /// What it says, with the environment filled in. An error names the variable, never a value.
    pub fn expand(&self, place: &str) -> Result<String, Failure> {
        self.filled().map_err(|name| {
            Failure::new(format!("`{place}` speaks of the environment variable `{name}`, which is not set"))
        })
    }

    /// The same; an error is the name of the variable that is not set.
    pub fn filled(&self) -> Result<String, String> {
        let (mut whole, mut rest) = (String::new(), self.0.as_str());
        while let Some((before, after)) = rest.split_once("${") {
            whole.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            whole.push_str(&std::env::var(name).map_err(|_| name.to_owned())?);
            rest = after;
        }
        whole.push_str(rest);
        Ok(whole)
    }

    /// The environment variables that it speaks of.
    pub fn variables(&self) -> Vec<&str> {
        self.0.split("${").skip(1).filter_map(|rest| rest.split('}').next()).collect()
    }

    /// The value of the environment variable `name`.
    pub fn of_environment(name: &str) -> Self {
        Self(format!("${{{name}}}"))
    }

    /// Whether it is an address of the web, or may be one.
    pub fn may_be_url(&self) -> bool {
        self.is_from_environment() || self.0.starts_with("https://") || self.0.starts_with("http://")
    }
}

impl TryFrom<String> for Setting {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or("`${` is not closed by `}`")?;
            let plain = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            if name.is_empty() || !plain || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err("`${…}` must hold the name of an environment variable, as in `${OPENAI_API_KEY}`".into());
            }
            rest = after;
        }
        Ok(Self(text))
    }
}
