//! Who speaks: agents and their models, out of the configuration. What is wrong is told with file and line.

use crate::config::{Config, Loaded, ModelConfig, Provider, ReviewConfig, ReviewFrom, Setting};
use crate::demo;
use crate::failure::Failure;
use crate::limits::limits;
use countersign_domain::describe::Risk;
use countersign_models::{Anthropic, BadSettings, OpenAi, Scripted, Secret, Settings as Endpoint};
use countersign_policy::Place;
use countersign_runtime::ports::Model;
use countersign_runtime::{Agent, Reviewer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Everybody for whom a model speaks.
pub struct Cast {
    /// The agents of the configuration, by name.
    pub agents: BTreeMap<String, Agent>,
    /// Whoever looks at dangerous calls.
    pub review: Option<Reviewer>,
}

/// Everybody for whom a model of the configuration speaks.
pub fn cast(loaded: &Loaded) -> Result<Cast, Failure> {
    let mut speaking: Speaking<'_> = BTreeMap::new();
    for (name, model) in &loaded.config.models {
        speaking.insert(name, Described { loaded, model, place: Place::section("models").key(name) }.model()?);
    }
    Ok(Cast { agents: agents(loaded, &speaking)?, review: review(loaded, &speaking)? })
}

/// Models by their names.
type Speaking<'a> = BTreeMap<&'a str, Arc<dyn Model>>;

fn review(loaded: &Loaded, speaking: &Speaking<'_>) -> Result<Option<Reviewer>, Failure> {
    let Some(ReviewConfig { model: name, from }) = &loaded.config.hitl.review else { return Ok(None) };
    let place = Place::section("hitl").key("review").key("model");
    let model = named(loaded, speaking, name, &place)?;
    let from = match from {
        Some(ReviewFrom::Low) => Risk::Low,
        Some(ReviewFrom::Medium) => Risk::Medium,
        Some(ReviewFrom::High) | None => Risk::High,
        Some(ReviewFrom::Critical) => Risk::Critical,
    };
    Ok(Some(Reviewer { model, name: name.clone(), from }))
}

/// The model that is called `name` at `place`.
fn named(loaded: &Loaded, speaking: &Speaking<'_>, name: &str, place: &Place) -> Result<Arc<dyn Model>, Failure> {
    let near = || nearest(name, &loaded.config.models);
    let unknown = || loaded.wrong(place, format!("there is no model `{name}` in `models`{}", near()));
    speaking.get(name).cloned().ok_or_else(unknown)
}

fn agents(loaded: &Loaded, speaking: &Speaking<'_>) -> Result<BTreeMap<String, Agent>, Failure> {
    let Config { models, agents, .. } = &loaded.config;
    let mut cast = BTreeMap::new();
    for (name, agent) in agents {
        let place = Place::section("agents").key(name);
        let given = agent.model.as_deref();
        let given = given.ok_or_else(|| loaded.wrong(&place, "it has no `model`: name one of those in `models`"))?;
        let model = named(loaded, speaking, given, &place.key("model"))?;
        let limits = limits(&agent.limits, models.get(given).and_then(|model| model.price), &place)
            .map_err(|problem| Failure::new(loaded.locate(&problem)))?;
        let system_prompt = loaded.expand(agent.system_prompt.as_ref(), &place.key("system_prompt"))?;
        let (description, tools) = (agent.description.clone(), agent.tools.clone());
        cast.insert(
            name.clone(),
            Agent { description, model_name: given.to_owned(), model, system_prompt, tools, limits },
        );
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
