//! Random policies, calls and contexts over a small vocabulary, so that patterns, names and answers meet often.

mod call;
mod context;
mod good;
mod policy;
mod tool;
mod vocabulary;

pub use context::{context, frame};
pub use good::{good, is_good};
pub use policy::{rule, rule_over, source};
pub use tool::any_pattern;
pub use vocabulary::CAPABILITIES;

use call::{call, payment, surroundings};
use context::plain_context;
use countersign_domain::delegation::Chain;
use countersign_domain::describe::{Described, Surroundings};
use countersign_domain::{Call, Digest};
use countersign_policy::source::{ContextSource, Source};
use countersign_policy::{Context, Policy, Verdict, judge};
use jiff::Timestamp;
use policy::{asking_source, ruling_source};
use proptest::collection::vec;
use proptest::prelude::*;

/// How many questions each policy is asked. Compiling is what takes the time.
pub const QUESTIONS: usize = 5;

/// The time of judging; everything else is placed around it.
pub fn now() -> Timestamp {
    "2026-06-01T12:00:00Z".parse().unwrap()
}

/// A policy and what is asked of it.
#[derive(Debug, Clone)]
pub struct Situation {
    pub source: Source,
    pub questions: Vec<Question>,
}

/// A call and what stands around it.
#[derive(Debug, Clone)]
pub struct Question {
    pub call: Call,
    pub around: Surroundings,
    pub context: ContextSource,
}

/// Everything, from every corner.
pub fn situation() -> impl Strategy<Value = Situation> {
    let source = source().prop_map(good);
    (source, vec(question(), QUESTIONS)).prop_map(|(source, questions)| Situation { source, questions })
}

fn question() -> impl Strategy<Value = Question> {
    (call(), surroundings(), context()).prop_map(|(call, around, context)| Question { call, around, context })
}

/// Situations in which somebody is asked, so that what was answered before decides.
pub fn asked() -> impl Strategy<Value = Situation> {
    let question = (payment(), context()).prop_map(|(call, context)| Question {
        call,
        around: Surroundings::default(),
        context: ContextSource { role: None, agent: None, delegated: Chain::default(), ..context },
    });
    (asking_source(), vec(question, QUESTIONS)).prop_map(|(source, questions)| Situation { source, questions })
}

/// Situations with many rules and nothing in their way.
pub fn ruled() -> impl Strategy<Value = Situation> {
    let question = (call(), surroundings(), plain_context()).prop_map(|(call, around, context)| Question {
        call,
        around,
        context: ContextSource { role: None, agent: None, ..context },
    });
    (ruling_source().prop_map(good), vec(question, QUESTIONS))
        .prop_map(|(source, questions)| Situation { source, questions })
}

pub fn compile(source: &Source) -> Policy {
    Policy::compile(source)
        .unwrap_or_else(|problems| panic!("the generator made a policy that is refused: {problems:?}"))
}

impl Question {
    /// The question as `policy` sees it.
    pub fn put_to(&self, policy: &Policy) -> (Described, Context) {
        let call = policy.describe(self.call.clone(), &self.around);
        let context = context_of(&self.context, call.digest);
        (call, context)
    }

    pub fn judged_by(&self, policy: &Policy) -> Verdict {
        let (call, context) = self.put_to(policy);
        judge(policy, &call, &context)
    }

    /// The same question in another context.
    pub fn with(&self, context: ContextSource) -> Self {
        Self { context, ..self.clone() }
    }
}

pub fn context_of(source: &ContextSource, own: Digest) -> Context {
    Context::new(source, own, now()).unwrap()
}

/// One of these texts.
pub fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    prop::sample::select(texts).prop_map(str::to_owned)
}

/// One of these texts, or none.
pub fn perhaps(texts: &'static [&'static str]) -> impl Strategy<Value = Option<String>> + Clone {
    prop::option::of(one_of(texts))
}
