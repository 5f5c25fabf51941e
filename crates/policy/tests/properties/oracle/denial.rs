//! Steps 1 to 4: what denies, and what nothing below can loosen.

use super::effect::{ask_at_least, is_by_human, of_risk, of_source};
use super::pattern::{Fit, Pattern, Unqualified, disguised, is_plain};
use super::rule::{self, Search};
use super::{Scene, Spoken, answer};
use countersign_domain::describe::{Described, Dialect, Part, PathPart, Resource, Surroundings};
use countersign_policy::Effect;
use countersign_policy::source::RiskName;

/// Steps 1 to 3. The entry that denies is the error; entries of which nobody can tell whether they fit go to the trail.
pub fn denials(scene: &Scene, rules: &Search, trail: &mut Vec<Spoken>) -> Result<(), Spoken> {
    let deny = |layer, name: &str| Spoken { layer, said: Effect::Deny, name: Some(name.to_owned()) };
    match own(scene) {
        Fit::Yes => return Err(deny("own", "countersign")),
        Fit::Perhaps => trail.push(Spoken { said: ask_at_least(), ..deny("own", "countersign") }),
        Fit::No => {}
    }
    for (place, frame) in scene.context.delegated.frames().iter().enumerate() {
        let name = format!("delegation frame {}", place + 1);
        boundary(
            scene.call,
            frame.allowed_tools.as_deref(),
            frame.denied_tools.as_deref(),
            deny("delegation", &name),
            trail,
        )?;
    }
    if let Some(role) = scene.role_name {
        // Nobody defined the role: nothing is allowed in it.
        let Some(limits) = scene.role else { return Err(deny("role", role)) };
        let denied = deny("role", &format!("role \"{role}\""));
        boundary(scene.call, limits.allowed_tools.as_deref(), limits.denied_tools.as_deref(), denied, trail)?;
    }
    if let (Some(name), Some(agent)) = (&scene.context.agent, scene.agent) {
        boundary(scene.call, agent.tools.as_deref(), None, deny("agent", &format!("agent \"{name}\"")), trail)?;
    }
    let grants = scene.user.map(|user| answer::current(&user.deny, scene.now)).unwrap_or_default();
    let denied = |pattern: &str| deny("deny_grant", pattern);
    entries(&grants, |pattern| pattern.hits(scene.call), trail, denied)?;
    entries(&grants, |pattern| pattern.denies_files_of(scene.call), trail, denied)?;
    for capability in &scene.capabilities {
        if scene.source.policy.capabilities.get(capability).is_some_and(|policy| of_source(policy) == Effect::Deny) {
            return Err(deny("capability", capability));
        }
    }
    trail.extend(rules.perhaps.iter().cloned());
    let mut searched = rules.undecided.iter().chain(&rules.first);
    if let Some(rule) = searched.find(|rule| rule.said == Effect::Deny) {
        return Err(rule.clone());
    }
    // What a rule denies to the file tools, whatever the arguments, is denied to commands that name the file.
    for (rule, spoken) in rule::denials(scene) {
        match rule.denies_files_of(scene.call) {
            Fit::Yes => return Err(spoken),
            Fit::Perhaps => trail.push(Spoken { said: ask_at_least(), ..spoken }),
            Fit::No => {}
        }
    }
    Ok(())
}

/// Any entry that fits denies; one that may fit asks at least.
fn entries(
    patterns: &[&str],
    fits: impl Fn(&Pattern) -> Fit,
    trail: &mut Vec<Spoken>,
    deny: impl Fn(&str) -> Spoken,
) -> Result<(), Spoken> {
    let mut unsure = None;
    for pattern in patterns {
        match fits(&Pattern::read(pattern)) {
            Fit::Yes => return Err(deny(pattern)),
            Fit::Perhaps => unsure = unsure.or(Some(Spoken { said: ask_at_least(), ..deny(pattern) })),
            Fit::No => {}
        }
    }
    trail.extend(unsure);
    Ok(())
}

fn boundary(
    call: &Described,
    allowed: Option<&[String]>,
    denied: Option<&[String]>,
    deny: Spoken,
    trail: &mut Vec<Spoken>,
) -> Result<(), Spoken> {
    let denied: Vec<&str> = denied.unwrap_or_default().iter().map(String::as_str).collect();
    let fits = |pattern: &Pattern| pattern.hits(call).max(pattern.denies_files_of(call));
    entries(&denied, fits, trail, |_| deny.clone())?;
    match allowed {
        Some(allowed) if !holds(allowed, call) => Err(deny),
        _ => Ok(()),
    }
}

/// Whether a list of allowed tools holds the tool of this call. An entry without brackets holds every call of its tool:
/// what the call touches is for others to judge.
pub fn holds(allowed: &[String], call: &Described) -> bool {
    let entries: Vec<Pattern> = allowed.iter().map(|entry| Pattern::read(entry)).collect();
    let named = entries.iter().any(|entry| !entry.has_brackets() && entry.names(call, Unqualified::NoServer));
    !disguised(call) && (named || super::pattern::cover_all(&entries, call))
}

/// What belongs to Countersign itself: its files by path, its commands that answer, grant or change policy.
fn own(scene: &Scene) -> Fit {
    let Resource::Parts(parts) = &scene.call.resource else { return Fit::No };
    let own_file = |spelling: &String| {
        let below = |folder: &String| spelling == folder || spelling.starts_with(&format!("{folder}/"));
        scene.source.own_paths.iter().any(below) || spelling.ends_with("/countersign.yaml")
    };
    let hit = |part: &Part| match part {
        Part::Path(path) => path.spellings.iter().any(own_file),
        Part::Command { line, dialect: Dialect::Windows } => line.starts_with("countersign"),
        Part::Command { line, .. } => {
            let words = line.split_whitespace().skip(1);
            let mut paths =
                words.filter_map(|word| PathPart::read(word, scene.call.call.cwd(), &Surroundings::default()).ok());
            line.contains("countersign approve")
                || line.contains("countersign token")
                || paths.any(|path| !path.adrift && path.spellings.iter().any(own_file))
        }
        Part::Url(_) | Part::Text(_) => false,
    };
    // A line that is not taken apart may run Countersign, unless a person granted it to the letter.
    let unclear = |part: &Part| match part {
        Part::Command { line, dialect } => {
            (*dialect == Dialect::Windows || !is_plain(line)) && !granted_to_the_letter(scene, line)
        }
        _ => false,
    };
    if parts.iter().any(hit) {
        Fit::Yes
    } else if parts.iter().any(unclear) {
        Fit::Perhaps
    } else {
        Fit::No
    }
}

fn granted_to_the_letter(scene: &Scene, line: &str) -> bool {
    let grants = scene.user.map(|user| answer::current(&user.allow, scene.now)).unwrap_or_default();
    let name = scene.call.call.name();
    grants.iter().any(|grant| **grant == format!("{name}({line})"))
}

/// Step 4. A critical risk may be configured to deny; then that is what it does, unless M allows.
pub fn floors(scene: &Scene, rules: &Search) -> Vec<Spoken> {
    let mut floors = Vec::from_iter(rules.first.clone().filter(|rule| is_by_human(&rule.said)));
    for capability in &scene.capabilities {
        let said = scene.source.policy.capabilities.get(capability).map(of_source);
        if let Some(said) = said.filter(is_by_human) {
            floors.push(Spoken { layer: "capability", said, name: Some(capability.clone()) });
        }
    }
    if scene.risk == RiskName::Critical && !rules.allows() {
        let said = of_risk(scene.source.policy.risk.critical);
        if said == Effect::Deny || is_by_human(&said) {
            floors.push(Spoken { layer: "risk", said, name: Some("critical".to_owned()) });
        }
    }
    floors
}
