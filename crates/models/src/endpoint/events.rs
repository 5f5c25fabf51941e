//! Server-sent events out of bytes, however they are cut.

/// The data of the events in a stream; other fields mean nothing here.
///
/// Bytes become text only line by line, so that a character cut in two is whole again.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    after_return: bool,
    data: Option<String>,
    any: bool,
}

impl Events {
    /// Takes the next bytes; gives the data of each event that they complete.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for &byte in bytes {
            match byte {
                // A line ends in CR, LF or both.
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => found.extend(self.end_line()),
                byte => self.line.push(byte),
            }
            self.after_return = byte == b'\r';
        }
        found
    }

    /// The data of an event that the end of the stream completes: some leave out the blank line after the last one.
    pub fn last(&mut self) -> Vec<String> {
        let ended = self.end_line();
        ended.into_iter().chain(self.data.take()).collect()
    }

    /// Whether there was any event at all.
    pub fn any(&self) -> bool {
        self.any
    }

    /// A blank line ends an event.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let text = String::from_utf8_lossy(&line);
        let value = text.strip_prefix("data:")?;
        let value = value.strip_prefix(' ').unwrap_or(value);
        self.any = true;
        match &mut self.data {
            Some(data) => data.extend(["\n", value]),
            None => self.data = Some(value.to_owned()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stream: &[u8], piece: usize) -> Vec<String> {
        let mut events = Events::default();
        let mut found: Vec<String> = stream.chunks(piece).flat_map(|bytes| events.take(bytes)).collect();
        found.extend(events.last());
        found
    }

    #[test]
    fn events_are_the_same_wherever_bytes_are_cut() {
        let stream =
            ": hello\r\ndata: 日本\r\n\r\nevent: x\ndata:two\ndata: lines\n\n\n\rid: 7\r\rdata: 🦀\r\rdata: end";
        for piece in 1..stream.len() {
            assert_eq!(read(stream.as_bytes(), piece), ["日本", "two\nlines", "🦀", "end"], "{piece}");
        }
    }

    #[test]
    fn a_stream_without_data_has_no_events() {
        let mut events = Events::default();
        assert!(events.take(b"{\"error\": 1}\n\n").is_empty() && events.last().is_empty());
        assert!(!events.any());
    }
}
