//! The path of a call: judge, ask, answer, execute, record; and the durable runs of agents that walk it.
//!
//! Start reading at [`path`], then `drive` (one run, step by step) and `worker` (who drives which run).

mod about;
mod agent;
mod answer;
pub mod audit;
mod crowd;
mod deadlines;
mod desk;
mod drive;
mod execute;
pub mod failpoint;
mod hints;
mod holders;
mod news;
mod outside;
pub mod path;
pub mod ports;
pub mod principals;
pub mod proofs;
mod push;
mod reach;
mod record;
mod refused;
mod reload;
mod review;
mod rulebook;
mod session;
pub mod spans;
mod start;
mod tail;
pub mod tally;
mod worker;

pub use about::{About, Words};
pub use agent::Agent;
pub use answer::{AnswerFailure, Answered, Signal};
pub use news::{News, NewsOf};
pub use outside::{Asked as AskedCall, CallError, CallReport, CallRequest, ReportError, Reported};
pub use reach::ReachError;
pub use record::Notary;
pub use reload::{ReloadError, Reloaded};
pub use review::{Reviewed, Reviewer};
pub use rulebook::{
    Book, ChangeError, Footing, Giving, Kept, Listed, MOST_CALLS, Side, StoredGrant, StoredOverride, StoredRule, Told,
    Trial, TrialError, Tried, Wish, Wrong, tool_key,
};
pub use start::{OtherRequest, RunRequest, StartError, StartedRun};
pub use worker::Workers;

use countersign_domain::run::{OnReject, OnTimeout};
use countersign_domain::{Digest, RunId};
use countersign_policy::Policy;
use countersign_policy::source::Source;
use desk::Desk;
use holders::Holders;
use news::Newsroom;
use ports::{Machine, Masks, Origin, Store, Tool, ToolDefinition};
use review::Asked;
use rulebook::Rulebook;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tally::Tally;

/// Everything that runs and answers need, shared by all doors.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
    origin: Option<Arc<dyn Origin>>,
}

struct Inner {
    store: Arc<dyn Store>,
    rulebook: Rulebook,
    machine: Arc<dyn Machine>,
    /// What is in force now. Whoever acts takes it once, and acts by it to the end.
    standing: RwLock<Arc<Standing>>,
    /// Held by whoever reads the configuration anew.
    reloading: tokio::sync::Mutex<()>,
    /// Held by whoever tries a change of the policy out.
    trying: tokio::sync::Mutex<()>,
    notary: Option<Notary>,
    newsroom: Newsroom,
    holders: Holders,
    desk: Desk,
    asked: Asked,
    /// Set once what was changed of the policy while an earlier server ran is in force.
    informed: tokio::sync::OnceCell<()>,
    tally: Tally,
}

/// A tool, and what it says of itself.
struct Known {
    tool: Arc<dyn Tool>,
    definition: ToolDefinition,
    digest: Digest,
}

/// What the configuration says, as it is in force.
struct Standing {
    agents: BTreeMap<String, Agent>,
    tools: BTreeMap<String, Known>,
    settings: Settings,
    review: Option<Arc<Reviewer>>,
}

impl Standing {
    /// From now on what the schemas of its tools mark is masked.
    fn new(
        agents: BTreeMap<String, Agent>,
        tools: Vec<Arc<dyn Tool>>,
        settings: Settings,
        review: Option<Reviewer>,
        masks: &Masks,
    ) -> Self {
        let named = |tool: Arc<dyn Tool>| {
            let definition = tool.definition();
            masks.learn(None, &definition);
            (definition.name.clone(), Known { tool, digest: definition.digest(), definition })
        };
        Self { agents, tools: tools.into_iter().map(named).collect(), settings, review: review.map(Arc::new) }
    }

    /// The tool of this name, if it is one of this program's and not of a server.
    fn tool(&self, server: Option<&str>, name: &str) -> Option<&Known> {
        self.tools.get(name).filter(|_| server.is_none())
    }
}

impl Inner {
    /// What is in force now.
    fn standing(&self) -> Arc<Standing> {
        Arc::clone(&self.standing.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a runtime is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// How calls are judged, before anything was changed while the server ran.
    pub policy: Policy,
    /// What that policy was compiled from.
    pub source: Source,
    /// The machine that calls are made on.
    pub machine: Arc<dyn Machine>,
    /// The agents that can be run, by name.
    pub agents: BTreeMap<String, Agent>,
    /// The tools that they can use.
    pub tools: Vec<Arc<dyn Tool>>,
    /// How long things last.
    pub settings: Settings,
    /// Whoever looks at dangerous calls that wait, beside the people who decide.
    pub review: Option<Reviewer>,
    /// Whoever signs the log; without one it is kept, and not signed.
    pub notary: Option<Notary>,
}

/// How long things last, and what becomes of a refusal.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a question stays open.
    pub question_lasts: Duration,
    /// How many questions of one run people may have open before it may ask no more; `None` is without limit.
    pub most_open_of_run: Option<u32>,
    /// The same of all runs of one agent, and of all calls that one principal asks for outside of them.
    pub most_open_of_agent: Option<u32>,
    /// How long a program outside may take to report what came of a call that it was allowed.
    pub report_within: Duration,
    /// What becomes of a run whose call was rejected.
    pub on_reject: OnReject,
    /// What becomes of a run when nobody answers in time.
    pub on_timeout: OnTimeout,
    /// How long a tool may work, unless its name is in `tool_timeouts`.
    pub tool_timeout: Duration,
    /// How long tools may work that were given a time of their own, by `server/tool` or `tool`.
    pub tool_timeouts: BTreeMap<String, Duration>,
    /// Whether executing a call of a tool once more does no harm, by `server/tool` or `tool`, where the configuration says.
    pub idempotent: BTreeMap<String, bool>,
    /// The working folder of runs that name none.
    pub cwd: Option<String>,
    /// How long a worker holds a run without saying that it lives.
    pub lease: Duration,
    /// How many runs are worked on at once.
    pub workers: usize,
    /// How long what was written in a run is kept after the run has ended; `None` is for ever.
    pub keep_texts: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            question_lasts: Duration::from_hours(1),
            most_open_of_run: None,
            most_open_of_agent: None,
            report_within: Duration::from_hours(24),
            on_reject: OnReject::Continue,
            on_timeout: OnTimeout::Deny,
            tool_timeout: Duration::from_secs(30),
            tool_timeouts: BTreeMap::new(),
            idempotent: BTreeMap::new(),
            cwd: None,
            lease: Duration::from_secs(30),
            workers: 16,
            keep_texts: None,
        }
    }
}

impl Runtime {
    /// A runtime of these parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, policy, source, machine, agents, tools, settings, review, notary } = parts;
        let standing = Standing::new(agents, tools, settings, review, store.masks());
        let inner = Inner {
            store,
            rulebook: Rulebook::new(policy, source),
            machine,
            standing: RwLock::new(Arc::new(standing)),
            reloading: tokio::sync::Mutex::default(),
            trying: tokio::sync::Mutex::default(),
            notary,
            newsroom: Newsroom::default(),
            holders: Holders::default(),
            desk: Desk::default(),
            asked: Asked::default(),
            informed: tokio::sync::OnceCell::new(),
            tally: Tally::default(),
        };
        Self { inner: Arc::new(inner), origin: None }
    }

    /// The same, which can read its configuration anew from `origin`.
    #[must_use]
    pub fn reading(self, origin: Arc<dyn Origin>) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Where everything is kept.
    pub fn store(&self) -> &dyn Store {
        &*self.inner.store
    }

    /// Whoever signs the log.
    pub fn notary(&self) -> Option<&Notary> {
        self.inner.notary.as_ref()
    }

    /// The agents that can be run.
    pub fn agents(&self) -> BTreeMap<String, Agent> {
        self.inner.standing().agents.clone()
    }

    /// What happens to `run` from now on: hints to look, not the truth.
    pub fn news_of(&self, run: RunId) -> NewsOf {
        self.inner.newsroom.follow(run)
    }
}
