//! Puts the server together from its configuration.

use crate::commands::serve::SESSION;
use crate::config::{Config, Human, Loaded, ModelConfig, OnReject, OnTimeout, Provider};
use crate::failure::Failure;
use crate::home::{self, Database};
use crate::limits::limits;
use crate::notary::Kept;
use crate::rim::ThisMachine;
use countersign_models::{OpenAi, Scripted, Secret, Settings as Endpoint};
use countersign_policy::Policy;
use countersign_policy::source::{Source, ToolSource};
use countersign_runtime::ports::{Model, Store};
use countersign_runtime::{Agent, Parts, Settings};
use jiff::SignedDuration;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The demo that stands in for a configuration.
const DEMO: &str = include_str!("demo/countersign.yaml");
const DEMO_SCRIPT: &str = include_str!("demo/assistant.yaml");
const DEMO_README: &str = include_str!("demo/README.txt");

/// Everything a server needs.
pub struct Assembly {
    /// Where everything is kept.
    pub database: Database,
    /// The address to listen on.
    pub listen: String,
    /// The address people reach it at.
    pub public_url: Option<String>,
    /// How long a browser stays signed in.
    pub session: SignedDuration,
    policy: Policy,
    source: Source,
    agents: BTreeMap<String, Agent>,
    settings: Settings,
    kept: Kept,
}

impl Assembly {
    /// The parts of the runtime, once the store is open. Whoever signs the log has a key from then on.
    pub fn parts(self, store: Arc<dyn Store>) -> Result<Parts, Failure> {
        let notary = self.kept.notary()?;
        let Self { policy, source, agents, settings, .. } = self;
        let tools = countersign_tools::builtin();
        let machine = Arc::new(ThisMachine);
        Ok(Parts { store, policy, source, machine, agents, tools, settings, notary: Some(notary) })
    }
}

/// Reads the configuration at `config`, or the demo, and puts a server together from it.
pub fn assemble(config: Option<&Path>, db: Option<&str>) -> Result<Assembly, Failure> {
    let (loaded, cwd) = match config {
        Some(path) => (Loaded::read(path)?, std::env::current_dir().ok()),
        None => (Loaded::parse(DEMO, Path::new("demo/countersign.yaml"))?, Some(demo_workspace()?)),
    };
    let config = &loaded.config;
    if config.server.human.is_some_and(|human| matches!(human, Human::Session)) {
        return Err(Failure::new("`server.human: session` is not supported yet: leave it out, or set `token`"));
    }
    let named = config.store.as_ref().map(|store| store.expand("store")).transpose()?;
    let database = Database::named(db.or(named.as_deref()))?;
    let kept = Kept::of(&config.audit, &database)?;
    let own_paths: Vec<_> = database.own_paths().into_iter().chain(kept.own_paths()).collect();
    let policy = loaded.policy_with(own_paths.clone())?;
    let source = loaded.source_with(own_paths);
    let expand = |setting: &Option<crate::config::Setting>, place: &str| {
        setting.as_ref().map(|setting| setting.expand(place)).transpose()
    };
    let listen = expand(&config.server.listen, "server.listen")?.unwrap_or_else(|| "127.0.0.1:7717".into());
    let public_url = expand(&config.server.public_url, "server.public_url")?;
    let hours = config.server.session_hours.map(|hours| SignedDuration::from_hours(hours.into()));
    let settings = settings(config, cwd)?;
    let agents = agents(config, loaded.folder())?;
    let session = hours.unwrap_or(SESSION);
    Ok(Assembly { database, listen, public_url, session, policy, source, agents, settings, kept })
}

/// The folder that the demo's assistant works in.
fn demo_workspace() -> Result<PathBuf, Failure> {
    let folder = home::demo_folder()?;
    home::make_folder(&folder.join("build"))?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|error| Failure::new(format!("cannot write the demo: {error}")))
    };
    write("README.txt", DEMO_README)?;
    write("build/old.o", "the result of an old build\n")?;
    Ok(folder)
}

fn settings(config: &Config, cwd: Option<PathBuf>) -> Result<Settings, Failure> {
    let usual = Settings::default();
    let positive = |duration: SignedDuration, place: &str| {
        Duration::try_from(duration)
            .ok()
            .filter(|duration| !duration.is_zero())
            .ok_or_else(|| Failure::new(format!("`{place}` must be longer than nothing, as in `1h`")))
    };
    let keep_texts = config.audit.keep_texts.map(|kept| positive(kept, "audit.keep_texts")).transpose()?;
    let question_lasts = config.hitl.timeout.map(|timeout| positive(timeout, "hitl.timeout")).transpose()?;
    let name = |tool: &ToolSource| {
        tool.server.as_ref().map_or_else(|| tool.tool.clone(), |server| format!("{server}/{}", tool.tool))
    };
    Ok(Settings {
        question_lasts: question_lasts.unwrap_or(usual.question_lasts),
        on_reject: match config.hitl.on_reject {
            Some(OnReject::Stop) => countersign_domain::run::OnReject::Stop,
            Some(OnReject::Continue) | None => countersign_domain::run::OnReject::Continue,
        },
        on_timeout: match config.hitl.on_timeout {
            Some(OnTimeout::Cancel) => countersign_domain::run::OnTimeout::Cancel,
            Some(OnTimeout::Default) => countersign_domain::run::OnTimeout::Default,
            Some(OnTimeout::Deny) | None => countersign_domain::run::OnTimeout::Deny,
        },
        tool_timeouts: config
            .tools
            .iter()
            .filter_map(|tool| Some((name(tool), tool.timeout?.try_into().ok()?)))
            .collect(),
        idempotent: config.tools.iter().filter_map(|tool| Some((name(tool), tool.idempotent?))).collect(),
        cwd: cwd.and_then(|cwd| cwd.to_str().map(str::to_owned)),
        keep_texts,
        lease: lease_of_a_test().unwrap_or(usual.lease),
        ..usual
    })
}

/// Tests do not wait as long for a worker that is gone. Absent from release builds, like failpoints.
fn lease_of_a_test() -> Option<Duration> {
    let named = std::env::var("COUNTERSIGN_LEASE_MS").ok().filter(|_| cfg!(debug_assertions))?;
    named.parse().ok().map(Duration::from_millis)
}

fn agents(config: &Config, folder: &Path) -> Result<BTreeMap<String, Agent>, Failure> {
    let mut models: BTreeMap<&str, Arc<dyn Model>> = BTreeMap::new();
    for (name, model) in &config.models {
        models.insert(name, model_of(name, model, folder)?);
    }
    let mut agents = BTreeMap::new();
    for (name, agent) in &config.agents {
        let place = format!("agents.{name}");
        let model = agent.model.as_deref().ok_or_else(|| Failure::new(format!("`{place}` has no `model`")))?;
        let limits = limits(&agent.limits, config.models.get(model).and_then(|model| model.price), &place)?;
        let known = || models.keys().copied().collect::<Vec<_>>().join("`, `");
        let model = models.get(model).ok_or_else(|| {
            Failure::new(format!("`{place}.model`: there is no model `{model}`; there are: `{}`", known()))
        })?;
        let prompt =
            agent.system_prompt.as_ref().map(|text| text.expand(&format!("{place}.system_prompt"))).transpose()?;
        let (description, tools) = (agent.description.clone(), agent.tools.clone());
        agents.insert(name.clone(), Agent { description, model: model.clone(), system_prompt: prompt, tools, limits });
    }
    Ok(agents)
}

fn model_of(name: &str, model: &ModelConfig, folder: &Path) -> Result<Arc<dyn Model>, Failure> {
    let place = |key: &str| format!("models.{name}.{key}");
    let text = |setting: &Option<crate::config::Setting>, key: &str| {
        setting.as_ref().map(|setting| setting.expand(&place(key))).transpose()
    };
    let needed =
        |value: Option<String>, key: &str| value.ok_or_else(|| Failure::new(format!("`{}` is missing", place(key))));
    match model.provider {
        Provider::Scripted => {
            let script = needed(text(&model.script, "script")?, "script")?;
            if script == "builtin:assistant" {
                return Ok(Arc::new(Scripted::read(DEMO_SCRIPT).map_err(Failure::new)?));
            }
            let path = folder.join(script);
            let script = std::fs::read_to_string(&path).map_err(|error| Failure::unreadable(&path, &error))?;
            let read = Scripted::read(&script).map_err(|wrong| Failure::new(format!("{}: {wrong}", path.display())));
            Ok(Arc::new(read?))
        }
        Provider::Openai => {
            let base = text(&model.base_url, "base_url")?.unwrap_or_else(|| "https://api.openai.com/v1".into());
            let mut endpoint = Endpoint::new(base, needed(text(&model.model, "model")?, "model")?);
            endpoint.key = text(&model.api_key, "api_key")?.map(Secret::new);
            let model = OpenAi::new(endpoint).map_err(|wrong| Failure::new(format!("`models.{name}`: {wrong}")))?;
            Ok(Arc::new(model))
        }
        Provider::Anthropic => Err(Failure::new(format!(
            "`{}`: `anthropic` is not supported yet: use `openai` or `scripted`",
            place("provider")
        ))),
    }
}
