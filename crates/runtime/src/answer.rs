//! Answering: one transaction from open to answered. After it is acknowledged no crash can lose it.

use crate::Runtime;
use crate::path::same_call;
use crate::ports::{Asking, PolicyChange, Remembered, SameCall, Save, StoreError};
use crate::push::{Onward, SeenThrough};
use crate::rulebook::{Giving, Side, StoredGrant};
use crate::worker::chain;
use countersign_domain::canonical::canonical;
use countersign_domain::interaction::{
    Answer, AnswerError, Decision, Interaction, LongReason, Purpose, Remember, Reply, Response, Scope,
};
use countersign_domain::run::{Draft, Input, Phase, Refused, Ruling, Run, RunKind};
use countersign_domain::schema::{self, Misfitting};
use countersign_domain::secret::Masker;
use countersign_domain::{InteractionId, Principal, RunId};
use countersign_policy::Mode;
use countersign_policy::source::FullGrant;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::timeout;

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

/// How often the moves that follow from an answer are tried: then it is saved by itself.
const TRIES: u32 = 2;
/// How long they may take. Whoever answers waits.
const AT_ONCE: Duration = Duration::from_millis(500);

/// What is done with an answer besides saving it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The moves that follow from it, where a worker is free.
    Moves,
    Nothing,
}

/// What is saved with an answer.
struct Beside {
    /// What short memory keeps.
    remember: Option<(SameCall, Remembered)>,
    policy: Vec<PolicyChange>,
}

/// Why an answer was not taken in.
enum Stuck {
    /// It does not count.
    Failure(AnswerFailure),
    /// A worker or another answer was first.
    Moved,
    /// The moves that follow from it cannot be made now. It can be saved by itself.
    Further(String),
}

impl From<StoreError> for Stuck {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(_) => Self::Moved,
            error => Self::Failure(error.into()),
        }
    }
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
        // Of a run that is at hand nobody knows whether it still stands so: if an answer was saved it did, and whatever else is
        // said of it is looked at again.
        if let Some(lately) = store.asking_lately(id) {
            match self.answer_to(lately, id, &response, by, Then::Moves).await {
                Ok(answered) if !answered.repeated => return Ok(answered),
                Err(Stuck::Failure(failure @ AnswerFailure::Store(_))) => return Err(failure),
                _ => {}
            }
        }
        let mut tries = 0;
        loop {
            let asking = store.asking(id).await?.ok_or(AnswerFailure::NotFound(id))?;
            let then = if tries < TRIES { Then::Moves } else { Then::Nothing };
            match self.answer_to(asking, id, &response, by, then).await {
                Ok(answered) => return Ok(answered),
                Err(Stuck::Failure(failure)) => return Err(failure),
                // Look again, and judge this one by what stands then.
                Err(Stuck::Moved) => tries += 1,
                Err(Stuck::Further(why)) if tries < TRIES => {
                    tracing::warn!(question = %id, why, "the run does not go on with its answer");
                    tries = TRIES;
                }
                Err(Stuck::Further(why)) => return Err(AnswerFailure::Misplaced(why)),
            }
        }
    }

    /// Answers a question of this run, and makes what moves follow from it if that is asked for.
    async fn answer_to(
        &self,
        asking: Asking,
        id: InteractionId,
        response: &Response,
        by: &Principal,
        then: Then,
    ) -> Result<Answered, Stuck> {
        let store = &self.inner.store;
        let Asking { run, fence } = asking;
        // Until somebody does something to it, a run that waits is nobody's, and its next claim has the next number.
        let next = (run.phase == Phase::Waiting && then == Then::Moves).then_some(fence + 1);
        let now = store.now().await?;
        let mut masker = store.masks().masker(run.id);
        let response = as_meant(response, run.interaction(id), &mut masker);
        let input = Input::Answered { interaction: id, response: response.clone(), by: by.clone() };
        let draft = match Draft::of(run).take(input, now) {
            Ok(draft) => draft,
            Err(Refused::Answer(error)) => return Err(Stuck::Failure(masked(error, &mut masker).into())),
            Err(Refused::Unknown(_)) => return Err(Stuck::Failure(AnswerFailure::NotFound(id))),
            Err(refused) => return Err(Stuck::Failure(AnswerFailure::Misplaced(refused.to_string()))),
        };
        let asked = draft.run.interaction(id).ok_or(Stuck::Failure(AnswerFailure::NotFound(id)))?;
        let mut shown = asked.clone();
        masker.mask_question(&mut shown);
        let repeated = draft.events.is_empty();
        if repeated {
            return Ok(Answered { interaction: shown, repeated });
        }
        if let Some(args) = response.edited_args() {
            self.fits(&draft.run, asked, args).map_err(|wrong| Stuck::Failure(shown_as(wrong, &mut masker)))?;
        }
        let remember = short_memory(&draft.run, asked, now);
        let policy = self.lasting(&draft.run, asked, now).await.map_err(Stuck::Failure)?.into_iter().collect();
        self.take_in(draft, next, Beside { remember, policy }, now).await?;
        Ok(Answered { interaction: shown, repeated })
    }

    /// Saves an answer; and where the run waited, so that its next claim has the number `next`, and a worker is free, all moves
    /// that follow from it, to the start of a call that was approved.
    async fn take_in(&self, draft: Draft, next: Option<u64>, beside: Beside, now: Timestamp) -> Result<(), Stuck> {
        let seat = if next.is_some() { self.seat_of_nobodys(&draft.run) } else { self.seat(&draft.run) };
        let runtime = self.clone();
        let taken_in = SeenThrough::new(async move {
            let (draft, starts) = match next.filter(|_| seat.is_some()) {
                None => (draft, vec![]),
                Some(fence) => {
                    let nothing = BTreeSet::new();
                    let going = runtime.moves(draft, &nothing, fence, now);
                    let moved =
                        timeout(AT_ONCE, going).await.map_err(|_| Stuck::Further("it takes too long".into()))?;
                    let (draft, _, starts) = moved.map_err(|error| Stuck::Further(chain(&error)))?;
                    (draft, starts)
                }
            };
            let Beside { remember, policy } = beside;
            let onward = Onward { seat, fence: next.filter(|_| !starts.is_empty()), starts };
            Ok(runtime.push_onward(Save { remember, policy, ..Save::of(draft, now) }, onward).await?)
        });
        taken_in.await.unwrap_or_else(|_| Err(Stuck::Further("it ended in a panic".into())))
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
        let standing = self.inner.standing();
        let known = standing.tool(call.server.as_deref(), &call.tool);
        let known = known.filter(|known| call.definition.is_none_or(|definition| definition == known.digest));
        let known = known.ok_or_else(|| AnswerFailure::NoTool(asked.tool_name.clone()))?;
        Ok(schema::fits(args, &known.definition.parameters)?)
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
