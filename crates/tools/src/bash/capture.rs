//! What a command prints: its beginning and its end, whatever lies between.

use std::collections::VecDeque;

/// How much output is kept.
pub const MOST_OUTPUT: usize = 256 * 1024;
/// How much of it is from the beginning; the rest is from the end.
const HEAD: usize = MOST_OUTPUT / 2;

/// Output, of which the beginning and the end are kept.
#[derive(Debug, Default)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Capture {
    /// Takes the next bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at_checked(HEAD - self.head.len()).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(MOST_OUTPUT - HEAD);
        self.tail.drain(..excess);
        self.left_out += excess as u64;
    }

    /// What was kept, as text.
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.left_out == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (whole_end(&self.head), whole_start(&tail));
        let left_out = self.left_out + (MOST_OUTPUT - head.len() - tail.len()) as u64;
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        format!("{head}\n[… {left_out} bytes of output left out …]\n{tail}")
    }
}

/// `bytes` without the character that was cut off at their end.
fn whole_end(bytes: &[u8]) -> &[u8] {
    let cut = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    // Bytes that never were a character are kept, to be seen as such.
    let at = bytes.len().saturating_sub(cut);
    let (whole, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let started = rest.first().is_some_and(|byte| (0xC2..=0xF4).contains(byte));
    if started { whole } else { bytes }
}

/// `bytes` without the rest of a character that was cut off at their start.
fn whole_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    bytes.get(rest..).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(bytes: &[u8], piece: usize) -> Capture {
        let mut capture = Capture::default();
        bytes.chunks(piece).for_each(|piece| capture.take(piece));
        capture
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let text = "é".repeat(MOST_OUTPUT / 2);
        for piece in [1, 7, 4096, MOST_OUTPUT] {
            assert_eq!(capture(text.as_bytes(), piece).text(), text);
        }
        assert_eq!(capture(b"a\xFFb", 1).text(), "a\u{FFFD}b");
        assert_eq!(capture(b"", 1).text(), "");
    }

    #[test]
    fn of_more_the_middle_is_left_out() {
        let text = format!("start{}end", "x".repeat(MOST_OUTPUT));
        for piece in [5, 4096, 2 * MOST_OUTPUT] {
            let kept = capture(text.as_bytes(), piece).text();
            assert!(kept.starts_with("startx") && kept.ends_with("xend"));
            assert!(kept.contains("\n[… 8 bytes of output left out …]\n"));
        }
    }

    #[test]
    fn no_character_is_cut_in_two() {
        for shift in 0..4 {
            let text = "x".repeat(shift) + &"🦀".repeat(MOST_OUTPUT / 2);
            let kept = capture(text.as_bytes(), 4096).text();
            assert!(!kept.contains('\u{FFFD}'), "{shift}");
            let shown = kept.chars().filter(|c| *c == '🦀').count() * 4 + shift;
            assert!(kept.contains(&format!("[… {} bytes", text.len() - shown)), "{shift}");
        }
    }
}
