//! One node: a runtime on a store, with a model and tools for tests.

use async_trait::async_trait;
use countersign_domain::delegation::Chain;
use countersign_domain::describe::{Described, Surroundings};
use countersign_domain::interaction::{Decision, Interaction, Response, Status};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::run::{CallState, EndStatus, Event, Message, Question, Run, Said};
use countersign_domain::secret::Key;
use countersign_domain::{Call, Principal, RunId};
use countersign_policy::Policy;
use countersign_policy::source::Source;
use countersign_runtime::ports::{
    Heard, InteractionFilter, Machine, Model, ModelError, Order, Outcome, Prompt, Report, Spoken, Store, Tool,
    ToolDefinition,
};
use countersign_runtime::{Agent, AnswerFailure, Answered, Notary, Parts, RunRequest, Runtime, Settings, Workers};
use countersign_store::{Address, Postgres, Sqlite};
use countersign_testkit::{self as testkit, Proxy};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A database of a test's own.
pub struct Database {
    pub store: Arc<dyn Store>,
    elsewhere: Arc<dyn Store>,
    /// Goes after the store.
    _kept: Option<testkit::Postgres>,
}

impl Database {
    pub fn sqlite() -> Self {
        Self::of(Sqlite::temporary().unwrap())
    }

    pub fn of(store: Sqlite) -> Self {
        let elsewhere = store.clone().sealing(Key::new([8; 32]));
        Self { store: Arc::new(store), elsewhere: Arc::new(elsewhere), _kept: None }
    }

    pub async fn postgres() -> Self {
        let database = testkit::Postgres::for_test();
        let opened = Self::postgres_at(&database.url()).await;
        Self { _kept: Some(database), ..opened }
    }

    /// The PostgreSQL database at this address.
    pub async fn postgres_at(url: &str) -> Self {
        Self::of_server(Postgres::open(Address::parse(url).unwrap()).await.unwrap(), None)
    }

    /// The same, by way of a wire that can be cut.
    pub async fn by_wire() -> (Self, Proxy) {
        let database = testkit::Postgres::for_test();
        let proxy = Proxy::start(&database.url()).await;
        let address = Address::parse(proxy.url()).unwrap();
        let store = Postgres::open_with_patience(address, Duration::from_millis(500)).await.unwrap();
        (Self::of_server(store, Some(database)), proxy)
    }

    /// The same as another process has it: what the first has at hand it has not.
    pub fn elsewhere(&self) -> Self {
        let (store, elsewhere) = (Arc::clone(&self.elsewhere), Arc::clone(&self.store));
        Self { store, elsewhere, _kept: None }
    }

    fn of_server(store: Postgres, kept: Option<testkit::Postgres>) -> Self {
        let elsewhere = store.clone().sealing(Key::new([8; 32]));
        Self { store: Arc::new(store), elsewhere: Arc::new(elsewhere), _kept: kept }
    }
}

/// What the tools of all nodes of a test did, and what holds them up.
#[derive(Clone)]
pub struct World {
    /// The keys of executions, in their order.
    pub did: Arc<Mutex<Vec<String>>>,
    /// Tools named `slow` take one before they end.
    pub gate: Arc<Semaphore>,
    /// How many tools were stopped in the middle of their work.
    pub stopped: Arc<AtomicUsize>,
    /// While it holds, tools named `stuck` stop the whole thread they are on.
    frozen: Arc<(Mutex<bool>, Condvar)>,
}

impl Default for World {
    fn default() -> Self {
        Self { did: Arc::default(), gate: Arc::new(Semaphore::new(0)), stopped: Arc::default(), frozen: Arc::default() }
    }
}

impl World {
    /// From now on, tools named `stuck` stop the whole thread they are on; or go on.
    pub fn freeze(&self, frozen: bool) {
        *self.frozen.0.lock().unwrap() = frozen;
        self.frozen.1.notify_all();
    }

    fn pass_frost(&self) {
        drop(self.frozen.1.wait_while(self.frozen.0.lock().unwrap(), |frozen| *frozen).unwrap());
    }

    /// How often a tool was executed.
    pub fn executions(&self) -> usize {
        self.did.lock().unwrap().len()
    }

    /// How often the calls of a run were executed.
    pub fn executions_of(&self, run: &Run) -> usize {
        let keys: Vec<_> = run.calls().filter_map(|call| call.proposal.key()).map(|key| key.to_string()).collect();
        self.did.lock().unwrap().iter().filter(|did| keys.contains(did)).count()
    }

    /// Waits until a tool was executed so many times.
    pub async fn until_executed(&self, times: usize) {
        until(async || (self.executions() >= times).then_some(())).await;
    }
}

/// A runtime with workers.
pub struct Node {
    pub runtime: Runtime,
    pub world: World,
    _workers: Option<Workers>,
}

pub fn settings() -> Settings {
    Settings { workers: 8, question_lasts: Duration::from_hours(1), ..Settings::default() }
}

impl Node {
    pub fn new(database: &Database) -> Self {
        Self::with(database, World::default(), Source::default(), settings())
    }

    /// A node on which calls are judged by what `policy`, a JSON object, says.
    pub fn judging(database: &Database, policy: Value) -> Self {
        let source = Source { policy: serde_json::from_value(policy).unwrap(), ..Source::default() };
        Self::with(database, World::default(), source, settings())
    }

    pub fn with(database: &Database, world: World, source: Source, settings: Settings) -> Self {
        let runtime = runtime(Arc::clone(&database.store), &world, source, settings);
        let workers = Workers::start(&runtime);
        Self { runtime, world, _workers: Some(workers) }
    }

    /// A node that only starts, reads and answers.
    pub fn idle(runtime: Runtime) -> Self {
        Self { runtime, world: World::default(), _workers: None }
    }

    /// Starts a run that makes these calls in one turn, each a tool and its arguments, and then ends.
    pub async fn run(&self, calls: &Value) -> RunId {
        self.runs("s1", calls).await
    }

    /// The same in this session.
    pub async fn runs(&self, session: &str, calls: &Value) -> RunId {
        self.runs_of("agent", session, calls).await
    }

    /// The same of this agent: `agent` asks a model, `actor` keeps to a script.
    pub async fn runs_of(&self, agent: &str, session: &str, calls: &Value) -> RunId {
        let request = RunRequest {
            agent: agent.into(),
            input: calls.to_string(),
            user_id: Some("ann".into()),
            session_id: Some(session.to_owned()),
            org_id: None,
            project_id: None,
            cwd: None,
            delegated_permissions: Chain::default(),
            started_by: person("ann"),
            once: None,
        };
        self.runtime.start(request).await.unwrap().run.id
    }

    pub async fn load(&self, run: RunId) -> Run {
        self.runtime.store().load(run).await.unwrap().unwrap()
    }

    /// Waits until the run has so many open questions and sleeps or works on, and gives them.
    pub async fn open(&self, run: RunId, many: usize) -> Vec<Interaction> {
        until(async || {
            let filter = InteractionFilter {
                status: Some(Status::Open),
                run: Some(run),
                limit: 100,
                ..InteractionFilter::default()
            };
            let open = self.runtime.store().interactions(filter).await.unwrap().items;
            (open.len() == many).then_some(open)
        })
        .await
    }

    /// Waits until the run has ended, and gives it.
    pub async fn ended(&self, run: RunId) -> Run {
        until(async || Some(self.load(run).await).filter(Run::has_ended)).await
    }

    pub async fn answer(&self, asked: &Interaction, decision: Decision, by: &str) -> Result<Answered, AnswerFailure> {
        let response = Response::new(asked.id, Some(decision), None).unwrap();
        self.runtime.answer(asked.id, response, &person(by)).await
    }

    /// The words for the events of a run.
    pub async fn words(&self, run: RunId) -> Vec<&'static str> {
        let events = self.runtime.store().events(run, 0, 1_000).await.unwrap();
        events.iter().map(|recorded| recorded.event.word()).collect()
    }

    /// The events of a run of one kind.
    pub async fn events(&self, run: RunId, word: &str) -> Vec<Event> {
        let events = self.runtime.store().events(run, 0, 1_000).await.unwrap();
        events.into_iter().map(|recorded| recorded.event).filter(|event| event.word() == word).collect()
    }
}

/// A runtime without workers.
pub fn runtime(store: Arc<dyn Store>, world: &World, source: Source, settings: Settings) -> Runtime {
    let names = ["send", "slow", "stuck", "again", "ask"];
    let tools = names.map(|name| Arc::new(Counter { name, world: world.clone() }) as Arc<dyn Tool>);
    let limits = countersign_domain::run::Limits::default();
    let agent = |is_script| {
        let (model_name, model) = ("plan".to_owned(), Arc::new(Plan { is_script }));
        Agent { description: None, model_name, model, system_prompt: None, tools: None, limits }
    };
    Runtime::new(Parts {
        store,
        policy: Policy::compile(&source).unwrap(),
        source,
        machine: Arc::new(Anywhere),
        agents: BTreeMap::from([("agent".to_owned(), agent(false)), ("actor".to_owned(), agent(true))]),
        tools: tools.into(),
        settings,
        review: None,
        notary: Some(Notary { key: testkit::invariants::signer(), anchors: vec![] }),
    })
}

/// How the calls of a run ended, in their order.
pub fn ends(run: &Run) -> Vec<EndStatus> {
    run.calls()
        .map(|call| match &call.state {
            CallState::Ended(end) => end.status,
            state => panic!("a call is {}", state.word()),
        })
        .collect()
}

pub fn person(name: &str) -> Principal {
    Principal::new(Kind::User, name, Role::Approver)
}

/// Waits for something to be there. How long decides only how long a failure takes.
pub async fn until<T>(look: impl AsyncFn() -> Option<T>) -> T {
    for _ in 0..6_000 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came to it");
}

/// Proposes the calls that the user's words say, all in one turn, and then says its last word: what it was told.
struct Plan {
    is_script: bool,
}

#[async_trait]
impl Model for Plan {
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        _live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        // What was said in earlier runs of the session stands before the plan of this one.
        let is_plan = |message: &Message| matches!(message, Message::User(text) if text.starts_with('['));
        let Some(first) = prompt.messages.iter().rposition(is_plan) else { panic!("nobody said anything") };
        let messages = &prompt.messages[first..];
        let spoken = messages.iter().any(|message| matches!(message, Message::Assistant { .. }));
        if spoken {
            let told = messages.iter().filter_map(|message| match message {
                Message::Tool(result) => Some(result.text.as_str()),
                Message::User(text) if !text.starts_with('[') => Some(text.as_str()),
                _ => None,
            });
            return Ok(Spoken { text: told.collect::<Vec<_>>().join(" | "), ..Spoken::default() });
        }
        let Some(Message::User(plan)) = messages.first() else { panic!("nobody said anything") };
        let plan: Vec<(String, Value)> = serde_json::from_str(plan).unwrap();
        let said = |(i, (name, args)): (usize, (String, Value))| Said {
            id: format!("c{i}"),
            name,
            arguments: args.to_string(),
        };
        Ok(Spoken { calls: plan.into_iter().enumerate().map(said).collect(), ..Spoken::default() })
    }

    fn is_script(&self) -> bool {
        self.is_script
    }
}

/// A machine without links and folders.
struct Anywhere;

impl Machine for Anywhere {
    fn describe(&self, policy: &Policy, call: Call) -> Described {
        policy.describe(call, &Surroundings::default())
    }
}

/// Counts its executions. `slow` ones wait at the gate, `stuck` ones stop their thread, `ask` asks, `again` may be repeated; and
/// each waits, fails or breaks down if its arguments say so.
struct Counter {
    name: &'static str,
    world: World,
}

#[async_trait]
impl Tool for Counter {
    fn definition(&self) -> ToolDefinition {
        let parameters = json!({"type": "object"});
        ToolDefinition { name: self.name.into(), description: "counts".into(), parameters }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        let args = order.call.call.args();
        if self.name == "ask" && order.answers.is_empty() {
            let question: Question = serde_json::from_value(Value::Object(args.clone())).unwrap();
            return Outcome::Ask(question);
        }
        self.world.did.lock().unwrap().push(order.key.to_string());
        if self.name == "slow" || args.contains_key("wait") {
            let unless_done = CountsWhenDropped(&self.world.stopped);
            self.world.gate.acquire().await.unwrap().forget();
            std::mem::forget(unless_done);
        }
        if self.name == "stuck" {
            self.world.pass_frost();
        }
        assert!(!args.contains_key("break"), "as it was told to");
        let told = order.answers.last().and_then(|answer| answer.reply.as_ref());
        let output = told.map_or_else(|| "done".to_owned(), |reply| serde_json::to_string(reply).unwrap());
        Outcome::Done(Report { output, failed: args.contains_key("fail") })
    }

    fn is_idempotent(&self) -> bool {
        self.name == "again"
    }
}

struct CountsWhenDropped<'a>(&'a AtomicUsize);

impl Drop for CountsWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
