//! Spans as OTLP has them in JSON.

use super::span::{FAILED, Span, Value};
use serde_json::{Value as Json, json};

/// The body of a request.
pub fn body(resource: &[(String, String)], spans: &[Span]) -> Vec<u8> {
    let resource: Vec<Json> =
        resource.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect();
    let document = json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{
            "scope": {"name": "countersign", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }]});
    document.to_string().into_bytes()
}

fn span(span: &Span) -> Json {
    let attributes: Vec<Json> = span.attributes.iter().map(|(key, said)| attribute(key, said)).collect();
    let mut written = json!({
        "traceId": span.trace.hex(),
        "spanId": span.id.hex(),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": attributes,
        "status": if span.failed { json!({"code": FAILED}) } else { json!({}) },
    });
    if let (Some(written), Some(parent)) = (written.as_object_mut(), span.parent) {
        written.insert("parentSpanId".to_owned(), parent.hex().into());
    }
    written
}

fn attribute(key: &str, said: &Value) -> Json {
    match said {
        Value::Text(text) => json!({"key": key, "value": {"stringValue": text}}),
        // Whole numbers are texts: not every reader of JSON has 64 bits.
        Value::Number(number) => json!({"key": key, "value": {"intValue": number.to_string()}}),
    }
}
