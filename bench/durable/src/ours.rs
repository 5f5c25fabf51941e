//! Countersign as a library: runtime and store in this process, driven by so many clients.

use crate::Failure;
use crate::engine::Database;
use crate::watched::{Rest, Step, Watched};
use crate::work::{Append, Bare, Kill, OneCall, person, rules};
use countersign_domain::audit::note::SignerKey;
use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{Decision, Response};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::Store;
use countersign_runtime::{Agent, Notary, Parts, RunRequest, Runtime, Settings, Workers};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Clients that do something at once, where many do.
pub const CLIENTS: usize = 32;

/// A run that waits, and the question it waits for.
pub type Waiting = (RunId, InteractionId);

#[derive(Clone)]
pub struct Ours {
    runtime: Runtime,
    store: Arc<Watched>,
    file: PathBuf,
    workers: Arc<Workers>,
}

/// How a server is to be.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub kill: Option<Kill>,
    pub lease: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { kill: None, lease: Settings::default().lease }
    }
}

impl Options {
    /// Where nobody else may let go of what a killed server held, its lease must run out first: a short one will do here.
    pub fn for_kills(database: &Database) -> Self {
        let usual = Self::default();
        if database.is_embedded() { usual } else { Self { lease: Duration::from_secs(1), ..usual } }
    }
}

impl Ours {
    /// A server of `database`, as `countersign serve` would start one.
    pub async fn start(database: &Database, Options { kill, lease }: Options) -> Result<Self, Failure> {
        let store = Arc::new(Watched::new(database.open().await?));
        if database.is_embedded() {
            store.release_all().await?;
        }
        let file = database.folder.join("effects");
        let (policy, source) = rules()?;
        let limits = countersign_domain::run::Limits::default();
        let (model_name, model) = ("one-call".to_owned(), Arc::new(OneCall));
        let agent = Agent { description: None, model_name, model, system_prompt: None, tools: None, limits };
        let runtime = Runtime::new(Parts {
            store: Arc::clone(&store) as Arc<dyn Store>,
            policy,
            source,
            machine: Arc::new(Bare),
            agents: BTreeMap::from([("agent".to_owned(), agent)]),
            tools: vec![Arc::new(Append { file: file.clone(), kill })],
            settings: Settings {
                question_lasts: Duration::from_hours(24),
                workers: CLIENTS,
                lease,
                ..Settings::default()
            },
            review: None,
            notary: Some(Notary { key: SignerKey::new("bench", [7; 32])?, anchors: vec![] }),
        });
        let workers = Arc::new(Workers::start(&runtime));
        Ok(Self { runtime, store, file, workers })
    }

    /// Ends the workers and the store, of which this must be the last clone.
    pub async fn stop(self, database: &Database) -> Result<(), Failure> {
        let Self { runtime, store, workers, .. } = self;
        Arc::into_inner(workers).ok_or("somebody still uses this server")?.stop().await;
        drop((runtime, store));
        database.closed().await
    }

    /// The file that the tool writes to.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn store(&self) -> &Watched {
        &self.store
    }

    /// Starts a run, and gives what it came to.
    pub async fn started(&self, name: &str) -> Result<(RunId, Rest), Failure> {
        let request = RunRequest {
            agent: "agent".into(),
            input: name.to_owned(),
            user_id: Some("alice".into()),
            session_id: None,
            org_id: None,
            project_id: None,
            cwd: None,
            delegated_permissions: Chain::default(),
            started_by: person(),
            once: None,
        };
        let run = self.runtime.start(request).await?.run.id;
        Ok((run, self.at_rest(run).await?))
    }

    /// Brings one run to the wait.
    pub async fn waiting(&self, name: &str) -> Result<Waiting, Failure> {
        match self.started(name).await? {
            (run, Rest::Waits(question)) => Ok((run, question)),
            (run, Rest::Ended) => Err(format!("run `{run}` ended before anybody was asked").into()),
        }
    }

    /// Answers, and waits until the run has ended or asks again.
    pub async fn answered(&self, (run, question): Waiting, decision: Decision) -> Result<Rest, Failure> {
        self.runtime.answer(question, Response::new(question, Some(decision), None)?, &person()).await?;
        self.at_rest(run).await
    }

    /// Approves, and waits for the end.
    pub async fn resumed(&self, waiting: Waiting) -> Result<(), Failure> {
        match self.answered(waiting, Decision::Approve).await? {
            Rest::Ended => Ok(()),
            Rest::Waits(_) => Err(format!("run `{}` asks again", waiting.0).into()),
        }
    }

    pub async fn at_rest(&self, run: RunId) -> Result<Rest, Failure> {
        self.store.rest(run).await.ok_or_else(|| format!("nobody tells what became of run `{run}`").into())
    }

    /// Brings so many runs to the wait, by so many clients. Gives the runs and the time.
    pub async fn all_waiting(&self, count: usize, clients: usize) -> Result<(Vec<Waiting>, Duration), Failure> {
        let next = Arc::new(AtomicUsize::new(0));
        let begin = Instant::now();
        let mut at_work = JoinSet::new();
        for _ in 0..clients {
            let (ours, next) = (self.clone(), Arc::clone(&next));
            at_work.spawn(async move {
                let mut waiting = vec![];
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && number < count
                {
                    waiting.push(ours.waiting(&format!("run-{number}-")).await?);
                }
                Ok::<_, Failure>(waiting)
            });
        }
        let mut all = Vec::with_capacity(count);
        while let Some(done) = at_work.join_next().await {
            all.append(&mut done??);
        }
        let spent = begin.elapsed();
        // In the order in which they were started, in which everybody else answers too.
        all.sort_by_key(|(run, _)| run.uuid());
        Ok((all, spent))
    }

    /// Answers all of them, by so many clients. Gives the time to the end of the last run.
    pub async fn all_resumed(&self, waiting: Vec<Waiting>, clients: usize) -> Result<Duration, Failure> {
        let (next, waiting) = (Arc::new(AtomicUsize::new(0)), Arc::new(waiting));
        let begin = Instant::now();
        let mut at_work = JoinSet::new();
        for _ in 0..clients {
            let (ours, next, waiting) = (self.clone(), Arc::clone(&next), Arc::clone(&waiting));
            at_work.spawn(async move {
                while let Some(one) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) {
                    ours.resumed(*one).await?;
                }
                Ok::<_, Failure>(())
            });
        }
        while let Some(done) = at_work.join_next().await {
            done??;
        }
        Ok(begin.elapsed())
    }

    /// Answers them one after another: by a task of the runtime, as whatever a server does is.
    pub async fn one_by_one(&self, waiting: &[Waiting]) -> Result<(), Failure> {
        let (ours, waiting) = (self.clone(), waiting.to_vec());
        let answered = async move {
            for one in waiting {
                ours.resumed(one).await?;
            }
            Ok(())
        };
        tokio::spawn(answered).await?
    }

    /// The steps that bring a run to the wait, and those from the answer to its end.
    pub async fn steps(&self) -> Result<(RunId, Vec<Step>, Vec<Step>), Failure> {
        let (waiting, to_wait) = self.store.steps(self.waiting("steps-")).await;
        let waiting = waiting?;
        let (resumed, to_end) = self.store.steps(self.resumed(waiting)).await;
        resumed?;
        Ok((waiting.0, to_wait, to_end))
    }
}
