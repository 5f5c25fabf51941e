//! What a JSON Schema marks as secret: `"format": "password"`, `"writeOnly": true`, `"x-secret": true`.

use serde_json::Value;

/// All that a schema says of one place of a document: the schema and those it is put together from.
#[derive(Clone, Default)]
pub(super) struct Says<'s> {
    root: Option<&'s Value>,
    parts: Vec<&'s Value>,
}

/// A schema may be put together from itself; more parts than this are not looked at.
const MOST_PARTS: usize = 64;

/// Whether anything in `schema` is marked. Where nothing is, nobody need look.
pub(super) fn marks(schema: &Value) -> bool {
    let mut ahead = vec![schema];
    while let Some(part) = ahead.pop() {
        match part {
            Value::Object(_) if is_marked(part) => return true,
            Value::Object(members) => ahead.extend(members.values()),
            Value::Array(items) => ahead.extend(items),
            _ => {}
        }
    }
    false
}

fn is_marked(part: &Value) -> bool {
    let yes = |key: &str| part.get(key) == Some(&Value::Bool(true));
    yes("writeOnly") || yes("x-secret") || part.get("format").and_then(Value::as_str) == Some("password")
}

impl<'s> Says<'s> {
    pub(super) fn of(schema: Option<&'s Value>) -> Self {
        let mut says = Self { root: schema, parts: Vec::new() };
        says.extend(schema);
        says
    }

    /// Whether the place, and with it all below it, is marked.
    pub(super) fn is_secret(&self) -> bool {
        self.parts.iter().any(|part| is_marked(part))
    }

    /// What is said of the member `key`.
    pub(super) fn member(&self, key: &str) -> Self {
        self.below(|part| match part.get("properties").and_then(|all| all.get(key)) {
            Some(named) => Some(named),
            None => part.get("additionalProperties"),
        })
    }

    /// What is said of the item at `index`.
    pub(super) fn item(&self, index: usize) -> Self {
        self.below(|part| {
            let placed = part.get("prefixItems").or_else(|| part.get("items")).and_then(|all| all.get(index));
            placed.or_else(|| part.get("items").filter(|items| items.is_object()))
        })
    }

    fn below(&self, find: impl Fn(&'s Value) -> Option<&'s Value>) -> Self {
        let mut says = Self { root: self.root, parts: Vec::new() };
        says.extend(self.parts.iter().filter_map(|part| find(part)));
        says
    }

    fn extend(&mut self, parts: impl IntoIterator<Item = &'s Value>) {
        let mut ahead: Vec<&Value> = parts.into_iter().collect();
        while let Some(part) = ahead.pop() {
            if !part.is_object() || self.parts.len() >= MOST_PARTS {
                continue;
            }
            self.parts.push(part);
            for several in ["allOf", "anyOf", "oneOf"] {
                ahead.extend(part.get(several).and_then(Value::as_array).into_iter().flatten());
            }
            ahead.extend(["then", "else"].into_iter().filter_map(|one| part.get(one)));
            let place = part.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#'));
            ahead.extend(place.and_then(|place| self.root?.pointer(place)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mark_is_found_through_parts_references_and_items() {
        let schema = json!({
            "properties": {
                "a": { "format": "password" },
                "b": { "allOf": [{ "anyOf": [{ "writeOnly": true }] }] },
                "c": { "$ref": "#/$defs/secret" },
                "d": { "items": { "x-secret": true } },
                "e": { "prefixItems": [{}, { "x-secret": true }] },
                "f": { "type": "string", "x-secret": false },
            },
            "$defs": { "secret": { "x-secret": true } },
        });
        let says = Says::of(Some(&schema));
        for name in ["a", "b", "c"] {
            assert!(says.member(name).is_secret(), "{name}");
        }
        assert!(says.member("d").item(3).is_secret());
        assert!(says.member("e").item(1).is_secret());
        assert!(!says.member("e").item(0).is_secret());
        assert!(!says.member("f").is_secret());
        assert!(!says.member("g").is_secret());
        assert!(!Says::of(None).member("a").is_secret());
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_no_endless_loop() {
        let schema =
            json!({ "$ref": "#", "allOf": [{ "$ref": "#" }, { "$ref": "#" }], "properties": { "a": { "$ref": "#" } } });
        assert!(!Says::of(Some(&schema)).member("a").member("a").is_secret());
    }
}
