//! The layers of which the first that speaks gives the verdict.

use super::Bench;
use super::floors::risk_effect;
use super::matching::{Covering, covering};
use crate::catalog::Manner;
use crate::compile::Origin;
use crate::effect::{Ask, Effect};
use crate::verdict::{Cause, Layer};
use countersign_domain::describe::Risk;

impl Bench<'_> {
    pub(super) fn first_to_speak(&mut self) -> Effect {
        let heard = self.heard(Layer::Rule, |bench| bench.rule());
        let heard = heard.or_else(|| self.heard(Layer::Capability, |bench| bench.capabilities()));
        heard.unwrap_or_else(|| self.first_below_capabilities())
    }

    fn first_below_capabilities(&mut self) -> Effect {
        let manner = self.policy.manner(&self.sought, self.user);
        self.heard(Layer::AllowGrant, |bench| if manner.1.always { None } else { bench.grants() })
            .or_else(|| self.heard(Layer::Role, |bench| if manner.1.always { None } else { bench.role_lists() }))
            .or_else(|| self.heard(Layer::Tool, |_| spoken(&manner)))
            .or_else(|| self.heard(Layer::Risk, |bench| bench.risk()))
            .unwrap_or_else(|| self.say(Layer::Default, self.policy.silence.clone(), Cause::Default))
    }

    /// What `layer` says, if it says something. Whatever would allow is not heard where the call is not understood.
    #[inline]
    fn heard(&mut self, layer: Layer, word: impl FnOnce(&mut Self) -> Option<(Effect, Cause)>) -> Option<Effect> {
        match word(self) {
            Some((Effect::Allow, _)) if !self.call.doubts.is_empty() => {
                self.trail.push(Layer::Doubt, None, Cause::Doubt);
                None
            }
            Some((effect, cause)) => Some(self.say(layer, effect, cause)),
            None => {
                self.silent(layer);
                None
            }
        }
    }

    fn rule(&self) -> Option<(Effect, Cause)> {
        let (i, effect) = self.matched.first?;
        Some((effect.clone(), Cause::Rule(i.into())))
    }

    /// The strictest of those that have a policy; allow only if every one has it.
    fn capabilities(&self) -> Option<(Effect, Cause)> {
        let names = &self.call.capabilities;
        if names.is_empty() || self.policy.capabilities.is_empty() {
            return None;
        }
        let of = |i: usize| names.get(i).and_then(|name| self.policy.capabilities.get(name));
        let strictest = (0..names.len())
            .filter(|&i| of(i).is_some())
            .max_by_key(|&i| (of(i).map(Effect::strictness), std::cmp::Reverse(i)))?;
        let all = (0..names.len()).filter_map(of).fold(Effect::Allow, Effect::and);
        let every = (0..names.len()).all(|i| of(i).is_some());
        (all != Effect::Allow || every).then_some((all, Cause::Capability(strictest.into())))
    }

    /// Allow grants of the run's user that together cover every part.
    pub(super) fn grants(&mut self) -> Option<(Effect, Cause)> {
        let (user, found) = self.user.zip(self.grants.as_ref())?;
        let (call, now) = (self.call, self.context.now);
        let covering = covering(user.allowing(found, now), &user.allow, call, &|path| user.may_write(path, call, now));
        if covering.is_none() {
            self.grants = None;
        }
        let cause = match covering? {
            Covering::One(i) => Cause::Granted(i.into()),
            Covering::Several(all) => Cause::Grants(self.trail.keep(all)),
        };
        Some((Effect::Allow, cause))
    }

    /// The role's allowed list holds the tool; one of high or critical risk is asked about once.
    fn role_lists(&self) -> Option<(Effect, Cause)> {
        let boundary = self.policy.roles.get(self.role?)?;
        let effect =
            if matches!(self.call.risk, Risk::High | Risk::Critical) { Effect::Ask(Ask::ONCE) } else { Effect::Allow };
        boundary.lists(self.call, &self.sought).then_some((effect, Cause::Listed))
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

/// What the tool itself declares, or the override in its place.
fn spoken((origin, manner): &(Origin, Manner)) -> Option<(Effect, Cause)> {
    let cause = if *origin == Origin::Override { Cause::Override } else { Cause::Declaration };
    Some((manner.effect.clone()?, cause))
}
