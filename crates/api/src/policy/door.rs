//! What all changes of the policy have in common: who may, which version they have seen, and what they are told.

use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use countersign_domain::Principal;
use countersign_domain::principal::{Kind, Role};
use countersign_runtime::ports::{Once, PolicyKind};
use countersign_runtime::{ChangeError, Footing, Kept, TrialError, Wish, Wrong};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// Somebody who may look at the policy: anybody but an agent, which would look for the way around it.
pub struct Reader;

impl FromRequestParts<Api> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let SignedIn(who) = SignedIn::from_request_parts(parts, api).await?;
        if who.kind == Kind::Agent {
            return Err(Problem::denied("an agent is judged by the policy, and does not read it"));
        }
        Ok(Self)
    }
}

/// A person who may change the policy, and the version of it that they have seen.
pub struct Changer {
    /// Who.
    pub who: Principal,
    /// What `If-Match` says.
    pub seen: Option<u64>,
}

impl FromRequestParts<Api> for Changer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let SignedIn(who) = SignedIn::from_request_parts(parts, api).await?;
        if !who.is_human() || who.role < Role::Operator {
            return Err(Problem::denied("only an operator in person changes the policy"));
        }
        Ok(Self { who, seen: seen(&parts.headers)? })
    }
}

/// The version in `If-Match`. `*` is any.
fn seen(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(given) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = given.to_str().map(str::trim).unwrap_or_default();
    if text == "*" {
        return Ok(None);
    }
    let version = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
    version.map(Some).ok_or_else(|| Problem::invalid("`If-Match` must be the `ETag` of an earlier answer, as `\"17\"`"))
}

/// The header that says which version of the policy an answer is of.
pub fn etag(version: u64) -> [(HeaderName, HeaderValue); 1] {
    let value = HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""));
    [(header::ETAG, value)]
}

/// What is said of what was made, and cannot be shown any more.
pub const GONE: &str = "somebody else took it away by now";

/// Why something is taken away.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// Why.
    pub reason: Option<String>,
}

/// The longest reason, in bytes.
const LONGEST_REASON: usize = 10_000;

impl Changer {
    /// Makes the policy what they wish, and says its version.
    pub async fn change(&self, api: &Api, wish: Wish, reason: Option<String>) -> Result<u64, Problem> {
        Ok(self.change_once(api, wish, reason, None).await?.version)
    }

    /// The same, once under a key.
    pub async fn change_once(
        &self,
        api: &Api,
        wish: Wish,
        reason: Option<String>,
        once: Option<Once>,
    ) -> Result<Kept, Problem> {
        let why = stated(reason)?;
        Ok(api.runtime.wish(&[wish], &self.who, why, self.seen, once).await?)
    }
}

/// A reason that is one.
pub fn stated(reason: Option<String>) -> Result<Option<String>, Problem> {
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    if reason.as_ref().is_some_and(|reason| reason.len() > LONGEST_REASON) {
        return Err(Problem::invalid(format!("`reason` has {LONGEST_REASON} bytes at the most")));
    }
    Ok(reason)
}

/// A name that people can read and tell from others.
pub fn name(given: &str) -> Result<String, Problem> {
    if given.trim().is_empty() || given.chars().any(char::is_control) {
        return Err(Problem::invalid("a name has at least one letter, and no control characters"));
    }
    Ok(given.to_owned())
}

/// The wish that the thing of this name is `body`, or is no more.
pub fn wish(kind: PolicyKind, key: String, body: Option<Value>) -> Wish {
    Wish { kind, key, body, footing: Footing::Any }
}

/// Something that is wrong with a policy that somebody wants.
#[derive(Debug, Serialize, ToSchema)]
pub struct WrongBody {
    /// What kind of thing it is wrong with: `rule`, `capability`, `override`, `role`, `tool`, `grant`.
    kind: Option<&'static str>,
    /// The name of the thing.
    key: Option<String>,
    /// Where in the thing, or else in the configuration: `when`, `approvers[1]`.
    place: String,
    /// What is wrong there, and what to do.
    text: String,
}

impl From<&Wrong> for WrongBody {
    fn from(wrong: &Wrong) -> Self {
        let Wrong { thing, place, text } = wrong.clone();
        let (kind, key) = thing.unzip();
        Self { kind: kind.map(PolicyKind::word), key, place, text }
    }
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        let detail = error.to_string();
        match error {
            ChangeError::Invalid(wrong) => {
                let problems: Vec<_> = wrong.iter().map(WrongBody::from).collect();
                let detail =
                    "what the policy would be is none, and nothing was changed; `problems` says what and where";
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "BAD_POLICY", detail).with("problems", problems)
            }
            ChangeError::Secret | ChangeError::TooMuch(_) => Self::invalid(detail),
            ChangeError::FromFile(..) | ChangeError::OfFile(_) => {
                Self::new(StatusCode::CONFLICT, "FILE_DEFINED", detail)
            }
            ChangeError::Taken(..) => Self::new(StatusCode::CONFLICT, "ALREADY_EXISTS", detail),
            ChangeError::ChangedSince { .. } => Self::new(StatusCode::CONFLICT, "CHANGED_SINCE", detail),
            ChangeError::Unknown(..) | ChangeError::NoChange(_) => Self::not_found(detail),
            ChangeError::Stale { now } => {
                Self::new(StatusCode::PRECONDITION_FAILED, "STALE", detail).with("version", now)
            }
            ChangeError::OtherRequest(error) => error.into(),
            ChangeError::Store(error) => error.into(),
        }
    }
}

impl From<TrialError> for Problem {
    fn from(error: TrialError) -> Self {
        match error {
            TrialError::Change(error) => error.into(),
            TrialError::Busy => Self::new(StatusCode::TOO_MANY_REQUESTS, "BUSY", error.to_string()),
            TrialError::Broken => Self::internal(&error),
        }
    }
}
