//! `GET /api/docs`: the OpenAPI document as a page to read. It is made here, of nothing but text: no script, nothing from elsewhere.

use axum::response::Html;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The page.
pub async fn page() -> Html<&'static str> {
    static PAGE: LazyLock<String> =
        LazyLock::new(|| written(&serde_json::to_value(super::document()).unwrap_or_default()));
    Html(&PAGE)
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color-scheme:light dark}\
    code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}h3{margin:2rem 0 .25rem}h3 b{display:inline-block;min-width:4.5rem}\
    table{border-collapse:collapse;width:100%}td{border-top:1px solid #8886;padding:.25rem 1rem .25rem 0;vertical-align:top}\
    nav ul{columns:20rem;padding-left:1rem}section section{margin-bottom:1.5rem}";

fn written(document: &Value) -> String {
    let mut page = String::from("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    let title = text(at(document, "/info/title"));
    let _ = write!(
        page,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}: the API</title><style>{STYLE}</style></head>\
         <body><h1>{title}: the API</h1><p>{} All addresses are under <code>/api</code>. A program sends \
         <code>Authorization: Bearer</code> and a token, which <code>countersign token create</code> makes. For programs, \
         this page is <a href=\"/api/openapi.json\">an OpenAPI document</a>.</p>",
        prose(at(document, "/info/description"))
    );
    let operations = operations(document);
    page.push_str("<nav><ul>");
    for Operation { id, method, path, .. } in operations.values().flatten() {
        let _ = write!(page, "<li><a href=\"#{id}\">{method} {path}</a></li>");
    }
    page.push_str("</ul></nav>");
    for (tag, operations) in &operations {
        let _ = write!(page, "<section><h2>{}</h2>", escaped(tag));
        for operation in operations {
            operation.write(&mut page);
        }
        page.push_str("</section>");
    }
    page.push_str("<section><h2>Bodies</h2>");
    for (name, schema) in object(at(document, "/components/schemas")) {
        let name = escaped(name);
        let _ = write!(page, "<section><h3 id=\"{name}\">{name}</h3><p>{}</p>", prose(&schema["description"]));
        write_schema(&mut page, schema);
        page.push_str("</section>");
    }
    page.push_str("</section></body></html>");
    page
}

/// One call that can be made.
struct Operation<'a> {
    id: String,
    method: String,
    path: String,
    spec: &'a Value,
}

/// All of them by what they are about.
fn operations(document: &Value) -> BTreeMap<&str, Vec<Operation<'_>>> {
    let mut operations = BTreeMap::<_, Vec<_>>::new();
    for (path, methods) in object(at(document, "/paths")) {
        for (method, spec) in methods.as_object().into_iter().flatten() {
            let tag = at(spec, "/tags/0").as_str().unwrap_or("more");
            let id = text(&spec["operationId"]);
            let (method, path) = (escaped(&method.to_uppercase()), escaped(path));
            operations.entry(tag).or_default().push(Operation { id, method, path, spec });
        }
    }
    operations
}

impl Operation<'_> {
    fn write(&self, page: &mut String) {
        let Self { id, method, path, spec } = self;
        let _ = write!(page, "<section><h3 id=\"{id}\"><b>{method}</b> <code>{path}</code></h3>");
        for words in ["summary", "description"] {
            let _ = write!(page, "<p>{}</p>", prose(&spec[words]));
        }
        page.push_str("<table>");
        for parameter in spec["parameters"].as_array().into_iter().flatten() {
            let name = format!("<code>{}</code>", text(&parameter["name"]));
            let place = if parameter["in"] == "query" { "after the ?" } else { "in the address" };
            row(page, [&name, place, &kind(&parameter["schema"]), &prose(&parameter["description"])]);
        }
        for (media, content) in object(at(spec, "/requestBody/content")) {
            row(page, ["the body", &escaped(media), &kind(&content["schema"]), ""]);
        }
        for (status, response) in object(&spec["responses"]) {
            let content = object(&response["content"]).map(|(_, content)| kind(&content["schema"]));
            let content = content.collect::<Vec<_>>().join(" or ");
            row(page, [&format!("<b>{}</b>", escaped(status)), "answer", &content, &prose(&response["description"])]);
        }
        page.push_str("</table></section>");
    }
}

/// The fields of an object, or what else it is.
fn write_schema(page: &mut String, schema: &Value) {
    if schema["properties"].is_null() {
        let _ = write!(page, "<p>{}</p>", kind(schema));
        return;
    }
    page.push_str("<table>");
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (name, field) in object(&schema["properties"]) {
        let must = if required.iter().any(|one| one == name.as_str()) { "" } else { "may be absent" };
        row(page, [&format!("<code>{}</code>", escaped(name)), &kind(field), must, &prose(&field["description"])]);
    }
    page.push_str("</table>");
}

fn row<const N: usize>(page: &mut String, cells: [&str; N]) {
    let _ = write!(page, "<tr>{}</tr>", cells.map(|cell| format!("<td>{cell}</td>")).concat());
}

/// What a value is, with a link to where that is said.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next()) {
        let name = escaped(name);
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[several].as_array() {
            return parts.iter().map(kind).collect::<Vec<_>>().join(if several == "allOf" { " and " } else { " or " });
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(|word| format!("<code>{}</code>", text(word))).collect::<Vec<_>>().join(", ");
    }
    let word = match &schema["type"] {
        Value::Array(words) => words.iter().map(text).collect::<Vec<_>>().join(" or "),
        word => text(word),
    };
    if schema["items"].is_null() { word } else { format!("{word} of {}", kind(&schema["items"])) }
}

/// What stands at this place, or null.
fn at<'a>(value: &'a Value, place: &str) -> &'a Value {
    value.pointer(place).unwrap_or(&Value::Null)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn text(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

/// Words as they stand in comments: what is between backticks is code.
fn prose(value: &Value) -> String {
    let text = text(value);
    let parts = text.split('`').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_call_and_every_body_and_takes_nothing_for_markup() {
        let document = serde_json::to_value(crate::document()).unwrap();
        let page = written(&document);
        for (path, methods) in object(&document["paths"]) {
            for (method, _) in object(methods) {
                assert!(page.contains(&format!("<b>{}</b> <code>{path}</code>", method.to_uppercase())), "{path}");
            }
        }
        for (name, _) in object(&document["components"]["schemas"]) {
            assert!(page.contains(&format!("<h3 id=\"{name}\">")), "{name}");
        }
        assert_eq!(prose(&Value::from("a `<b>` & c")), "a <code>&lt;b&gt;</code> &amp; c");
    }
}
