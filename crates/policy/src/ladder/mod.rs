//! Judge: a policy, a described call and its context in; a verdict and the trail to it out.
//!
//! Pure: no clock, no I/O. The same input gives the same verdict, so one can be replayed from the record years later.
//!
//! Denials first, then floors, then the first layer that speaks; last, an ask may already be answered.

mod answers;
mod denials;
mod floors;
mod layers;
mod matching;

use crate::compile::{Agent, Policy, User};
use crate::context::Context;
use crate::effect::Effect;
use crate::index::{Candidates, Sought};
use crate::subject::Subject;
use crate::trail::{Said, Trail};
use crate::verdict::{Cause, Layer, Verdict};
use countersign_domain::describe::Described;
use matching::Matched;

/// Judges `call`. Where no layer speaks the verdict is to ask. A rule that cannot be evaluated never allows.
pub fn judge(policy: &Policy, call: &Described, context: &Context) -> Verdict {
    let subject = Subject::new(call);
    let unjudged = Effect::Deny;
    let mut verdict =
        Verdict { effect: unjudged, hitl_disabled: false, trail: Trail::default(), policy: policy.version };
    let mut bench = Bench::new(policy, &subject, context, &mut verdict.trail);
    let mut effect = bench.effect();
    if let Effect::Ask(_) = effect
        && bench.nobody_to_ask()
    {
        verdict.hitl_disabled = true;
        effect = bench.say(Layer::Hitl, Effect::Deny, Cause::Off);
    }
    verdict.effect = effect;
    verdict
}

/// Everything one judgement looks at, and the trail it leaves.
struct Bench<'a> {
    policy: &'a Policy,
    call: &'a Subject<'a>,
    sought: Sought<'a>,
    context: &'a Context,
    user: Option<&'a User>,
    /// The grants of the user that may fit, looked up once; `None` as soon as it is known that they do not cover the call.
    grants: Option<Candidates<'a>>,
    agent: Option<&'a Agent>,
    role: Option<&'a str>,
    matched: Matched<'a>,
    /// Denials of which nobody can tell whether they fit: whatever allows, the call is asked about.
    perhaps: Vec<(Layer, Cause, Effect)>,
    trail: &'a mut Trail,
}

impl<'a> Bench<'a> {
    fn new(policy: &'a Policy, call: &'a Subject<'a>, context: &'a Context, trail: &'a mut Trail) -> Self {
        let agent = context.agent.as_ref().and_then(|agent| policy.agents.get(agent));
        let sought = Sought::call(call.described());
        let role = context.role.as_deref().or_else(|| agent?.role.as_deref());
        let user = context.user.as_ref().and_then(|user| policy.users.get(user));
        Self {
            policy,
            call,
            sought,
            context,
            user,
            grants: user.map(|user| user.find(&sought)),
            agent,
            role,
            matched: Matched::find(policy, call, &sought, context, role),
            perhaps: Vec::new(),
            trail,
        }
    }

    fn effect(&mut self) -> Effect {
        if self.denied() {
            return Effect::Deny;
        }
        let effect = match self.floor() {
            Effect::Allow if !self.in_force() => self.say(Layer::Policy, Effect::Allow, Cause::Off),
            Effect::Allow => self.first_to_speak(),
            floor => floor,
        };
        let effect = self.not_below_the_undecided(effect);
        self.answered(effect)
    }

    /// `policy.enabled`, and the agent's own switch.
    fn in_force(&self) -> bool {
        self.policy.enabled && self.agent.is_none_or(|agent| agent.permissions)
    }

    fn nobody_to_ask(&self) -> bool {
        self.policy.nobody_to_ask || self.agent.is_some_and(|agent| !agent.hitl)
    }

    #[inline]
    fn say(&mut self, layer: Layer, effect: Effect, cause: Cause) -> Effect {
        self.trail.push(layer, Some(Said::from(&effect)), cause);
        effect
    }

    fn silent(&mut self, layer: Layer) {
        self.trail.push(layer, None, Cause::Silence);
    }
}
