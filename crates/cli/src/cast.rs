//! Who speaks: agents and their models, out of the configuration. What is wrong is told with file and line.

use crate::config::{Config, Loaded, ModelConfig, Provider, Setting};
use crate::demo;
use crate::failure::Failure;
use crate::limits::limits;
use countersign_models::{Anthropic, BadSettings, OpenAi, Scripted, Secret, Settings as Endpoint};
use countersign_policy::Place;
use countersign_runtime::Agent;
use countersign_runtime::ports::Model;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The agents of the configuration, by name.
pub fn agents(loaded: &Loaded) -> Result<BTreeMap<String, Agent>, Failure> {
    let Config { models, agents, .. } = &loaded.config;
    let mut speaking: BTreeMap<&str, Arc<dyn Model>> = BTreeMap::new();
    for (name, model) in models {
        speaking.insert(name, Described { loaded, model, place: Place::section("models").key(name) }.model()?);
    }
    let mut cast = BTreeMap::new();
    for (name, agent) in agents {
        let place = Place::section("agents").key(name);
        let named = agent.model.as_deref();
        let named = named.ok_or_else(|| loaded.wrong(&place, "it has no `model`: name one of those in `models`"))?;
        let model = speaking.get(named).ok_or_else(|| {
            loaded.wrong(
                &place.key("model"),
                format!("there is no model `{named}` in `models`{}", nearest(named, models)),
            )
        })?;
        let limits = limits(&agent.limits, models.get(named).and_then(|model| model.price), &place)
            .map_err(|problem| Failure::new(loaded.locate(&problem)))?;
        let system_prompt = loaded.expand(agent.system_prompt.as_ref(), &place.key("system_prompt"))?;
        let (description, tools) = (agent.description.clone(), agent.tools.clone());
        cast.insert(name.clone(), Agent { description, model: model.clone(), system_prompt, tools, limits });
    }
    Ok(cast)
}

/// What may have been meant by a name that stands for nothing.
fn nearest<T>(given: &str, known: &BTreeMap<String, T>) -> String {
    let distances = known.keys().map(|name| (strsim::damerau_levenshtein(given, name), name));
    match distances.filter(|(distance, name)| *distance <= 1 + name.len() / 3).min() {
        Some((_, name)) => format!(": did you mean `{name}`?"),
        None if known.is_empty() => ", which is empty".to_owned(),
        None => format!("; there are: `{}`", known.keys().map(String::as_str).collect::<Vec<_>>().join("`, `")),
    }
}

/// A model as the configuration describes it, and where.
struct Described<'a> {
    loaded: &'a Loaded,
    model: &'a ModelConfig,
    place: Place,
}

impl Described<'_> {
    fn model(&self) -> Result<Arc<dyn Model>, Failure> {
        let refused = |wrong: BadSettings| self.loaded.wrong(&self.place, wrong);
        Ok(match self.model.provider {
            Provider::Scripted => Arc::new(self.script()?),
            Provider::Openai => Arc::new(OpenAi::new(self.endpoint("https://api.openai.com/v1")?).map_err(refused)?),
            Provider::Anthropic => {
                Arc::new(Anthropic::new(self.endpoint("https://api.anthropic.com")?).map_err(refused)?)
            }
        })
    }

    fn script(&self) -> Result<Scripted, Failure> {
        let script = self.needed(self.model.script.as_ref(), "script")?;
        if script == demo::BUILTIN_SCRIPT {
            return Scripted::read(demo::SCRIPT).map_err(Failure::new);
        }
        let path = self.loaded.folder().join(script);
        let unreadable = |error| self.loaded.wrong(&self.place.key("script"), format!("`{}`: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        Scripted::read(&text).map_err(|wrong| Failure::new(format!("{}: {wrong}", path.display())))
    }

    /// How the model is reached; `usual` is where its provider is.
    fn endpoint(&self, usual: &str) -> Result<Endpoint, Failure> {
        let ModelConfig { model, base_url, api_key, headers, max_tokens, temperature, timeout, .. } = self.model;
        let base = self.text(base_url.as_ref(), "base_url")?.unwrap_or_else(|| usual.to_owned());
        let mut endpoint = Endpoint::new(base, self.needed(model.as_ref(), "model")?);
        endpoint.key = self.text(api_key.as_ref(), "api_key")?.map(Secret::new);
        for (name, value) in headers {
            let place = self.place.key("headers").key(name);
            endpoint
                .headers
                .extend(self.loaded.expand(Some(value), &place)?.map(|value| (name.clone(), Secret::new(value))));
        }
        endpoint.max_tokens = max_tokens.map(Into::into);
        if temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(self.loaded.wrong(&self.place.key("temperature"), "expected a number from 0 to 2"));
        }
        endpoint.temperature = *temperature;
        if let Some(timeout) = timeout {
            let wrong = || self.loaded.wrong(&self.place.key("timeout"), "it must be longer than nothing, as in `2m`");
            let timeout = Duration::try_from(*timeout).ok().filter(|timeout| !timeout.is_zero());
            endpoint.idle_timeout = timeout.ok_or_else(wrong)?;
        }
        Ok(endpoint)
    }

    fn text(&self, setting: Option<&Setting>, key: &str) -> Result<Option<String>, Failure> {
        self.loaded.expand(setting, &self.place.key(key))
    }

    fn needed(&self, setting: Option<&Setting>, key: &str) -> Result<String, Failure> {
        let missing = || self.loaded.wrong(&self.place, format!("`{key}` is missing"));
        self.text(setting, key)?.ok_or_else(missing)
    }
}
