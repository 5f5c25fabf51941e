//! Files that the configuration includes: more of the same, or one agent a file.

use super::agents::AgentConfig;
use super::{Config, yaml};
use crate::failure::Failure;
use countersign_policy::Step;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An included file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Included {
    agents: BTreeMap<String, AgentConfig>,
    groups: BTreeMap<String, super::GroupConfig>,
    roles: BTreeMap<String, countersign_policy::source::RoleSource>,
    tools: Vec<countersign_policy::source::ToolSource>,
}

/// One agent a file: `type: agent`, `name: …`, and what an agent has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SingleAgent {
    #[serde(rename = "type")]
    _kind: AgentKind,
    name: String,
    description: Option<String>,
    model: Option<String>,
    system_prompt: Option<super::Setting>,
    tools: Option<Vec<String>>,
    role: Option<String>,
    enable_hitl: Option<bool>,
    enable_permissions: Option<bool>,
    #[serde(default)]
    limits: super::LimitsConfig,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AgentKind {
    Agent,
}

/// A file that was included: where its values stand, and where they stand in the whole.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) file: PathBuf,
    places: yaml::Places,
    /// For one agent a file: its name.
    agent: Option<String>,
    /// How many tools came before those of this file.
    tools_before: usize,
}

impl Part {
    /// Where in this file `steps` of the whole lead, or what they lead through; and how far they were followed.
    pub(super) fn of(&self, steps: &[Step]) -> Option<(usize, (usize, usize))> {
        let is = |step: Option<&Step>, word: &str| matches!(step, Some(Step::Key(key)) if key == word);
        let own = match (&self.agent, steps.get(1)) {
            (Some(agent), second) if is(steps.first(), "agents") && is(second, agent) => steps.get(2..)?.to_vec(),
            (Some(_), _) => return None,
            (None, Some(Step::Index(i))) if is(steps.first(), "tools") => {
                let moved = Step::Index(i.checked_sub(self.tools_before)?);
                steps.iter().take(1).cloned().chain([moved]).chain(steps.iter().skip(2).cloned()).collect()
            }
            (None, _) => steps.to_vec(),
        };
        let (length, at) = self.places.of(&own).unwrap_or((0, (1, 1)));
        // A section alone may stand in any file.
        let followed = length + steps.len() - own.len();
        (followed > 1).then_some((followed, at))
    }
}

/// Reads what `config`, which stands in the file `path`, includes.
pub(super) fn add_to(config: &mut Config, path: &Path) -> Result<Vec<Part>, Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut parts = Vec::new();
    for pattern in config.include.clone() {
        for file in files(folder, &pattern)? {
            let text = std::fs::read(&file).map_err(|error| Failure::unreadable(&file, &error))?;
            if yaml::has_key(&text, "type") {
                let (agent, places): (SingleAgent, _) = yaml::read(&text, &file)?;
                let (name, agent) = single(agent);
                insert(&mut config.agents, ("agents", "agent"), (name.clone(), agent), (&file, &places))?;
                parts.push(Part { file, places, agent: Some(name), tools_before: 0 });
                continue;
            }
            let (included, places): (Included, _) = yaml::read(&text, &file)?;
            for agent in included.agents {
                insert(&mut config.agents, ("agents", "agent"), agent, (&file, &places))?;
            }
            for group in included.groups {
                insert(&mut config.groups, ("groups", "group"), group, (&file, &places))?;
            }
            for role in included.roles {
                insert(&mut config.roles, ("roles", "role"), role, (&file, &places))?;
            }
            let tools_before = config.tools.len();
            config.tools.extend(included.tools);
            parts.push(Part { file, places, agent: None, tools_before });
        }
    }
    Ok(parts)
}

fn single(agent: SingleAgent) -> (String, AgentConfig) {
    let SingleAgent {
        name,
        description,
        model,
        system_prompt,
        tools,
        role,
        enable_hitl,
        enable_permissions,
        limits,
        ..
    } = agent;
    (name, AgentConfig { description, model, system_prompt, tools, role, enable_hitl, enable_permissions, limits })
}

/// Adds what `file` defines, whose values stand at `places`; `section` is where it would stand in a whole configuration.
fn insert<T>(
    into: &mut BTreeMap<String, T>,
    (section, kind): (&str, &str),
    (name, thing): (String, T),
    (file, places): (&Path, &yaml::Places),
) -> Result<(), Failure> {
    if into.contains_key(&name) {
        let steps = [section, &name].map(|step| Step::Key(step.to_owned()));
        // One agent a file: its name.
        let named = [Step::Key("name".to_owned())];
        let (_, (line, column)) = places.of(&steps).or_else(|| places.of(&named)).unwrap_or((0, (1, 1)));
        let wrong = format!("{}:{line}:{column}: the {kind} `{name}` is defined twice", file.display());
        return Err(Failure::new(wrong));
    }
    into.insert(name, thing);
    Ok(())
}

/// The files that `pattern` names, in order. `*` stands in the file's name only.
fn files(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let whole = folder.join(pattern);
    let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let Some((before, after)) = name.split_once('*') else {
        return Ok(vec![whole]);
    };
    if after.contains('*') || whole.parent().is_some_and(|parent| parent.to_string_lossy().contains('*')) {
        return Err(Failure::new(format!(
            "`include: {pattern}`: one `*` may stand in the name of the file, and nowhere else"
        )));
    }
    let parent = whole.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = match std::fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) => return Err(Failure::unreadable(parent, &error)),
    };
    let fits = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
    };
    let mut found: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(fits).collect();
    found.sort();
    Ok(found)
}
