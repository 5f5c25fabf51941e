//! The same input gives the same verdict, and rules of the same priority count in the order they are written.

use crate::generate::{compile, rule_over, situation};
use countersign_domain::Call;
use countersign_domain::describe::Surroundings;
use countersign_policy::source::{ContextSource, EffectName, EffectSource, PolicySource, RuleSource, Source};
use countersign_policy::{explain, judge};
use proptest::prelude::*;

proptest! {
    #![proptest_config(crate::policies())]

    #[test]
    fn the_same_input_gives_the_same_verdict(situation in situation()) {
        let (one, other) = (compile(&situation.source), compile(&situation.source.clone()));
        prop_assert_eq!(one.version(), other.version());
        for question in &situation.questions {
            let verdict = question.judged_by(&one);
            prop_assert_eq!(&verdict, &question.judged_by(&one), "{:#?}", question);
            prop_assert_eq!(&verdict, &question.judged_by(&other), "{:#?}", question);
        }
    }
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn rules_count_by_priority_and_then_in_the_order_written(priorities in prop::collection::vec(prop::option::of(98..102i64), 1..12)) {
        let rule = |(place, priority): (usize, &Option<i64>)| RuleSource {
            name: Some(format!("at {place}")),
            priority: *priority,
            // One pattern is looked up by name and the other is not; their order must not show that.
            ..rule_over(if place % 2 == 0 { "p*" } else { "pay" }, EffectSource::Name(EffectName::RequireApproval))
        };
        let rules = priorities.iter().enumerate().map(rule).collect();
        let policy = compile(&Source { policy: PolicySource { rules, ..PolicySource::default() }, ..Source::default() });
        let call = Call::new(None, "pay".to_owned(), serde_json::Map::new(), None).unwrap();
        let call = policy.describe(call, &Surroundings::default());
        let context = crate::generate::context_of(&ContextSource::default(), call.digest);
        let trail = explain(&judge(&policy, &call, &context), &policy, &call, &context);
        let mut first = (i64::MAX, 0);
        for (place, priority) in priorities.iter().enumerate().rev() {
            let priority = priority.unwrap_or(100);
            if priority <= first.0 {
                first = (priority, place);
            }
        }
        prop_assert_eq!(trail.last().and_then(|entry| entry.name.clone()), Some(format!("at {}", first.1)));
    }
}
