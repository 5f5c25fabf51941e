//! The models' keys: whether they are there, by the names of their variables.

use super::Check;
use crate::config::{Loaded, ModelConfig, Provider, Setting};

const ID: &str = "models";

/// Looks at all of them. No key is shown, nor any part of one.
pub fn look(loaded: &Loaded) -> Check {
    let models = &loaded.config.models;
    let (mut told, mut missing) = (vec![], vec![]);
    for (name, model) in models {
        let unset: Vec<&str> = settings(model).flat_map(Setting::variables).filter(|name| !is_set(name)).collect();
        if !unset.is_empty() {
            let unset = unset.join("`, `");
            missing.push(format!("`{name}` needs `{unset}`, which is not set"));
            continue;
        }
        told.push(match (&model.provider, &model.api_key) {
            (Provider::Scripted, _) => format!("`{name}` is a script"),
            (_, None) => format!("`{name}` has no key"),
            (_, Some(key)) if key.is_from_environment() => {
                format!("`{name}` has its key from `{}`", key.variables().join("`, `"))
            }
            (_, Some(_)) => format!("`{name}` has its key in the file"),
        });
    }
    if !missing.is_empty() {
        let text = format!("{} of {} cannot be spoken to", missing.len(), models.len());
        return Check::failed(ID, text).hint("set the variables").details([missing, told].concat());
    }
    Check::ok(ID, format!("{} of {} can be spoken to", models.len(), models.len())).details(told)
}

fn settings(model: &ModelConfig) -> impl Iterator<Item = &Setting> {
    let ModelConfig { model, base_url, api_key, headers, .. } = model;
    [model, base_url, api_key].into_iter().flatten().chain(headers.values())
}

fn is_set(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| !value.trim().is_empty())
}
