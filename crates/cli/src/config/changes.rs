//! What differs between two configurations.

use super::{AuditConfig, Config};
use std::collections::BTreeMap;

/// Where two configurations differ, as places: `policy`, `agents.assistant`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// What counts at once.
    pub taken: Vec<String>,
    /// What counts only after a restart.
    pub needs_restart: Vec<String>,
}

impl Changes {
    /// What is different in `new`.
    pub fn between(old: &Config, new: &Config) -> Self {
        let mut taken: Vec<String> = Vec::new();
        let sections = [
            ("hitl", old.hitl != new.hitl),
            ("sandbox", old.sandbox != new.sandbox),
            ("tools", old.tools != new.tools),
        ];
        taken.extend(differing(&sections));
        taken.extend(differing(&[("policy", old.policy != new.policy)]));
        taken.extend(entries("models", &old.models, &new.models));
        taken.extend(entries("roles", &old.roles, &new.roles));
        taken.extend(entries("agents", &old.agents, &new.agents));
        taken.extend(entries("groups", &old.groups, &new.groups));
        taken.extend(entries("mcp_servers", &old.mcp_servers, &new.mcp_servers));
        taken.extend(differing(&[("audit.keep_texts", old.audit.keep_texts != new.audit.keep_texts)]));
        let audit = |config: &Config| AuditConfig { keep_texts: None, ..config.audit.clone() };
        let server = [
            ("server.listen", old.server.listen != new.server.listen),
            ("server.public_url", old.server.public_url != new.server.public_url),
            ("server.session_hours", old.server.session_hours != new.server.session_hours),
            ("server.human", old.server.human != new.server.human),
            ("server.max_connections", old.server.max_connections != new.server.max_connections),
            ("server.max_streams", old.server.max_streams != new.server.max_streams),
            ("server.rate_limit", old.server.rate_limit != new.server.rate_limit),
            ("store", old.store != new.store),
            ("audit", audit(old) != audit(new)),
        ];
        Self { taken, needs_restart: differing(&server).collect() }
    }
}

fn differing(places: &[(&'static str, bool)]) -> impl Iterator<Item = String> {
    places.iter().filter(|(_, differs)| *differs).map(|(place, _)| (*place).to_owned())
}

/// The entries of a section that were added, removed or changed.
fn entries<T: PartialEq>(section: &str, old: &BTreeMap<String, T>, new: &BTreeMap<String, T>) -> Vec<String> {
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    let other = new.iter().filter(|(name, entry)| old.get(*name) != Some(*entry)).map(|(name, _)| name);
    removed.chain(other).map(|name| format!("{section}.{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Loaded;
    use super::*;
    use std::path::Path;

    fn config(text: &str) -> Config {
        Loaded::parse(text, Path::new("x.yaml")).unwrap().config
    }

    #[test]
    fn each_place_that_differs_is_named() {
        let old = config("store: a.db\nagents: {a: {model: m}, b: {model: m}}\nmodels: {m: {provider: scripted}}\n");
        let new = config(
            "store: b.db\nserver: {listen: 'x:1'}\naudit: {key: k, keep_texts: 1h}\nhitl: {timeout: 1h}\n\
             policy: {default: deny}\nagents: {a: {model: m, tools: []}, c: {}}\nmodels: {m: {provider: scripted}}\n",
        );
        let changes = Changes::between(&old, &new);
        assert_eq!(changes.taken, ["hitl", "policy", "agents.b", "agents.a", "agents.c", "audit.keep_texts"]);
        assert_eq!(changes.needs_restart, ["server.listen", "store", "audit"]);
        assert_eq!(Changes::between(&new, &new), Changes::default());
    }
}
