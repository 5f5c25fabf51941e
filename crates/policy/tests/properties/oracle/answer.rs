//! Steps 12 and 13: an ask may already be answered.

use super::pattern::{Pattern, cover_all};
use countersign_domain::describe::Described;
use countersign_policy::source::{
    ApprovalSource, ContextSource, DecisionSource, GrantSource, PrincipalKind, PrincipalSource, Source,
};
use countersign_policy::{Ask, By};
use jiff::{SignedDuration, Timestamp};

/// The grants of the run's user that have not ended.
pub fn current(grants: &[GrantSource], now: Timestamp) -> Vec<&str> {
    let holds = |grant: &&GrantSource| grant.expires_at().is_none_or(|end| now < end);
    grants.iter().filter(holds).map(GrantSource::pattern).collect()
}

/// The user's allow grants that together cover the call.
pub fn granted(source: &Source, call: &Described, context: &ContextSource, now: Timestamp) -> Option<String> {
    let user = context.user.as_ref().and_then(|user| source.policy.users.get(user));
    let grants = user.map(|user| current(&user.allow, now)).unwrap_or_default();
    let covered = cover_all(&grants.iter().map(|grant| Pattern::read(grant)).collect::<Vec<_>>(), call);
    // Those that help: without the others the call is covered as well.
    let helpful = grants.into_iter().filter(|grant| Pattern::read(grant).helps(call));
    covered.then(|| helpful.collect::<Vec<_>>().join(", "))
}

/// What short memory says: the newest answer to the same call.
pub fn remembered(call: &Described, context: &ContextSource, now: Timestamp) -> Option<DecisionSource> {
    let (_user, _session) = (context.user.as_ref()?, context.session.as_ref()?);
    let day = SignedDuration::from_hours(24);
    let same = context.remembered.iter().filter(|answer| {
        is_this(&answer.digest, call)
            && answer.user.as_ref().or(context.user.as_ref()) == context.user.as_ref()
            && answer.session.as_ref().or(context.session.as_ref()) == context.session.as_ref()
            && answer.at <= now
            && now.duration_since(answer.at) <= day
    });
    same.max_by_key(|answer| (answer.at, answer.decision == DecisionSource::Reject)).map(|answer| answer.decision)
}

/// The names of those who approved this very call, if they are enough.
pub fn approved(ask: &Ask, call: &Described, context: &ContextSource, now: Timestamp) -> Option<String> {
    let mut counted: Vec<&PrincipalSource> = vec![];
    for ApprovalSource { by, .. } in context.approvals.iter().filter(|given| counts(given, ask, call, context, now)) {
        if !counted.iter().any(|known| known.user == by.user) {
            counted.push(by);
        }
    }
    let names: Vec<&str> = counted.iter().filter_map(|by| by.user.as_deref()).collect();
    (counted.len() >= ask.approvals as usize).then(|| names.join(", "))
}

pub fn counts(approval: &ApprovalSource, ask: &Ask, call: &Described, context: &ContextSource, now: Timestamp) -> bool {
    let person = approval.by.kind == PrincipalKind::User;
    let may_answer = match ask.by {
        By::Anyone => approval.by.kind != PrincipalKind::Agent,
        By::Human => person,
        By::SecondPerson => {
            let is_behind = |user| context.behind.contains(user) || context.user.as_ref() == Some(user);
            person && approval.by.user.as_ref().is_some_and(|user| !is_behind(user))
        }
    };
    may_answer
        && ask.approvers.iter().all(|set| approval.by.groups.iter().any(|group| set.contains(group)))
        && is_this(&approval.digest, call)
        && approval.run == context.run
        && approval.correlation_key == context.correlation_key
        && approval.expires_at.is_none_or(|end| now < end)
        && !approval.used
}

fn is_this(digest: &str, call: &Described) -> bool {
    digest == "$self" || digest == call.call.digest().to_string()
}
