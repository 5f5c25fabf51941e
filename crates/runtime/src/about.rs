//! What stands around a question, for whoever answers it: what its call does, part by part, what people said, what the agent says,
//! what was decided before, and from whom it comes.

use crate::Runtime;
use crate::ports::StoreError;
use countersign_domain::describe::Surroundings;
use countersign_domain::interaction::{Interaction, Purpose};
use countersign_domain::principal::Kind;
use countersign_domain::run::{CallEntry, Run, RunKind};
use countersign_domain::{Call, RunId};
use countersign_policy::{Drawing, draw};

/// Earlier decisions that are shown.
const MOST_PAST: u32 = 5;
/// Letters that are shown: the newest.
const MOST_LETTERS: usize = 3;
/// Runs above a run that are looked at.
const DEEPEST: usize = 16;

/// What stands around a question.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// What its call does.
    pub drawing: Drawing,
    /// What people said to the agent, or to the one at the root, in the order in which they did.
    pub words: Vec<Words>,
    /// What the agent said when it proposed the call. Nobody has checked it.
    pub claim: Option<String>,
    /// Questions about the very same call that somebody answered, the latest answer first.
    pub past: Vec<Interaction>,
    /// The runs from the root to the one that asks, each with its agent; as far as they can be read.
    pub chain: Vec<(RunId, String)>,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Who.
    pub by: String,
    /// What.
    pub text: String,
}

impl Runtime {
    /// What stands around `asked`.
    pub async fn about(&self, asked: &Interaction) -> Result<About, StoreError> {
        let Some(run) = self.store().shown(asked.run_id).await? else { return Ok(About::default()) };
        let past = match asked.purpose {
            Purpose::Approval => readable(self.store().decided(asked.call.digest, MOST_PAST + 1).await)?,
            _ => None,
        };
        let past = past.into_iter().flatten().filter(|before| before.id != asked.id).take(MOST_PAST as usize).collect();
        let (chain, root) = self.chain(&run).await?;
        let words = root.as_ref().map(words).unwrap_or_default();
        Ok(About { drawing: self.drawing(asked), words, claim: claim(&run, asked), past, chain })
    }

    /// What the call of `asked` does, as it is stored: with masks where secrets are.
    fn drawing(&self, asked: &Interaction) -> Drawing {
        let call = asked.call.clone();
        // What is no call is described by nobody, and shown as it is.
        let Ok(call) = Call::new(call.server, call.tool, call.args, call.cwd) else { return Drawing::default() };
        draw(&self.policy().describe(call, &Surroundings::default()))
    }

    /// The runs above `run`, the highest first, and itself; and the one at the root, if it can be reached.
    async fn chain(&self, run: &Run) -> Result<(Vec<(RunId, String)>, Option<Run>), StoreError> {
        let mut chain = vec![(run.id, run.started.agent.clone())];
        let mut root = Some(run.clone());
        while let Some(id) = root.as_ref().and_then(|run| run.started.parent_run_id) {
            root = if chain.len() < DEEPEST { readable(self.store().shown(id).await)?.flatten() } else { None };
            chain.extend(root.iter().map(|parent| (id, parent.started.agent.clone())));
        }
        chain.reverse();
        Ok((chain, root))
    }
}

/// What was read, unless it cannot be: what is broken elsewhere keeps nobody from answering here.
fn readable<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(error @ StoreError::Inconsistent { .. }) => {
            tracing::error!(%error, "something that stands around a question cannot be read");
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// What people said to the agent of `run`: what they started it with, and their newest letters. What a program or another agent
/// told it is nobody's own words.
fn words(run: &Run) -> Vec<Words> {
    let started = &run.started;
    let is_theirs = started.kind == RunKind::Agent && started.started_by.kind == Kind::User;
    let input = is_theirs.then(|| Words { by: started.started_by.name.clone(), text: started.input.clone() });
    let letters: Vec<_> =
        run.letters.iter().map(|(_, letter)| letter).filter(|one| one.by.kind == Kind::User).collect();
    let newest = letters.iter().skip(letters.len().saturating_sub(MOST_LETTERS));
    let letters = newest.map(|letter| Words { by: letter.by.name.clone(), text: letter.text.clone() });
    input.into_iter().chain(letters).collect()
}

/// What the agent said when it proposed the call.
fn claim(run: &Run, asked: &Interaction) -> Option<String> {
    let proposed = |call: &CallEntry| call.proposal.call_id == asked.tool_call_id;
    let step = run.steps.iter().find(|step| step.calls.iter().any(proposed))?;
    Some(step.text.clone()).filter(|text| !text.trim().is_empty())
}
