//! Answering: who may, what an answer says, and the one move from open to settled.

use super::edit::Edited;
use super::reply::{Misfit, Reply};
use super::response::{Remember, Response};
use super::{AnswerableBy, Interaction, Status};
use crate::InteractionId;
use crate::principal::{Kind as PrincipalKind, Principal, Role};
use crate::run::Owner;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What can be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call may be made.
    Approve,
    /// It may be made with other arguments.
    Edit,
    /// It may not; or the question will not be answered, the result not be seen.
    Reject,
    /// Here is what was asked for; or what the agent is told in the place of a tool that is not used.
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
    pub const ALL: [Self; 9] = [
        Self::Approve,
        Self::Edit,
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
            Self::Edit => "edit",
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
        matches!(self, Self::Approve | Self::Edit | Self::RunAgain)
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
    /// The arguments that were put in place of those that the agent proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<Edited>>,
    /// What is allowed from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
    /// By whom.
    pub by: Principal,
    /// When.
    pub responded_at: Timestamp,
}

impl Answer {
    /// The answer that counts because nobody gave one.
    pub(crate) fn by_default(reply: Option<Reply>, at: Timestamp) -> Self {
        Self {
            decision: Decision::Answer,
            reason: None,
            reply,
            replacement: None,
            edited: None,
            remember: None,
            by: Principal::time_out(),
            responded_at: at,
        }
    }
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
    let Some(Given { answer, settles }) = given(interaction, response, by, owner, now)? else {
        return Ok(Outcome::Repeated);
    };
    let mut interaction = interaction.clone();
    if answer.decision.authorises() {
        interaction.approvals.push(answer.clone());
    }
    if settles {
        (interaction.status, interaction.answer) = (Status::Answered, Some(answer.clone()));
    }
    Ok(Outcome::Counted(Box::new(Settled { interaction, answer })))
}

/// An answer that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The answer.
    pub answer: Answer,
    /// Whether no other is needed.
    pub settles: bool,
}

/// What is given by answering so; `None` if it had been given before, word for word.
pub fn given(
    interaction: &Interaction,
    response: &Response,
    by: &Principal,
    owner: Owner<'_>,
    now: Timestamp,
) -> Result<Option<Given>, AnswerError> {
    let id = interaction.id;
    may_answer(interaction, by, owner)?;
    if response.request_id() != id {
        return Err(AnswerError::OtherRequest { given: response.request_id(), expected: id });
    }
    let decision = response.decided(interaction)?;
    response.may_be_remembered(by, now)?;
    let answer = response.given(interaction, decision, by, now)?;
    let same =
        |before: &Answer| Answer { responded_at: now, by: by.clone(), ..before.clone() } == answer && before.by.is(by);
    if interaction.approvals.iter().chain(&interaction.answer).any(same) {
        return Ok(None);
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
    let before = interaction.approvals.iter().find(|given| given.by.is(by));
    if let Some(before) = before.filter(|_| decision.authorises()) {
        return Err(AnswerError::AlreadyAnswered { id, answer: Box::new(before.clone()) });
    }
    let settles = !decision.authorises() || interaction.approvals.len() + 1 >= interaction.approvals_needed as usize;
    Ok(Some(Given { answer, settles }))
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
    let takes_human = interaction.answerable_by != AnswerableBy::Anyone;
    if by.kind == PrincipalKind::Service && takes_human {
        return no("a person must answer this, not a service");
    }
    if !by.is_human() && by.kind == PrincipalKind::User && takes_human {
        return no("a person must answer this who is signed in, not a token of theirs: sign in on the page");
    }
    let started = owner.started_by.is_some_and(|starter| starter.is(by));
    if by.kind == PrincipalKind::Service && started && interaction.purpose.is_for_people() {
        return no("a service cannot answer what it asked itself");
    }
    let told_it_what_to_do = owner.principals().any(|one| one.is(by));
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
