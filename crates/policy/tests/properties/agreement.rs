//! The judge and the oracle come to the same verdict, and say the same on the way.

use crate::generate::{Question, Situation, asked, compile, is_good, now, ruled, situation, source};
use crate::oracle::{self, Outcome};
use countersign_domain::describe::{Described, Part, Resource};
use countersign_policy::{Policy, explain, judge};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

proptest! {
    #![proptest_config(crate::policies())]

    /// A pattern that says nothing of what its tool touches is refused, and nothing else is.
    #[test]
    fn they_agree_on_which_policies_are_refused(source in source()) {
        let refused = Policy::compile(&source).err();
        prop_assert_eq!(refused.is_none(), is_good(&source), "{:?}", refused);
    }

    #[test]
    fn the_judge_and_a_plain_loop_agree(situation in situation()) {
        agree(&situation)?;
    }

    #[test]
    fn they_agree_on_what_was_answered_before(situation in asked()) {
        agree(&situation)?;
    }

    #[test]
    fn they_agree_on_which_of_many_rules_counts(situation in ruled()) {
        agree(&situation)?;
    }
}

fn agree(situation: &Situation) -> Result<(), TestCaseError> {
    let policy = compile(&situation.source);
    situation.questions.iter().try_for_each(|question| agree_on(question, situation, &policy))
}

fn agree_on(question: &Question, situation: &Situation, policy: &Policy) -> Result<(), TestCaseError> {
    let (call, context) = question.put_to(policy);
    if is_left_to_others(&call) {
        return Ok(());
    }
    let verdict = judge(policy, &call, &context);
    let trail = explain(&verdict, policy, &call, &context);
    let Outcome { effect, hitl_disabled, trail: expected } =
        oracle::judge(&situation.source, &call, &question.context, now());
    let told = || {
        format!(
            "{question:#?}\nis {:?}, doubts {:?}\njudge: {trail:#?}\noracle: {expected:#?}",
            call.resource, call.doubts
        )
    };
    prop_assert_eq!(&verdict.effect, &effect, "{}", told());
    prop_assert_eq!(verdict.hitl_disabled, hitl_disabled, "{}", told());
    let spoken = trail.iter().filter(|entry| entry.said != "silent");
    let spoken: Vec<_> = spoken.map(|entry| (entry.layer, entry.said, entry.name.clone())).collect();
    let expected: Vec<_> = expected.iter().map(|entry| (entry.layer, entry.said.word(), entry.name.clone())).collect();
    prop_assert_eq!(spoken, expected, "{}", told());
    Ok(())
}

/// What a command line comes to is for the tests of the shell analysis, which compare it with a real bash; the folders
/// that patterns start from are for `hard_cases`.
fn is_left_to_others(call: &Described) -> bool {
    let Resource::Parts(parts) = &call.resource else { return false };
    parts.iter().any(|part| match part {
        Part::Command { .. } => true,
        Part::Path(path) => path.spellings.iter().any(|spelling| spelling == "/" || spelling == "."),
        Part::Url(_) | Part::Text(_) => false,
    })
}
