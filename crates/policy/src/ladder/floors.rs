//! Floors: what these ask, nothing below can loosen; only an approval of this very call answers it.

use super::Bench;
use crate::effect::{Ask, By, Effect, Mode};
use crate::source::RiskEffect;
use crate::verdict::{Cause, Layer};
use countersign_domain::describe::Risk;

impl Bench<'_> {
    /// The strictest of what must be asked; [`Effect::Allow`] where nothing must.
    pub(super) fn floor(&mut self) -> Effect {
        let mut floor = Effect::Allow;
        if let Some((i, effect)) = self.matched.first
            && is_floor(effect)
        {
            floor = floor.and(&self.say(Layer::Rule, effect.clone(), Cause::Rule(i.into())));
        }
        for (i, name) in self.call.capabilities.iter().enumerate() {
            if let Some(effect) = self.policy.capabilities.get(name).filter(|effect| is_floor(effect)) {
                floor = floor.and(&self.say(Layer::Capability, effect.clone(), Cause::Capability(i.into())));
            }
        }
        if let Some(effect) = self.critical() {
            floor = floor.and(&self.say(Layer::Risk, effect, Cause::Risk));
        }
        floor
    }

    /// Critical risk, unless a rule allows the call.
    fn critical(&self) -> Option<Effect> {
        let allowed = matches!(self.matched.first, Some((_, Effect::Allow)));
        let effect = risk_effect(self.policy.risk.critical);
        (self.call.risk == Risk::Critical && !allowed && (is_floor(&effect) || effect == Effect::Deny))
            .then_some(effect)
    }

    /// At least as strict as the rules that could not be evaluated; and asked about, with nothing remembered to answer
    /// for it, where a denial may fit.
    pub(super) fn not_below_the_undecided(&mut self, effect: Effect) -> Effect {
        if self.matched.undecided.is_empty() && self.perhaps.is_empty() {
            return effect;
        }
        let mut effect = effect;
        let in_force = self.in_force();
        let undecided = std::mem::take(&mut self.matched.undecided).into_iter().filter_map(|i| {
            let least = self.policy.rules.effect(i)?.clone();
            // A policy that is switched off still denies and still asks people.
            (in_force || is_floor(&least)).then_some((Layer::Rule, Cause::UndecidedRule(i.into()), least))
        });
        let perhaps = std::mem::take(&mut self.perhaps);
        for (layer, cause, least) in undecided.chain(perhaps).collect::<Vec<_>>() {
            let stricter = effect.clone().and(&least);
            if stricter != effect {
                self.say(layer, least, cause);
                effect = stricter;
            }
        }
        effect
    }
}

/// Whether only an approval answers it.
pub(super) fn is_floor(effect: &Effect) -> bool {
    matches!(effect, Effect::Ask(Ask { by: By::Human | By::SecondPerson, .. }))
}

pub(super) fn risk_effect(effect: RiskEffect) -> Effect {
    match effect {
        RiskEffect::Allow => Effect::Allow,
        RiskEffect::Ask => Effect::Ask(Ask::ONCE),
        RiskEffect::RequireHuman => Effect::Ask(Ask::new(Mode::Always, By::Human)),
        RiskEffect::SecondPerson => Effect::Ask(Ask::new(Mode::Always, By::SecondPerson)),
        RiskEffect::Deny => Effect::Deny,
    }
}
