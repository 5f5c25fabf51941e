//! The layers of which the first that speaks gives the verdict.

use super::Bench;
use super::floors::risk_effect;
use crate::compile::Origin;
use crate::effect::{Ask, Effect};
use crate::pattern::cover;
use crate::verdict::{Cause, Layer};
use countersign_domain::describe::Risk;

impl Bench<'_> {
    pub(super) fn first_to_speak(&mut self) -> Effect {
        let (origin, manner) = self.policy.manner(self.call, self.user);
        let ask_always = manner.always;
        let tool = manner
            .effect
            .map(|effect| (effect, if origin == Origin::Override { Cause::Override } else { Cause::Declaration }));
        let spoken = [
            (Layer::Rule, self.rule()),
            (Layer::Capability, self.capabilities()),
            (Layer::AllowGrant, if ask_always { None } else { self.grants() }),
            (Layer::Role, if ask_always { None } else { self.role_lists() }),
            (Layer::Tool, tool),
            (Layer::Risk, self.risk()),
        ];
        for (layer, word) in spoken {
            match word {
                // Whatever would allow is not heard where the call is not understood.
                Some((Effect::Allow, _)) if !self.call.doubts.is_empty() => {
                    self.trail.push(crate::verdict::Reason { layer: Layer::Doubt, said: None, cause: Cause::Doubt });
                }
                Some((effect, cause)) => return self.say(layer, effect, cause),
                None => self.silent(layer),
            }
        }
        self.say(Layer::Default, self.policy.silence.clone(), Cause::Default)
    }

    fn rule(&self) -> Option<(Effect, Cause)> {
        let i = self.matched.first?;
        Some((self.policy.rules.all.get(i)?.effect.clone(), Cause::Rule(i)))
    }

    /// The strictest of those that have a policy; allow only if every one has it.
    fn capabilities(&self) -> Option<(Effect, Cause)> {
        let names = &self.call.capabilities;
        let of = |i: usize| names.get(i).and_then(|name| self.policy.capabilities.get(name));
        let strictest = (0..names.len())
            .filter(|&i| of(i).is_some())
            .max_by_key(|&i| (of(i).map(Effect::strictness), std::cmp::Reverse(i)))?;
        let all = (0..names.len()).filter_map(of).fold(Effect::Allow, Effect::and);
        let every = (0..names.len()).all(|i| of(i).is_some());
        (all != Effect::Allow || every).then_some((all, Cause::Capability(strictest)))
    }

    /// Allow grants of the run's user that together cover every part.
    pub(super) fn grants(&self) -> Option<(Effect, Cause)> {
        let current = self.user?.allow.current(&self.call.tool, self.context.now);
        cover(current.clone().map(|(_, grant)| &grant.pattern), self.call, &|path| {
            self.user.is_some_and(|user| user.may_write(path, self.call, self.context.now))
        })
        .then(|| {
            let covering = current.filter(|(_, grant)| cover_some(&grant.pattern, self.call)).map(|(i, _)| i);
            (Effect::Allow, Cause::Grants(covering.collect()))
        })
    }

    /// The role's allowed list holds the tool; a high-risk one is asked about once.
    fn role_lists(&self) -> Option<(Effect, Cause)> {
        let boundary = self.policy.roles.get(self.role?)?;
        let effect = if self.call.risk == Risk::High { Effect::Ask(Ask::ONCE) } else { Effect::Allow };
        boundary.lists(self.call).then_some((effect, Cause::Listed))
    }

    fn risk(&self) -> Option<(Effect, Cause)> {
        let effect = match self.call.risk {
            Risk::Low => self.policy.risk.low,
            Risk::Medium => self.policy.risk.medium,
            Risk::High => self.policy.risk.high,
            Risk::Critical => self.policy.risk.critical,
            Risk::Unknown => return None,
        };
        Some((risk_effect(effect), Cause::Risk))
    }
}

fn cover_some(pattern: &crate::pattern::Pattern, call: &crate::subject::Subject<'_>) -> bool {
    use countersign_domain::describe::Resource;
    pattern.names(call, crate::pattern::Stance::Allow)
        && match &call.resource {
            Resource::Parts(parts) => parts.iter().any(|part| pattern.covers(part, call)),
            Resource::Nothing | Resource::NotUnderstood => !pattern.is_narrow(),
        }
}
