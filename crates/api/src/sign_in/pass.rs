//! What somebody proved who they are with, looked at again while they are told things.

use super::cookie;
use super::signed_in::bearer;
use crate::{Api, Problem};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use countersign_domain::Digest;
use countersign_runtime::ports::StoreError;
use std::time::Duration;
use tokio::time::Instant;

/// How long somebody is told things before it is asked again whether they still may be.
const TRUSTED: Duration = Duration::from_secs(3);

/// The token or session of a request, as its hash.
pub struct Pass {
    hash: Digest,
    /// When it was last seen to hold.
    seen: Instant,
}

impl FromRequestParts<Api> for Pass {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let shown = match bearer(&parts.headers)? {
            Some(token) => Some(token),
            None => cookie::session(&api.site, &parts.headers),
        };
        let shown = shown.ok_or_else(Problem::who_are_you)?;
        Ok(Self { hash: Digest::of(shown.as_bytes()), seen: Instant::now() })
    }
}

impl Pass {
    /// Whether it holds: as it was a moment ago, or else by the store.
    pub async fn holds(&mut self, api: &Api) -> Result<bool, StoreError> {
        if self.seen.elapsed() < TRUSTED {
            return Ok(true);
        }
        let holds = api.runtime.holder(self.hash).await?.is_some();
        if holds {
            self.seen = Instant::now();
        }
        Ok(holds)
    }

    /// When it is to be looked at again.
    pub fn again(&self) -> Instant {
        self.seen + TRUSTED
    }
}
