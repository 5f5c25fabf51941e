//! `/api/rules`: the rules, in the order in which they are looked at.

use super::door::{Changer, GONE, Reader, Why, etag, name, wish};
use super::effect::{EffectBody, of_rule};
use super::listed::{OriginBody, Part};
use crate::body::{Asked, Body, Named};
use crate::making::{Making, status};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use countersign_policy::source::{EffectSource, RuleSource};
use countersign_runtime::ports::PolicyKind;
use countersign_runtime::{Footing, Kept, Listed, StoredRule, Wish};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A rule, and where it comes from.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleBody {
    /// Its name, as reasons give it.
    name: String,
    /// Lower is looked at first; of those of one priority, the one that is listed first.
    priority: i64,
    /// The server whose tools it is about; null is every server, and tools without one.
    server: Option<String>,
    /// The tools it is about.
    tool: String,
    /// A condition in CEL.
    when: Option<String>,
    /// What it does.
    effect: Option<EffectBody>,
    /// Whether a remembered answer or a grant will do.
    remember: Option<bool>,
    /// How many different people or services must approve.
    approvals: Option<u32>,
    /// Groups of people who may answer.
    approvers: Vec<String>,
    /// For the reader.
    description: Option<String>,
    /// The rule that it stands directly before.
    before: Option<String>,
    #[serde(flatten)]
    origin: OriginBody,
}

/// A page of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulePage {
    items: Vec<RuleBody>,
    next: Option<String>,
}

/// What a rule is to be.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleDraft {
    /// Its name. In the address it need not be said again.
    #[serde(default)]
    pub name: Option<String>,
    /// Lower is looked at first. Default: 100.
    #[serde(default)]
    priority: Option<i64>,
    /// The server whose tools it is about, `*` as wildcard. Without it: every server, and tools without one.
    #[serde(default)]
    server: Option<String>,
    /// The tools it is about: a pattern, brackets included; `*` for all.
    tool: String,
    /// A condition in CEL over `args`, `call`, `user`, `agent`, `run` and `now`.
    #[serde(default)]
    when: Option<String>,
    /// What it does.
    effect: EffectBody,
    /// `false`: no remembered answer and no grant will do.
    #[serde(default)]
    remember: Option<bool>,
    /// How many different people or services must approve.
    #[serde(default)]
    approvals: Option<u32>,
    /// Groups of people who may answer; nobody else may.
    #[serde(default)]
    approvers: Option<Vec<String>>,
    /// For the reader.
    #[serde(default)]
    description: Option<String>,
    /// The rule that it is to stand directly before, with the same priority.
    #[serde(default)]
    before: Option<String>,
    /// Why it is changed.
    #[serde(default)]
    pub reason: Option<String>,
}

impl RuleDraft {
    /// As it is kept, under this name.
    pub fn kept(self, name: &str) -> Value {
        let rule = RuleSource {
            name: Some(name.to_owned()),
            priority: self.priority,
            server: self.server,
            tool: self.tool,
            when: self.when,
            effect: Some(EffectSource::Name(self.effect.into())),
            remember: self.remember,
            approvals: self.approvals,
            approvers: self.approvers.unwrap_or_default(),
            auto_approve: None,
            description: self.description,
        };
        serde_json::to_value(StoredRule { made: 0, before: self.before, anchor: None, rule }).unwrap_or_default()
    }
}

impl From<Listed<StoredRule>> for RuleBody {
    fn from(Listed { key, thing, changed }: Listed<StoredRule>) -> Self {
        let StoredRule { before, rule, .. } = thing;
        let effect = of_rule(&rule);
        Self {
            name: key,
            priority: rule.priority.unwrap_or_default(),
            effect: effect.as_ref().map(|full| full.effect.into()),
            remember: effect.as_ref().and_then(|full| full.remember),
            approvals: effect.as_ref().and_then(|full| full.approvals),
            approvers: effect.map(|full| full.approvers).unwrap_or_default(),
            server: rule.server,
            tool: rule.tool,
            when: rule.when,
            description: rule.description,
            before,
            origin: changed.into(),
        }
    }
}

/// The rules, in the order in which they are looked at: those of the configuration file and those that were made while the
/// server ran. `ETag` is the version of the policy.
#[utoipa::path(
    get, operation_id = "list_rules", path = "/rules", tag = "policy", params(Part),
    responses(
        (status = 200, body = RulePage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn list(State(api): State<Api>, _: Reader, Asked(part): Asked<Part>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let (items, next) = part.of(book.rules, |rule| &rule.key)?;
    Ok((etag(book.version), Json(RulePage { items: items.into_iter().map(RuleBody::from).collect(), next })))
}

/// Makes a new rule. For operators in person, as every change of the policy; with `If-Match`, only if the policy is still
/// of that version.
#[utoipa::path(
    post, operation_id = "create_rule", path = "/rules", tag = "policy", request_body = RuleDraft,
    params(
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")
    ),
    responses(
        (status = 200, body = RuleBody, description = "The same was asked for before, under the same key: the rule as it stands"),
        (status = 201, body = RuleBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem, description = "The rule was made, and taken away since"),
        (status = 409, body = Problem), (status = 412, body = Problem), (status = 422, body = Problem)
    )
)]
pub async fn create(
    State(api): State<Api>,
    changer: Changer,
    making: Making<RuleDraft>,
) -> Result<impl IntoResponse, Problem> {
    let (mut draft, once) = making.once(&api, &changer.who, |_| None)?;
    let key = draft.name.take().ok_or_else(|| Problem::invalid("`name` is missing: reasons name the rule by it"))?;
    let (key, reason) = (name(&key)?, draft.reason.take());
    let body = Some(draft.kept(&key));
    let wish = Wish { kind: PolicyKind::Rule, key: key.clone(), body, footing: Footing::New };
    let Kept { version, repeated } = changer.change_once(&api, wish, reason, once).await?;
    let gone = if repeated {
        "the same request made this rule before, under the same key, and it was taken away since: to make it again, send it \
         under a new key"
    } else {
        GONE
    };
    Ok((status(repeated.into()), etag(version), read(&api, &key, gone).await?))
}

/// Makes a rule what the body says, whether there was one of that name or not. It keeps its place among those of its
/// priority.
#[utoipa::path(
    put, operation_id = "put_rule", path = "/rules/{name}", tag = "policy", request_body = RuleDraft,
    params(
        ("name" = String, Path, description = "The rule's name"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 200, body = RuleBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn put(
    State(api): State<Api>,
    changer: Changer,
    Named(key): Named<String>,
    Body(mut draft): Body<RuleDraft>,
) -> Result<impl IntoResponse, Problem> {
    let (key, reason) = (name(&key)?, draft.reason.take());
    if draft.name.take().is_some_and(|named| named != key) {
        return Err(Problem::invalid("`name` must be the one in the address; to rename a rule, make a new one"));
    }
    let body = Some(draft.kept(&key));
    let version = changer.change(&api, wish(PolicyKind::Rule, key.clone(), body), reason).await?;
    Ok((etag(version), read(&api, &key, GONE).await?))
}

/// Takes a rule away.
#[utoipa::path(
    delete, operation_id = "delete_rule", path = "/rules/{name}", tag = "policy",
    params(
        ("name" = String, Path, description = "The rule's name"), Why,
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 204, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn delete(
    State(api): State<Api>,
    changer: Changer,
    Named(key): Named<String>,
    Asked(Why { reason }): Asked<Why>,
) -> Result<impl IntoResponse, Problem> {
    let version = changer.change(&api, wish(PolicyKind::Rule, key, None), reason).await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}

/// The rule as it stands, or that it is gone.
async fn read(api: &Api, key: &str, gone: &str) -> Result<Json<RuleBody>, Problem> {
    let found = api.runtime.book().await?.rules.into_iter().find(|rule| rule.key == key && rule.changed.is_some());
    found.map(|rule| Json(rule.into())).ok_or_else(|| Problem::not_found(gone))
}
