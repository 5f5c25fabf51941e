//! The lines of a file that are shown.

use countersign_runtime::ports::Report;

/// How much of a file is shown at once.
pub const MOST_OUTPUT: usize = 256 * 1024;
/// How far a file is searched for signs that it is no text.
const BINARY_SIGNS: usize = 8 * 1024;

/// The lines that were asked for, as they come.
#[derive(Debug)]
pub struct Window {
    /// The first line that is shown, counted from 1.
    first: u64,
    /// The first that is no longer shown.
    end: u64,
    /// The line that the next byte belongs to.
    line: u64,
    /// Whether that byte starts it.
    fresh: bool,
    bytes: u64,
    kept: Vec<u8>,
    stop: Option<Stop>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// More lines follow.
    Lines,
    /// More does not fit.
    Size,
    Binary,
}

impl Window {
    /// The window that starts at line `offset` and is `limit` lines long.
    pub fn new(offset: Option<u64>, limit: Option<u64>) -> Self {
        let first = offset.unwrap_or(1);
        let end = first.saturating_add(limit.unwrap_or(u64::MAX));
        Self { first, end, line: 1, fresh: true, bytes: 0, kept: Vec::new(), stop: None }
    }

    /// Whether nothing more is needed.
    pub fn is_full(&self) -> bool {
        self.stop.is_some()
    }

    /// Takes the next bytes of the file.
    pub fn take(&mut self, bytes: &[u8]) {
        let searched = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        if bytes.iter().take(BINARY_SIGNS.saturating_sub(searched)).any(|byte| *byte == 0) {
            self.stop = Some(Stop::Binary);
        }
        self.bytes += bytes.len() as u64;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.stop.is_some() {
                return;
            }
            self.take_part(part);
        }
    }

    /// Takes a line or a part of one.
    fn take_part(&mut self, part: &[u8]) {
        if self.line >= self.end {
            self.stop = Some(Stop::Lines);
            return;
        }
        if self.line >= self.first {
            let room = MOST_OUTPUT - self.kept.len();
            self.kept.extend_from_slice(part.get(..room).unwrap_or(part));
            if part.len() > room {
                self.stop = Some(Stop::Size);
            }
            if part.contains(&0) {
                self.stop = Some(Stop::Binary);
            }
        }
        self.fresh = part.ends_with(b"\n");
        if self.fresh && self.stop.is_none() {
            self.line += 1;
        }
    }

    /// What is told of the file `shown`.
    pub fn report(mut self, shown: &str) -> Result<Report, String> {
        let first = self.first;
        let note = match self.stop {
            Some(Stop::Binary) => return Err(format!("`{shown}` is a binary file. Nothing is shown of it.")),
            None if self.bytes == 0 => Some("The file is empty.".to_owned()),
            None if self.kept.is_empty() => {
                return Err(format!("`{shown}` has only {} lines.", self.lines()));
            }
            None => None,
            Some(Stop::Lines) => {
                Some(format!("[lines {first} to {}; go on with `offset` {}]", self.line - 1, self.line))
            }
            Some(Stop::Size) => Some(self.cut()),
        };
        let mut output = String::from_utf8_lossy(&self.kept).into_owned();
        if let Some(note) = note {
            if !output.is_empty() && !output.ends_with('\n') {
                output.push('\n');
            }
            output.push_str(&note);
        }
        Ok(Report { output, failed: false })
    }

    /// Cuts what is kept to whole lines, where there is one; says what was left out.
    fn cut(&mut self) -> String {
        let (first, line) = (self.first, self.line);
        if let Some(end) = self.kept.iter().rposition(|byte| *byte == b'\n') {
            self.kept.truncate(end + 1);
            return format!("[lines {first} to {}: more does not fit; go on with `offset` {line}]", line - 1);
        }
        format!("[line {line} is longer than {MOST_OUTPUT} bytes and was cut; go on with `offset` {}]", line + 1)
    }

    /// How many lines there were: the last may not end.
    fn lines(&self) -> u64 {
        self.line - u64::from(self.fresh)
    }
}
