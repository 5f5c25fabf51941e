//! What is worth asking again, and when.

use countersign_runtime::ports::ModelError;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

/// How often a turn is asked for.
pub const ATTEMPTS: u32 = 4;
/// The longest pause of our own.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// An endpoint that asks for more patience than this is reported instead of waited for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// An attempt that failed.
#[derive(Debug)]
pub struct Failure {
    pub error: ModelError,
    pub again: Again,
}

/// Whether another attempt may do better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    Never,
    Soon,
    /// When the endpoint said.
    After(Duration),
}

impl Failure {
    pub fn for_good(error: ModelError) -> Self {
        Self { error, again: Again::Never }
    }

    pub fn passing(error: ModelError) -> Self {
        Self { error, again: Again::Soon }
    }
}

impl Again {
    /// The pause after the attempt with this number, if there is to be another one.
    pub fn pause(self, first: Duration, attempt: u32) -> Option<Duration> {
        let wait = match self {
            Self::Never => return None,
            Self::Soon => jittered(first.saturating_mul(1 << attempt.clamp(1, 16) >> 1).min(LONGEST_PAUSE)),
            Self::After(wait) => wait,
        };
        (attempt < ATTEMPTS && wait <= LONGEST_WAIT).then_some(wait)
    }
}

/// Between half and all of `pause`, so that many who failed together do not come back together.
fn jittered(pause: Duration) -> Duration {
    // Hash keys of the standard library are random, which is random enough for this.
    let random = RandomState::new().hash_one(()) % 1000;
    pause / 2 + pause.mul_f64(f64::from(u16::try_from(random).unwrap_or_default()) / 2000.0)
}

/// How long the endpoint asks to wait: `Retry-After`, in seconds or as a date.
pub fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let asked = text(RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = date(asked)?;
    // Its own clock where it tells it: ours may differ.
    let now = text(DATE).and_then(date).or_else(our_clock)?;
    Some(until.duration_since(now).try_into().unwrap_or(Duration::ZERO))
}

fn date(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text).ok()
}

fn our_clock() -> Option<Timestamp> {
    #[expect(clippy::disallowed_methods, reason = "a date to wait for means nothing without a clock")]
    Timestamp::try_from(SystemTime::now()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(retry_after: &'static str, date: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(retry_after))]);
        headers.extend(date.map(|date| (DATE, HeaderValue::from_static(date))));
        headers
    }

    #[test]
    fn a_wait_is_read_in_seconds_and_as_a_date() {
        let seconds = |headers| asked_wait(&headers).map(|wait| wait.as_secs());
        let now = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(seconds(headers(" 7 ", None)), Some(7));
        assert_eq!(seconds(headers("Sun, 06 Nov 1994 08:50:07 GMT", now)), Some(30));
        assert_eq!(seconds(headers("Sun, 06 Nov 1994 08:49:07 GMT", now)), Some(0), "what has passed is now");
        assert_eq!(seconds(headers("Sun, 06 Nov 1994 08:49:07 GMT", None)), Some(0));
        assert_eq!(seconds(headers("soon", now)), None);
        assert_eq!(seconds(headers("-1", now)), None);
    }

    #[test]
    fn pauses_double_and_are_spread() {
        let first = Duration::from_millis(500);
        for (attempt, most) in [(1, 500), (2, 1000), (3, 2000)] {
            let pause = Again::Soon.pause(first, attempt).unwrap().as_millis();
            assert!((most / 2..=most).contains(&pause), "{attempt}: {pause}");
        }
        let many: std::collections::HashSet<_> = (0..50).map(|_| Again::Soon.pause(first, 1)).collect();
        assert!(many.len() > 5, "{many:?}");
    }

    #[test]
    fn there_is_no_pause_after_the_last_attempt_nor_an_endless_one() {
        let (first, minute) = (Duration::from_millis(1), Duration::from_mins(1));
        assert_eq!(Again::Soon.pause(first, ATTEMPTS), None);
        assert_eq!(Again::Never.pause(first, 1), None);
        assert_eq!(Again::After(minute).pause(first, 1), Some(minute));
        assert_eq!(Again::After(minute + first).pause(first, 1), None);
        assert!(Again::Soon.pause(Duration::MAX, 3).unwrap() <= LONGEST_PAUSE);
    }
}
