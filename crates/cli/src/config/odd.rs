//! What is odd in a configuration outside the policy: names that stand for nothing, models that cannot work.

use super::sections::Provider;
use super::{AgentConfig, Config, GroupConfig, McpServerConfig, ModelConfig};
use countersign_policy::{Place, Problem};

impl Config {
    /// Everything that is odd.
    pub fn odd(&self) -> Vec<Problem> {
        let in_section = |section: &str, name: &str| Place::section(section).key(name);
        let mut found = Vec::new();
        for (name, model) in &self.models {
            model_problems(model, &in_section("models", name), &mut found);
        }
        for (name, server) in &self.mcp_servers {
            server_problems(server, &in_section("mcp_servers", name), &mut found);
        }
        for (name, agent) in &self.agents {
            self.agent_problems(agent, &in_section("agents", name), &mut found);
        }
        for (name, group) in &self.groups {
            self.group_problems(group, &in_section("groups", name).key("members"), &mut found);
        }
        found
    }

    fn agent_problems(&self, agent: &AgentConfig, place: &Place, found: &mut Vec<Problem>) {
        if let Some(model) = agent.model.as_ref().filter(|model| !self.models.contains_key(*model)) {
            found.push(place.key("model").problem(format!("there is no model `{model}` in `models`")));
        }
    }

    fn group_problems(&self, group: &GroupConfig, place: &Place, found: &mut Vec<Problem>) {
        for (i, member) in group.members.iter().enumerate() {
            if !self.agents.contains_key(&member.agent) {
                found.push(
                    place.index(i).key("agent").problem(format!("there is no agent `{}` in `agents`", member.agent)),
                );
            }
            if let Some(role) = member.role.as_ref().filter(|role| !self.roles.contains_key(*role)) {
                found.push(place.index(i).key("role").problem(format!("there is no role `{role}` in `roles`")));
            }
        }
        if group.members.iter().filter(|member| member.lead).count() != 1 {
            found.push(place.problem("a group has exactly one lead: mark it with `lead: true`"));
        }
    }
}

fn model_problems(model: &ModelConfig, place: &Place, found: &mut Vec<Problem>) {
    match model.provider {
        Provider::Scripted if model.script.is_none() => found.push(place.problem("a scripted model needs a `script`")),
        Provider::Openai | Provider::Anthropic if model.model.is_none() => {
            found.push(place.problem("name the `model` as its provider calls it"));
        }
        _ => {}
    }
    if model.api_key.as_ref().is_some_and(|key| !key.is_from_environment()) {
        found.push(
            place.key("api_key").problem("the key stands here in clear text: write `${NAME}` and set that variable"),
        );
    }
    if model.base_url.as_ref().is_some_and(|url| !url.may_be_url()) {
        found.push(place.key("base_url").problem("expected an address that starts with `https://` or `http://`"));
    }
}

fn server_problems(server: &McpServerConfig, place: &Place, found: &mut Vec<Problem>) {
    match (&server.command, &server.url) {
        (None, None) => found.push(place.problem("an MCP server needs a `command` to start it, or a `url`")),
        (Some(_), Some(_)) => found.push(place.problem("an MCP server has either a `command` or a `url`")),
        _ => {}
    }
}
