//! Answers: which count, which do not, and who is told what.

use super::*;
use crate::interaction::response::{LONGEST_REASON, LongReason};
use crate::interaction::{AskedBy, Form, Purpose, ShownCall};
use serde_json::Map;

fn principal(kind: PrincipalKind, name: &str, role: Role) -> Principal {
    Principal::new(kind, name, role)
}

fn asked(by: AnswerableBy, approvers: &[&[&str]]) -> Interaction {
    let approvers = approvers.iter().map(|set| set.iter().map(|&group| group.to_owned()).collect()).collect();
    Interaction { answerable_by: by, approvers, ..question(Purpose::Approval, confirm()) }
}

fn confirm() -> Form {
    Form::Confirm { confirm_text: String::new(), cancel_text: String::new() }
}

fn question(purpose: Purpose, form: Form) -> Interaction {
    let hour = "2026-01-01T01:00:00Z".parse().unwrap();
    Interaction {
        id: InteractionId::new(uuid::Uuid::nil()),
        ordinal: 0,
        form,
        title: String::new(),
        description: String::new(),
        required: true,
        default: None,
        awaited: None,
        run_id: crate::RunId::new(uuid::Uuid::nil()),
        step_id: "step_1".into(),
        tool_call_id: crate::CallId::new(uuid::Uuid::nil()),
        tool_name: "bash".into(),
        created_at: Timestamp::UNIX_EPOCH,
        expires_at: hour,
        reminded: false,
        status: Status::Open,
        purpose,
        correlation_key: "k".into(),
        call: ShownCall {
            server: None,
            tool: "bash".into(),
            args: Map::new(),
            cwd: None,
            definition: None,
            digest: crate::Digest::of(b""),
            resource: None,
            capabilities: vec![],
            risk: "high".into(),
        },
        preview: None,
        result: None,
        reasons: vec![],
        can_be_remembered: false,
        asked_by: AskedBy { user_id: Some("ann".into()), agent: "a".into(), role: None, run_path: vec![] },
        answerable_by: AnswerableBy::Anyone,
        approvals_needed: 1,
        approvers: vec![],
        approvals: vec![],
        answer: None,
    }
}

/// What is decided by `given` about a question of this purpose.
fn decided(purpose: Purpose, form: Form, given: &Response) -> String {
    let asked = question(purpose, form);
    given.decided(&asked).map_or_else(|error| error.to_string(), |decision| decision.word().into())
}

#[test]
fn each_purpose_takes_its_own_decisions_and_what_fits_its_form() {
    use Purpose::{Approval, Question, ResultReview, UncertainOutcome};
    let of = |decision| Response::new(InteractionId::new(uuid::Uuid::nil()), decision, None).unwrap();
    let yes = Reply { confirmed: Some(true), ..Reply::default() };
    let text = Reply { text: Some("42".into()), ..Reply::default() };
    let args = || Some(Map::new());
    let input = || Form::Input { placeholder: None, multiline: false };
    let cases = [
        (Approval, confirm(), of(None).filled_in(yes.clone()), "approve"),
        (Approval, confirm(), of(None), "`decision` is missing: one of `approve`, `edit`, `reject`, `answer`"),
        (
            Approval,
            confirm(),
            of(Some(Decision::Reject)).filled_in(yes.clone()),
            "`decision` and `confirmed` contradict each other",
        ),
        (
            Approval,
            confirm(),
            of(Some(Decision::Approve)).filled_in(text.clone()),
            "this is a `confirm`: it takes `decision` or `confirmed`, and `reason`",
        ),
        (
            Approval,
            confirm(),
            of(Some(Decision::RunAgain)),
            "`run_again` is not among the decisions that this request takes: `approve`, `edit`, `reject`, `answer`",
        ),
        (
            Approval,
            confirm(),
            of(Some(Decision::Edit)),
            "`edited_args` is missing: the arguments to make the call with",
        ),
        (Approval, confirm(), of(Some(Decision::Edit)).editing(args()), "edit"),
        (Approval, confirm(), of(Some(Decision::Approve)).editing(args()), "edit"),
        (Approval, confirm(), of(Some(Decision::Reject)).editing(args()), "`reject` takes no `edited_args`"),
        (Approval, confirm(), of(Some(Decision::Answer)).filled_in(text.clone()), "answer"),
        (Approval, confirm(), of(Some(Decision::Answer)).replacing(Some("42".into())), "answer"),
        (
            Approval,
            confirm(),
            of(Some(Decision::Answer)),
            "`text` is missing: what the agent is told in the place of `bash`",
        ),
        (Question, input(), of(None).filled_in(text.clone()), "answer"),
        (Question, input(), of(Some(Decision::Reject)), "reject"),
        (Question, input(), of(Some(Decision::Answer)), "`text` is missing"),
        (Question, input(), of(None).filled_in(yes.clone()), "this is a `input`: it takes no `confirmed`"),
        (Question, confirm(), of(None).filled_in(yes.clone()), "answer"),
        (ResultReview, confirm(), of(Some(Decision::Release)), "release"),
        (
            ResultReview,
            confirm(),
            of(Some(Decision::Replace)),
            "`replacement` is missing: what the agent is told instead",
        ),
        (ResultReview, confirm(), of(Some(Decision::Replace)).replacing(Some("-".into())), "replace"),
        (
            ResultReview,
            confirm(),
            of(None).filled_in(yes.clone()),
            "`decision` is missing: one of `release`, `replace`, `reject`",
        ),
        (UncertainOutcome, confirm(), of(Some(Decision::Happened)), "happened"),
        (
            UncertainOutcome,
            confirm(),
            of(Some(Decision::GiveUp)).filled_in(text),
            "`give_up` takes nothing that is filled in",
        ),
    ];
    for (purpose, form, given, expected) in cases {
        assert_eq!(decided(purpose, form, &given), expected, "{purpose:?} {given:?}");
    }
}

#[test]
fn where_several_must_approve_nobody_edits() {
    let mut asked = question(Purpose::Approval, confirm());
    assert!(asked.allowed_decisions().contains(&Decision::Edit));
    asked.approvals_needed = 2;
    assert!(!asked.allowed_decisions().contains(&Decision::Edit));
}

/// Who may answer what, of a run of ann's that the service `bot` started.
#[test]
fn each_question_takes_answers_of_those_who_may_and_of_nobody_else() {
    use AnswerableBy::{Anyone, Human, SecondPerson};
    use PrincipalKind::{Agent, Service, User};
    let starter = principal(Service, "bot", Role::Viewer);
    let owner = Owner { user: Some("ann"), started_by: Some(&starter), letters: &[], behind: &[] };
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
    let owner = Owner { user: Some("ann"), started_by: Some(&starter), letters: &[], behind: &[] };
    let alone = may_answer(&asked(SecondPerson, &[]), &starter, owner);
    assert!(alone.is_err(), "whoever starts a run in another's name is no second person");
}

#[test]
fn a_blank_reason_is_none_and_a_long_one_is_refused() {
    let id = InteractionId::new(uuid::Uuid::nil());
    let of = |reason: &str| Response::new(id, Some(Decision::Reject), Some(reason.to_owned()));
    assert_eq!(of("  "), Response::new(id, Some(Decision::Reject), None));
    assert_eq!(of(&"x".repeat(LONGEST_REASON + 1)), Err(LongReason));
}
