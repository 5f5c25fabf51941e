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
    request_id: InteractionId,
    decision: Decision,
    reason: Option<String>,
}

/// The longest reason, in bytes.
pub const LONGEST_REASON: usize = 10_000;

/// The reason is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reason is longer than {LONGEST_REASON} bytes")]
pub struct LongReason;

impl Response {
    /// The answer `decision` to `request_id`, for `reason`; a blank reason is none.
    pub fn new(request_id: InteractionId, decision: Decision, reason: Option<String>) -> Result<Self, LongReason> {
        let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        if reason.as_ref().is_some_and(|reason| reason.len() > LONGEST_REASON) {
            return Err(LongReason);
        }
        Ok(Self { request_id, decision, reason })
    }
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
    let same =
        |answer: &Answer| answer.decision == response.decision && answer.reason == response.reason && answer.by.is(by);
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
            let before = interaction.approvals.iter().find(|given| given.by.is(by));
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
    let started = owner.started_by.is_some_and(|starter| starter.is(by));
    if by.kind == PrincipalKind::Service && started {
        return no("a service cannot answer what it asked itself");
    }
    if interaction.answerable_by == AnswerableBy::SecondPerson && (started || owner.user == Some(&*by.name)) {
        return no("a second person must answer this, not the run's own user or whoever started it");
    }
    let in_one_of = |set: &Vec<String>| set.iter().any(|group| by.groups.contains(group));
    if !interaction.approvers.iter().all(in_one_of) {
        return no("only members of the groups that the rule names may answer this");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(kind: PrincipalKind, name: &str, role: Role) -> Principal {
        Principal { kind, name: name.into(), role, groups: vec![], acts_for: None }
    }

    fn asked(by: AnswerableBy, approvers: &[&[&str]]) -> Interaction {
        let approvers: Vec<Vec<String>> =
            approvers.iter().map(|set| set.iter().map(|&group| group.to_owned()).collect()).collect();
        serde_json::from_value(serde_json::json!({
            "id": InteractionId::new(uuid::Uuid::nil()), "type": "confirm", "title": "", "description": "",
            "required": true, "confirm_text": "", "cancel_text": "", "run_id": crate::RunId::new(uuid::Uuid::nil()),
            "step_id": "step_1", "tool_call_id": crate::CallId::new(uuid::Uuid::nil()), "tool_name": "bash",
            "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-01T01:00:00Z", "status": "open",
            "purpose": "approval", "correlation_key": "k", "reasons": [],
            "call": {
                "server": null, "tool": "bash", "args": {}, "cwd": null, "digest": crate::Digest::of(b""),
                "resource": null, "capabilities": [], "risk": "high",
            },
            "asked_by": {"user_id": "ann", "agent": "a", "role": null, "run_path": []},
            "answerable_by": by, "approvals_needed": 1, "approvers": approvers,
            "allowed_decisions": ["approve", "reject"],
        }))
        .unwrap()
    }

    /// Who may answer what, of a run of ann's that the service `bot` started.
    #[test]
    fn each_question_takes_answers_of_those_who_may_and_of_nobody_else() {
        use AnswerableBy::{Anyone, Human, SecondPerson};
        use PrincipalKind::{Agent, Service, User};
        let starter = principal(Service, "bot", Role::Viewer);
        let owner = Owner { user: Some("ann"), started_by: Some(&starter) };
        let mut member = principal(User, "mel", Role::Approver);
        member.groups = vec!["finance".into()];
        let cases: [(AnswerableBy, &[&[&str]], Principal, bool); 12] = [
            (Anyone, &[], principal(User, "ann", Role::Approver), true),
            (Anyone, &[], principal(User, "ann", Role::Viewer), false),
            (Anyone, &[], principal(Agent, "a", Role::Operator), false),
            (Anyone, &[], principal(Service, "other", Role::Approver), true),
            (Anyone, &[], principal(Service, "bot", Role::Approver), false),
            (Human, &[], principal(Service, "other", Role::Operator), false),
            (Human, &[], principal(User, "ann", Role::Approver), true),
            (SecondPerson, &[], principal(User, "ann", Role::Operator), false),
            (SecondPerson, &[], principal(User, "bob", Role::Approver), true),
            (Anyone, &[&["finance"][..]], principal(User, "bob", Role::Operator), false),
            (Anyone, &[&["finance", "board"][..]], member.clone(), true),
            (Anyone, &[&["finance"][..], &["board"][..]], member, false),
        ];
        for (by, approvers, who, may) in cases {
            let answered = may_answer(&asked(by, approvers), &who, owner);
            assert_eq!(answered.is_ok(), may, "{by:?} {approvers:?} {who:?}");
        }
        let starter = principal(User, "eve", Role::Operator);
        let owner = Owner { user: Some("ann"), started_by: Some(&starter) };
        let alone = may_answer(&asked(SecondPerson, &[]), &starter, owner);
        assert!(alone.is_err(), "whoever starts a run in another's name is no second person");
    }

    #[test]
    fn a_blank_reason_is_none_and_a_long_one_is_refused() {
        let id = InteractionId::new(uuid::Uuid::nil());
        let of = |reason: &str| Response::new(id, Decision::Reject, Some(reason.to_owned()));
        assert_eq!(of("  "), Response::new(id, Decision::Reject, None));
        assert_eq!(of(&"x".repeat(LONGEST_REASON + 1)), Err(LongReason));
    }
}
