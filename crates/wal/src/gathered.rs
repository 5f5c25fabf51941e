//! What was written to a log and not handed on yet.

/// As much is kept before it is handed on. With one page more, and none is longer than this, it is still what the platform writes
/// at once: of a longer write it takes only what is beyond a multiple of 128 KiB.
const MOST: usize = 1 << 16;

/// The length of what stands before each page of a log, and where in it stands how long the database is after a commit: zero
/// where the page is not the last one of a commit.
const HEADER: usize = 24;
const LENGTH_AFTER: std::ops::Range<usize> = 4..8;

/// Writes that follow one another, as one.
#[derive(Debug, Default)]
pub struct Gathered {
    at: i64,
    bytes: Vec<u8>,
    /// What came last, if that was a header.
    header: Option<Header>,
}

/// What stands before a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    OfLast,
    OfAnother,
}

/// What is to be done with what was gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// More may follow.
    Keep,
    /// It must be written now.
    HandOn,
}

impl Gathered {
    /// Whether what is written at `at` could be added.
    pub fn is_followed_by(&self, at: i64) -> bool {
        self.bytes.is_empty()
            || i64::try_from(self.bytes.len()).is_ok_and(|length| self.at.checked_add(length) == Some(at))
    }

    /// Adds what follows. Only pages that are not the last one of a commit, and what stands before a page, are kept.
    pub fn add(&mut self, at: i64, bytes: &[u8]) -> Then {
        if self.bytes.is_empty() {
            self.at = at;
        }
        self.bytes.extend_from_slice(bytes);
        let before = self.header.take();
        self.header = match bytes.get(LENGTH_AFTER) {
            Some([0, 0, 0, 0]) if bytes.len() == HEADER => Some(Header::OfAnother),
            Some(_) if bytes.len() == HEADER => Some(Header::OfLast),
            _ => None,
        };
        let may_stay = self.header.is_some() || before == Some(Header::OfAnother);
        if may_stay && self.bytes.len() < MOST { Then::Keep } else { Then::HandOn }
    }

    /// All of it and its place, if there is anything.
    pub fn all(&self) -> Option<(i64, &[u8])> {
        (!self.bytes.is_empty()).then_some((self.at, &self.bytes))
    }

    /// Begins anew. The room stays.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.header = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(length_after: u8) -> Vec<u8> {
        let mut header = vec![7; HEADER];
        header.splice(LENGTH_AFTER, [0, 0, 0, length_after]);
        header
    }

    #[test]
    fn a_commit_is_handed_on_with_its_last_page() {
        let mut gathered = Gathered::default();
        assert_eq!(gathered.add(32, &header(0)), Then::Keep);
        assert_eq!(gathered.add(56, &[1; 4_096]), Then::Keep);
        assert_eq!(gathered.add(4_152, &header(9)), Then::Keep);
        assert_eq!(gathered.add(4_176, &[2; 4_096]), Then::HandOn);
        let (at, bytes) = gathered.all().unwrap();
        assert_eq!((at, bytes.len()), (32, 2 * (HEADER + 4_096)));
        gathered.clear();
        assert_eq!(gathered.all(), None);
        // The next one is no more a commit's end than any other.
        assert_eq!(gathered.add(8_272, &header(0)), Then::Keep);
        assert_eq!(gathered.add(8_296, &[3; 4_096]), Then::Keep);
    }

    #[test]
    fn only_what_follows_is_added() {
        let mut gathered = Gathered::default();
        assert!(gathered.is_followed_by(0) && gathered.is_followed_by(99));
        gathered.add(100, &header(0));
        assert!(gathered.is_followed_by(124));
        assert!(!gathered.is_followed_by(123) && !gathered.is_followed_by(125) && !gathered.is_followed_by(100));
    }

    #[test]
    fn what_becomes_too_much_is_handed_on() {
        let mut gathered = Gathered::default();
        let mut at = 0;
        while gathered.add(at, &header(0)) == Then::Keep && gathered.add(at + 24, &[0; 4_096]) == Then::Keep {
            at += 4_120;
        }
        assert_eq!(gathered.all().map(|(_, bytes)| bytes.len()), Some(16 * 4_120));
    }

    #[test]
    fn what_is_no_page_after_its_header_is_handed_on() {
        let mut gathered = Gathered::default();
        // The beginning of a log.
        assert_eq!(gathered.add(0, &[7; 32]), Then::HandOn);
        gathered.clear();
        // Where a page is cut in two, as it is where commits end with a sector: the second half.
        assert_eq!(gathered.add(32, &header(3)), Then::Keep);
        assert_eq!(gathered.add(56, &[1; 456]), Then::HandOn);
        gathered.clear();
        assert_eq!(gathered.add(512, &[1; 3_640]), Then::HandOn);
    }
}
