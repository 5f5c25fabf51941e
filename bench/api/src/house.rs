//! All of Countersign in this process, with its API on a socket of this machine.

use crate::Failure;
use async_trait::async_trait;
use countersign_api::{Api, Connections, Human, RateLimit, Site};
use countersign_domain::Call;
use countersign_domain::audit::note::SignerKey;
use countersign_domain::describe::{Described, Surroundings};
use countersign_domain::principal::{Kind, Principal, Role};
use countersign_domain::run::Limits;
use countersign_models::Scripted;
use countersign_policy::Policy;
use countersign_policy::source::Source;
use countersign_runtime::ports::{Machine, Order, Outcome, Report, Store, Tool, ToolDefinition};
use countersign_runtime::principals::make_token;
use countersign_runtime::{Agent, Notary, Parts, Runtime, Settings, Workers};
use jiff::SignedDuration;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Questions that a run of the agent asks, one after the other.
const QUESTIONS: usize = 40;

pub struct House {
    pub runtime: Runtime,
    pub address: SocketAddr,
    workers: Workers,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl House {
    /// A server of `store`: `lookup` is allowed, `change` is asked about, and an agent makes one change after the other.
    pub async fn open(store: Arc<dyn Store>) -> Result<Self, Failure> {
        let policy = json!({"rules": [
            {"name": "look", "tool": "lookup", "effect": "allow"},
            {"name": "ask", "tool": "change", "effect": "require_approval"},
        ]});
        let source = Source { policy: serde_json::from_value(policy)?, ..Source::default() };
        let policy = Policy::compile(&source).map_err(|problems| format!("{problems:?}"))?;
        let (model_name, model) = ("scripted".to_owned(), Arc::new(script()?));
        let limits = Limits::default();
        let agent = Agent { description: None, model_name, model, system_prompt: None, tools: None, limits };
        let runtime = Runtime::new(Parts {
            store,
            policy,
            source,
            machine: Arc::new(Bare),
            agents: BTreeMap::from([("agent".to_owned(), agent)]),
            tools: vec![Arc::new(Change)],
            settings: Settings::default(),
            review: None,
            notary: Some(Notary { key: SignerKey::new("bench", [7; 32])?, anchors: vec![] }),
        });
        let workers = Workers::start(&runtime);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let site = Site {
            public_url: None,
            loopback: true,
            session: SignedDuration::from_hours(1),
            // One token sends all there is: its requests are counted, and none is refused.
            rate_limit: RateLimit { per_second: 1_000_000, burst: 1_000_000 },
            most_streams: u32::MAX,
            connections: Connections::default(),
            human: Human::Token,
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async move {
            let _ = stopped.await;
        };
        let serving = tokio::spawn(Api::new(runtime.clone(), site).serve(listener, until, Duration::ZERO));
        Ok(Self { runtime, address, workers, stop, serving })
    }

    pub async fn token(&self, whose: Principal) -> Result<String, Failure> {
        Ok(make_token(self.runtime.store(), whose, None, None).await?.secret.reveal().to_owned())
    }

    pub async fn close(self) -> Result<(), Failure> {
        drop(self.stop);
        self.serving.await?;
        self.workers.stop().await;
        Ok(())
    }
}

/// Whoever asks before it acts.
pub fn program() -> Principal {
    Principal { acts_for: Some("alice".into()), ..Principal::new(Kind::Agent, "program", Role::Viewer) }
}

/// Whoever answers.
pub fn person() -> Principal {
    Principal::new(Kind::User, "alice", Role::Operator)
}

/// A model that makes one change after the other.
fn script() -> Result<Scripted, Failure> {
    let turns: String =
        (0..QUESTIONS).map(|n| format!("      - calls: [ {{ tool: change, args: {{ n: {n} }} }} ]\n")).collect();
    Ok(Scripted::read(&format!("scenarios:\n  - replies:\n{turns}      - say: done\n"))?)
}

/// A tool that changes nothing.
struct Change;

#[async_trait]
impl Tool for Change {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "change".into(),
            description: "Changes nothing.".into(),
            parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        }
    }

    async fn execute(&self, _: Order<'_>) -> Outcome {
        Report { output: "nothing was changed".into(), failed: false }.into()
    }
}

/// A machine on which nothing is looked up: the calls name no file.
struct Bare;

impl Machine for Bare {
    fn describe(&self, policy: &Policy, call: Call) -> Described {
        policy.describe(call, &Surroundings::default())
    }
}
