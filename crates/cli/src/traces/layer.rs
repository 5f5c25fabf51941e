//! Notes down spans as they are begun and ended, and lets them go when nobody can keep up.

use super::context::{Context, SpanId, TraceId};
use super::sampler::Sampler;
use super::span::{Kind, Span, Value};
use crate::rim;
use countersign_domain::secret::hidden;
use countersign_runtime::spans::{ATTRIBUTES, ENDED, KIND, NAME, PARENT, SPANS, TARGET};
use std::fmt;
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context as Around;
use tracing_subscriber::registry::LookupSpan;

/// The longest text that is said of a span, in characters.
const LONGEST: usize = 200;

/// Notes spans down.
pub struct Spans {
    sampler: Sampler,
    out: mpsc::Sender<Span>,
}

impl Spans {
    pub fn new(sampler: Sampler, out: mpsc::Sender<Span>) -> Self {
        Self { sampler, out }
    }

    /// Whether a span is one of ours. Those of libraries may say anything.
    pub fn are_meant_by(about: &Metadata<'_>) -> bool {
        about.is_span() && about.target() == TARGET && *about.level() <= Level::INFO
    }

    /// Where something stands that is begun below `local`, or else where a request says.
    fn begun(&self, local: Option<Context>, said: &Said) -> Option<(Context, Option<SpanId>)> {
        let parent = local.or(said.parent);
        let trace = parent.map(|parent| parent.trace).or_else(TraceId::draw)?;
        let sampled = match local {
            Some(local) => local.sampled,
            None => self.sampler.keeps(trace, parent),
        };
        Some((Context { trace, span: SpanId::draw()?, sampled }, parent.map(|parent| parent.span)))
    }

    fn send(&self, open: &mut Open) {
        let Some(mut span) = open.span.take() else { return };
        span.end = now();
        // Nobody waits for a collector: what it cannot take is counted, and gone.
        if self.out.try_send(span).is_err() {
            SPANS.dropped.add();
        }
    }
}

/// A span that has not ended, where it is kept.
struct Open {
    context: Context,
    span: Option<Span>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, around: Around<'_, S>) {
        let Some(here) = around.span(id) else { return };
        let mut said = Said::default();
        attributes.record(&mut said);
        let local = here.scope().skip(1).find_map(|above| above.extensions().get::<Open>().map(|open| open.context));
        let Some((context, parent)) = self.begun(local, &said) else { return };
        let span = context.sampled.then(|| Span {
            trace: context.trace,
            id: context.span,
            parent,
            name: said.name.take().unwrap_or_else(|| attributes.metadata().name().to_owned()),
            kind: said.kind,
            start: now(),
            end: 0,
            attributes: std::mem::take(&mut said.attributes),
            failed: said.failed,
        });
        here.extensions_mut().insert(Open { context, span });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, around: Around<'_, S>) {
        let Some(here) = around.span(id) else { return };
        let mut extensions = here.extensions_mut();
        let Some(open) = extensions.get_mut::<Open>() else { return };
        let mut said = Said::default();
        values.record(&mut said);
        if let Some(span) = &mut open.span {
            span.attributes.append(&mut said.attributes);
            span.failed |= said.failed;
        }
        if said.ended {
            self.send(open);
        }
    }

    fn on_close(&self, id: Id, around: Around<'_, S>) {
        let Some(here) = around.span(&id) else { return };
        if let Some(open) = here.extensions_mut().get_mut::<Open>() {
            self.send(open);
        }
    }
}

fn now() -> u64 {
    u64::try_from(rim::now().as_nanosecond()).unwrap_or_default()
}

/// What was said of a span, as far as it may be told.
#[derive(Default)]
struct Said {
    name: Option<String>,
    kind: Kind,
    parent: Option<Context>,
    attributes: Vec<(&'static str, Value)>,
    failed: bool,
    ended: bool,
}

impl Said {
    /// Keeps what is on the list, and nothing else.
    fn keep(&mut self, field: &Field, value: Value) {
        if let Some(known) = ATTRIBUTES.iter().find(|known| **known == field.name()) {
            self.failed |= *known == "error.type";
            self.failed |= *known == "http.response.status_code" && matches!(value, Value::Number(500..));
            self.attributes.push((known, value));
        }
    }
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, text: &str) {
        match field.name() {
            NAME => self.name = Some(cut(text)),
            PARENT => self.parent = Context::read(text),
            KIND if text == "server" => self.kind = Kind::Server,
            KIND if text == "client" => self.kind = Kind::Client,
            _ => self.keep(field, Value::Text(cut(&hidden(text)))),
        }
    }

    fn record_i64(&mut self, field: &Field, number: i64) {
        self.keep(field, Value::Number(number));
    }

    fn record_u64(&mut self, field: &Field, number: u64) {
        self.keep(field, Value::Number(i64::try_from(number).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, said: bool) {
        self.ended |= said && field.name() == ENDED;
    }

    fn record_debug(&mut self, field: &Field, thing: &dyn fmt::Debug) {
        self.record_str(field, &format!("{thing:?}"));
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
