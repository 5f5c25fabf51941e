//! Tools, overrides, roles and agents: what a policy says of tools and of who uses them.

use super::one_of;
use super::vocabulary::{ALLOWING, CAPABILITIES, DENYING, NARROW, WIDE};
use countersign_policy::source::{
    AgentSource, DefaultPermission, Execution, OneOrMany, OverrideSource, PermissionLevel, ResourceSource, RiskName,
    RoleSource, ToolSource,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A pattern as a rule, a deny grant or a denied list has it.
pub fn any_pattern() -> impl Strategy<Value = String> {
    prop_oneof![2 => one_of(WIDE), 3 => one_of(NARROW), 1 => one_of(DENYING)]
}

/// A pattern as a list of allowed tools has it.
fn listed() -> impl Strategy<Value = String> {
    prop_oneof![6 => one_of(WIDE), 2 => one_of(NARROW), 1 => one_of(ALLOWING)]
}

/// A list of allowed tools: none, wide, some, and nothing at all. Mostly wide, or nothing would ever get past.
pub fn allowed() -> impl Strategy<Value = Option<Vec<String>>> {
    prop_oneof![
        12 => Just(None),
        12 => Just(Some(vec!["*".to_owned(), "*/*".to_owned()])),
        5 => prop::collection::vec(listed(), 1..6).prop_map(Some),
        1 => Just(Some(vec![])),
    ]
}

/// A list of denied tools.
pub fn denied() -> impl Strategy<Value = Option<Vec<String>>> {
    prop_oneof![12 => Just(None), 1 => Just(Some(vec![])), 3 => prop::collection::vec(any_pattern(), 1..3).prop_map(Some)]
}

pub fn role() -> impl Strategy<Value = RoleSource> {
    (allowed(), denied()).prop_map(|(allowed_tools, denied_tools)| RoleSource {
        description: None,
        allowed_tools,
        denied_tools,
    })
}

pub fn agent() -> impl Strategy<Value = AgentSource> {
    let switch = || prop_oneof![6 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))];
    (allowed(), prop::option::weighted(0.3, one_of(&["reader", "writer"])), switch(), switch()).prop_map(
        |(tools, role, enable_hitl, enable_permissions)| AgentSource { tools, role, enable_hitl, enable_permissions },
    )
}

pub fn overrides() -> impl Strategy<Value = BTreeMap<String, OverrideSource>> {
    let target = one_of(&["bash", "file_*", "pay", "read_*", "fs/*", "db/delete_row", "web_fetch"]);
    let one = (
        prop::option::of(execution()),
        prop::option::weighted(0.2, level()),
        prop::option::weighted(0.2, any::<bool>()),
    )
        .prop_map(|(execution, permission_level, require_execution_approval)| OverrideSource {
            execution,
            permission_level,
            require_execution_approval,
            ..OverrideSource::default()
        });
    prop_oneof![2 => Just(BTreeMap::new()), 1 => prop::collection::btree_map(target, one, 1..3)]
}

fn execution() -> impl Strategy<Value = Execution> {
    prop::sample::select(&[Execution::Auto, Execution::AskOnce, Execution::AskAlways][..])
}

fn level() -> impl Strategy<Value = PermissionLevel> {
    prop::sample::select(&[PermissionLevel::Public, PermissionLevel::Moderate, PermissionLevel::Sensitive][..])
}

pub fn tool() -> impl Strategy<Value = ToolSource> {
    let target = prop_oneof![
        3 => one_of(&["pay", "read_doc", "bash", "file_*", "*", "read_*", "run_it", "fs/delete_row", "web_fetch"])
            .prop_map(|tool| (None, tool)),
        2 => (one_of(&["fs", "db"]), one_of(&["read_doc", "delete_row", "*", "run_it", "pay"]))
            .prop_map(|(server, tool)| (Some(server), tool)),
    ];
    let risk = prop::sample::select(
        &[RiskName::Low, RiskName::Medium, RiskName::High, RiskName::Critical, RiskName::Unknown][..],
    );
    let known = ["amount", "to", "path", "command", "url"].map(str::to_owned).to_vec();
    let arguments = prop_oneof![4 => Just(None), 1 => Just(Some(known))];
    let manner = (
        prop::option::weighted(0.3, execution()),
        prop::option::weighted(0.2, level()),
        prop::option::weighted(0.2, any::<bool>()),
        prop::option::weighted(0.2, prop::sample::select(&[DefaultPermission::Allow, DefaultPermission::Deny][..])),
    );
    (
        target,
        prop::option::of(prop::collection::vec(one_of(CAPABILITIES), 0..3)),
        prop::option::of(risk),
        prop::option::of(resource()),
        arguments,
        manner,
    )
        .prop_map(|((server, tool), capabilities, risk, resource, arguments, manner)| {
            // A command may be allowed by wildcard, which is for the tests of the shell analysis: no pattern here names it.
            let resource = resource.filter(|kind| kind.command.is_none() || tool == "run_it");
            let (execution, permission_level, require_execution_approval, default_permission_policy) = manner;
            ToolSource {
                server,
                tool,
                capabilities,
                risk,
                resource,
                arguments,
                execution,
                permission_level,
                require_execution_approval,
                default_permission_policy,
                ..ToolSource::default()
            }
        })
}

fn resource() -> impl Strategy<Value = ResourceSource> {
    let one = |name: &str| Some(OneOrMany::One(name.to_owned()));
    let none = ResourceSource::default();
    prop::sample::select(vec![
        ResourceSource { text: one("to"), ..none.clone() },
        ResourceSource { path: one("path"), ..none.clone() },
        ResourceSource { url: one("url"), ..none.clone() },
        ResourceSource { command: one("command"), ..none.clone() },
        ResourceSource { text: one("*"), ..none.clone() },
        ResourceSource { text: Some(OneOrMany::Many(vec!["to".to_owned(), "command".to_owned()])), ..none.clone() },
        ResourceSource { none: Some(true), ..none },
    ])
}
