//! Who calls, what they were handed, and what has been answered before.

use super::tool::{allowed, denied};
use super::{now, one_of, perhaps};
use countersign_domain::Digest;
use countersign_domain::delegation::{Chain, Frame};
use countersign_policy::source::{
    ApprovalSource, ContextSource, DecisionSource, PrincipalKind, PrincipalSource, RememberedSource,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

pub fn context() -> impl Strategy<Value = ContextSource> {
    (
        plain_context(),
        prop_oneof![1 => Just(vec![]), 1 => prop::collection::vec(frame(), 1..=3)],
        prop::collection::vec(approval(), 0..4),
        prop::collection::vec(remembered(), 0..3),
    )
        .prop_map(|(context, frames, approvals, remembered)| ContextSource {
            delegated: Chain::new(frames),
            approvals: approvals.into_iter().map(|approval| placed(approval, &context)).collect(),
            remembered,
            ..context
        })
}

/// An approval that says for which run and key it is: one that does not has been matched to the call by its door.
fn placed(approval: ApprovalSource, context: &ContextSource) -> ApprovalSource {
    ApprovalSource {
        run: approval.run.or_else(|| context.run.clone()),
        correlation_key: approval.correlation_key.or_else(|| context.correlation_key.clone()),
        ..approval
    }
}

/// A context with nothing handed down and nothing answered.
pub fn plain_context() -> impl Strategy<Value = ContextSource> {
    (
        prop_oneof![5 => Just(Some("ann".to_owned())), 1 => perhaps(&["bob", "nobody"])],
        prop_oneof![1 => Just(None), 2 => one_of(&["helper", "robot", "stranger"]).prop_map(Some)],
        prop_oneof![10 => Just(None), 10 => one_of(&["reader", "writer"]).prop_map(Some), 1 => Just(Some("ghost".to_owned()))],
        prop_oneof![3 => Just(Some("s1".to_owned())), 1 => Just(None)],
        prop_oneof![3 => Just(Some("r1".to_owned())), 1 => Just(None)],
        prop_oneof![3 => Just(Some("k1".to_owned())), 1 => Just(None)],
        prop_oneof![3 => Just(None), 1 => one_of(&["ann", "bob"]).prop_map(Some)],
    )
        .prop_map(|(user, agent, role, session, run, correlation_key, behind)| ContextSource {
            user,
            behind: behind.into_iter().collect(),
            agent,
            role,
            session,
            run,
            correlation_key,
            now: Some(now()),
            ..ContextSource::default()
        })
}

pub fn frame() -> impl Strategy<Value = Frame> {
    (allowed(), denied()).prop_map(|(allowed_tools, denied_tools)| Frame { allowed_tools, denied_tools })
}

fn approval() -> impl Strategy<Value = ApprovalSource> {
    let kind = prop_oneof![
        4 => Just(PrincipalKind::User),
        1 => prop::sample::select(&[PrincipalKind::Service, PrincipalKind::Client, PrincipalKind::Agent][..]),
    ];
    let user = prop_oneof![9 => one_of(&["ann", "bob", "cat"]).prop_map(Some), 1 => Just(None)];
    let groups = prop_oneof![Just(vec![]), Just(vec!["finance".to_owned()]), Just(vec!["security".to_owned()])];
    let principal = (kind, user, groups).prop_map(|(kind, user, groups)| PrincipalSource { kind, user, groups });
    (
        prop_oneof![7 => Just("$self".to_owned()), 1 => Just(Digest::of(b"another call").to_string())],
        principal,
        prop_oneof![5 => Just(Some("r1".to_owned())), 2 => Just(None), 1 => Just(Some("r2".to_owned()))],
        prop_oneof![5 => Just(Some("k1".to_owned())), 2 => Just(None), 1 => Just(Some("k2".to_owned()))],
        prop_oneof![4 => Just(None), 3 => shortly().prop_map(Some)],
        prop_oneof![7 => Just(false), 1 => Just(true)],
    )
        .prop_map(|(digest, by, run, correlation_key, expires_at, used)| ApprovalSource {
            digest,
            by,
            run,
            correlation_key,
            expires_at,
            used,
        })
}

fn remembered() -> impl Strategy<Value = RememberedSource> {
    let day = 24 * 3600;
    let ages = [1, 2, 60, 3600, day - 1, day, day + 1, 2 * day, 0, -1];
    (
        prop_oneof![6 => Just("$self".to_owned()), 1 => Just(Digest::of(b"another call").to_string())],
        prop_oneof![2 => Just(DecisionSource::Approve), 1 => Just(DecisionSource::Reject)],
        prop::sample::select(ages.to_vec()),
        prop_oneof![4 => Just(None), 1 => one_of(&["ann", "bob"]).prop_map(Some)],
        prop_oneof![4 => Just(None), 1 => one_of(&["s1", "s2"]).prop_map(Some)],
    )
        .prop_map(|(digest, decision, age, user, session)| RememberedSource {
            digest,
            decision,
            at: after_now(-age),
            user,
            session,
        })
}

/// Moments around now: what has ended, what ends this very moment, and what holds.
pub fn shortly() -> impl Strategy<Value = Timestamp> {
    prop::sample::select(&[3600, 1, 0, -1][..]).prop_map(after_now)
}

fn after_now(seconds: i64) -> Timestamp {
    now().checked_add(SignedDuration::from_secs(seconds)).unwrap()
}
