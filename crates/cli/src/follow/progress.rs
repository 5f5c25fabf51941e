//! What is going on, in a line that is drawn over: only where somebody looks, and never into what a program reads.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// The line below what was printed.
pub struct Progress {
    at_terminal: bool,
    says: String,
    beats: u32,
    drawn: bool,
}

const WHEEL: [char; 8] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠧', '⠇', '⠏'];

impl Progress {
    /// How often it is drawn.
    pub const BEAT: Duration = Duration::from_millis(125);
    /// What ends sooner is not worth a line.
    const PATIENCE: u32 = 3;
    const BEATS_A_SECOND: u32 = 8;

    /// Drawn on standard error, if that is a terminal.
    pub fn on_stderr() -> Self {
        Self { at_terminal: std::io::stderr().is_terminal(), says: String::new(), beats: 0, drawn: false }
    }

    /// Never drawn.
    pub const fn never() -> Self {
        Self { at_terminal: false, says: String::new(), beats: 0, drawn: false }
    }

    /// What is going on from now on. Nothing, if it is empty.
    pub fn says(&mut self, what: &str) {
        if self.says != what {
            what.clone_into(&mut self.says);
            self.beats = 0;
        }
    }

    /// Draws the line, a beat later than before.
    pub fn draw(&mut self) {
        self.beats = self.beats.saturating_add(1);
        if !self.at_terminal || self.says.is_empty() || self.beats < Self::PATIENCE {
            return;
        }
        let turn = usize::try_from(self.beats).unwrap_or_default() % WHEEL.len();
        let wheel = WHEEL.get(turn).copied().unwrap_or(' ');
        write(&format!("\r\x1b[2m{wheel} {} {} s\x1b[0m\x1b[K", self.says, self.beats / Self::BEATS_A_SECOND));
        self.drawn = true;
    }

    /// Takes the line away, so that something can be printed.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            write("\r\x1b[K");
        }
    }
}

fn write(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
