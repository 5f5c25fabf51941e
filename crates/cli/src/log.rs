//! The server's own log, on standard error. Whatever is said there, secrets in it are masked.

use countersign_domain::secret::hidden;
use std::io::{self, Write};

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
