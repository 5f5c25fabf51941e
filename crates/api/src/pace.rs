//! How many requests one principal may send: so many a second, and some more at once.

use crate::Problem;
use axum::http::StatusCode;
use countersign_domain::Principal;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// How many requests a principal may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// So many a second, for as long as they like.
    pub per_second: u32,
    /// So many at once, after a pause.
    pub burst: u32,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { per_second: 5_000, burst: 10_000 }
    }
}

/// Principals that are remembered; beyond it those are forgotten whose bucket is full again.
const MOST_KNOWN: usize = 10_000;

/// What everybody may still send.
#[derive(Debug)]
pub struct Pace {
    limit: RateLimit,
    buckets: Mutex<HashMap<(&'static str, String), Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Pace {
    /// Nobody has sent anything.
    pub fn new(limit: RateLimit) -> Self {
        Self { limit, buckets: Mutex::default() }
    }

    /// Counts a request of `who`; refuses it if they have sent too many.
    pub fn take(&self, who: &Principal) -> Result<(), Problem> {
        let (rate, burst) = (f64::from(self.limit.per_second.max(1)), f64::from(self.limit.burst.max(1)));
        let now = Instant::now();
        let left = |bucket: &Bucket| (bucket.left + now.duration_since(bucket.at).as_secs_f64() * rate).min(burst);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_KNOWN {
            buckets.retain(|_, bucket| left(bucket) < burst);
        }
        let bucket = buckets.entry((who.kind.word(), who.name.clone())).or_insert(Bucket { left: burst, at: now });
        let has = left(bucket);
        *bucket = Bucket { left: if has >= 1.0 { has - 1.0 } else { has }, at: now };
        if has >= 1.0 {
            return Ok(());
        }
        let detail = format!("more than {} requests a second: wait a moment, and send fewer", self.limit.per_second);
        // A whole second is the shortest that the header can say.
        Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", detail).after_seconds(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::principal::{Kind, Role};
    use std::time::Duration;

    fn who(name: &str) -> Principal {
        Principal::new(Kind::User, name, Role::Viewer)
    }

    #[tokio::test(start_paused = true)]
    async fn each_has_a_bucket_of_their_own_that_fills_again() {
        let pace = Pace::new(RateLimit { per_second: 2, burst: 3 });
        for _ in 0..3 {
            assert!(pace.take(&who("ann")).is_ok());
        }
        assert!(pace.take(&who("ann")).is_err());
        assert!(pace.take(&who("bob")).is_ok());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(pace.take(&who("ann")).is_ok() && pace.take(&who("ann")).is_ok());
        assert!(pace.take(&who("ann")).is_err());
    }
}
