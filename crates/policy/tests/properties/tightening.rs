//! What denies only ever tightens: a deny that is added, a frame that is appended.

use crate::generate::{
    CAPABILITIES, Question, Situation, any_pattern, compile, frame, good, is_good, one_of, rule, situation,
};
use countersign_domain::delegation::{Chain, Frame};
use countersign_policy::source::{
    ContextSource, DefaultPermission, EffectName, EffectSource, GrantSource, RuleSource, Source,
};
use countersign_policy::{Effect, Layer};
use proptest::prelude::*;
use proptest::sample::Index;

/// Somewhere to deny something.
#[derive(Debug, Clone)]
enum Denial {
    /// In the denied list of a frame of the chain, or of a new one.
    Frame(Index, String),
    /// In the denied list of every role.
    Roles(String),
    /// As a grant of every user who may make the call.
    Grant(String),
    /// As the policy of a capability.
    Capability(String),
    /// As a rule, somewhere among the others.
    Rule(Index, Box<RuleSource>),
    /// As the default of every tool that is declared, beside whatever it declares.
    Tools,
    /// As what follows from a critical risk.
    Critical,
}

fn denial() -> impl Strategy<Value = Denial> {
    let deny = |rule: RuleSource| RuleSource {
        effect: Some(EffectSource::Name(EffectName::Deny)),
        auto_approve: None,
        remember: None,
        approvals: None,
        name: None,
        ..rule
    };
    prop_oneof![
        2 => (any::<Index>(), any_pattern()).prop_map(|(place, pattern)| Denial::Frame(place, pattern)),
        2 => any_pattern().prop_map(Denial::Roles),
        2 => any_pattern().prop_map(Denial::Grant),
        1 => one_of(CAPABILITIES).prop_map(Denial::Capability),
        3 => (any::<Index>(), rule()).prop_map(move |(place, rule)| Denial::Rule(place, Box::new(deny(rule)))),
        1 => Just(Denial::Tools),
        1 => Just(Denial::Critical),
    ]
}

impl Denial {
    fn in_source(&self, source: &mut Source) {
        match self {
            Self::Frame(..) => {}
            Self::Roles(pattern) => {
                for role in source.roles.values_mut() {
                    role.denied_tools.get_or_insert_default().push(pattern.clone());
                }
            }
            Self::Grant(pattern) => {
                for user in ["ann", "bob", "nobody"] {
                    let user = source.policy.users.entry(user.to_owned()).or_default();
                    user.deny.push(GrantSource::Pattern(pattern.clone()));
                }
            }
            Self::Capability(name) => {
                source.policy.capabilities.insert(name.clone(), EffectSource::Name(EffectName::Deny));
            }
            Self::Rule(place, rule) => {
                let rules = &mut source.policy.rules;
                rules.insert(place.index(rules.len() + 1), (**rule).clone());
            }
            Self::Tools => {
                for tool in &mut source.tools {
                    tool.default_permission_policy = Some(DefaultPermission::Deny);
                }
            }
            Self::Critical => source.policy.risk.critical = countersign_policy::source::RiskEffect::Deny,
        }
    }

    fn in_context(&self, context: &ContextSource) -> ContextSource {
        let Self::Frame(place, pattern) = self else { return context.clone() };
        let mut frames = context.delegated.frames().to_vec();
        let place = place.index(frames.len() + 1);
        if place == frames.len() {
            frames.push(Frame::default());
        }
        frames[place].denied_tools.get_or_insert_default().push(pattern.clone());
        ContextSource { delegated: Chain::new(frames), ..context.clone() }
    }
}

/// The questions, with conditions on the depth of the run left out: those may say of a child what they please.
fn without_depth(situation: Situation) -> Situation {
    let mut situation = situation;
    situation.source.policy.rules.retain(|rule| rule.when.as_ref().is_none_or(|when| !when.contains("run.depth")));
    situation
}

fn child(question: &Question, frames: &[Frame]) -> Question {
    let chain =
        frames.iter().cloned().fold(question.context.delegated.clone(), |chain, frame| chain.narrowed_by(frame));
    question.with(ContextSource { delegated: chain, ..question.context.clone() })
}

proptest! {
    #![proptest_config(crate::policies())]

    #[test]
    fn adding_a_deny_never_weakens_a_verdict(situation in situation().prop_map(without_depth), denial in denial()) {
        let before = compile(&situation.source);
        let mut source = situation.source.clone();
        denial.in_source(&mut source);
        prop_assume!(is_good(&source));
        let after = compile(&source);
        for question in &situation.questions {
            let was = question.judged_by(&before).effect;
            let is = question.with(denial.in_context(&question.context)).judged_by(&after).effect;
            prop_assert!(is.strictness() >= was.strictness(), "{question:#?}\nwas {was:?} and is {is:?}");
        }
    }

    #[test]
    fn appending_a_frame_never_weakens_a_verdict(
        situation in situation().prop_map(without_depth), frames in prop::collection::vec(frame(), 1..4),
    ) {
        let policy = compile(&situation.source);
        for question in &situation.questions {
            let parent = question.judged_by(&policy).effect;
            let child = child(question, &frames).judged_by(&policy).effect;
            prop_assert!(child.strictness() >= parent.strictness(), "{question:#?}\n{child:?} for a child of {parent:?}");
        }
    }

    /// The child may be judged by another policy, as another agent, in another role and for another user.
    #[test]
    fn a_child_is_never_allowed_what_its_parents_chain_denies(
        parent in situation(), other in situation(), frames in prop::collection::vec(frame(), 0..4),
    ) {
        let ours = compile(&parent.source);
        // What a tool touches decides whether a pattern with brackets fits; so much the two policies share.
        let theirs = compile(&good(Source { tools: parent.source.tools.clone(), ..other.source }));
        for (question, elsewhere) in parent.questions.iter().zip(&other.questions) {
            let denied = question.judged_by(&ours);
            if denied.trail.last().is_some_and(|reason| reason.layer == Layer::Delegation) && denied.effect == Effect::Deny {
                let chain = question.context.delegated.clone();
                let child = child(&question.with(ContextSource { delegated: chain, ..elsewhere.context.clone() }), &frames);
                prop_assert_eq!(child.judged_by(&theirs).effect, Effect::Deny, "{:#?}", child);
            }
        }
    }
}
