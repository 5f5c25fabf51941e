//! A second judge, written straight from the specification with plain loops: no index, nothing compiled, nothing shared
//! with the first one but the data it reads.

mod answer;
pub mod condition;
mod denial;
mod effect;
mod layer;
pub mod pattern;
mod rule;
mod tool;

pub use answer::counts;
pub use tool::is_good;

use condition::Facts;
use countersign_domain::describe::Described;
use countersign_policy::Effect;
use countersign_policy::source::{
    AgentSource, ContextSource, DecisionSource, RiskName, RoleSource, Source, UserSource,
};
use countersign_policy::{Ask, Mode};
use effect::{Said, stricter};
use jiff::Timestamp;

/// One entry of the trail: a layer that said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    pub layer: &'static str,
    pub said: Said,
    /// Who said it.
    pub name: Option<String>,
}

/// What the oracle says.
#[derive(Debug)]
pub struct Outcome {
    pub effect: Effect,
    pub hitl_disabled: bool,
    /// Everything that spoke; the last entry decided.
    pub trail: Vec<Spoken>,
}

/// Everything there is to look at while judging one call.
pub struct Scene<'a> {
    source: &'a Source,
    call: &'a Described,
    context: &'a ContextSource,
    now: Timestamp,
    user: Option<&'a UserSource>,
    agent: Option<&'a AgentSource>,
    role_name: Option<&'a String>,
    role: Option<&'a RoleSource>,
    capabilities: Vec<String>,
    risk: RiskName,
}

impl<'a> Scene<'a> {
    fn new(source: &'a Source, call: &'a Described, context: &'a ContextSource, now: Timestamp) -> Self {
        let agent = context.agent.as_ref().and_then(|agent| source.agents.get(agent));
        let role_name = context.role.as_ref().or_else(|| agent.and_then(|agent| agent.role.as_ref()));
        Self {
            user: context.user.as_ref().and_then(|user| source.policy.users.get(user)),
            role: role_name.and_then(|role| source.roles.get(role)),
            capabilities: tool::capabilities(source, call),
            risk: tool::risk(source, call),
            source,
            call,
            context,
            now,
            agent,
            role_name,
        }
    }

    fn facts(&self) -> Facts<'_> {
        Facts { call: self.call, capabilities: &self.capabilities, context: self.context }
    }

    fn switched_off(&self) -> bool {
        self.source.policy.enabled == Some(false)
            || self.agent.is_some_and(|agent| agent.enable_permissions == Some(false))
    }

    fn nobody_to_ask(&self) -> bool {
        self.source.nobody_to_ask || self.agent.is_some_and(|agent| agent.enable_hitl == Some(false))
    }
}

pub fn judge(source: &Source, call: &Described, context: &ContextSource, now: Timestamp) -> Outcome {
    let scene = Scene::new(source, call, context, now);
    assert_eq!(call.undeclared_namesake, tool::is_undeclared_namesake(source, call), "{:?}", call.call);
    let rules = rule::search(&scene);
    let (mut unsure, mut trail) = (Vec::new(), Vec::new());
    if let Err(denied) = denial::denials(&scene, &rules, &mut unsure) {
        return Outcome { effect: Effect::Deny, hitl_disabled: false, trail: vec![denied] };
    }
    trail.extend(denial::floors(&scene, &rules));
    if trail.is_empty() {
        trail.push(layer::first_to_speak(&scene, &rules));
    }
    let mut effect = trail.iter().fold(Effect::Allow, |effect, spoken| stricter(effect, spoken.said.clone()));
    let beside = rules.undecided.iter().filter(|rule| !scene.switched_off() || effect::is_by_human(&rule.said));
    for spoken in beside.cloned().chain(unsure) {
        let both = stricter(effect.clone(), spoken.said.clone());
        // What changes nothing is not told.
        if both != effect {
            trail.push(spoken);
        }
        effect = both;
    }
    let (effect, hitl_disabled) = answered(&scene, effect, &mut trail);
    Outcome { effect, hitl_disabled, trail }
}

fn answered(scene: &Scene, effect: Effect, trail: &mut Vec<Spoken>) -> (Effect, bool) {
    let Effect::Ask(ask) = effect else { return (effect, false) };
    if let Some(spoken) = answer_to(scene, &ask) {
        let effect = spoken.said.clone();
        trail.push(spoken);
        return (effect, false);
    }
    if scene.nobody_to_ask() {
        trail.push(Spoken { layer: "hitl", said: Effect::Deny, name: None });
        return (Effect::Deny, true);
    }
    (Effect::Ask(ask), false)
}

fn answer_to(scene: &Scene, ask: &Ask) -> Option<Spoken> {
    let Scene { source, call, context, now, .. } = *scene;
    let spoken = |layer, said| Some(Spoken { layer, said, name: None });
    if ask.mode == Mode::Once {
        if let Some(name) = answer::granted(source, call, context, now).filter(|_| ask.remember) {
            return Some(Spoken { layer: "allow_grant", said: Effect::Allow, name: Some(name) });
        }
        match answer::remembered(call, context, now) {
            Some(DecisionSource::Approve) if ask.remember => return spoken("remembered", Effect::Allow),
            Some(DecisionSource::Reject) => return spoken("remembered", Effect::Deny),
            _ => {}
        }
    }
    let names = answer::approved(ask, call, context, now)?;
    Some(Spoken { layer: "approval", said: Effect::Allow, name: Some(names).filter(|names| !names.is_empty()) })
}
