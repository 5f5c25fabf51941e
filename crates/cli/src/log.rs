//! The server's own log, on standard error. Whatever is said there, secrets in it are masked.

use crate::failure::Failure;
use crate::traces::{Spans, Traces};
use countersign_domain::secret::hidden;
use std::io::{self, Write};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, Registry, fmt};

/// From now on what happens is logged, and traced if the environment asks for it. Spans are for traces alone: where nobody
/// asks for those, none are made.
pub fn begin() -> Result<Option<Traces>, Failure> {
    let (traces, spans) = Traces::wanted()?.unzip();
    let lines = fmt::layer().with_writer(MaskedStderr::default).with_target(false);
    let is_line = |about: &Metadata<'_>| about.is_event() && *about.level() <= Level::INFO;
    let lines = lines.with_filter(filter_fn(is_line).with_max_level_hint(LevelFilter::INFO));
    let is_ours = filter_fn(Spans::are_meant_by).with_max_level_hint(LevelFilter::INFO);
    let spans = spans.map(|spans| spans.with_filter(is_ours));
    Registry::default().with(lines).with(spans).init();
    Ok(traces)
}

/// Standard error, for one line of the log.
#[derive(Debug, Default)]
pub struct MaskedStderr {
    line: Vec<u8>,
}

impl Write for MaskedStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        io::stderr().write_all(hidden(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

/// A line may come in pieces: only as a whole can it be looked at.
impl Drop for MaskedStderr {
    fn drop(&mut self) {
        // Whoever cannot write to the log has nowhere to say so.
        let _ = self.flush();
    }
}
