//! Answering: who may, what an answer says, and the one move from open to settled.

use super::reply::{Misfit, Reply};
use super::{AnswerableBy, Interaction, Purpose, Status};
use crate::InteractionId;
use crate::principal::{Kind as PrincipalKind, Principal, Role};
use crate::run::Owner;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What somebody answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    request_id: InteractionId,
    kind: Option<String>,
    decision: Option<Decision>,
    reason: Option<String>,
    reply: Reply,
    replacement: Option<String>,
    remember: Option<Remember>,
}

/// What is to be allowed from now on, by somebody's explicit choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remember {
    /// The pattern, exactly as it was offered.
    pub pattern: String,
    /// When that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
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
    fn decided(&self, asked: &Interaction) -> Result<Decision, AnswerError> {
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
            (None, ..) => return unfit(format!("`decision` is missing: one of `{}`", words())),
        };
        if !asked.allowed_decisions().contains(&decision) {
            return Err(AnswerError::NotAllowed { given: decision.word(), allowed: words() });
        }
        match decision {
            Decision::Answer => self.reply.fits(&asked.form, asked.required)?,
            Decision::Approve | Decision::Reject if asked.purpose == Purpose::Approval => {
                let only = Reply { confirmed: self.reply.confirmed, ..Reply::default() };
                if only != self.reply {
                    return unfit("this is a `confirm`: it takes `decision` or `confirmed`, and `reason`".into());
                }
                if only.confirmed.is_some_and(|confirmed| confirmed != (decision == Decision::Approve)) {
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
            (Decision::Replace, Some(text)) if text.len() > super::reply::LONGEST_REPLY => {
                unfit(format!("`replacement` is longer than {} bytes", super::reply::LONGEST_REPLY))
            }
            (Decision::Replace, Some(_)) | (_, None) => Ok(decision),
            (_, Some(_)) => unfit(format!("`{}` takes no `replacement`", decision.word())),
        }
    }

    /// A lasting choice is a person's, and is not over before it begins.
    fn may_be_remembered(&self, by: &Principal, now: Timestamp) -> Result<(), AnswerError> {
        let Some(remember) = &self.remember else { return Ok(()) };
        if by.kind != PrincipalKind::User {
            return Err(AnswerError::NotYours("only a person can have something remembered"));
        }
        if remember.expires_at.is_some_and(|end| end <= now) {
            let why = "`remember.expires_at` is over already".to_owned();
            return Err(AnswerError::Unfit(Misfit { place: vec![], why }));
        }
        Ok(())
    }

    /// The answer that it is, if `decision` is what it decides.
    fn given(&self, decision: Decision, by: &Principal, now: Timestamp) -> Answer {
        // What an approval says it says by its decision.
        let reply = Some(&self.reply).filter(|_| decision == Decision::Answer).cloned();
        Answer {
            decision,
            reason: self.reason.clone(),
            reply,
            replacement: self.replacement.clone(),
            remember: self.remember.clone(),
            by: by.clone(),
            responded_at: now,
        }
    }
}

/// What can be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call may be made.
    Approve,
    /// It may not; or the question will not be answered, the result not be seen.
    Reject,
    /// Here is what was asked for.
    Answer,
    /// The agent may see the result.
    Release,
    /// The agent is told something else in its place.
    Replace,
    /// What was started has happened.
    Happened,
    /// It did not happen, or may happen again: it is made once more.
    RunAgain,
    /// Nobody will ever know.
    GiveUp,
}

impl Decision {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Approve,
        Self::Reject,
        Self::Answer,
        Self::Release,
        Self::Replace,
        Self::Happened,
        Self::RunAgain,
        Self::GiveUp,
    ];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Answer => "answer",
            Self::Release => "release",
            Self::Replace => "replace",
            Self::Happened => "happened",
            Self::RunAgain => "run_again",
            Self::GiveUp => "give_up",
        }
    }

    /// Whether it lets a call be made. Where several must approve, several must decide so.
    pub const fn authorises(self) -> bool {
        matches!(self, Self::Approve | Self::RunAgain)
    }
}

/// An answer that was given, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What was decided.
    pub decision: Decision,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    /// What the agent is told in place of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// What is allowed from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
    /// By whom.
    pub by: Principal,
    /// When.
    pub responded_at: Timestamp,
}

/// What an answer did.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It counts: the interaction as it is now.
    Counted(Box<Settled>),
    /// It had been given before, word for word; nothing changes.
    Repeated,
}

/// An interaction after an answer that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The interaction as it is now.
    pub interaction: Interaction,
    /// The answer that was added.
    pub answer: Answer,
}

/// Why an answer does not count. Nothing changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerError {
    /// The body names another request than the address does.
    #[error("`request_id` names `{given}`, but this is `{expected}`")]
    OtherRequest {
        /// What the body names.
        given: InteractionId,
        /// What the address names.
        expected: InteractionId,
    },
    /// The one who answers may not.
    #[error("{0}")]
    NotYours(&'static str),
    /// The interaction takes other decisions.
    #[error("`{given}` is not among the decisions that this request takes: `{allowed}`")]
    NotAllowed {
        /// What was decided.
        given: &'static str,
        /// What can be.
        allowed: String,
    },
    /// It is no answer to what was asked.
    #[error(transparent)]
    Unfit(#[from] Misfit),
    /// Another answer stands.
    #[error("`{id}` was already answered: {}", .answer.decision.word())]
    AlreadyAnswered {
        /// The interaction.
        id: InteractionId,
        /// The answer that stands.
        answer: Box<Answer>,
    },
    /// It came too late.
    #[error("`{0}` has expired")]
    Expired(InteractionId),
    /// What was asked about has been withdrawn.
    #[error("`{0}` was withdrawn")]
    Cancelled(InteractionId),
}

/// Answers `interaction`, which belongs to a run of `owner`. Whoever may not answer learns nothing but that.
pub fn advance(
    interaction: &Interaction,
    response: &Response,
    by: &Principal,
    owner: Owner<'_>,
    now: Timestamp,
) -> Result<Outcome, AnswerError> {
    let id = interaction.id;
    may_answer(interaction, by, owner)?;
    if response.request_id != id {
        return Err(AnswerError::OtherRequest { given: response.request_id, expected: id });
    }
    let decision = response.decided(interaction)?;
    response.may_be_remembered(by, now)?;
    let answer = response.given(decision, by, now);
    let same =
        |before: &Answer| Answer { responded_at: now, by: by.clone(), ..before.clone() } == answer && before.by.is(by);
    if interaction.approvals.iter().chain(&interaction.answer).any(same) {
        return Ok(Outcome::Repeated);
    }
    match (interaction.status, &interaction.answer) {
        (Status::Answered, Some(answer)) => {
            return Err(AnswerError::AlreadyAnswered { id, answer: Box::new(answer.clone()) });
        }
        (Status::Cancelled, _) => return Err(AnswerError::Cancelled(id)),
        (Status::Expired, _) => return Err(AnswerError::Expired(id)),
        (Status::Open | Status::Answered, _) if now >= interaction.expires_at => return Err(AnswerError::Expired(id)),
        _ => {}
    }
    let mut interaction = interaction.clone();
    if decision.authorises() {
        let before = interaction.approvals.iter().find(|given| given.by.is(by));
        if let Some(before) = before {
            return Err(AnswerError::AlreadyAnswered { id, answer: Box::new(before.clone()) });
        }
        interaction.approvals.push(answer.clone());
    }
    if !decision.authorises() || interaction.approvals.len() >= interaction.approvals_needed as usize {
        (interaction.status, interaction.answer) = (Status::Answered, Some(answer.clone()));
    }
    Ok(Outcome::Counted(Box::new(Settled { interaction, answer })))
}

/// Whether `by` may answer. An agent never may; a service only what anyone may, and not for itself.
fn may_answer(interaction: &Interaction, by: &Principal, owner: Owner<'_>) -> Result<(), AnswerError> {
    let no = |why| Err(AnswerError::NotYours(why));
    if by.kind == PrincipalKind::Agent {
        return no("an agent can ask and wait; it can never answer");
    }
    if by.role < Role::Approver {
        return no("a viewer cannot answer: ask an operator for the role `approver`");
    }
    if by.kind == PrincipalKind::Service && interaction.answerable_by != AnswerableBy::Anyone {
        return no("a person must answer this, not a service");
    }
    let started = owner.started_by.is_some_and(|starter| starter.is(by));
    if by.kind == PrincipalKind::Service && started {
        return no("a service cannot answer what it asked itself");
    }
    let told_it_what_to_do = started || owner.letters.iter().any(|(_, letter)| letter.by.is(by));
    if interaction.answerable_by == AnswerableBy::SecondPerson && (told_it_what_to_do || owner.user == Some(&*by.name))
    {
        return no("a second person must answer this, not the run's own user, nor whoever started it or wrote to it");
    }
    let in_one_of = |set: &Vec<String>| set.iter().any(|group| by.groups.contains(group));
    if !interaction.approvers.iter().all(in_one_of) {
        return no("only members of the groups that the rule names may answer this");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
