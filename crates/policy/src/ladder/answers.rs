//! An ask may already be answered: by grants, by short memory, by an approval of this very call.

use super::Bench;
use crate::context::Approval;
use crate::effect::{Ask, By, Effect, Mode};
use crate::source::PrincipalKind;
use crate::verdict::{Cause, Layer};
use jiff::SignedDuration;

/// How long short memory lasts.
const SHORT: SignedDuration = SignedDuration::from_hours(24);

impl Bench<'_> {
    pub(super) fn answered(&mut self, effect: Effect) -> Effect {
        let Effect::Ask(ask) = effect else { return effect };
        if ask.mode == Mode::Once {
            if ask.remember
                && let Some((effect, cause)) = self.grants()
            {
                return self.say(Layer::AllowGrant, effect, cause);
            }
            if ask.remember {
                self.tell_ungranted();
            }
            match self.remembered() {
                Some((i, true)) if ask.remember => {
                    return self.say(Layer::Remembered, Effect::Allow, Cause::Remembered(i.into()));
                }
                Some((i, false)) => return self.say(Layer::Remembered, Effect::Deny, Cause::Remembered(i.into())),
                _ => {}
            }
        }
        match self.approved(&ask) {
            Some(approvals) => {
                let cause = Cause::Approvals(self.trail.keep(approvals));
                self.say(Layer::Approval, Effect::Allow, cause)
            }
            None => Effect::Ask(ask),
        }
    }

    /// Leaves in the trail that grants were asked and gave no answer, before what decided.
    fn tell_ungranted(&mut self) {
        let has_grants = self.user.is_some_and(|user| !user.allow.all.is_empty());
        if has_grants && !self.trail.iter().any(|reason| reason.layer == Layer::AllowGrant) {
            self.trail.push_before_last(Layer::AllowGrant, None, Cause::Silence);
        }
    }

    /// The newest remembered answer to the same call: same user, digest (and so working folder) and session.
    fn remembered(&self) -> Option<(usize, bool)> {
        let (user, session) = (self.context.user.as_ref()?, self.context.session.as_ref()?);
        let fits = |answer: &crate::context::Remembered| {
            answer.digest == self.call.digest
                && answer.user.as_ref() == Some(user)
                && answer.session.as_ref() == Some(session)
                && answer.at <= self.context.now
                && self.context.now.duration_since(answer.at) <= SHORT
        };
        let answers = self.context.remembered.iter().enumerate().filter(|(_, answer)| fits(answer));
        // Of two answers of one moment the refusal counts.
        let newest = answers.max_by_key(|(_, answer)| (answer.at, !answer.approved))?;
        Some((newest.0, newest.1.approved))
    }

    /// Approvals of this call by as many different principals as were asked for.
    fn approved(&self, ask: &Ask) -> Option<Vec<usize>> {
        let mut counted: Vec<(usize, &Approval)> = Vec::new();
        for (i, approval) in self.context.approvals.iter().enumerate() {
            // One person by two doors is one person.
            let repeated = counted.iter().any(|(_, other)| other.user == approval.user);
            if !repeated && self.counts(approval, ask) {
                counted.push((i, approval));
            }
        }
        (counted.len() >= ask.approvals as usize).then(|| counted.into_iter().map(|(i, _)| i).collect())
    }

    /// Same run, same key, same digest, not expired, not used, and given by one who may.
    fn counts(&self, approval: &Approval, ask: &Ask) -> bool {
        let same = |given: &Option<String>, own: &Option<String>| given.is_none() || given == own;
        approval.digest == self.call.digest
            && !approval.used
            && approval.expires_at.is_none_or(|end| self.context.now < end)
            && same(&approval.run, &self.context.run)
            && same(&approval.correlation_key, &self.context.correlation_key)
            && self.may_answer(approval, ask)
    }

    fn may_answer(&self, approval: &Approval, ask: &Ask) -> bool {
        let person = approval.kind == PrincipalKind::User;
        let kind = match ask.by {
            By::Anyone => approval.kind != PrincipalKind::Agent,
            By::Human => person,
            By::SecondPerson => person && approval.user.as_deref().is_some_and(|user| !self.is_behind(user)),
        };
        kind && ask.approvers.iter().all(|set| set.iter().any(|group| approval.groups.contains(group)))
    }

    /// Whether the agent does what `user` told it to. Asked of every approval, as it may have been given to a question
    /// that anyone could answer.
    fn is_behind(&self, user: &str) -> bool {
        self.context.user.iter().chain(&self.context.behind).any(|name| name == user)
    }
}
