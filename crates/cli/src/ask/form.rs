//! Forms, filled in at the terminal: one part after the other, each asked again until it fits.

use super::prompt::{line, lines};
use crate::output::{self, visible};
use countersign_domain::interaction::{Choice, Field, Form, Part, Reply};

/// What somebody made of a form.
#[derive(Debug, PartialEq, Eq)]
pub enum Filled {
    /// They filled it in.
    In(Reply),
    /// They would rather not, perhaps for a reason.
    Declined(Option<String>),
}

/// Fills in `form`. `None` once the terminal is closed.
pub async fn fill(form: &Form, required: bool) -> Option<Filled> {
    match form {
        Form::Combined { interactions } => combined(interactions, required).await,
        _ => part(form, required).await,
    }
}

/// One part that has none of its own.
async fn part(form: &Form, required: bool) -> Option<Filled> {
    let optional = if required { "" } else { ", or nothing" };
    loop {
        let given = match form {
            Form::Input { multiline: true, .. } => {
                lines(format!("  some lines, ended by an empty one{optional}:\n  ")).await?
            }
            Form::Input { placeholder, .. } => {
                let example = placeholder.as_ref().map(|text| format!(", such as │ {}", visible(text)));
                line(format!("  a line{optional}{}: ", example.unwrap_or_default())).await?
            }
            Form::Select { options, multiple } => {
                choices(options);
                let what = if *multiple { "numbers, with blanks between them" } else { "a number" };
                line(format!("  {what}{optional}: ")).await?
            }
            Form::Confirm { confirm_text, cancel_text } => {
                output::line(&format!("  y │ {}", visible(confirm_text)));
                output::line(&format!("  n │ {}", visible(cancel_text)));
                line(format!("  y or n{optional}: ")).await?
            }
            Form::Combined { .. } => return None,
        };
        if let Some(declined) = declined(&given) {
            return Some(declined);
        }
        let fitting = understood(form, &given).and_then(|reply| match reply.fits(form, required) {
            Ok(()) => Ok(reply),
            Err(misfit) => Err(misfit.to_string()),
        });
        match fitting {
            Ok(reply) => return Some(Filled::In(reply)),
            Err(why) => output::line(&format!("  {}", visible(&why))),
        }
    }
}

async fn combined(fields: &[Field], required: bool) -> Option<Filled> {
    if !required {
        let given = line("  fill this in? [y/N] ".into()).await?;
        if let Some(declined) = declined(&given) {
            return Some(declined);
        }
        if !matches!(given.trim(), "y" | "Y" | "yes") {
            return Some(Filled::In(Reply::default()));
        }
    }
    let mut parts = Vec::new();
    for Field { id, title, description, required, form } in fields {
        output::marked(title);
        output::marked(description.as_deref().unwrap_or_default());
        match Box::pin(fill(form, *required)).await? {
            Filled::Declined(reason) => return Some(Filled::Declined(reason)),
            Filled::In(reply) if reply.is_empty() => {}
            Filled::In(Reply { text, selected_values, confirmed, responses }) => {
                parts.push(Part { request_id: id.clone(), text, selected_values, confirmed, responses });
            }
        }
    }
    Some(Filled::In(Reply { responses: Some(parts), ..Reply::default() }))
}

fn choices(options: &[Choice]) {
    for (i, Choice { label, description, .. }) in options.iter().enumerate() {
        let more = description.as_ref().map(|text| format!(": {}", visible(text))).unwrap_or_default();
        output::line(&format!("  {:>2} │ {}{more}", i + 1, visible(label)));
    }
}

/// The reply that a line is. Nothing is no reply; whether there must be one the form says.
fn understood(form: &Form, given: &str) -> Result<Reply, String> {
    let nothing = Reply::default();
    if given.trim().is_empty() {
        return Ok(nothing);
    }
    match form {
        Form::Input { .. } | Form::Combined { .. } => Ok(Reply { text: Some(given.to_owned()), ..nothing }),
        Form::Confirm { .. } => match given.trim() {
            "y" | "Y" | "yes" => Ok(Reply { confirmed: Some(true), ..nothing }),
            "n" | "N" | "no" => Ok(Reply { confirmed: Some(false), ..nothing }),
            _ => Err("expected `y` or `n`".into()),
        },
        Form::Select { options, .. } => {
            let numbers = given.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            let chosen = numbers.map(|word| {
                let place = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let choice = place.and_then(|place| options.get(place));
                choice
                    .map(|choice| choice.value.clone())
                    .ok_or_else(|| format!("expected a number from 1 to {}, not `{word}`", options.len()))
            });
            Ok(Reply { selected_values: Some(chosen.collect::<Result<_, _>>()?), ..nothing })
        }
    }
}

/// `/decline`, and the reason after it.
fn declined(given: &str) -> Option<Filled> {
    let rest = given.trim().strip_prefix("/decline")?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    Some(Filled::Declined(Some(rest.trim().to_owned()).filter(|reason| !reason.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(form: Value, given: &str) -> String {
        let form: Form = serde_json::from_value(form).unwrap();
        let reply = understood(&form, given).and_then(|reply| {
            reply.fits(&form, true).map_err(|misfit| misfit.to_string())?;
            serde_json::to_string(&reply).map_err(|error| error.to_string())
        });
        reply.unwrap_or_else(|why| why)
    }

    #[test]
    fn a_line_is_read_as_its_form_expects() {
        let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
        let one = json!({"type": "select", "options": options});
        let some = json!({"type": "select", "options": options, "multiple": true});
        let (input, confirm) = (json!({"type": "input"}), json!({"type": "confirm"}));
        let cases = [
            (&input, " Kim ", r#"{"text":" Kim "}"#),
            (&input, " ", "`text` is missing"),
            (&one, "2", r#"{"selected_values":["b"]}"#),
            (&one, "1 2", "only one of the options may be chosen"),
            (&one, "0", "expected a number from 1 to 2, not `0`"),
            (&one, "b", "expected a number from 1 to 2, not `b`"),
            (&some, "2, 1", r#"{"selected_values":["b","a"]}"#),
            (&some, "1 1", "`a` is chosen twice"),
            (&confirm, "n", r#"{"confirmed":false}"#),
            (&confirm, "maybe", "expected `y` or `n`"),
            (&confirm, "", "`confirmed` is missing"),
        ];
        for (form, given, expected) in cases {
            assert_eq!(read(form.clone(), given), expected, "{given:?} to {form}");
        }
    }

    #[test]
    fn declining_takes_a_word_of_its_own() {
        assert_eq!(declined("/decline"), Some(Filled::Declined(None)));
        assert_eq!(declined("/decline not now "), Some(Filled::Declined(Some("not now".into()))));
        assert_eq!(declined("/declined"), None);
        assert_eq!(declined("decline"), None);
    }
}
