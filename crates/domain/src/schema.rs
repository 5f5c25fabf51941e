//! Arguments, held against the JSON Schema of their tool.
//!
//! The keywords that tools use: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, bounds of
//! numbers, texts and lists, `anyOf`, `oneOf`, `allOf`, and `$ref` within the schema. Others are passed over: whoever executes
//! the call has the last word on its arguments.

use serde_json::{Map, Value};

/// Why arguments do not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}`: {why}")]
pub struct Misfitting {
    /// Where: `options[2].value`.
    pub place: String,
    /// What does not fit, and what would.
    pub why: String,
}

/// The deepest that a schema is followed: one that refers to itself ends.
const DEEPEST: usize = 64;

/// Holds `args` against `schema`.
pub fn fits(args: &Map<String, Value>, schema: &Value) -> Result<(), Misfitting> {
    let root = Reading { root: schema, depth: 0 };
    root.fits(&Value::Object(args.clone()), schema, "args")
}

#[derive(Clone, Copy)]
struct Reading<'a> {
    root: &'a Value,
    depth: usize,
}

impl<'a> Reading<'a> {
    fn fits(self, value: &Value, schema: &'a Value, place: &str) -> Result<(), Misfitting> {
        let wrong = |why: String| Err(Misfitting { place: place.to_owned(), why });
        let Value::Object(schema) = schema else {
            return if *schema == Value::Bool(false) { wrong("nothing fits here".into()) } else { Ok(()) };
        };
        if self.depth > DEEPEST {
            return wrong("its schema refers to itself too deeply".into());
        }
        let below = Self { depth: self.depth + 1, ..self };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            let Some(target) = target else { return wrong("its schema refers to what is not there".into()) };
            below.fits(value, target, place)?;
        }
        if let Some(why) = of_another_type(value, schema).or_else(|| not_listed(value, schema)) {
            return wrong(why);
        }
        if let Some(why) = out_of_bounds(value, schema) {
            return wrong(why);
        }
        below.all_and_any(value, schema, place)?;
        match value {
            Value::Object(members) => below.members(members, schema, place),
            Value::Array(items) => {
                let Some(each) = schema.get("items") else { return Ok(()) };
                items.iter().enumerate().try_for_each(|(i, item)| below.fits(item, each, &format!("{place}[{i}]")))
            }
            _ => Ok(()),
        }
    }

    fn members(
        self,
        members: &Map<String, Value>,
        schema: &'a Map<String, Value>,
        place: &str,
    ) -> Result<(), Misfitting> {
        let wrong = |why: String| Err(Misfitting { place: place.to_owned(), why });
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for name in required {
            if !members.contains_key(name) {
                return wrong(format!("`{name}` is missing"));
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, value) in members {
            let inner = format!("{place}.{name}");
            match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(each), _) | (None, Some(each @ Value::Object(_))) => self.fits(value, each, &inner)?,
                (None, Some(Value::Bool(false))) => return wrong(format!("there is no `{name}`")),
                (None, _) => {}
            }
        }
        Ok(())
    }

    fn all_and_any(self, value: &Value, schema: &'a Map<String, Value>, place: &str) -> Result<(), Misfitting> {
        let list = |key: &str| schema.get(key).and_then(Value::as_array).map(Vec::as_slice);
        for each in list("allOf").into_iter().flatten() {
            self.fits(value, each, place)?;
        }
        for (key, most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
            let Some(choices) = list(key) else { continue };
            let fitting = choices.iter().filter(|each| self.fits(value, each, place).is_ok()).count();
            if fitting == 0 || fitting > most {
                let why = format!("it fits {fitting} of the {} ways in which it can be written", choices.len());
                return Err(Misfitting { place: place.to_owned(), why });
            }
        }
        Ok(())
    }
}

fn of_another_type(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let wanted: Vec<_> = match schema.get("type")? {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let is = |kind: &&str| match *kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    (!wanted.iter().any(is)).then(|| format!("it must be of the type `{}`", wanted.join("` or `")))
}

fn not_listed(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    if schema.get("const").is_some_and(|only| only != value) {
        return Some("only one value fits here, and it is another one".into());
    }
    let listed = schema.get("enum")?.as_array()?;
    let words = || listed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (!listed.contains(value)).then(|| format!("it must be one of {}", words()))
}

fn out_of_bounds(value: &Value, schema: &Map<String, Value>) -> Option<String> {
    let (size, least, most) = match value {
        Value::Number(number) => (number.as_f64()?, "minimum", "maximum"),
        #[expect(clippy::cast_precision_loss, reason = "no text and no list is that long")]
        Value::String(text) => (text.chars().count() as f64, "minLength", "maxLength"),
        #[expect(clippy::cast_precision_loss, reason = "no text and no list is that long")]
        Value::Array(items) => (items.len() as f64, "minItems", "maxItems"),
        _ => return None,
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(bound) = bound(least).filter(|bound| size < *bound) {
        return Some(format!("`{least}` is {bound}"));
    }
    let bound = bound(most).filter(|bound| size > *bound)?;
    Some(format!("`{most}` is {bound}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_held_against_their_schema_place_by_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1},
                "timeout": {"type": "integer", "minimum": 1, "maximum": 600},
                "mode": {"enum": ["fast", "slow"]},
                "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                "tree": {"$ref": "#/$defs/tree"},
            },
            "$defs": {"tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}, "additionalProperties": false}},
            "required": ["command"],
            "additionalProperties": false,
        });
        let cases = [
            (json!({"command": "ls"}), ""),
            (json!({"command": "ls", "timeout": 3, "mode": "slow", "either": ["a"], "tree": {"child": {}}}), ""),
            (json!({}), "`args`: `command` is missing"),
            (json!({"command": 3}), "`args.command`: it must be of the type `string`"),
            (json!({"command": ""}), "`args.command`: `minLength` is 1"),
            (json!({"command": "ls", "timeout": 0}), "`args.timeout`: `minimum` is 1"),
            (json!({"command": "ls", "timeout": 1.5}), "`args.timeout`: it must be of the type `integer`"),
            (json!({"command": "ls", "mode": "odd"}), "`args.mode`: it must be one of \"fast\", \"slow\""),
            (
                json!({"command": "ls", "either": [1]}),
                "`args.either`: it fits 0 of the 2 ways in which it can be written",
            ),
            (json!({"command": "ls", "shell": "sh"}), "`args`: there is no `shell`"),
            (json!({"command": "ls", "tree": {"child": {"odd": 1}}}), "`args.tree.child`: there is no `odd`"),
        ];
        for (args, expected) in cases {
            let told =
                fits(args.as_object().unwrap(), &schema).map_or_else(|wrong| wrong.to_string(), |()| String::new());
            assert_eq!(told, expected, "{args}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"$ref": "#"});
        assert!(fits(&Map::new(), &schema).is_err());
    }
}
