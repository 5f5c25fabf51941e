//! Lines from the terminal.

use std::io::{BufRead as _, Write as _};

/// What puts a question off.
const LATER: &str = "/later";

/// A line, without its end. `None` once the terminal is closed, or if the question is put off.
///
/// What was typed before the question was there is no answer to it.
pub async fn line(question: String) -> Option<String> {
    on_terminal(move || {
        put(&question)?;
        read()
    })
    .await
}

/// Several lines, ended by an empty one.
pub async fn lines(question: String) -> Option<String> {
    on_terminal(move || {
        put(&question)?;
        let mut all: Vec<String> = Vec::new();
        loop {
            match read() {
                Some(line) if !line.is_empty() => all.push(line),
                // The end of the input ends them too, if there are any.
                None if all.is_empty() => return None,
                _ => return Some(all.join("\n")),
            }
        }
    })
    .await
}

/// The run's other events wait meanwhile: they are on disk.
async fn on_terminal(ask: impl FnOnce() -> Option<String> + Send + 'static) -> Option<String> {
    tokio::task::spawn_blocking(ask).await.ok().flatten()
}

fn put(question: &str) -> Option<()> {
    rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush).ok()?;
    let mut out = std::io::stdout().lock();
    write!(out, "{question}").and_then(|()| out.flush()).ok()
}

fn read() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).ok()?;
    let end = line.trim_end_matches(['\n', '\r']).len();
    line.truncate(end);
    (read > 0 && line.trim() != LATER).then_some(line)
}
