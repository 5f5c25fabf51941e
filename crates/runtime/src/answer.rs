//! Answering: one transaction from open to answered. After it is acknowledged no crash can lose it.

use crate::Runtime;
use crate::desk::{Handed, Seat};
use crate::execute::Start;
use crate::failpoint::{Moment, passing};
use crate::news::News;
use crate::path::same_call;
use crate::ports::{Asking, Claim, PolicyChange, Remembered, SameCall, Save, StoreError, Take};
use crate::rulebook::{Giving, Side, StoredGrant};
use crate::spans;
use crate::tally::Tick;
use crate::worker::chain;
use countersign_domain::canonical::canonical;
use countersign_domain::interaction::{
    Answer, AnswerError, Decision, Interaction, LongReason, Purpose, Remember, Reply, Response, Scope,
};
use countersign_domain::run::{Draft, Event, Input, Phase, Refused, Ruling, Run, RunKind};
use countersign_domain::schema::{self, Misfitting};
use countersign_domain::secret::Masker;
use countersign_domain::{InteractionId, Principal, RunId};
use countersign_policy::Mode;
use countersign_policy::source::FullGrant;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

/// An answer that counts, or counted before.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The question as it stands now, as anybody may see it.
    pub interaction: Interaction,
    /// Whether the same answer had been given before.
    pub repeated: bool,
}

/// Why an answer does not count. Nothing changed.
#[derive(Debug, thiserror::Error)]
pub enum AnswerFailure {
    /// There is no such question.
    #[error("there is no interaction `{0}`")]
    NotFound(InteractionId),
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// No question of the run has that key.
    #[error("run `{run}` waits for nothing with the key `{key}`")]
    UnknownKey {
        /// The run.
        run: RunId,
        /// The key.
        key: String,
    },
    /// A signal to an approval decides nothing.
    #[error("`decision` is missing: `approve` or `reject`")]
    NoDecision,
    /// The answer itself.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The edited arguments are none that the tool takes.
    #[error("`edited_args` do not fit the tool: {0}")]
    Unfitting(#[from] Misfitting),
    /// It cannot be remembered for everybody.
    #[error("this cannot be remembered for everybody: {0}")]
    NotForEveryone(String),
    /// Nobody can say what the tool takes.
    #[error("`{0}` is not here as it was when the call was proposed, so its arguments cannot be edited")]
    NoTool(String),
    /// The reason is too long.
    #[error(transparent)]
    Reason(#[from] LongReason),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run does not take it: a defect of ours.
    #[error("{0}")]
    Misplaced(String),
}

/// How far a run goes with the step that answers its question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Far {
    /// As far as it does without anybody, if a worker is free here: to the start of a call that was approved.
    AsItGoes,
    /// Nowhere: the answer counts by itself.
    Answered,
}

/// How a run goes on once a step of it is saved.
struct Onward {
    /// Where somebody is free to drive it.
    seat: Option<Seat>,
    /// The number that their claim will have, if that is known.
    fence: Option<u64>,
    /// The calls that the step starts.
    starts: Vec<Start>,
}

impl Runtime {
    /// Answers a question on behalf of `by`.
    pub async fn answer(
        &self,
        id: InteractionId,
        response: Response,
        by: &Principal,
    ) -> Result<Answered, AnswerFailure> {
        let store = &self.inner.store;
        let mut far = Far::AsItGoes;
        loop {
            let Asking { run, fence } = store.asking(id).await?.ok_or(AnswerFailure::NotFound(id))?;
            // Until somebody does something to it, a run that waits is nobody's, and its next claim has the next number.
            let next = (run.phase == Phase::Waiting && far == Far::AsItGoes).then_some(fence + 1);
            let now = store.now().await?;
            let mut masker = store.masks().masker(run.id);
            let response = as_meant(&response, run.interactions.get(&id), &mut masker);
            let input = Input::Answered { interaction: id, response: response.clone(), by: by.clone() };
            let draft = match Draft::of(run).take(input, now) {
                Ok(draft) => draft,
                Err(Refused::Answer(error)) => return Err(masked(error, &mut masker).into()),
                Err(Refused::Unknown(_)) => return Err(AnswerFailure::NotFound(id)),
                Err(refused) => return Err(AnswerFailure::Misplaced(refused.to_string())),
            };
            let interaction = draft.run.interactions.get(&id).cloned().ok_or(AnswerFailure::NotFound(id))?;
            let mut shown = interaction.clone();
            masker.mask_question(&mut shown);
            if draft.events.is_empty() {
                return Ok(Answered { interaction: shown, repeated: true });
            }
            if let Some(args) = response.edited_args() {
                self.fits(&draft.run, &interaction, args).map_err(|wrong| shown_as(wrong, &mut masker))?;
            }
            let remember = short_memory(&draft.run, &interaction, now);
            let policy = self.lasting(&draft.run, &interaction, now).await?.into_iter().collect();
            let seat = if next.is_some() { self.seat_of_nobodys(&draft.run) } else { self.seat(&draft.run) };
            let (draft, starts) = match next.filter(|_| seat.is_some()) {
                None => (draft, vec![]),
                // Boxed: it is most of what there is to do, and whoever answers would carry it about.
                Some(next) => match Box::pin(self.moves(draft, &BTreeSet::new(), next, now)).await {
                    Ok((draft, _, starts)) => (draft, starts),
                    Err(error) => {
                        tracing::warn!(question = %id, error = chain(&error), "the run cannot go on with its answer now");
                        far = Far::Answered;
                        continue;
                    }
                },
            };
            let onward = Onward { seat, fence: next.filter(|_| !starts.is_empty()), starts };
            match self.see_through(Save { remember, policy, ..Save::of(draft, now) }, onward).await {
                // A worker or another answer was first: look again, and judge this one by what stands then.
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
                Ok(()) => return Ok(Answered { interaction: shown, repeated: false }),
            }
        }
    }

    /// What changes in the policy with a settled approval, where somebody chose that it is remembered.
    async fn lasting(
        &self,
        run: &Run,
        asked: &Interaction,
        now: Timestamp,
    ) -> Result<Option<PolicyChange>, AnswerFailure> {
        match remembered(asked) {
            Some((answer, remember)) if remember.scope == Scope::Everyone => {
                self.for_everyone(run, asked, answer, remember, now).await.map(Some)
            }
            Some((answer, remember)) => Ok(grant(run, answer, remember, now)),
            None => Ok(None),
        }
    }

    /// Whether a call may be made with these arguments at all: what its tool could not take nobody should approve. What the
    /// tool of a program outside takes nobody here knows.
    fn fits(&self, run: &Run, asked: &Interaction, args: &Map<String, Value>) -> Result<(), AnswerFailure> {
        let call = &asked.call;
        if run.started.kind == RunKind::Call && call.definition.is_none() {
            return Ok(());
        }
        let tool =
            self.inner.standing().tools.get(&call.tool).filter(|_| call.server.is_none()).map(|tool| tool.definition());
        let tool = tool.filter(|tool| call.definition.is_none_or(|definition| definition == tool.digest()));
        let tool = tool.ok_or_else(|| AnswerFailure::NoTool(asked.tool_name.clone()))?;
        Ok(schema::fits(args, &tool.parameters)?)
    }

    /// Answers the question of `run` that has this correlation key. The decision is part of the signal.
    pub async fn signal(&self, run: RunId, signal: Signal, by: &Principal) -> Result<Answered, AnswerFailure> {
        let loaded = self.inner.store.load(run).await?.ok_or(AnswerFailure::NoRun(run))?;
        let Signal { key, decision, reason, reply, payload } = signal;
        let asked = loaded.interactions.values().find(|asked| asked.correlation_key == key);
        let asked = asked.ok_or(AnswerFailure::UnknownKey { run, key })?;
        let id = asked.id;
        // A signal that only says yes would be read as an approval by one and as a receipt by another.
        if asked.purpose == Purpose::Approval && decision.is_none() {
            return Err(AnswerFailure::NoDecision);
        }
        // What a tool waits for is whatever the signal brings.
        let (reason, reply) = match (asked.purpose, payload) {
            (Purpose::Signal, Some(payload)) => (None, Reply { text: Some(canonical(&payload)), ..Reply::default() }),
            (Purpose::Signal, None) => (None, Reply::default()),
            _ => (reason, reply),
        };
        self.answer(id, Response::new(id, decision, reason)?.filled_in(reply), by).await
    }

    /// Saves what somebody did to a run from outside, and sees to it that the run goes on, here if a worker is free.
    pub(crate) async fn push(&self, save: Save) -> Result<(), StoreError> {
        // The number of the first claim of a run is known.
        let fence = (save.seen == 0).then_some(1);
        let onward = Onward { seat: self.seat(&save.run), fence, starts: vec![] };
        self.push_onward(save, onward).await
    }

    /// The same where calls may start with it: then it is done to its end though whoever answers goes away in the middle of it,
    /// so that what is started is made.
    async fn see_through(&self, save: Save, onward: Onward) -> Result<(), StoreError> {
        if onward.starts.is_empty() {
            return Box::pin(self.push_onward(save, onward)).await;
        }
        let runtime = self.clone();
        let pushing = async move { runtime.push_onward(save, onward).await };
        match tokio::spawn(pushing.in_current_span()).await {
            Ok(pushed) => pushed,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // All of this process is coming to its end.
            Err(error) => Err(StoreError::Unavailable(Box::new(error))),
        }
    }

    async fn push_onward(&self, save: Save, onward: Onward) -> Result<(), StoreError> {
        let Onward { seat, fence, starts } = onward;
        let newsroom = &self.inner.newsroom;
        let (run, ready) = (Arc::clone(&save.run), matches!(save.run.phase, Phase::Active | Phase::Woken));
        let id = run.id;
        let take = seat.as_ref().map(|_| Take { lease: self.inner.standing().settings.lease, fence });
        let changes_policy = !save.policy.is_empty();
        let words: Vec<_> = save.events.iter().map(Event::word).collect();
        let taken = self.save(Save { take, ..save }).await?;
        let is_handed_over = taken.is_some();
        match (taken, seat) {
            (Some(claim), Some(seat)) => {
                let run = Some(Arc::unwrap_or_clone(run));
                self.hand(Handed { claim, run, starts, seat, cause: Span::current() });
            }
            // Nobody was free, or somebody holds it: whoever comes free looks.
            _ if ready => newsroom.work.notify_one(),
            _ => {}
        }
        if changes_policy && let Err(error) = self.refresh_policy().await {
            // The next look at it will do.
            tracing::warn!(%error, "cannot read the policy that was just changed");
        }
        // Whoever was handed the run knows.
        if is_handed_over {
            newsroom.tell(News::Run(id));
        } else {
            newsroom.tell_driver(id);
        }
        passing(words, Moment::BeforeAck);
        Ok(())
    }

    /// Saves a step, and counts it. What is asked in it may be reviewed from then on.
    pub(crate) async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError> {
        let (ticks, began) = (Tick::of(&save.run, &save.events), Instant::now());
        let asked = self.to_review(&save);
        let span = spans::save(save.run.id, save.events.len());
        let saved = self.inner.store.save(save).instrument(span.clone()).await;
        if let Err(error) = &saved {
            spans::unsaved(&span, error);
        }
        let taken = saved?;
        self.inner.tally.saved(ticks, began.elapsed());
        self.inner.asked.add(asked);
        Ok(taken)
    }

    /// The same for a run as it is shown. It is handed to nobody: whoever takes it up must read what is sealed in it.
    pub(crate) async fn put(&self, save: Save) -> Result<(), StoreError> {
        let id = save.run.id;
        self.save(save).await?;
        self.inner.newsroom.work.notify_one();
        self.inner.newsroom.tell_driver(id);
        Ok(())
    }
}

/// The answer as whoever gave it meant it: they saw what there was to choose from, and the arguments that they edited, with
/// secrets masked.
fn as_meant(response: &Response, asked: Option<&Interaction>, masker: &mut Masker) -> Response {
    let names_things =
        response.edited_args().is_some() || asked.is_some_and(|asked| asked.purpose == Purpose::Question);
    let Some(asked) = asked.filter(|_| names_things) else { return response.clone() };
    let secrets = masker.mask_question(&mut asked.clone());
    response.clone().unmasked(&|place| secrets.get(place))
}

/// Why edited arguments do not fit, as anybody may see it.
fn shown_as(failure: AnswerFailure, masker: &mut Masker) -> AnswerFailure {
    let AnswerFailure::Unfitting(Misfitting { mut place, mut why }) = failure else { return failure };
    masker.mask_words(&mut place);
    masker.mask_words(&mut why);
    AnswerFailure::Unfitting(Misfitting { place, why })
}

/// Why an answer does not count, as anybody may see it.
fn masked(error: AnswerError, masker: &mut Masker) -> AnswerError {
    match error {
        AnswerError::AlreadyAnswered { id, mut answer } => {
            masker.mask_answer(&mut answer);
            AnswerError::AlreadyAnswered { id, answer }
        }
        AnswerError::Unfit(mut misfit) => {
            misfit.place.iter_mut().chain([&mut misfit.why]).for_each(|words| masker.mask_words(words));
            AnswerError::Unfit(misfit)
        }
        other => other,
    }
}

/// An answer from outside, by the key of its question.
#[derive(Debug, Clone)]
pub struct Signal {
    /// The key.
    pub key: String,
    /// What it decides.
    pub decision: Option<Decision>,
    /// Why.
    pub reason: Option<String>,
    /// What was filled in.
    pub reply: Reply,
    /// All that it brings.
    pub payload: Option<Value>,
}

/// What a settled approval has remembered, where somebody chose so, and the answer that did.
fn remembered(asked: &Interaction) -> Option<(&Answer, &Remember)> {
    asked.answer.as_ref().filter(|last| last.decision == Decision::Approve)?;
    let given = asked.approvals.iter().chain(&asked.answer);
    given.into_iter().find_map(|answer| Some((answer, answer.remember.as_ref()?)))
}

/// The grant that an answer gives to the run's user.
fn grant(run: &Run, answer: &Answer, remember: &Remember, now: Timestamp) -> Option<PolicyChange> {
    let grant = StoredGrant {
        user: run.started.user_id.clone()?,
        side: Side::Allow,
        grant: FullGrant {
            resource: remember.pattern.clone(),
            expires_at: remember.expires_at,
            given_by: Some(answer.by.name.clone()),
            given_at: Some(now),
            reason: answer.reason.clone(),
        },
    };
    Some(grant.change(Giving::Give, &answer.by, now))
}

/// What short memory keeps of a question that was settled: whether the same call may be made.
fn short_memory(run: &Run, asked: &Interaction, now: Timestamp) -> Option<(SameCall, Remembered)> {
    let answer = asked.answer.as_ref().filter(|_| asked.purpose == Purpose::Approval)?;
    let call = run.call(asked.tool_call_id)?;
    let Ruling::Ask { mode, .. } = &call.judgement.as_ref()?.ruling else { return None };
    let approved = match answer.decision {
        // What is asked about always is refused for a while, and never allowed by an earlier answer.
        Decision::Approve if mode == Mode::Once.word() => true,
        Decision::Reject => false,
        _ => return None,
    };
    let same = same_call(run, asked.call.digest)?;
    Some((same, Remembered { approved, at: now }))
}
