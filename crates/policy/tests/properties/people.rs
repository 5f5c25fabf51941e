//! Nothing but a person's approval of that very call turns *by human* into allow.

use crate::generate::{Question, Situation, asked, compile, now, situation};
use crate::oracle;
use countersign_policy::source::{ApprovalSource, ContextSource, PrincipalKind};
use countersign_policy::{Ask, By, Effect, Policy};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

proptest! {
    #![proptest_config(crate::policies())]

    #[test]
    fn only_people_answer_what_a_person_is_asked(situation in situation()) {
        hold(&situation)?;
    }

    #[test]
    fn only_people_answer_whatever_was_answered_before(situation in asked()) {
        hold(&situation)?;
    }
}

fn hold(situation: &Situation) -> Result<(), TestCaseError> {
    let policy = compile(&situation.source);
    for question in &situation.questions {
        let with = |approvals: Vec<ApprovalSource>| {
            question.with(ContextSource { approvals, ..question.context.clone() }).judged_by(&policy).effect
        };
        let Effect::Ask(ask) = with(vec![]) else { continue };
        if ask.by == By::Anyone {
            continue;
        }
        let others = question.context.approvals.iter().filter(|given| given.by.kind != PrincipalKind::User);
        prop_assert_ne!(with(others.cloned().collect()), Effect::Allow, "no person approved {:#?}", question);
        let answered = with(question.context.approvals.clone());
        prop_assert_eq!(answered == Effect::Allow, approved(&ask, question, &policy), "{:?} of {:#?}", ask, question);
    }
    Ok(())
}

/// Whether enough different people, none of them behind the run where that was asked, approved this very call.
fn approved(ask: &Ask, question: &Question, policy: &Policy) -> bool {
    let (call, _) = question.put_to(policy);
    let counts = |given: &&ApprovalSource| oracle::counts(given, ask, &call, &question.context, now());
    let mut people: Vec<_> = question.context.approvals.iter().filter(counts).map(|given| &given.by.user).collect();
    people.sort();
    people.dedup();
    people.len() >= ask.approvals as usize
}
