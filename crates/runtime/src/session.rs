//! Sessions: a conversation that goes on over several runs.
//!
//! A run names the runs before it when it starts, and never others: they have ended, so what was said in them no longer
//! changes. Nothing is copied; what is erased in one of them is erased for whoever comes after.

use crate::Runtime;
use crate::ports::{RunFilter, RunSummary, StoreError};
use countersign_domain::RunId;
use countersign_domain::run::{Message, Run, RunKind};

/// The most runs that a run goes on from.
const MOST_RUNS: u32 = 20;
/// The most that a model is told of them, in bytes. What is older is left out.
const MOST_BYTES: usize = 64 * 1024;

impl Runtime {
    /// The runs that one of `agent` for `user` goes on from, the oldest first.
    pub(crate) async fn earlier(
        &self,
        session: Option<&str>,
        user: Option<&str>,
        agent: &str,
    ) -> Result<Vec<RunId>, StoreError> {
        let Some(session) = session else { return Ok(vec![]) };
        let filter = RunFilter {
            user: user.map(Into::into),
            session: Some(session.to_owned()),
            kind: Some(RunKind::Agent),
            after: None,
            limit: MOST_RUNS,
        };
        let page = self.inner.store.runs(filter).await?;
        let is_ours = |run: &RunSummary| run.status.has_ended() && run.agent == agent && run.user_id.as_deref() == user;
        let mut ours: Vec<_> = page.items.iter().filter(|run| is_ours(run)).map(|run| run.id).collect();
        ours.reverse();
        Ok(ours)
    }

    /// What was said in the runs before `run`: words only. What tools gave then may no longer be so.
    pub(crate) async fn said_before(&self, run: &Run) -> Result<Vec<Message>, StoreError> {
        let (mut runs, mut left) = (vec![], MOST_BYTES);
        for id in run.started.earlier.iter().rev() {
            let Some(before) = self.inner.store.load(*id).await? else { continue };
            let said = words(&before);
            let size: usize = said.iter().map(size).sum();
            if size > left {
                break;
            }
            left -= size;
            runs.push(said);
        }
        Ok(runs.into_iter().rev().flatten().collect())
    }
}

fn words(run: &Run) -> Vec<Message> {
    let words = run.conversation().into_iter().filter_map(|message| match message {
        Message::Assistant { text, .. } if !text.is_empty() => Some(Message::Assistant { text, calls: vec![] }),
        user @ Message::User(_) => Some(user),
        Message::Assistant { .. } | Message::Tool(_) => None,
    });
    words.collect()
}

fn size(message: &Message) -> usize {
    match message {
        Message::User(text) | Message::Assistant { text, .. } => text.len(),
        Message::Tool(result) => result.text.len(),
    }
}
