//! Requests that make something, once under each key: whoever did not hear the answer sends the same again.

use crate::Problem;
use crate::body::{json_of, typed};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode};
use countersign_domain::canonical::canonical;
use countersign_domain::{Digest, Principal};
use countersign_runtime::OtherRequest;
use countersign_runtime::ports::Once;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The header with the key.
const HEADER: &str = "idempotency-key";
/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;
/// What may differ from one time to the next.
const LEFT_OUT: [&str; 2] = ["idempotency_key", "wait"];

/// A JSON body that makes something, and the key under which it does so once.
pub struct Making<T> {
    /// The body.
    pub body: T,
    key: Option<String>,
    digest: Digest,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Making<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let key = key_of(request.headers())?;
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let body = json_of(request, state).await?;
        let mut same = body.clone();
        if let Value::Object(same) = &mut same {
            same.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
        }
        let digest = Digest::of(canonical(&json!({"body": same, "method": method, "path": path})).as_bytes());
        Ok(Self { body: typed(body)?, key, digest })
    }
}

impl<T> Making<T> {
    /// The body, and what it makes once, if it has a key: in the header, or `named` in the body.
    pub fn once(self, by: &Principal, named: impl FnOnce(&T) -> Option<String>) -> Result<(T, Option<Once>), Problem> {
        let named = named(&self.body).map(checked).transpose()?;
        if let (Some(header), Some(named)) = (&self.key, &named)
            && header != named
        {
            return Err(Problem::invalid("`Idempotency-Key` and `idempotency_key` differ: give one of them"));
        }
        let key = self.key.or(named);
        Ok((self.body, key.map(|key| Once::new(by, key, self.digest))))
    }
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get(HEADER) else { return Ok(None) };
    checked(key.to_str().unwrap_or_default().to_owned()).map(Some)
}

fn checked(key: String) -> Result<String, Problem> {
    let is_key = !key.is_empty() && key.len() <= LONGEST_KEY && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_key {
        return Ok(key);
    }
    Err(Problem::invalid(format!("an idempotency key has 1 to {LONGEST_KEY} visible ASCII characters and no space")))
}

/// Of a request that made something, and of one that found it made.
pub const fn status(repeated: Repeated) -> StatusCode {
    match repeated {
        Repeated::No => StatusCode::CREATED,
        Repeated::Yes => StatusCode::OK,
    }
}

/// Whether the same had been asked for before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// It is new.
    No,
    /// It was there.
    Yes,
}

impl From<bool> for Repeated {
    fn from(repeated: bool) -> Self {
        if repeated { Self::Yes } else { Self::No }
    }
}

impl From<OtherRequest> for Problem {
    fn from(error: OtherRequest) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "IDEMPOTENCY_MISMATCH", error.to_string())
    }
}
