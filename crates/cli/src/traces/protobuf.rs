//! Spans as OTLP has them in protocol buffers. The numbers are those of the fields in `opentelemetry/proto/trace/v1/trace.proto`.

use super::span::{FAILED, Span, Value};

/// The body of a request.
pub fn body(resource: &[(String, String)], spans: &[Span]) -> Vec<u8> {
    let mut about = Message::default();
    for (key, value) in resource {
        about.message(1, &attribute(key, &Value::Text(value.clone())));
    }
    let mut scope = Message::default();
    scope.bytes(1, b"countersign");
    scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
    let mut of_scope = Message::default();
    of_scope.message(1, &scope);
    for one in spans {
        of_scope.message(2, &span(one));
    }
    let mut of_resource = Message::default();
    of_resource.message(1, &about);
    of_resource.message(2, &of_scope);
    let mut request = Message::default();
    request.message(1, &of_resource);
    request.0
}

fn span(span: &Span) -> Message {
    let mut written = Message::default();
    written.bytes(1, &span.trace.0);
    written.bytes(2, &span.id.0);
    if let Some(parent) = span.parent {
        written.bytes(4, &parent.0);
    }
    written.bytes(5, span.name.as_bytes());
    written.number(6, span.kind as u64);
    written.fixed(7, span.start);
    written.fixed(8, span.end);
    for (key, said) in &span.attributes {
        written.message(9, &attribute(key, said));
    }
    if span.failed {
        let mut status = Message::default();
        status.number(3, FAILED);
        written.message(15, &status);
    }
    written
}

fn attribute(key: &str, said: &Value) -> Message {
    let mut value = Message::default();
    match said {
        Value::Text(text) => value.bytes(1, text.as_bytes()),
        Value::Number(number) => value.number(3, number.cast_unsigned()),
    }
    let mut pair = Message::default();
    pair.bytes(1, key.as_bytes());
    pair.message(2, &value);
    pair
}

/// A message of protocol buffers, as far as it is written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low_bits(number));
    }

    fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    fn fixed(&mut self, field: u64, number: u64) {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn message(&mut self, field: u64, message: &Self) {
        self.bytes(field, &message.0);
    }
}

/// The last seven bits.
fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}
