//! Denials: any one of these ends the matter; no grant and no approval undoes it.

use super::Bench;
use crate::boundary::{Boundary, Passage};
use crate::effect::{Ask, Effect};
use crate::pattern::Fit;
use crate::verdict::{Cause, Layer};

impl Bench<'_> {
    pub(super) fn denied(&mut self) -> bool {
        self.denied_as_own()
            || self.denied_by_chain()
            || self.denied_by_role()
            || self.denied_by_agent()
            || self.denied_by_grant()
            || self.denied_by_capability()
            || self.denied_by_rule()
    }

    fn deny(&mut self, layer: Layer, cause: Cause) -> bool {
        self.say(layer, Effect::Deny, cause);
        true
    }

    fn denied_as_own(&mut self) -> bool {
        let (policy, mut perhaps) = (self.policy, None);
        for one in policy.own.found(&self.sought).iter() {
            let i = one.place();
            let Some(pattern) = policy.own.get(i) else { continue };
            let named = self.call.command_lines().any(|line| pattern.hits_file_in(line, self.call) == Fit::Yes);
            match pattern.hits_in(self.call) {
                Fit::Yes => return self.deny(Layer::Own, Cause::Own(i.into())),
                _ if named => return self.deny(Layer::Own, Cause::Own(i.into())),
                Fit::Maybe => perhaps = perhaps.or(Some(i)),
                Fit::No => {}
            }
        }
        // A line that is not understood may answer its own question; one that a person granted to the letter does not.
        if let Some(i) = perhaps.filter(|_| self.call.has_unread_lines() && !self.granted_to_the_letter()) {
            self.perhaps(Layer::Own, Cause::PerhapsOwn(i.into()), &Ask::ONCE);
        }
        false
    }

    fn granted_to_the_letter(&self) -> bool {
        let Some((user, found)) = self.user.zip(self.grants.as_ref()) else { return false };
        let exact =
            |line: &str| user.allowing_patterns(found, self.context.now).any(|grant| grant.is_exactly(line, self.call));
        self.call.lines().all(exact)
    }

    fn denied_by_chain(&mut self) -> bool {
        for (frame, boundary) in self.context.frames.iter().enumerate() {
            if self.denied_by(Layer::Delegation, frame, boundary) {
                return true;
            }
        }
        if !self.context.frames.is_empty() {
            self.silent(Layer::Delegation);
        }
        false
    }

    fn denied_by_role(&mut self) -> bool {
        let Some(role) = self.role else { return false };
        match self.policy.roles.get(role) {
            None => self.deny(Layer::Role, Cause::UnknownRole),
            Some(boundary) => self.denied_by(Layer::Role, 0, boundary),
        }
    }

    fn denied_by_agent(&mut self) -> bool {
        self.agent.is_some_and(|agent| self.denied_by(Layer::Agent, 0, &agent.tools))
    }

    fn denied_by(&mut self, layer: Layer, frame: usize, boundary: &Boundary) -> bool {
        match boundary.passage(self.call, &self.sought) {
            Passage::Within => false,
            Passage::Denied(entry) => self.deny(layer, Cause::Denied { frame: frame.into(), entry: entry.into() }),
            Passage::Lacking => self.deny(layer, Cause::Lacking { frame: frame.into() }),
            Passage::Perhaps(entry) => {
                self.perhaps(layer, Cause::PerhapsDenied { frame: frame.into(), entry: entry.into() }, &Ask::ONCE);
                false
            }
        }
    }

    fn denied_by_grant(&mut self) -> bool {
        let Some((user, found)) = self.user.zip(self.grants.as_ref()) else { return false };
        let (mut certain, mut perhaps) = (None, None);
        for (i, one) in user.denying(found, self.context.now) {
            let looked_at = || user.deny.all.get(i).map_or(Fit::No, |grant| grant.hits_in(self.call));
            match if one.is_sure() { Fit::Yes } else { looked_at() } {
                Fit::Yes => {
                    certain = Some(i);
                    break;
                }
                Fit::Maybe => perhaps = perhaps.or(Some(i)),
                Fit::No => {}
            }
        }
        if let Some(i) = certain {
            return self.deny(Layer::DenyGrant, Cause::Grant(i.into()));
        }
        let has_lines = self.call.lines().next().is_some();
        let files = if has_lines { &*user.denied_files } else { &[] };
        for (i, grant) in user.deny.at(files, self.context.now) {
            match self.call.command_lines().map(|line| grant.hits_file_in(line, self.call)).max() {
                Some(Fit::Yes) => return self.deny(Layer::DenyGrant, Cause::Grant(i.into())),
                Some(Fit::Maybe) => perhaps = perhaps.or(Some(i)),
                Some(Fit::No) | None => {}
            }
        }
        match perhaps {
            Some(i) => self.perhaps(Layer::DenyGrant, Cause::PerhapsGrant(i.into()), &Ask::ONCE),
            None => self.silent(Layer::DenyGrant),
        }
        false
    }

    fn denied_by_capability(&mut self) -> bool {
        let denied = |name: &String| self.policy.capabilities.get(name) == Some(&Effect::Deny);
        let capability = self.call.capabilities.iter().position(denied);
        capability.is_some_and(|i| self.deny(Layer::Capability, Cause::Capability(i.into())))
    }

    /// The first rule that matches, or one before it that would deny if its condition could be evaluated.
    fn denied_by_rule(&mut self) -> bool {
        let denies = |i: &usize| self.policy.rules.effect(*i) == Some(&Effect::Deny);
        if let Some(i) = self.matched.undecided.iter().copied().find(denies) {
            return self.deny(Layer::Rule, Cause::UndecidedRule(i.into()));
        }
        if let Some((i, Effect::Deny)) = self.matched.first {
            return self.deny(Layer::Rule, Cause::Rule(i.into()));
        }
        for i in std::mem::take(&mut self.matched.perhaps) {
            let effect = self.policy.rules.effect(i).cloned();
            match effect {
                // Where the policy is switched off, rules that merely ask for an approval are not heard.
                Some(effect @ Effect::Ask(_)) if !self.in_force() && !super::floors::is_floor(&effect) => {}
                Some(Effect::Ask(ask)) => self.perhaps(Layer::Rule, Cause::PerhapsRule(i.into()), &ask),
                _ => self.perhaps(Layer::Rule, Cause::PerhapsRule(i.into()), &Ask::ONCE),
            }
        }
        self.names_denied_file()
    }

    /// A command names a file that a rule denies to the file tools.
    fn names_denied_file(&mut self) -> bool {
        if self.call.lines().next().is_none() {
            return false;
        }
        for &i in &self.policy.rules.denied_files {
            let Some(rule) = self.policy.rules.all.get(i) else { continue };
            match self.call.command_lines().map(|line| rule.pattern.hits_file_in(line, self.call)).max() {
                Some(Fit::Yes) => return self.deny(Layer::Rule, Cause::Rule(i.into())),
                Some(Fit::Maybe) => self.perhaps(Layer::Rule, Cause::PerhapsRule(i.into()), &Ask::ONCE),
                Some(Fit::No) | None => {}
            }
        }
        false
    }

    /// Nobody can tell whether this fits: the call is asked about at least, with nothing remembered to answer for it.
    fn perhaps(&mut self, layer: Layer, cause: Cause, least: &Ask) {
        self.perhaps.push((layer, cause, Effect::Ask(Ask { remember: false, ..least.clone() })));
    }
}
