//! Errors as RFC 9457 problem details, each with a stable code.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use countersign_runtime::ports::StoreError;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What went wrong, and what to do about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// What kind of problem, as an address; `about:blank` where the code says it all.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The HTTP status in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// What was wrong, in a sentence.
    detail: String,
    /// A stable word for programs: `NOT_FOUND`, `ALREADY_ANSWERED`, `EXPIRED`, `PERMISSION_DENIED`, `INVALID`, `DISK_FULL`, `SEALED`…
    code: &'static str,
    /// More about it: `answer` holds the answer that stands.
    #[serde(flatten)]
    #[schema(additional_properties)]
    more: Map<String, Value>,
}

/// What says after how many seconds to try again.
const RETRY: &str = "retry_after_seconds";

impl Problem {
    /// A problem with this status, code and sentence.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            code,
            more: Map::new(),
        }
    }

    /// The same, saying more.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        self.more.insert(key.to_owned(), serde_json::to_value(value).unwrap_or_default());
        self
    }

    /// The same, to be tried again after so many seconds.
    #[must_use]
    pub fn after_seconds(self, seconds: u64) -> Self {
        self.with(RETRY, seconds)
    }

    /// The request cannot be understood.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "INVALID", detail)
    }

    /// There is no such thing.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    }

    /// The one at the door may not.
    pub fn denied(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail)
    }

    /// Nobody proved who they are.
    pub fn who_are_you() -> Self {
        let detail = "sign in, or send `Authorization: Bearer` and a token; `countersign token create` makes one";
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", detail)
    }

    /// Our fault. The log says more.
    pub fn internal(error: &dyn std::error::Error) -> Self {
        tracing::error!(%error, cause = error.source().map(tracing::field::display), "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL",
            "something went wrong here; the server's log says what",
        )
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let (code, detail) = match &error {
            StoreError::Unavailable(_) => {
                ("UNAVAILABLE", "the database does not answer; nothing was changed, try again")
            }
            StoreError::Full(_) => {
                ("DISK_FULL", "the server's disk is full; nothing was changed, try again when there is room")
            }
            StoreError::ReadOnly(_) => {
                ("READ_ONLY", "the server cannot write its database; nothing was changed, try again when it can")
            }
            // Not that of the database: it says what to do, and until that is done it is no use to try again.
            StoreError::Sealed(_) => return Self::new(StatusCode::CONFLICT, "SEALED", error.to_string()),
            _ => return Self::internal(&error),
        };
        tracing::error!(%error, cause = std::error::Error::source(&error).map(tracing::field::display), "no database");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.more.get(RETRY).and_then(Value::as_u64) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// For addresses under `/api` that nobody serves.
pub async fn no_such_path() -> Problem {
    Problem::not_found("there is no such address; `/api/openapi.json` lists all")
}

/// For methods that an address does not take.
pub async fn no_such_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", "this address does not take that method")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_in_trouble_has_a_code_of_its_own_and_can_be_tried_again() {
        let problems = [
            (StoreError::Unavailable("busy".into()), "UNAVAILABLE"),
            (StoreError::Full("no space left".into()), "DISK_FULL"),
            (StoreError::ReadOnly("read-only".into()), "READ_ONLY"),
        ];
        for (error, code) in problems {
            let problem = Problem::from(error);
            assert_eq!((problem.status, problem.code), (503, code));
            assert!(problem.detail.contains("nothing was changed"), "{}", problem.detail);
        }
    }

    #[test]
    fn a_run_under_another_key_is_no_fault_of_the_server_and_says_what_to_do() {
        let run = "run_01970000000070008000000000000001".parse().unwrap();
        let problem = Problem::from(StoreError::Sealed(run));
        assert_eq!((problem.status, problem.code), (409, "SEALED"));
        assert!(problem.detail.contains("start with the key"), "{}", problem.detail);
    }
}
