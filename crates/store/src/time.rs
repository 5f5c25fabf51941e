//! Times as every table has them: microseconds since 1970.

use jiff::Timestamp;
use std::time::Duration;

/// `at` as a column. What is finer than a microsecond is cut off.
pub fn column(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// The time that a column says, if it says one.
pub fn at(column: i64) -> Option<Timestamp> {
    Timestamp::from_microsecond(column).ok()
}

/// The column for `from` and `span` more.
pub fn after(from: Timestamp, span: Duration) -> i64 {
    column(from).saturating_add(self::span(span))
}

/// A span as it is added to a column.
pub fn span(span: Duration) -> i64 {
    // Less than any time since 1970 can overflow by: a lease for ever ends long after everything else.
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 2)
}

/// The time by the clock of this machine, which is the clock of an embedded database; as exact as it can be stored, so
/// that what is read again equals what was saved.
#[expect(clippy::disallowed_methods, reason = "the database's clock is the rim: all other time comes from here")]
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    at(column(now)).unwrap_or(now)
}
