//! All of Countersign in this process: a store, workers, a tool that does nothing.

use crate::Failure;
use async_trait::async_trait;
use countersign_domain::audit::note::SignerKey;
use countersign_domain::delegation::Chain;
use countersign_domain::describe::{Described, Surroundings};
use countersign_domain::principal::{Kind, Principal, Role};
use countersign_domain::run::Limits;
use countersign_domain::{Call, RunId};
use countersign_policy::Policy;
use countersign_policy::source::Source;
use countersign_runtime::ports::{Machine, Model, Order, Outcome, Report, RunStatus, Tool, ToolDefinition};
use countersign_runtime::{Agent, News, Notary, Parts, RunRequest, Runtime, Settings, Workers};
use countersign_store::Sqlite;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub struct House {
    pub runtime: Runtime,
    workers: Workers,
}

impl House {
    /// A house in `folder` in which `model` speaks and so many work.
    pub fn open(folder: &Path, model: Arc<dyn Model>, workers: usize) -> Result<Self, Failure> {
        let policy = json!({"rules": [{"name": "let", "tool": "nothing", "effect": "allow"}]});
        let source = Source { policy: serde_json::from_value(policy)?, ..Source::default() };
        let policy = Policy::compile(&source).map_err(|problems| format!("{problems:?}"))?;
        let limits = Limits::default();
        let model_name = "fake".to_owned();
        let agent = Agent { description: None, model_name, model, system_prompt: None, tools: None, limits };
        let runtime = Runtime::new(Parts {
            store: Arc::new(Sqlite::open(&folder.join("countersign.db"))?),
            policy,
            source,
            machine: Arc::new(Bare),
            agents: BTreeMap::from([("agent".to_owned(), agent)]),
            tools: vec![Arc::new(Nothing)],
            settings: Settings { workers, ..Settings::default() },
            review: None,
            notary: Some(Notary { key: SignerKey::new("bench", [7; 32])?, anchors: vec![] }),
        });
        let workers = Workers::start(&runtime);
        Ok(Self { runtime, workers })
    }

    pub async fn close(self) {
        self.workers.stop().await;
    }

    pub async fn start(&self) -> Result<RunId, Failure> {
        let request = RunRequest {
            agent: "agent".into(),
            input: "begin".into(),
            user_id: Some("alice".into()),
            session_id: None,
            org_id: None,
            project_id: None,
            cwd: None,
            delegated_permissions: Chain::default(),
            started_by: person(),
            once: None,
        };
        Ok(self.runtime.start(request).await?.run.id)
    }

    /// Waits until the run has ended, and says whether it completed.
    pub async fn ended(&self, run: RunId) -> Result<bool, Failure> {
        let mut news = self.runtime.news_of(run);
        loop {
            let summary = self.runtime.store().run(run).await?.ok_or("the run is gone")?;
            if summary.status.has_ended() {
                return Ok(summary.status == RunStatus::Completed);
            }
            // Somebody who lags looks for themselves.
            while matches!(news.next().await, News::Delta { .. }) {}
        }
    }
}

/// A tool that does nothing.
struct Nothing;

#[async_trait]
impl Tool for Nothing {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "nothing".into(),
            description: "Does nothing.".into(),
            parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        }
    }

    async fn execute(&self, _: Order<'_>) -> Outcome {
        Report { output: "nothing was done".into(), failed: false }.into()
    }
}

/// A machine on which nothing is looked up: the calls name no file.
struct Bare;

impl Machine for Bare {
    fn describe(&self, policy: &Policy, call: Call) -> Described {
        policy.describe(call, &Surroundings::default())
    }
}

pub fn person() -> Principal {
    Principal::new(Kind::User, "alice", Role::Operator)
}
