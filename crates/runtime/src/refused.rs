//! A call that somebody just refused: whoever proposes it again is told the same, and nobody is asked again for a while.
//!
//! Within a run what was refused is in its events; between the runs of a session short memory keeps it.

use crate::Runtime;
use crate::path::{Judged, same_call};
use crate::ports::StoreError;
use countersign_domain::interaction::{Decision, Purpose, Reason};
use countersign_domain::run::{CallEntry, Judgement, Ruling, Run};
use jiff::{SignedDuration, Timestamp};

/// For how long nobody is asked again about what they refused.
const A_WHILE: SignedDuration = SignedDuration::from_mins(10);

impl Runtime {
    /// The same judgement, or a denial where somebody refused this very call a short while ago.
    pub(crate) async fn unless_refused(
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
        let since = now.saturating_sub(A_WHILE).unwrap_or(Timestamp::MIN);
        let digest = judged.judgement.digest;
        let before = run.interactions.values().filter(|asked| {
            asked.purpose == Purpose::Approval
                && asked.call.digest == digest
                && asked.tool_call_id != entry.proposal.call_id
        });
        let answers = before.filter_map(|asked| asked.answer.as_ref()).filter(|answer| answer.responded_at >= since);
        // Only the last word counts: whoever has approved it since does not refuse it any more.
        let newest = answers.max_by_key(|answer| (answer.responded_at, answer.decision == Decision::Reject));
        if let Some(answer) = newest.filter(|answer| answer.decision == Decision::Reject) {
            return Ok(refused(judged, answer.reason.as_deref()));
        }
        let Some(same) = same_call(run, digest) else { return Ok(judged) };
        let remembered = self.inner.store.remembered(&same, since).await?;
        let is_last = |at| newest.is_none_or(|newest| at > newest.responded_at);
        let is_refused = remembered.is_some_and(|answer| !answer.approved && is_last(answer.at));
        Ok(if is_refused { refused(judged, None) } else { judged })
    }
}

fn refused(judged: Judged, reason: Option<&str>) -> Judged {
    let because = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let text = "somebody refused this very call less than ten minutes ago";
    let refusal = format!(
        "the user declined this very call a short while ago{because}. They are not asked again so soon: propose something \
         else, or go on without it"
    );
    let Judgement { mut reasons, .. } = judged.judgement.clone();
    reasons.push(Reason { layer: "remembered".into(), said: "deny".into(), name: None, text: text.into() });
    let ruling = Ruling::Deny { refusal };
    Judged { judgement: Judgement { ruling, reasons, can_be_remembered: false, ..judged.judgement }, ..judged }
}
