//! `POST /api/policy/dry-run`: what changes of the policy would do to the last calls of the record. Nothing is kept.

use super::capabilities::CapabilityDraft;
use super::door::{Changer, name, wish};
use super::overrides::OverrideDraft;
use super::roles::RoleDraft;
use super::rules::RuleDraft;
use super::tools::{ToolDraft, entry_of};
use crate::body::Body;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_policy::source::OverrideSource;
use countersign_runtime::ports::PolicyKind;
use countersign_runtime::{MOST_CALLS, StoredOverride, Told, Trial, Tried, Wish, tool_key};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Changes to try out, and on how many calls.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DryRunBody {
    /// The changes, made one after the other; with none, nothing is judged otherwise.
    changes: Vec<DraftChange>,
    /// How many of the last calls are judged, 10,000 at the most. Default: 1,000.
    #[serde(default)]
    last: Option<usize>,
}

/// One change to try out.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftChange {
    /// What kind of thing.
    kind: KindBody,
    /// Its name: of a rule, a capability or a role; of an override or a tool `tool` or `server/tool`.
    key: String,
    /// Of an override: whose it is; everybody's without it.
    #[serde(default)]
    user_id: Option<String>,
    /// What it is to be, as the body of `PUT`; null or absent if it is to be no more.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    body: Option<Value>,
}

/// What can be tried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindBody {
    /// A rule.
    Rule,
    /// What becomes of a capability.
    Capability,
    /// What is said of a tool in place of what it declares.
    Override,
    /// A role.
    Role,
    /// What a tool is.
    Tool,
}

/// The most changes that are tried out at once.
const MOST_CHANGES: usize = 100;
/// The most calls that are told with all that is known of them.
const MOST_EXAMPLES: usize = 100;

/// What the changes would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct DryRunResult {
    /// How many calls were judged.
    looked_at: usize,
    /// How many of them would be judged as now.
    unchanged: usize,
    /// How many of them hold a secret. Secrets are not kept: these were judged with the mask in its place, so a pattern or a
    /// condition about the secret itself may be told wrongly.
    masked: usize,
    /// The ids of calls that would be judged otherwise, the newest first.
    would_now_be: WouldNowBe,
    /// The first hundred of them.
    examples: Vec<ExampleBody>,
}

/// The ids of calls that would be judged otherwise.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct WouldNowBe {
    /// Would be made without a question.
    allowed: Vec<String>,
    /// Would be asked about, or be asked about in another way.
    asked: Vec<String>,
    /// Would be refused.
    denied: Vec<String>,
}

/// A call that would be judged otherwise.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExampleBody {
    call_id: String,
    run_id: String,
    /// `server/tool`, or `tool` alone.
    tool: String,
    /// What it touches.
    resource: Option<String>,
    /// The verdict as the policy stands.
    before: ToldBody,
    /// The verdict with the changes.
    after: ToldBody,
    /// What decided, with the changes.
    why: String,
}

/// A verdict.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToldBody {
    /// `allow`, `ask` or `deny`.
    verdict: &'static str,
    /// For an ask: `once` or `always`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    /// For an ask: `anyone`, `human` or `second_person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// For an ask: how many must approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals: Option<u32>,
}

impl From<&Told> for ToldBody {
    fn from(told: &Told) -> Self {
        let plain = |verdict| Self { verdict, mode: None, by: None, approvals: None };
        match told {
            Told::Allow => plain("allow"),
            Told::Deny => plain("deny"),
            Told::Ask(ask) => Self {
                mode: Some(ask.mode.word()),
                by: Some(ask.by.word()),
                approvals: Some(ask.approvals),
                ..plain("ask")
            },
        }
    }
}

impl From<Trial> for DryRunResult {
    fn from(Trial { looked_at, masked, otherwise }: Trial) -> Self {
        let mut would_now_be = WouldNowBe::default();
        for tried in &otherwise {
            let list = match tried.after {
                Told::Allow => &mut would_now_be.allowed,
                Told::Ask(_) => &mut would_now_be.asked,
                Told::Deny => &mut would_now_be.denied,
            };
            list.push(tried.call.to_string());
        }
        let unchanged = looked_at.saturating_sub(otherwise.len());
        let example = |tried: Tried| ExampleBody {
            call_id: tried.call.to_string(),
            run_id: tried.run.to_string(),
            before: (&tried.before).into(),
            after: (&tried.after).into(),
            tool: tried.tool,
            resource: tried.resource,
            why: tried.why,
        };
        let examples = otherwise.into_iter().take(MOST_EXAMPLES).map(example).collect();
        Self { looked_at, unchanged, masked, would_now_be, examples }
    }
}

impl DraftChange {
    /// What it wishes for; it is the `i`-th.
    fn wish(self, i: usize) -> Result<Wish, Problem> {
        let body = self.body.filter(|body| !body.is_null());
        let at = format!("changes[{i}].body");
        let key = name(&self.key)?;
        if self.kind != KindBody::Override && self.user_id.is_some() {
            return Err(Problem::invalid(format!("`changes[{i}].user_id`: only an override is a single user's")));
        }
        Ok(match self.kind {
            KindBody::Rule => {
                let draft = read::<RuleDraft>(body, &at)?;
                wish(PolicyKind::Rule, key.clone(), draft.map(|draft| draft.kept(&key)))
            }
            KindBody::Capability => {
                wish(PolicyKind::Capability, key, read::<CapabilityDraft>(body, &at)?.map(CapabilityDraft::kept))
            }
            KindBody::Role => wish(PolicyKind::Role, key, read::<RoleDraft>(body, &at)?.map(RoleDraft::kept)),
            KindBody::Tool => {
                let draft = read::<ToolDraft>(body, &at)?;
                let kept = draft.map(|draft| draft.kept(&key)).transpose()?;
                wish(PolicyKind::Tool, tool_key(&entry_of(&key)), kept)
            }
            KindBody::Override => {
                let none =
                    StoredOverride { user: self.user_id.clone(), tool: key.clone(), says: OverrideSource::default() };
                let draft = read::<OverrideDraft>(body, &at)?;
                let kept = draft.map(|draft| draft.kept(&key, self.user_id)).transpose()?;
                let body = kept.map(|kept| serde_json::to_value(kept).unwrap_or_default());
                wish(PolicyKind::Override, none.key(), body)
            }
        })
    }
}

/// What stands at a place, if something does.
fn read<T: DeserializeOwned>(body: Option<Value>, at: &str) -> Result<Option<T>, Problem> {
    let Some(body) = body else { return Ok(None) };
    serde_path_to_error::deserialize(body).map(Some).map_err(|wrong| {
        let place = wrong.path().to_string();
        let place = if place == "." { at.to_owned() } else { format!("{at}.{place}") };
        Problem::invalid(format!("`{place}`: {}", wrong.into_inner()))
    })
}

/// Judges the last calls of the record as the policy stands, and as it would be with the changes. Nothing is kept, and
/// nobody is asked. Each call is judged as it is stored, as if it were made now and nobody had answered anything.
#[utoipa::path(
    post, operation_id = "dry_run_policy", path = "/policy/dry-run", tag = "policy", request_body = DryRunBody,
    responses(
        (status = 200, body = DryRunResult), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem), (status = 429, body = Problem)
    )
)]
pub async fn dry_run(
    State(api): State<Api>,
    changer: Changer,
    Body(DryRunBody { changes, last }): Body<DryRunBody>,
) -> Result<Json<DryRunResult>, Problem> {
    let last = last.unwrap_or(1_000);
    if !(1..=MOST_CALLS).contains(&last) {
        return Err(Problem::invalid(format!("`last` must be between 1 and {MOST_CALLS}")));
    }
    if changes.len() > MOST_CHANGES {
        return Err(Problem::invalid(format!("`changes` holds {MOST_CHANGES} at the most")));
    }
    let wishes: Vec<_> = changes.into_iter().enumerate().map(|(i, change)| change.wish(i)).collect::<Result<_, _>>()?;
    Ok(Json(api.runtime.try_out(&wishes, last, &changer.who).await?.into()))
}
