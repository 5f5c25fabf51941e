//! Limits on open questions: an agent that asks without end must not bury what others ask.
//!
//! What somebody must look at because it has happened already (a held result, a call that was lost) is asked about all the same.

use crate::Runtime;
use crate::path::Judged;
use crate::ports::StoreError;
use countersign_domain::interaction::Reason;
use countersign_domain::run::{CallEntry, Input, Judgement, Ruling, Run, TOO_MANY_QUESTIONS};
use jiff::Timestamp;

impl Runtime {
    /// The same judgement, or a denial where too many questions are open to ask one more.
    ///
    /// Of a run that is exact. Of an agent, and of whoever asks for calls, it is looked at before it is saved: those who ask at
    /// the same moment do not see one another, and so may go past the limit by as many as they are.
    pub(crate) async fn unless_crowded(
        &self,
        run: &Run,
        entry: &CallEntry,
        judged: Judged,
        now: Timestamp,
    ) -> Result<Judged, StoreError> {
        // Whoever was asked about this one has it in their hands.
        if !matches!(judged.judgement.ruling, Ruling::Ask { .. }) || entry.asked > 0 {
            return Ok(judged);
        }
        Ok(match self.crowded(run, now).await? {
            Some(why) => refused(judged, why),
            None => judged,
        })
    }

    /// What a tool that asks something comes to: the same, or that nobody is asked.
    pub(crate) async fn unless_unasked(&self, run: &Run, input: Input, now: Timestamp) -> Result<Input, StoreError> {
        let Input::Paused { call, .. } = input else { return Ok(input) };
        Ok(self.crowded(run, now).await?.map_or(input, |why| Input::Unasked { call, why }))
    }

    /// Why `run` may not ask people one thing more, if it may not.
    pub(crate) async fn crowded(&self, run: &Run, now: Timestamp) -> Result<Option<String>, StoreError> {
        let standing = self.inner.standing();
        let (of_run, of_all) = (standing.settings.most_open_of_run, standing.settings.most_open_of_agent);
        let (open, unsaved) = run.asks_people(now);
        let told = |most: u32, whose: &str| {
            format!(
                "{TOO_MANY_QUESTIONS}: {most} questions of {whose} are open, which is as many as may be. Wait until people have \
                 answered, or go on without this call"
            )
        };
        if let Some(most) = of_run.filter(|most| open >= *most as usize) {
            return Ok(Some(told(most, "this run")));
        }
        let Some(most) = of_all else { return Ok(None) };
        let saved = self.inner.store.open_questions_of(run.asker(), most).await?;
        let is_full = saved.saturating_add(unsaved as u64) >= u64::from(most);
        Ok(is_full.then(|| told(most, "this agent")))
    }
}

fn refused(judged: Judged, why: String) -> Judged {
    let Judgement { mut reasons, .. } = judged.judgement.clone();
    let text = "too many questions are open, so nobody is asked".to_owned();
    reasons.push(Reason { layer: Judgement::CROWDED.into(), said: "deny".into(), name: None, text });
    let ruling = Ruling::Deny { refusal: why };
    Judged { judgement: Judgement { ruling, reasons, can_be_remembered: false, ..judged.judgement }, ..judged }
}
