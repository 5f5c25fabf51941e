//! The safety review: a model looks at a dangerous call that waits for somebody, and what it says stands beside the question.
//!
//! It decides nothing, and nobody waits for it: what it says is no part of the run, of its events or of a judgement. It is shown what
//! people are shown, with secrets masked, and no tools.

mod prompt;

use crate::ports::{Model, Save, StoreError};
use crate::worker::chain;
use crate::{Runtime, Standing};
use countersign_domain::describe::Risk;
use countersign_domain::interaction::{Advice, Interaction, Purpose, Status};
use countersign_domain::run::{Event, Run};
use countersign_domain::{InteractionId, RunId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinSet};
use tokio::time::{sleep, timeout};

/// Questions that are looked at at once.
const MOST_AT_ONCE: usize = 4;
/// How long the model may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Questions that are remembered until it is their turn. Further ones are found by looking.
const MOST_WAITING: usize = 1_024;
/// Questions that are found at a time.
const PAGE: u32 = 200;
/// How often somebody looks whether the configuration has changed, or the database is back.
const LOOK: Duration = Duration::from_secs(1);

/// Whoever looks at dangerous calls that wait.
#[derive(Clone)]
pub struct Reviewer {
    /// The model.
    pub model: Arc<dyn Model>,
    /// Its name in the configuration.
    pub name: String,
    /// From which risk on. A call of unknown risk is always looked at.
    pub from: Risk,
}

impl Reviewer {
    fn looks_at(&self, asked: &Interaction) -> bool {
        asked.purpose == Purpose::Approval && rank(&asked.call.risk) >= rank(self.from.word())
    }

    /// What the model says of a call; `None` if it fails, or takes too long.
    async fn say(&self, run: &Run, asked: &Interaction) -> Option<String> {
        let messages = [prompt::message(run, asked)];
        let prompt = prompt::prompt(&messages);
        match timeout(PATIENCE, self.model.speak(&prompt, &|_| {})).await {
            Ok(Ok(spoken)) => Some(spoken.text),
            Ok(Err(error)) => {
                tracing::warn!(interaction = %asked.id, code = error.code(), "no review of this call");
                None
            }
            Err(_) => {
                tracing::warn!(interaction = %asked.id, "no review of this call: the model took too long");
                None
            }
        }
    }
}

/// What nobody ranked may be as dangerous as anything.
fn rank(risk: &str) -> usize {
    let ranked = [Risk::Low, Risk::Medium, Risk::High, Risk::Critical];
    ranked.iter().position(|known| known.word() == risk).unwrap_or(ranked.len())
}

/// How far the review of a question is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reviewed {
    /// The model is to look at it.
    Pending,
    /// It did.
    Heard(Advice),
}

/// A question, and the run that asks it.
type Question = (RunId, InteractionId);

/// Questions that were just asked here.
#[derive(Default)]
pub(crate) struct Asked {
    new: Mutex<VecDeque<Question>>,
    bell: Notify,
    /// Whether some were not looked at that should have been.
    missed: AtomicBool,
}

impl Asked {
    pub(crate) fn add(&self, asked: Vec<Question>) {
        if asked.is_empty() {
            return;
        }
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        for question in asked {
            if new.len() < MOST_WAITING {
                new.push_back(question);
            } else {
                self.missed.store(true, Ordering::Release);
            }
        }
        self.bell.notify_one();
    }

    fn take(&self) -> Option<Question> {
        self.new.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Has dangerous calls looked at until `stopped`. What was being looked at then is looked at again after the next start.
pub(crate) async fn keep(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let asked = &runtime.inner.asked;
    let mut standing = runtime.inner.standing();
    let mut left = Left::default();
    let mut at_work = JoinSet::new();
    let mut held: HashMap<Id, InteractionId> = HashMap::new();
    while !*stopped.borrow() {
        let now = runtime.inner.standing();
        if !Arc::ptr_eq(&now, &standing) || asked.missed.swap(false, Ordering::AcqRel) {
            left = Left::default();
        }
        standing = now;
        while at_work.len() < MOST_AT_ONCE
            && let Some((reviewer, question)) = left.next(&runtime, &standing).await
        {
            if !held.values().any(|one| *one == question.1) {
                let task = at_work.spawn(look(runtime.clone(), reviewer, question));
                held.insert(task.id(), question.1);
            }
        }
        tokio::select! {
            _ = stopped.changed() => {}
            Some(ended) = at_work.join_next_with_id() => {
                held.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            () = asked.bell.notified() => {}
            () = sleep(LOOK) => {}
        }
    }
}

/// What is left from before: questions that were open when somebody began to look.
struct Left {
    page: VecDeque<Question>,
    looking: Looking,
}

enum Looking {
    /// For those after this one.
    After(Option<InteractionId>),
    /// There are no more.
    Done,
}

impl Default for Left {
    fn default() -> Self {
        Self { page: VecDeque::new(), looking: Looking::After(None) }
    }
}

impl Left {
    /// The next question to look at, and who does: what was just asked goes first.
    async fn next(&mut self, runtime: &Runtime, standing: &Standing) -> Option<(Arc<Reviewer>, Question)> {
        let reviewer = standing.review.clone()?;
        if let Some(question) = runtime.inner.asked.take() {
            return Some((reviewer, question));
        }
        if self.page.is_empty()
            && let Looking::After(after) = self.looking
        {
            match runtime.inner.store.unadvised(after, PAGE).await {
                Ok(found) => {
                    self.looking = found.last().map_or(Looking::Done, |(_, last)| Looking::After(Some(*last)));
                    self.page = found.into();
                }
                Err(error) => tracing::warn!(error = chain(&error), "cannot look for calls to review"),
            }
        }
        self.page.pop_front().map(|question| (reviewer, question))
    }
}

async fn look(runtime: Runtime, reviewer: Arc<Reviewer>, question: Question) {
    if let Err(error) = runtime.review(&reviewer, question).await {
        tracing::warn!(interaction = %question.1, error = chain(&error), "cannot have this call reviewed");
        if error.passes() {
            runtime.inner.asked.missed.store(true, Ordering::Release);
        }
    }
}

impl Runtime {
    /// The questions that `save` asks, if anybody is to look at them.
    pub(crate) fn to_review(&self, save: &Save) -> Vec<Question> {
        if self.inner.standing().review.is_none() {
            return vec![];
        }
        let asked = |event: &Event| match event {
            Event::InteractionRequest(request) => Some((save.run.id, request.id)),
            _ => None,
        };
        save.events.iter().filter_map(asked).collect()
    }

    /// How far the review of these questions is. Those that nobody looks at are left out.
    pub async fn reviewed(&self, asked: &[Interaction]) -> Result<BTreeMap<InteractionId, Reviewed>, StoreError> {
        let Some(reviewer) = self.inner.standing().review.clone() else { return Ok(BTreeMap::new()) };
        let asked: Vec<_> = asked.iter().filter(|asked| reviewer.looks_at(asked)).collect();
        if asked.is_empty() {
            return Ok(BTreeMap::new());
        }
        let ids: Vec<_> = asked.iter().map(|asked| asked.id).collect();
        let mut heard = self.inner.store.advice(&ids).await?;
        let far = |asked: &Interaction| match heard.remove(&asked.id) {
            Some(advice) => Some((asked.id, Reviewed::Heard(advice))),
            None => (asked.status == Status::Open).then_some((asked.id, Reviewed::Pending)),
        };
        Ok(asked.into_iter().filter_map(far).collect())
    }

    async fn review(&self, reviewer: &Reviewer, (run, id): Question) -> Result<(), StoreError> {
        let store = &self.inner.store;
        let Some(run) = store.shown(run).await? else { return Ok(()) };
        let open = |asked: &&Interaction| asked.status == Status::Open && reviewer.looks_at(asked);
        let Some(asked) = run.interaction(id).filter(open) else { return Ok(()) };
        if store.advice(&[id]).await?.contains_key(&id) {
            return Ok(());
        }
        let at = store.now().await?;
        let said = reviewer.say(&run, asked).await;
        let advice = Advice::new(reviewer.name.clone(), said.as_deref(), at);
        // Kept as soon as the database takes it: to ask again would cost again.
        loop {
            match store.advise(id, advice.clone()).await {
                Err(error) if error.passes() => sleep(LOOK).await,
                kept => return kept,
            }
        }
    }
}
