//! Puts the server together from its configuration.

use crate::cast::{self, Cast};
use crate::commands::serve::SESSION;
use crate::config::{Changes, Config, Loaded, OnReject, OnTimeout, RateLimitConfig};
use crate::demo;
use crate::failure::Failure;
use crate::home::Database;
use crate::notary::Kept;
use crate::rim::ThisMachine;
use countersign_api::{Connections, Human, MOST_STREAMS, RateLimit};
use countersign_domain::secret::Key;
use countersign_policy::Place;
use countersign_policy::source::ToolSource;
use countersign_runtime::ports::{BadConfiguration, Configuration, Fresh, Origin, Store};
use countersign_runtime::{Parts, Runtime, Settings};
use countersign_tools::{Kernel, Sandbox};
use jiff::SignedDuration;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The address to listen on, unless somebody says otherwise.
pub const LISTEN: &str = "127.0.0.1:7717";

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
    /// How many requests a principal may send.
    pub rate_limit: RateLimit,
    /// How many streams a principal may have open at a time.
    pub most_streams: u32,
    /// How many connections there may be, and how long each may take.
    pub connections: Connections,
    /// Who counts as a person.
    pub human: Human,
    configuration: Configuration,
    sandbox: Sandbox,
    kept: Kept,
    /// What the configuration says.
    config: Config,
    named: Named,
    /// The files that no agent may touch.
    own_paths: Vec<String>,
}

/// What the command line named.
#[derive(Debug, Clone)]
struct Named {
    config: Option<PathBuf>,
    db: Option<String>,
}

impl Assembly {
    /// Opens the database. What is secret in it is sealed under a key that follows from the one that signs the log.
    pub async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        self.database.open_under(|| Ok(Key::of(&self.kept.notary()?.key))).await
    }

    /// The runtime, once the store is open. Whoever signs the log has a key from then on.
    pub fn runtime(self, store: Arc<dyn Store>) -> Result<Runtime, Failure> {
        let notary = self.kept.notary()?;
        say_what_holds(&self.sandbox);
        let Configuration { policy, source, agents, tools, settings, review } = self.configuration;
        let machine = Arc::new(ThisMachine);
        let parts = Parts { store, policy, source, machine, agents, tools, settings, review, notary: Some(notary) };
        let in_force = Mutex::new(Read { in_force: self.config, last: None });
        let again = Again { named: self.named, own_paths: self.own_paths, in_force };
        Ok(Runtime::new(parts).reading(Arc::new(again)))
    }
}

/// Reads the configuration at `config`, or the demo, and puts a server together from it.
pub fn assemble(config: Option<&Path>, db: Option<&str>) -> Result<Assembly, Failure> {
    assembled(Named { config: config.map(Path::to_owned), db: db.map(str::to_owned) }, &[])
}

/// The same, of a server that uses `used` already: what needs a restart is not in force, and no agent may touch it either.
fn assembled(named: Named, used: &[String]) -> Result<Assembly, Failure> {
    let (loaded, cwd) = if let Some(path) = &named.config {
        (Loaded::read(path)?, std::env::current_dir().ok())
    } else {
        (demo::loaded()?, Some(demo::workspace()?))
    };
    let sandbox = loaded.sandbox()?;
    let mut tools = countersign_tools::builtin(&sandbox);
    if let Some(folder) = cwd.as_ref().filter(|_| named.config.is_none()) {
        tools.push(Arc::new(demo::PayInvoice::new(folder)));
    }
    let config = &loaded.config;
    let server = Place::section("server");
    let store = loaded.expand(config.store.as_ref(), &Place::section("store"))?;
    let database = Database::named(named.db.as_deref().or(store.as_deref()))?;
    let kept = Kept::of(&config.audit, &database)?;
    let mut own_paths: Vec<_> = database.own_paths().into_iter().chain(kept.own_paths()).collect();
    own_paths.extend(used.iter().filter(|path| !own_paths.contains(path)).cloned().collect::<Vec<_>>());
    out_of_reach(&sandbox, &own_paths)?;
    let policy = loaded.policy_with(own_paths.clone())?;
    let source = loaded.source_with(own_paths.clone());
    let listen = loaded.expand(config.server.listen.as_ref(), &server.key("listen"))?;
    let public_url = loaded.expand(config.server.public_url.as_ref(), &server.key("public_url"))?;
    let hours = config.server.session_hours.map(|hours| SignedDuration::from_hours(hours.into()));
    let settings = settings(&loaded, cwd)?;
    let Cast { agents, review } = cast::cast(&loaded)?;
    Ok(Assembly {
        database,
        listen: listen.unwrap_or_else(|| LISTEN.into()),
        public_url,
        session: hours.unwrap_or(SESSION),
        rate_limit: rate_limit(config.server.rate_limit.unwrap_or_default()),
        connections: connections(config.server.max_connections),
        most_streams: config.server.max_streams.map_or(MOST_STREAMS, NonZeroU32::get),
        human: config.server.human.map_or(Human::Token, Into::into),
        configuration: Configuration { policy, source, agents, tools, settings, review },
        sandbox,
        kept,
        config: loaded.config,
        named,
        own_paths,
    })
}

/// How many requests a principal may send.
fn rate_limit(config: RateLimitConfig) -> RateLimit {
    let per_second = config.per_second.map_or(RateLimit::default().per_second, NonZeroU32::get);
    RateLimit { per_second, burst: config.burst.map_or(per_second.saturating_mul(2), NonZeroU32::get) }
}

/// How many connections there may be, and how long each may take.
fn connections(most: Option<NonZeroU32>) -> Connections {
    let usual = Connections::default();
    let most = most.and_then(|most| usize::try_from(most.get()).ok()).unwrap_or(usual.most);
    let headers_within = of_a_test("COUNTERSIGN_HEADERS_MS").unwrap_or(usual.headers_within);
    let body_within = of_a_test("COUNTERSIGN_BODY_MS").unwrap_or(usual.body_within);
    Connections { most, headers_within, body_within }
}

/// The database and the key must not lie where every command may look: the policy sees what a command says, not what it opens.
fn out_of_reach(sandbox: &Sandbox, own_paths: &[String]) -> Result<(), Failure> {
    let reached = |path: &&String| sandbox.kernel != Kernel::Off && sandbox.lets_commands_reach(Path::new(path));
    let Some(path) = own_paths.iter().find(reached) else { return Ok(()) };
    Err(Failure::new(format!(
        "commands of agents may read `{path}`, which is Countersign's own: keep it elsewhere (`store`, `audit.key`, \
         `audit.checkpoints`), or do not name its folder under `sandbox`"
    )))
}

/// Says so where the kernel does not hold tools to what they may reach.
fn say_what_holds(sandbox: &Sandbox) {
    if sandbox.kernel == Kernel::Off {
        tracing::warn!("`sandbox.enabled` is `false`: commands reach whatever this user may");
    } else if !countersign_tools::is_held_by_kernel() {
        tracing::warn!(
            "this kernel has no Landlock: commands reach whatever this user may, file tools the working folder"
        );
    }
}

/// The configuration as it was named at the start, to be read again.
struct Again {
    named: Named,
    /// The files that the server uses as long as it runs.
    own_paths: Vec<String>,
    in_force: Mutex<Read>,
}

struct Read {
    in_force: Config,
    /// What was read last, and is not in force yet.
    last: Option<Config>,
}

impl Origin for Again {
    fn read(&self) -> Result<Fresh, BadConfiguration> {
        let Assembly { configuration, config, .. } =
            assembled(self.named.clone(), &self.own_paths).map_err(|failure| BadConfiguration(failure.into_lines()))?;
        let mut read = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let Changes { taken, needs_restart } = Changes::between(&read.in_force, &config);
        read.last = Some(config);
        Ok(Fresh { configuration, changed: taken, needs_restart })
    }

    /// What needs a restart is not in force: it is named again, until there was one.
    fn accepted(&self) {
        let mut read = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut config) = read.last.take() {
            let keep_texts = config.audit.keep_texts;
            config.server = read.in_force.server.clone();
            config.store.clone_from(&read.in_force.store);
            config.audit = crate::config::AuditConfig { keep_texts, ..read.in_force.audit.clone() };
            read.in_force = config;
        }
    }
}

/// How many questions a run, and an agent, may have open where the configuration says nothing.
const MOST_OPEN_OF_RUN: u32 = 50;
const MOST_OPEN_OF_AGENT: u32 = 500;

fn settings(loaded: &Loaded, cwd: Option<PathBuf>) -> Result<Settings, Failure> {
    let config = &loaded.config;
    let usual = Settings::default();
    let positive = |duration: SignedDuration, section: &str, key: &str| {
        Duration::try_from(duration).ok().filter(|duration| !duration.is_zero()).ok_or_else(|| {
            loaded.wrong(&Place::section(section).key(key), "it must be longer than nothing, as in `1h`")
        })
    };
    let keep_texts = config.audit.keep_texts.map(|kept| positive(kept, "audit", "keep_texts")).transpose()?;
    let question_lasts = config.hitl.timeout.map(|timeout| positive(timeout, "hitl", "timeout")).transpose()?;
    let report_within =
        config.hitl.report_within.map(|within| positive(within, "hitl", "report_within")).transpose()?;
    let name = |tool: &ToolSource| {
        tool.server.as_ref().map_or_else(|| tool.tool.clone(), |server| format!("{server}/{}", tool.tool))
    };
    Ok(Settings {
        question_lasts: question_lasts.unwrap_or(usual.question_lasts),
        report_within: report_within.unwrap_or(usual.report_within),
        most_open_of_run: Some(config.hitl.max_open_per_run.map_or(MOST_OPEN_OF_RUN, NonZeroU32::get)),
        most_open_of_agent: Some(config.hitl.max_open_per_agent.map_or(MOST_OPEN_OF_AGENT, NonZeroU32::get)),
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
        lease: of_a_test("COUNTERSIGN_LEASE_MS").unwrap_or(usual.lease),
        ..usual
    })
}

/// Tests do not wait as long for a worker that is gone, or somebody who says nothing. Absent from release builds, like
/// failpoints.
fn of_a_test(variable: &str) -> Option<Duration> {
    let named = std::env::var(variable).ok().filter(|_| cfg!(debug_assertions))?;
    named.parse().ok().map(Duration::from_millis)
}
