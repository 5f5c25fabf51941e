//! What stands around a question, for whoever answers it: what its call does, part by part, what people said, what the agent says,
//! what was decided before, and from whom it comes.

use crate::Runtime;
use crate::ports::StoreError;
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
    /// Questions about the very same call that somebody answered, the newest first.
    pub past: Vec<Interaction>,
    /// The runs from the root to the one that asks, each with its agent.
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
            Purpose::Approval => self.store().decided(asked.call.digest, MOST_PAST + 1).await?,
            _ => vec![],
        };
        let past = past.into_iter().filter(|before| before.id != asked.id).take(MOST_PAST as usize).collect();
        let chain = self.chain(&run).await?;
        let root = match chain.first().filter(|(root, _)| *root != run.id) {
            Some((root, _)) => self.store().shown(*root).await?,
            None => None,
        };
        // What an agent told another one is nobody's own words.
        let words = words(root.as_ref().unwrap_or(&run));
        Ok(About { drawing: self.drawing(asked), words, claim: claim(&run, asked), past, chain })
    }

    /// What the call of `asked` does, as it is stored: with masks where secrets are.
    fn drawing(&self, asked: &Interaction) -> Drawing {
        let call = asked.call.clone();
        // What is no call is described by nobody, and shown as it is.
        let Ok(call) = Call::new(call.server, call.tool, call.args, call.cwd) else { return Drawing::default() };
        draw(&self.inner.machine.describe(&self.policy(), call))
    }

    /// The runs above `run`, the root first, and itself.
    async fn chain(&self, run: &Run) -> Result<Vec<(RunId, String)>, StoreError> {
        let mut chain = vec![(run.id, run.started.agent.clone())];
        let mut above = run.started.parent_run_id;
        while let Some(id) = above.filter(|_| chain.len() < DEEPEST) {
            let Some(parent) = self.store().run(id).await? else { break };
            above = parent.parent_run_id;
            chain.push((id, parent.agent));
        }
        chain.reverse();
        Ok(chain)
    }
}

/// What people said to the agent of `run`: what it was started with, and the newest letters. A program that asks from outside was
/// told nothing here.
fn words(run: &Run) -> Vec<Words> {
    let started = &run.started;
    let by = started.user_id.clone().unwrap_or_else(|| started.started_by.name.clone());
    let input = (started.kind == RunKind::Agent).then(|| Words { by, text: started.input.clone() });
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
