//! Replies: what a person filled into a form, held against it part by part.

use super::form::{Choice, Field, Form};
use crate::secret::unmask_text;
use serde::{Deserialize, Serialize};

/// What was filled in. Which member is expected the form says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// To an input: the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// To a select: what was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_values: Option<Vec<String>>,
    /// To a confirm: yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// To a combined form: a reply to each part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Vec<Part>>,
}

/// A reply to one part of a combined form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The part's id.
    pub request_id: String,
    /// To an input: the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// To a select: what was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_values: Option<Vec<String>>,
    /// To a confirm: yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// To a combined form: a reply to each part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Vec<Part>>,
}

impl Part {
    pub(super) fn choose(&mut self, get: &dyn Fn(&str) -> Option<String>) {
        self.selected_values.iter_mut().flatten().for_each(|value| unmask_text(value, get));
        self.responses.iter_mut().flatten().for_each(|part| part.choose(get));
    }
}

/// The longest text of a reply, in bytes.
pub const LONGEST_REPLY: usize = 100_000;

/// Why a reply does not fit its form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Misfit {
    /// The part, after those that it is in. Empty for the form itself.
    pub place: Vec<String>,
    /// What does not fit, and what would.
    pub why: String,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.place.iter().try_for_each(|part| write!(f, "`{part}`: "))?;
        f.write_str(&self.why)
    }
}

impl Reply {
    /// Whether nothing was filled in.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Holds the reply against `form`. All that is required is there, nothing is of another kind, nothing was chosen that
    /// was not offered.
    pub fn fits(&self, form: &Form, required: bool) -> Result<(), Misfit> {
        let filled = Filled {
            text: self.text.as_deref(),
            values: self.selected_values.as_deref(),
            confirmed: self.confirmed,
            parts: self.responses.as_deref(),
        };
        filled.fits(form, required, &mut vec![])
    }
}

/// What was filled in, at any depth.
#[derive(Clone, Copy)]
struct Filled<'a> {
    text: Option<&'a str>,
    values: Option<&'a [String]>,
    confirmed: Option<bool>,
    parts: Option<&'a [Part]>,
}

impl<'a> From<&'a Part> for Filled<'a> {
    fn from(part: &'a Part) -> Self {
        Self {
            text: part.text.as_deref(),
            values: part.selected_values.as_deref(),
            confirmed: part.confirmed,
            parts: part.responses.as_deref(),
        }
    }
}

impl Filled<'_> {
    /// Recursive as the form is, which was checked to be shallow when it was made; the reply only follows it.
    fn fits(self, form: &Form, required: bool, place: &mut Vec<String>) -> Result<(), Misfit> {
        let wrong = |why: String, place: &[String]| Err(Misfit { place: place.to_vec(), why });
        if let Some(odd) = self.odd(form) {
            return wrong(format!("this is a `{}`: it takes no `{odd}`", form.word()), place);
        }
        match form {
            Form::Input { multiline, .. } => match self.text {
                Some(text) if text.len() > LONGEST_REPLY => {
                    wrong(format!("`text` is longer than {LONGEST_REPLY} bytes"), place)
                }
                Some(text) if !multiline && text.contains('\n') => wrong("`text` must be one line".into(), place),
                None => missing("text", required, place),
                Some(text) if required && text.trim().is_empty() => wrong("`text` is empty".into(), place),
                Some(_) => Ok(()),
            },
            Form::Select { options, multiple } => match self.values {
                None => missing("selected_values", required, place),
                Some([]) if required => wrong("nothing is chosen in `selected_values`".into(), place),
                Some([_, _, ..]) if !multiple => wrong("only one of the options may be chosen".into(), place),
                Some(values) => chosen(values, options).or_else(|why| wrong(why, place)),
            },
            Form::Confirm { .. } if self.confirmed.is_none() => missing("confirmed", required, place),
            Form::Confirm { .. } => Ok(()),
            Form::Combined { interactions } => match self.parts {
                None if interactions.iter().any(|field| field.required) => missing("responses", required, place),
                parts => parts_fit(parts.unwrap_or_default(), interactions, required, place),
            },
        }
    }

    /// A member that `form` does not take.
    fn odd(self, form: &Form) -> Option<&'static str> {
        let given = [
            ("text", self.text.is_some(), matches!(form, Form::Input { .. })),
            ("selected_values", self.values.is_some(), matches!(form, Form::Select { .. })),
            ("confirmed", self.confirmed.is_some(), matches!(form, Form::Confirm { .. })),
            ("responses", self.parts.is_some(), matches!(form, Form::Combined { .. })),
        ];
        given.into_iter().find(|(_, given, taken)| *given && !taken).map(|(name, ..)| name)
    }
}

fn parts_fit(parts: &[Part], fields: &[Field], required: bool, place: &mut Vec<String>) -> Result<(), Misfit> {
    for (i, part) in parts.iter().enumerate() {
        let wrong = |why: String| Err(Misfit { place: place.clone(), why });
        let id = &part.request_id;
        if !fields.iter().any(|field| field.id == *id) {
            return wrong(format!("there is no part `{}` to reply to", id.chars().take(200).collect::<String>()));
        }
        if parts.iter().take(i).any(|before| before.request_id == *id) {
            return wrong(format!("`{id}` is replied to twice"));
        }
    }
    // Nothing at all is a reply to what need not be filled in.
    if parts.is_empty() && !required {
        return Ok(());
    }
    for field in fields {
        place.push(field.id.clone());
        match parts.iter().find(|part| part.request_id == field.id) {
            Some(part) => Filled::from(part).fits(&field.form, field.required, place)?,
            None if field.required => {
                return Err(Misfit { place: place.clone(), why: "it is required, and there is no reply to it".into() });
            }
            None => {}
        }
        place.pop();
    }
    Ok(())
}

fn chosen(values: &[String], options: &[Choice]) -> Result<(), String> {
    for (i, value) in values.iter().enumerate() {
        let shown: String = value.chars().take(200).collect();
        if !options.iter().any(|choice| choice.value == *value) {
            let known: Vec<_> = options.iter().take(20).map(|choice| choice.value.as_str()).collect();
            return Err(format!("`{shown}` is not among the options: `{}`", known.join("`, `")));
        }
        if values.iter().take(i).any(|before| before == value) {
            return Err(format!("`{shown}` is chosen twice"));
        }
    }
    Ok(())
}

fn missing(what: &str, required: bool, place: &[String]) -> Result<(), Misfit> {
    if required { Err(Misfit { place: place.to_vec(), why: format!("`{what}` is missing") }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn form(value: Value) -> Form {
        let form: Form = serde_json::from_value(value).unwrap();
        form.check().unwrap();
        form
    }

    /// A combined form within a combined form, with one of each kind.
    fn nested() -> Form {
        form(json!({"type": "combined", "interactions": [
            {"id": "name", "title": "Name", "type": "input"},
            {"id": "note", "title": "Note", "type": "input", "multiline": true, "required": false},
            {"id": "more", "title": "More", "type": "combined", "interactions": [
                {"id": "size", "title": "Size", "type": "select", "options": [
                    {"value": "s", "label": "small"}, {"value": "l", "label": "large"}]},
                {"id": "extras", "title": "Extras", "type": "select", "multiple": true, "required": false, "options": [
                    {"value": "a", "label": "a"}, {"value": "b", "label": "b"}]},
                {"id": "sure", "title": "Sure?", "type": "confirm"},
            ]},
        ]}))
    }

    fn more(size: &Value, rest: &[Value]) -> Value {
        let mut parts = vec![json!({"request_id": "size", "selected_values": size})];
        parts.extend_from_slice(rest);
        json!({"request_id": "more", "responses": parts})
    }

    fn told(parts: &[Value]) -> String {
        let reply: Reply = serde_json::from_value(json!({"responses": parts})).unwrap();
        reply.fits(&nested(), true).map_or_else(|misfit| misfit.to_string(), |()| "fits".into())
    }

    #[test]
    fn a_reply_is_held_against_its_form_part_by_part() {
        let name = json!({"request_id": "name", "text": "Kim"});
        let sure = json!({"request_id": "sure", "confirmed": false});
        let small = json!(["s"]);
        let cases: [(Vec<Value>, &str); 11] = [
            (vec![name.clone(), more(&small, std::slice::from_ref(&sure))], "fits"),
            (vec![name.clone()], "`more`: it is required, and there is no reply to it"),
            (vec![name.clone(), more(&small, &[])], "`more`: `sure`: it is required, and there is no reply to it"),
            (
                vec![name.clone(), more(&json!(["xl"]), std::slice::from_ref(&sure))],
                "`more`: `size`: `xl` is not among the options: `s`, `l`",
            ),
            (
                vec![name.clone(), more(&json!(["s", "l"]), std::slice::from_ref(&sure))],
                "`more`: `size`: only one of the options may be chosen",
            ),
            (
                vec![name.clone(), more(&json!([]), std::slice::from_ref(&sure))],
                "`more`: `size`: nothing is chosen in `selected_values`",
            ),
            (
                vec![name.clone(), more(&small, &[json!({"request_id": "sure", "text": "yes"})])],
                "`more`: `sure`: this is a `confirm`: it takes no `text`",
            ),
            (vec![json!({"request_id": "name", "text": " "})], "`name`: `text` is empty"),
            (vec![json!({"request_id": "name", "text": "a\nb"})], "`name`: `text` must be one line"),
            (vec![json!({"request_id": "nobody", "text": "x"})], "there is no part `nobody` to reply to"),
            (vec![name.clone(), name], "`name` is replied to twice"),
        ];
        for (parts, expected) in cases {
            assert_eq!(told(&parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn several_are_chosen_only_where_several_may_be_and_each_once() {
        let name = json!({"request_id": "name", "text": "Kim"});
        let sure = json!({"request_id": "sure", "confirmed": true});
        let extras = |values: Value| json!({"request_id": "extras", "selected_values": values});
        let of = |values| told(&[name.clone(), more(&json!(["l"]), &[sure.clone(), extras(values)])]);
        assert_eq!(of(json!(["a", "b"])), "fits");
        assert_eq!(of(json!([])), "fits", "what is not required may be left empty");
        assert_eq!(of(json!(["a", "a"])), "`more`: `extras`: `a` is chosen twice");
    }

    #[test]
    fn a_form_that_nobody_could_answer_is_refused() {
        let deep = (0..DEEP).fold(json!({"type": "input"}), |inner, _| {
            let mut field = inner;
            field["id"] = json!("x");
            field["title"] = json!("x");
            json!({"type": "combined", "interactions": [field]})
        });
        let cases = [
            (json!({"type": "select", "options": []}), "1 to 1000 things"),
            (
                json!({"type": "select", "options": [{"value": "a", "label": "1"}, {"value": "a", "label": "2"}]}),
                "two things",
            ),
            (json!({"type": "combined", "interactions": []}), "no parts"),
            (deep, "nested 8 deep"),
        ];
        for (value, expected) in cases {
            let form: Form = serde_json::from_value(value).unwrap();
            let error = form.check().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    const DEEP: usize = 9;
}
