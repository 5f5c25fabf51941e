//! The layers of which the first that speaks gives the verdict.

use super::Bench;
use super::floors::risk_effect;
use super::matching::{Covering, covering};
use crate::catalog::Manner;
use crate::compile::Origin;
use crate::effect::{Ask, Effect};
use crate::verdict::{Cause, Layer};
use countersign_domain::describe::Risk;
use std::cell::LazyCell;

impl Bench<'_> {
    pub(super) fn first_to_speak(&mut self) -> Effect {
        let (policy, sought, user) = (self.policy, self.sought, self.user);
        let manner = LazyCell::new(|| policy.manner(&sought, user));
        for layer in [Layer::Rule, Layer::Capability, Layer::AllowGrant, Layer::Role, Layer::Tool, Layer::Risk] {
            let word = match layer {
                Layer::Rule => self.rule(),
                Layer::Capability => self.capabilities(),
                Layer::AllowGrant | Layer::Role if manner.1.always => None,
                Layer::AllowGrant => self.grants(),
                Layer::Role => self.role_lists(),
                Layer::Tool => spoken(&manner),
                _ => self.risk(),
            };
            match word {
                // Whatever would allow is not heard where the call is not understood.
                Some((Effect::Allow, _)) if !self.call.doubts.is_empty() => {
                    self.trail.push(Layer::Doubt, None, Cause::Doubt);
                }
                Some((effect, cause)) => return self.say(layer, effect, cause),
                None => self.silent(layer),
            }
        }
        self.say(Layer::Default, self.policy.silence.clone(), Cause::Default)
    }

    fn rule(&self) -> Option<(Effect, Cause)> {
        let i = self.matched.first?;
        Some((self.policy.rules.all.get(i)?.effect.clone(), Cause::Rule(i.into())))
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
        (all != Effect::Allow || every).then_some((all, Cause::Capability(strictest.into())))
    }

    /// Allow grants of the run's user that together cover every part.
    pub(super) fn grants(&mut self) -> Option<(Effect, Cause)> {
        let (user, found) = self.user.zip(self.grants.clone())?;
        let (call, now) = (self.call, self.context.now);
        let current = user.allowing(found, now).map(|(i, grant)| (i, &grant.pattern));
        let covering = covering(current, call, &|path| user.may_write(path, call, now));
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
