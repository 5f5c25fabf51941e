//! A call of a program outside, as the program sees it.

use crate::interactions::body::ReasonBody;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::run::{EndStatus, Outside, Phase, ResultState, Run, Stands};
use countersign_domain::secret::Masker;
use countersign_domain::{CallId, RunId};
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;
use utoipa::ToSchema;

/// The longest that a request is held.
pub const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(60);

/// A call, and what was decided about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolCallBody {
    /// `call_…`
    id: String,
    /// The run that it is.
    run_id: String,
    /// `allow`: make it, once, and report; where `result` is there, it was made. `deny`: do not make it. `pending`: somebody is asked; wait.
    decision: &'static str,
    /// Each layer of the policy that was consulted and what it said; the last one decided.
    reasons: Vec<ReasonBody>,
    /// The question that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction_id: Option<String>,
    /// When the question ends unanswered; of an allowed call, until when its report is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// With `allow`, where somebody edited the arguments: make the call with these, and no others. Only whoever asked is
    /// given them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    args: Option<Map<String, Value>>,
    /// With `deny` and the code `ANSWERED`: what somebody said in the tool's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// With `deny`, why: `PERMISSION_DENIED`, `TOO_MANY_QUESTIONS`, `REJECTED`, `EXPIRED`, `CANCELLED`, or `ANSWERED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// With `deny`: what to tell the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What became of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ToolResultBody>,
}

/// What became of the report of a call.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolResultBody {
    /// `released`: the agent may see it. `replaced`: the agent sees `output` in its place. `withheld`: the agent does not see
    /// it. `pending`: somebody looks at it first. `unknown`: nothing was reported in time.
    state: &'static str,
    /// What the agent may see.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Whether the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    /// The question that is open about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction_id: Option<String>,
}

impl ToolCallBody {
    /// The call that `run` is, as `who` sees it.
    pub async fn of(api: &Api, who: &SignedIn, run: &Run) -> Result<Self, Problem> {
        let outside = run.outside().ok_or_else(no_call)?;
        let mut masker = api.runtime.store().masks().masker(run.id);
        let mut body = Self::new(run, outside, &mut masker);
        if is_to_be_made(&outside) && run.started.started_by.is(&who.0) {
            // What is shown of it is masked; what is to be done is not.
            let made = api.runtime.to_be_made(run.id).await?;
            let call = made.as_ref().and_then(Run::outside).map(|outside| outside.call.edited.clone());
            body.args = call.flatten().map(|edited| edited.args);
        }
        Ok(body)
    }

    fn new(run: &Run, outside: Outside<'_>, masker: &mut Masker) -> Self {
        let reasons = outside.call.judgement.iter().flat_map(|judgement| judgement.reasons.clone());
        let reasons = reasons.map(|mut reason| {
            reason.name.iter_mut().chain([&mut reason.text]).for_each(|text| masker.mask_words(text));
            reason.into()
        });
        let mut body = Self {
            id: outside.call.proposal.call_id.to_string(),
            run_id: run.id.to_string(),
            decision: "pending",
            reasons: reasons.collect(),
            interaction_id: None,
            expires_at: None,
            args: None,
            output: None,
            code: None,
            message: None,
            result: None,
        };
        let mut shown = |text: &str| {
            let mut text = text.to_owned();
            masker.mask_words(&mut text);
            text
        };
        match outside.stands {
            Stands::Pending { asked } => {
                body.interaction_id = asked.map(|asked| asked.id.to_string());
                body.expires_at = asked.map(|asked| asked.expires_at.to_string());
            }
            Stands::Allowed { report_by, result, .. } => {
                body.decision = "allow";
                body.expires_at = report_by.map(|by| by.to_string());
                // Nobody waits for it any more: whoever comes back late must not make it now.
                if let Some(ResultState::Unknown(end)) = result {
                    (body.decision, body.code) = ("deny", Some(no_more(run)));
                    body.message = Some(shown(&end.output));
                }
                body.result = result.map(|result| ToolResultBody::new(result, &mut shown));
            }
            Stands::Denied { code, message, output } => {
                (body.decision, body.code) = ("deny", Some(code));
                body.message = Some(shown(message));
                body.output = output.map(shown);
            }
        }
        body
    }
}

impl ToolResultBody {
    fn new(result: ResultState<'_>, shown: &mut dyn FnMut(&str) -> String) -> Self {
        let (state, end, asked) = match result {
            ResultState::Pending(asked) => ("pending", None, Some(asked)),
            ResultState::Released(end) => ("released", Some(end), None),
            ResultState::Replaced(end) => ("replaced", Some(end), None),
            ResultState::Withheld(end) => ("withheld", Some(end), None),
            ResultState::Unknown(end) => ("unknown", Some(end), None),
        };
        let is_told = matches!(result, ResultState::Released(_) | ResultState::Replaced(_));
        Self {
            state,
            output: end.map(|end| shown(&end.output)),
            failed: end.filter(|_| is_told).map(|end| end.status == EndStatus::Error),
            interaction_id: asked.map(|asked| asked.id.to_string()),
        }
    }
}

/// Why a call that was allowed is not to be made any more.
fn no_more(run: &Run) -> &'static str {
    if matches!(run.phase, Phase::Cancelled { .. }) { "CANCELLED" } else { "EXPIRED" }
}

/// Whether the program is to make the call with other arguments than its own.
fn is_to_be_made(outside: &Outside<'_>) -> bool {
    matches!(outside.stands, Stands::Allowed { edited: Some(_), report_by: Some(_), .. })
}

/// The run of the call, if `who` may see it. A program sees what it asked itself.
pub async fn seen(api: &Api, who: &SignedIn, call: CallId) -> Result<RunId, Problem> {
    let store = api.runtime.store();
    let run = store.calling(call).await?.ok_or_else(no_call)?;
    who.seen(store.run(run).await?).map_err(|_| no_call())?;
    let is_program = who.0.kind != Kind::User && who.0.role < Role::Operator;
    if is_program && !asked_by(api, who, run).await? {
        return Err(no_call());
    }
    Ok(run)
}

/// Whether `who` asked for the call that `run` is.
pub async fn asked_by(api: &Api, who: &SignedIn, run: RunId) -> Result<bool, Problem> {
    let shown = api.runtime.store().shown(run).await?;
    Ok(shown.is_some_and(|run| run.started.started_by.is(&who.0)))
}

pub fn no_call() -> Problem {
    Problem::not_found("there is no such call")
}

/// How long a request is held: `30s`.
pub fn wait(text: Option<&str>) -> Result<Duration, Problem> {
    let Some(text) = text else { return Ok(Duration::ZERO) };
    let wait = text.parse().ok().filter(|wait: &SignedDuration| *wait <= LONGEST_WAIT);
    let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
    wait.ok_or_else(|| Problem::invalid("`wait` is a duration of at most a minute, such as `30s`"))
}
