//! Responses: what somebody answers with, before it is known whether it counts.

use super::answer::{Answer, AnswerError, Decision};
use super::edit::Edited;
use super::reply::{LONGEST_REPLY, Misfit, Reply};
use super::{Interaction, Purpose};
use crate::InteractionId;
use crate::principal::{Principal, Role};
use crate::secret::{unmask_args, unmask_text};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What somebody answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    request_id: InteractionId,
    kind: Option<String>,
    decision: Option<Decision>,
    reason: Option<String>,
    reply: Reply,
    replacement: Option<String>,
    edited_args: Option<Map<String, Value>>,
    remember: Option<Remember>,
}

/// What is to be allowed from now on, by somebody's explicit choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remember {
    /// The pattern, exactly as it was offered.
    pub pattern: String,
    /// For whom.
    #[serde(default, skip_serializing_if = "Scope::is_users")]
    pub scope: Scope,
    /// When that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// For whom something is remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The run's user.
    #[default]
    User,
    /// Everybody, for which it takes an operator.
    Everyone,
}

impl Scope {
    /// Whether it is for the run's user alone.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    fn is_users(&self) -> bool {
        *self == Self::User
    }
}

/// The longest reason, in bytes.
pub const LONGEST_REASON: usize = 10_000;

/// The reason is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reason is longer than {LONGEST_REASON} bytes")]
pub struct LongReason;

impl Response {
    /// An answer to `request_id`, for `reason`; a blank reason is none. Without a decision what is filled in decides.
    pub fn new(
        request_id: InteractionId,
        decision: Option<Decision>,
        reason: Option<String>,
    ) -> Result<Self, LongReason> {
        let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        if reason.as_ref().is_some_and(|reason| reason.len() > LONGEST_REASON) {
            return Err(LongReason);
        }
        Ok(Self {
            request_id,
            kind: None,
            decision,
            reason,
            reply: Reply::default(),
            replacement: None,
            edited_args: None,
            remember: None,
        })
    }

    /// The same, for a form of this kind.
    #[must_use]
    pub fn of_kind(self, kind: Option<String>) -> Self {
        Self { kind, ..self }
    }

    /// The same, with what was filled in.
    #[must_use]
    pub fn filled_in(self, reply: Reply) -> Self {
        Self { reply, ..self }
    }

    /// The same, where things are named as they were shown: what was chosen, and arguments that were left as they were. `get`
    /// knows what stands at each placeholder.
    #[must_use]
    pub fn unmasked(mut self, get: &dyn Fn(&str) -> Option<String>) -> Self {
        let Reply { selected_values, responses, .. } = &mut self.reply;
        selected_values.iter_mut().flatten().for_each(|value| unmask_text(value, get));
        responses.iter_mut().flatten().for_each(|part| part.choose(get));
        if let Some(args) = &mut self.edited_args {
            unmask_args(args, get);
        }
        self
    }

    /// The same, with these arguments in place of those that the agent proposed.
    #[must_use]
    pub fn editing(self, edited_args: Option<Map<String, Value>>) -> Self {
        Self { edited_args, ..self }
    }

    /// The question that it answers.
    pub(super) const fn request_id(&self) -> InteractionId {
        self.request_id
    }

    /// The arguments that are put in place of those that the agent proposed.
    pub const fn edited_args(&self) -> Option<&Map<String, Value>> {
        self.edited_args.as_ref()
    }

    /// The same, with what the agent is told in place of the result.
    #[must_use]
    pub fn replacing(self, replacement: Option<String>) -> Self {
        Self { replacement, ..self }
    }

    /// The same, to be remembered.
    #[must_use]
    pub fn remembering(self, remember: Option<Remember>) -> Self {
        Self { remember, ..self }
    }

    /// What it decides about `asked`, if it fits.
    pub(super) fn decided(&self, asked: &Interaction) -> Result<Decision, AnswerError> {
        let words = || asked.allowed_decisions().iter().map(|one| one.word()).collect::<Vec<_>>().join("`, `");
        let unfit = |why: String| Err(AnswerError::Unfit(Misfit { place: vec![], why }));
        let filled = !self.reply.is_empty();
        if self.kind.as_ref().is_some_and(|kind| kind != asked.form.word()) {
            return unfit(format!("`type` must be `{}`, as in the request", asked.form.word()));
        }
        let decision = match (self.decision, self.reply.confirmed, asked.purpose) {
            (Some(decision), ..) => decision,
            (None, Some(true), Purpose::Approval) => Decision::Approve,
            (None, Some(false), Purpose::Approval) => Decision::Reject,
            (None, _, Purpose::Question) if filled => Decision::Answer,
            (None, _, Purpose::Signal) => Decision::Answer,
            (None, ..) => return unfit(format!("`decision` is missing: one of `{}`", words())),
        };
        let decision = match decision {
            Decision::Approve if self.edited_args.is_some() => Decision::Edit,
            decision => decision,
        };
        if !asked.allowed_decisions().contains(&decision) {
            return Err(AnswerError::NotAllowed { given: decision.word(), allowed: words() });
        }
        match (decision == Decision::Edit, &self.edited_args) {
            (true, None) => return unfit("`edited_args` is missing: the arguments to make the call with".into()),
            (false, Some(_)) => return unfit(format!("`{}` takes no `edited_args`", decision.word())),
            _ => {}
        }
        match decision {
            Decision::Answer if asked.purpose == Purpose::Approval => {
                self.in_place(asked).map_err(|why| AnswerError::Unfit(Misfit { place: vec![], why }))?;
            }
            Decision::Answer => self.reply.fits(&asked.form, asked.required)?,
            Decision::Approve | Decision::Edit | Decision::Reject if asked.purpose == Purpose::Approval => {
                let only = Reply { confirmed: self.reply.confirmed, ..Reply::default() };
                if only != self.reply {
                    return unfit("this is a `confirm`: it takes `decision` or `confirmed`, and `reason`".into());
                }
                if only.confirmed.is_some_and(|confirmed| confirmed != (decision != Decision::Reject)) {
                    return unfit("`decision` and `confirmed` contradict each other".into());
                }
            }
            _ if filled => return unfit(format!("`{}` takes nothing that is filled in", decision.word())),
            _ => {}
        }
        if let Some(Remember { pattern, .. }) = &self.remember {
            if decision != Decision::Approve {
                return unfit(format!("`{}` takes no `remember`", decision.word()));
            }
            if asked.remember_option() != Some(pattern.as_str()) {
                return unfit("`remember.pattern` must be one of the request's `remember_options`".into());
            }
        }
        match (decision, &self.replacement) {
            (Decision::Replace, None) => unfit("`replacement` is missing: what the agent is told instead".into()),
            (Decision::Replace, Some(text)) if text.len() > LONGEST_REPLY => {
                unfit(format!("`replacement` is longer than {LONGEST_REPLY} bytes"))
            }
            (Decision::Replace, Some(_)) | (_, None) => Ok(decision),
            (Decision::Answer, Some(_)) if asked.purpose == Purpose::Approval => Ok(decision),
            (_, Some(_)) => unfit(format!("`{}` takes no `replacement`", decision.word())),
        }
    }

    /// What the agent is told in the tool's place.
    fn in_place(&self, asked: &Interaction) -> Result<String, String> {
        let only = Reply { text: self.reply.text.clone(), ..Reply::default() };
        match (&self.replacement, &self.reply.text) {
            _ if only != self.reply => Err("an answer in the tool's place is a `text`, and nothing else".into()),
            (Some(_), Some(_)) => Err("`replacement` and `text` say the same thing: give one of them".into()),
            (Some(text), None) | (None, Some(text)) if !text.trim().is_empty() => {
                if text.len() > LONGEST_REPLY {
                    return Err(format!("`text` is longer than {LONGEST_REPLY} bytes"));
                }
                Ok(text.clone())
            }
            _ => Err(format!("`text` is missing: what the agent is told in the place of `{}`", asked.tool_name)),
        }
    }

    /// A lasting choice is a person's, and is not over before it begins.
    pub(super) fn may_be_remembered(&self, by: &Principal, now: Timestamp) -> Result<(), AnswerError> {
        let Some(remember) = &self.remember else { return Ok(()) };
        if !by.is_human() {
            return Err(AnswerError::NotYours("only a person can have something remembered"));
        }
        if remember.scope == Scope::Everyone && by.role < Role::Operator {
            return Err(AnswerError::NotYours("only an operator can have something remembered for everybody"));
        }
        if remember.expires_at.is_some_and(|end| end <= now) {
            let why = "`remember.expires_at` is over already".to_owned();
            return Err(AnswerError::Unfit(Misfit { place: vec![], why }));
        }
        Ok(())
    }

    /// The answer that it is, if `decision` is what it decides.
    pub(super) fn given(
        &self,
        asked: &Interaction,
        decision: Decision,
        by: &Principal,
        now: Timestamp,
    ) -> Result<Answer, AnswerError> {
        // What an approval says it says by its decision.
        let fills_in = decision == Decision::Answer && asked.purpose.is_of_tool();
        let is_in_place = decision == Decision::Answer && asked.purpose == Purpose::Approval;
        let in_place = if is_in_place { self.in_place(asked).ok() } else { None };
        let edited = self.edited_args.clone().map(|args| Edited::of(&asked.call, args).map(Box::new)).transpose()?;
        Ok(Answer {
            decision,
            reason: self.reason.clone(),
            reply: Some(&self.reply).filter(|_| fills_in).cloned(),
            replacement: in_place.or_else(|| self.replacement.clone()),
            edited,
            remember: self.remember.clone(),
            by: by.clone(),
            responded_at: now,
        })
    }
}
