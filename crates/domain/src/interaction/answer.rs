//! Answering: who may, what an answer says, and the one move from open to settled.

use super::{AnswerableBy, Interaction, Status};
use crate::InteractionId;
use crate::principal::{Kind as PrincipalKind, Principal, Role};
use crate::run::Owner;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What somebody answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The request it answers, as the answerer names it.
    pub request_id: InteractionId,
    /// What they decided.
    pub decision: Decision,
    /// Why, in their words.
    pub reason: Option<String>,
}

/// What can be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call may be made.
    Approve,
    /// It may not.
    Reject,
}

impl Decision {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// An answer that was given, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What was decided.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
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
    if !interaction.allowed_decisions.contains(&response.decision) {
        let allowed: Vec<_> = interaction.allowed_decisions.iter().map(|decision| decision.word()).collect();
        return Err(AnswerError::NotAllowed { given: response.decision.word(), allowed: allowed.join("`, `") });
    }
    let same = |answer: &Answer| {
        answer.decision == response.decision
            && answer.reason == response.reason
            && answer.by.name == by.name
            && answer.by.kind == by.kind
    };
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
    let answer =
        Answer { decision: response.decision, reason: response.reason.clone(), by: by.clone(), responded_at: now };
    let mut interaction = interaction.clone();
    match response.decision {
        Decision::Approve => {
            let before =
                interaction.approvals.iter().find(|given| given.by.name == by.name && given.by.kind == by.kind);
            if let Some(before) = before {
                return Err(AnswerError::AlreadyAnswered { id, answer: Box::new(before.clone()) });
            }
            interaction.approvals.push(answer.clone());
            if interaction.approvals.len() >= interaction.approvals_needed as usize {
                (interaction.status, interaction.answer) = (Status::Answered, Some(answer.clone()));
            }
        }
        Decision::Reject => (interaction.status, interaction.answer) = (Status::Answered, Some(answer.clone())),
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
    if by.kind == PrincipalKind::Service && owner.started_by == Some(by) {
        return no("a service cannot answer what it asked itself");
    }
    if interaction.answerable_by == AnswerableBy::SecondPerson && owner.user == Some(&*by.name) {
        return no("a second person must answer this, not the run's own user");
    }
    let in_one_of = |set: &Vec<String>| set.iter().any(|group| by.groups.contains(group));
    if !interaction.approvers.iter().all(in_one_of) {
        return no("only members of the groups that the rule names may answer this");
    }
    Ok(())
}
