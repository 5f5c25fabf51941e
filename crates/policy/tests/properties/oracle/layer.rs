//! Steps 5 to 11: the first layer that speaks gives the verdict. A call in doubt hears no allow.

use super::denial::holds;
use super::effect::{Said, ask_once, is_by_human, of_risk, of_source, stricter};
use super::rule::Search;
use super::{Scene, Spoken, answer, tool};
use countersign_policy::Effect;
use countersign_policy::source::{RiskName, Silence};

pub fn first_to_speak(scene: &Scene, rules: &Search) -> Spoken {
    if scene.switched_off() {
        return Spoken { layer: "policy", said: Effect::Allow, name: None };
    }
    let in_doubt = !scene.call.doubts.is_empty();
    let layers = [rule_layer(rules), capabilities(scene), grants(scene), role(scene), tool_layer(scene), risk(scene)];
    let heard = |spoken: &Spoken| !(in_doubt && spoken.said == Effect::Allow);
    layers.into_iter().flatten().find(heard).unwrap_or_else(|| default(scene))
}

/// Step 5. What M denies or wants a person for has been heard before.
fn rule_layer(rules: &Search) -> Option<Spoken> {
    rules.first.clone().filter(|rule| !is_by_human(&rule.said))
}

/// Step 6.
fn capabilities(scene: &Scene) -> Option<Spoken> {
    let policies = &scene.source.policy.capabilities;
    let said: Vec<(&String, Said)> =
        scene.capabilities.iter().filter_map(|name| Some((name, of_source(policies.get(name)?)))).collect();
    let strictest = said.iter().fold(Effect::Allow, |all, (_, said)| stricter(all, said.clone()));
    if said.is_empty() || (strictest == Effect::Allow && said.len() < scene.capabilities.len()) {
        return None;
    }
    let name =
        said.iter().find(|(_, said)| said.strictness() == strictest.strictness()).map(|(name, _)| (*name).clone());
    Some(Spoken { layer: "capability", said: strictest, name })
}

fn asks_always(scene: &Scene) -> bool {
    tool::asks_always(scene.source, scene.call, scene.context.user.as_deref())
}

/// Step 7.
fn grants(scene: &Scene) -> Option<Spoken> {
    let granted = answer::granted(scene.source, scene.call, scene.context, scene.now);
    let name = granted.filter(|_| !asks_always(scene))?;
    Some(Spoken { layer: "allow_grant", said: Effect::Allow, name: Some(name) })
}

/// Step 8.
fn role(scene: &Scene) -> Option<Spoken> {
    let listed = scene.role?.allowed_tools.as_ref().is_some_and(|allowed| holds(allowed, scene.call));
    let dangerous = matches!(scene.risk, RiskName::High | RiskName::Critical);
    let said = if dangerous { ask_once() } else { Effect::Allow };
    (listed && !asks_always(scene)).then(|| Spoken { layer: "role", said, name: scene.role_name.cloned() })
}

/// Step 9.
fn tool_layer(scene: &Scene) -> Option<Spoken> {
    let said = tool::manner(scene.source, scene.call, scene.context.user.as_deref())?;
    Some(Spoken { layer: "tool", said, name: Some(scene.call.call.name()) })
}

/// Step 10.
fn risk(scene: &Scene) -> Option<Spoken> {
    let effects = scene.source.policy.risk;
    let (word, effect) = match scene.risk {
        RiskName::Low => ("low", effects.low),
        RiskName::Medium => ("medium", effects.medium),
        RiskName::High => ("high", effects.high),
        RiskName::Critical => ("critical", effects.critical),
        RiskName::Unknown => return None,
    };
    Some(Spoken { layer: "risk", said: of_risk(effect), name: Some(word.to_owned()) })
}

/// Step 11.
fn default(scene: &Scene) -> Spoken {
    let said = match scene.source.policy.default {
        Silence::Ask => ask_once(),
        Silence::Deny => Effect::Deny,
    };
    Spoken { layer: "default", said, name: None }
}
