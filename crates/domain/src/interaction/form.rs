//! Forms: what a person fills in. Input, select, confirm, and combined, which holds further ones.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is to be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Form {
    /// Words of one's own.
    Input {
        /// What stands in the empty field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
        /// Whether several lines are expected.
        #[serde(default)]
        multiline: bool,
    },
    /// One of several, or some of them.
    Select {
        /// What there is to choose from.
        options: Vec<Choice>,
        /// Whether more than one may be chosen.
        #[serde(default)]
        multiple: bool,
    },
    /// Yes or no.
    Confirm {
        /// The word on the button that says yes.
        #[serde(default = "yes")]
        confirm_text: String,
        /// The word on the button that says no.
        #[serde(default = "no")]
        cancel_text: String,
    },
    /// Several in one.
    Combined {
        /// The parts.
        interactions: Vec<Field>,
    },
}

/// One part of a combined form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// By which its reply names it.
    pub id: String,
    /// What it is about, in a line.
    pub title: String,
    /// What it is about, in a sentence or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be filled in.
    #[serde(default = "required")]
    pub required: bool,
    /// What is to be filled in.
    #[serde(flatten)]
    pub form: Form,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What a reply names it by.
    pub value: String,
    /// What people read.
    pub label: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

fn yes() -> String {
    "Yes".to_owned()
}

fn no() -> String {
    "No".to_owned()
}

const fn required() -> bool {
    true
}

/// The deepest that forms are nested.
pub const DEEPEST: usize = 8;
/// The most parts that a form has, at all depths together.
pub const MOST_FIELDS: usize = 100;
/// The most that can be chosen from.
pub const MOST_CHOICES: usize = 1_000;
/// The longest text of a form, in bytes.
pub const LONGEST_TEXT: usize = 10_000;

/// Why a form cannot be put to anybody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}`: {why}")]
pub struct BadForm {
    /// Which part of it; the parts on the way to it stand before it.
    pub place: String,
    /// What is wrong with it.
    pub why: String,
}

impl Form {
    /// The word for its kind.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Input { .. } => "input",
            Self::Select { .. } => "select",
            Self::Confirm { .. } => "confirm",
            Self::Combined { .. } => "combined",
        }
    }

    /// Whether it can be put to somebody, and be answered: within its limits, with something to choose, its parts told
    /// apart.
    pub fn check(&self) -> Result<(), BadForm> {
        let mut fields = 0;
        // An explicit stack: how deep it goes is for whoever wrote the form to say, not for our stack.
        let mut ahead = vec![(String::from("form"), self, 1_usize)];
        while let Some((place, form, depth)) = ahead.pop() {
            let wrong = |why: String| BadForm { place: place.clone(), why };
            if depth > DEEPEST {
                return Err(wrong(format!("forms are nested {DEEPEST} deep at the most")));
            }
            match form {
                Self::Input { placeholder, .. } => {
                    short(placeholder.as_deref().unwrap_or_default(), LONGEST_TEXT).map_err(&wrong)?;
                }
                Self::Confirm { confirm_text, cancel_text } => {
                    for text in [confirm_text, cancel_text] {
                        short(text, LONGEST_TEXT).map_err(&wrong)?;
                    }
                }
                Self::Select { options, .. } => choices(options).map_err(wrong)?,
                Self::Combined { interactions } => {
                    let mut ids = BTreeSet::new();
                    if interactions.is_empty() {
                        return Err(wrong("it has no parts".into()));
                    }
                    for field in interactions {
                        fields += 1;
                        if fields > MOST_FIELDS {
                            return Err(wrong(format!("a form has {MOST_FIELDS} parts at the most")));
                        }
                        if field.id.is_empty() || !ids.insert(&field.id) {
                            return Err(wrong(format!("each part needs an id of its own; `{}` is none", field.id)));
                        }
                        let place = format!("{place}.{}", field.id);
                        short(&field.id, 200).map_err(|why| BadForm { place: place.clone(), why })?;
                        for text in [Some(field.title.as_str()), field.description.as_deref()].into_iter().flatten() {
                            short(text, LONGEST_TEXT).map_err(|why| BadForm { place: place.clone(), why })?;
                        }
                        ahead.push((place, &field.form, depth + 1));
                    }
                }
            }
        }
        Ok(())
    }
}

fn choices(options: &[Choice]) -> Result<(), String> {
    if options.is_empty() || options.len() > MOST_CHOICES {
        return Err(format!("there must be 1 to {MOST_CHOICES} things to choose from, not {}", options.len()));
    }
    let mut values = BTreeSet::new();
    for choice in options {
        short(&choice.value, LONGEST_TEXT)?;
        short(&choice.label, LONGEST_TEXT)?;
        short(choice.description.as_deref().unwrap_or_default(), LONGEST_TEXT)?;
        if !values.insert(&choice.value) {
            return Err(format!("two things to choose have the value `{}`", choice.value));
        }
    }
    Ok(())
}

fn short(text: &str, longest: usize) -> Result<(), String> {
    if text.len() > longest { Err(format!("a text is longer than {longest} bytes")) } else { Ok(()) }
}
