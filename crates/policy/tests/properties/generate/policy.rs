//! Policies: few rules, few names, every switch.

use super::context::shortly;
use super::tool::{agent, any_pattern, overrides, role, tool};
use super::vocabulary::{ALLOWING, CAPABILITIES, DENYING, GRANTED, NARROW};
use super::{one_of, perhaps};
use crate::oracle::condition::POOL;
use countersign_policy::source::{
    AutoApprove, EffectName, EffectSource, FullEffect, FullGrant, GrantSource, PolicySource, RiskEffect, RiskEffects,
    RuleSource, Silence, Source, ToolSource, UserSource,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

pub fn source() -> impl Strategy<Value = Source> {
    let policy = (policy(), prop::collection::vec(tool(), 0..4));
    let own_paths = prop_oneof![Just(vec!["/srv/own".to_owned()]), Just(vec![])];
    (policy, (role(), role()), (agent(), agent()), seldom(), own_paths).prop_map(
        |((policy, tools), (reader, writer), (helper, robot), nobody_to_ask, own_paths)| Source {
            policy,
            tools,
            roles: BTreeMap::from([("reader".to_owned(), reader), ("writer".to_owned(), writer)]),
            agents: BTreeMap::from([("helper".to_owned(), helper), ("robot".to_owned(), robot)]),
            nobody_to_ask,
            own_paths,
        },
    )
}

/// One rule over everything that asks, in some way; and grants.
pub fn asking_source() -> impl Strategy<Value = Source> {
    let asks = [EffectName::RequireApproval, EffectName::RequireHuman, EffectName::SecondPerson];
    let asks = prop::sample::select(asks.to_vec())
        .prop_flat_map(|name| prop_oneof![Just(EffectSource::Name(name)), asking(name).prop_map(EffectSource::Full)]);
    let grants = one_of(&["pay", "pay(*bob*)", "pay({\"to\":\"b\\*b\"})", "bash"]);
    let capability = prop::option::weighted(0.2, effect());
    (asks, prop::collection::vec(grant(grants), 0..3), capability).prop_map(|(asks, allow, capability)| {
        let user = UserSource { allow, ..UserSource::default() };
        let policy = PolicySource {
            rules: vec![rule_over("*", asks)],
            capabilities: capability.map(|effect| ("payment".to_owned(), effect)).into_iter().collect(),
            users: BTreeMap::from([("ann".to_owned(), user)]),
            ..PolicySource::default()
        };
        let capabilities = Some(vec!["payment".to_owned()]);
        let tool = ToolSource { tool: "pay".to_owned(), capabilities, ..ToolSource::default() };
        Source { policy, tools: vec![tool], ..Source::default() }
    })
}

/// A rule of this effect, and nothing more.
pub fn rule_over(tool: &str, effect: EffectSource) -> RuleSource {
    RuleSource {
        name: None,
        priority: None,
        server: None,
        tool: tool.to_owned(),
        when: None,
        effect: Some(effect),
        remember: None,
        approvals: None,
        approvers: vec![],
        auto_approve: None,
        description: None,
    }
}

/// Many rules, and little else.
pub fn ruling_source() -> impl Strategy<Value = Source> {
    let capabilities = prop::collection::btree_map(one_of(CAPABILITIES), effect(), 0..2);
    (prop::collection::vec(rule(), 2..12), prop::collection::vec(tool(), 0..2), capabilities).prop_map(
        |(rules, tools, capabilities)| {
            let rules =
                rules.into_iter().enumerate().map(|(place, rule)| RuleSource { name: named(&rule, place), ..rule });
            let policy = PolicySource { rules: rules.collect(), capabilities, ..PolicySource::default() };
            Source { policy, tools, ..Source::default() }
        },
    )
}

fn policy() -> impl Strategy<Value = PolicySource> {
    let users = (user(), prop::option::weighted(0.3, user()));
    (
        prop_oneof![8 => Just(None), 2 => Just(Some(true)), 1 => Just(Some(false))],
        prop_oneof![3 => Just(Silence::Ask), 1 => Just(Silence::Deny)],
        risks(),
        prop::collection::btree_map(one_of(CAPABILITIES), effect(), 0..4),
        prop::collection::vec(rule(), 0..=6),
        overrides(),
        users,
    )
        .prop_map(|(enabled, default, risk, capabilities, rules, overrides, (ann, bob))| PolicySource {
            enabled,
            default,
            risk,
            capabilities,
            rules: rules
                .into_iter()
                .enumerate()
                .map(|(place, rule)| RuleSource { name: named(&rule, place), ..rule })
                .collect(),
            overrides,
            users: [("ann", Some(ann)), ("bob", bob)]
                .into_iter()
                .filter_map(|(name, user)| Some((name.to_owned(), user?)))
                .collect(),
            tests: vec![],
        })
}

/// Names must differ; a rule without one is called by its place.
fn named(rule: &RuleSource, place: usize) -> Option<String> {
    rule.name.as_ref().map(|name| format!("{name}-{place}"))
}

pub fn rule() -> impl Strategy<Value = RuleSource> {
    let target = prop_oneof![
        4 => any_pattern().prop_map(|tool| (None, tool)),
        2 => Just((None, "*".to_owned())),
        1 => (one_of(&["fs", "db", "*", "f*"]), one_of(&["*", "read_*", "delete_row", "bash", "pay(*bob*)"]))
            .prop_map(|(server, tool)| (Some(server), tool)),
    ];
    let condition = prop::option::weighted(0.35, prop::sample::select(POOL).prop_map(|(text, _)| text.to_owned()));
    let priority = prop::option::weighted(0.6, prop::sample::select(&[1, 2, 100, -1][..]));
    let effect = prop_oneof![
        6 => effect().prop_map(|effect| (Some(effect), None)),
        1 => any::<bool>().prop_map(|yes| (None, Some(AutoApprove::Flag(yes)))),
    ];
    (perhaps(&["first", "second"]), priority, target, condition, effect, prop::option::weighted(0.2, 1..3u32)).prop_map(
        |(name, priority, (server, tool), when, (effect, auto_approve), approvals)| {
            let (effect, auto_approve) = match effect {
                _ if !DENYING.contains(&&*tool) => (effect, auto_approve),
                Some(effect) => (Some(unless_allow(effect)), None),
                None => (None, Some(AutoApprove::Flag(false))),
            };
            // How a rule asks may stand beside its effect, where the effect asks and does not say so itself.
            let asks =
                matches!(effect, Some(EffectSource::Name(EffectName::RequireApproval | EffectName::RequireHuman)));
            let once = matches!(effect, Some(EffectSource::Name(EffectName::RequireApproval)));
            RuleSource {
                name,
                priority,
                server,
                when,
                effect,
                remember: approvals.filter(|_| once).map(|approvals| approvals > 1),
                approvals: approvals.filter(|_| asks),
                auto_approve,
                ..rule_over(&tool, EffectSource::Name(EffectName::Deny))
            }
        },
    )
}

fn unless_allow(effect: EffectSource) -> EffectSource {
    let allows = effect == EffectSource::Name(EffectName::Allow);
    if allows { EffectSource::Name(EffectName::Deny) } else { effect }
}

pub fn effect() -> impl Strategy<Value = EffectSource> {
    let name = prop_oneof![
        5 => Just(EffectName::Allow),
        4 => Just(EffectName::RequireApproval),
        2 => Just(EffectName::RequireHuman),
        1 => Just(EffectName::SecondPerson),
        2 => Just(EffectName::Deny),
    ];
    name.prop_flat_map(|name| match name {
        EffectName::Allow | EffectName::Deny => Just(EffectSource::Name(name)).boxed(),
        _ => prop_oneof![
            2 => Just(EffectSource::Name(name)),
            1 => asking(name).prop_map(EffectSource::Full),
        ]
        .boxed(),
    })
}

fn asking(effect: EffectName) -> impl Strategy<Value = FullEffect> {
    // One set of groups only: what two different ones ask together is for another test.
    let approvers = prop_oneof![3 => Just(vec![]), 1 => Just(vec!["finance".to_owned()])];
    let remember = match effect {
        EffectName::RequireApproval => prop::option::of(any::<bool>()).boxed(),
        _ => Just(None).boxed(),
    };
    (remember, prop::option::of(1..3u32), approvers).prop_map(move |(remember, approvals, approvers)| FullEffect {
        effect,
        remember,
        approvals,
        approvers,
    })
}

fn risks() -> impl Strategy<Value = RiskEffects> {
    let any = || {
        prop::sample::select(
            &[RiskEffect::Allow, RiskEffect::Ask, RiskEffect::RequireHuman, RiskEffect::SecondPerson, RiskEffect::Deny]
                [..],
        )
    };
    let drawn = (any(), any(), any(), any()).prop_map(|(low, medium, high, critical)| RiskEffects {
        low,
        medium,
        high,
        critical,
    });
    prop_oneof![2 => Just(RiskEffects::default()), 1 => drawn]
}

fn user() -> impl Strategy<Value = UserSource> {
    let allow = prop_oneof![5 => one_of(GRANTED), 5 => one_of(NARROW), 1 => one_of(ALLOWING)];
    let denied = prop_oneof![2 => Just(vec![]), 1 => prop::collection::vec(grant(any_pattern()), 1..3)];
    (prop::collection::vec(grant(allow), 0..6), denied, overrides()).prop_map(|(allow, deny, overrides)| UserSource {
        allow,
        deny,
        overrides,
    })
}

fn grant(pattern: impl Strategy<Value = String>) -> impl Strategy<Value = GrantSource> {
    let expires_at = prop_oneof![4 => Just(None), 1 => shortly().prop_map(Some)];
    (pattern, expires_at).prop_map(|(resource, expires_at)| match expires_at {
        None => GrantSource::Pattern(resource),
        Some(_) => GrantSource::Full(FullGrant { resource, expires_at, given_by: None, given_at: None, reason: None }),
    })
}

fn seldom() -> impl Strategy<Value = bool> {
    prop_oneof![9 => Just(false), 1 => Just(true)]
}
