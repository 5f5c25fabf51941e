//! `POST /api/policy/check`: what would happen to a call, and why. Nothing is stored.

use crate::body::Body;
use crate::interactions::body::ReasonBody;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::Call;
use countersign_domain::run::Ruling;
use countersign_policy::source::ContextSource;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A call to judge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckBody {
    /// The server whose tool it is.
    #[serde(default)]
    server: Option<String>,
    /// The tool.
    tool: String,
    /// The arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The user it would be made for.
    #[serde(default)]
    user_id: Option<String>,
    /// The agent that would make it.
    #[serde(default)]
    agent: Option<String>,
    /// The role it would act in.
    #[serde(default)]
    role: Option<String>,
    /// The working folder.
    #[serde(default)]
    cwd: Option<String>,
}

/// A verdict.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerdictBody {
    /// `allow`, `ask` or `deny`.
    verdict: &'static str,
    /// For an ask: `once` or `always`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    /// For an ask: who may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// What an agent would be told of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
    /// Each layer that was consulted and what it said; the last one decided.
    reasons: Vec<ReasonBody>,
    /// The digest that an approval would be bound to.
    digest: String,
    /// What the call touches.
    resource: Option<String>,
    /// How dangerous it is.
    risk: String,
    /// What the tool is able to do.
    capabilities: Vec<String>,
    /// The version of the policy.
    policy: String,
}

/// Judges a call without doing anything.
#[utoipa::path(
    post, operation_id = "check_policy", path = "/policy/check", tag = "policy", request_body = CheckBody,
    responses((status = 200, body = VerdictBody), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem))
)]
pub async fn check(
    State(api): State<Api>,
    who: SignedIn,
    Body(body): Body<CheckBody>,
) -> Result<Json<VerdictBody>, Problem> {
    let call =
        Call::new(body.server, body.tool, body.args, body.cwd).map_err(|wrong| Problem::invalid(wrong.to_string()))?;
    let user = who.on_behalf_of(body.user_id)?;
    let context = ContextSource { user, agent: body.agent, role: body.role, ..ContextSource::default() };
    let now = api.runtime.store().now().await?;
    let judgement = api.runtime.judge(call, &context, now).await?.judgement;
    let (verdict, mode, by, refusal) = match judgement.ruling {
        Ruling::Allow => ("allow", None, None, None),
        Ruling::Ask { by, mode, .. } => ("ask", Some(mode), Some(by.word()), None),
        Ruling::Deny { refusal } => ("deny", None, None, Some(refusal)),
    };
    Ok(Json(VerdictBody {
        verdict,
        mode,
        by,
        refusal,
        reasons: judgement.reasons.into_iter().map(Into::into).collect(),
        digest: judgement.digest.to_string(),
        resource: judgement.resource,
        risk: judgement.risk,
        capabilities: judgement.capabilities,
        policy: judgement.policy.to_string(),
    }))
}
