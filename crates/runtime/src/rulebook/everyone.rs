//! An answer that holds for everybody: a rule that allows exactly what was asked about, directly before the one that asked.

use super::change::apply;
use super::merge::Merged;
use super::stored::{StoredRule, USUAL_PRIORITY, priority};
use crate::path::around;
use crate::ports::{PolicyChange, PolicyKind};
use crate::{AnswerFailure, Runtime};
use countersign_domain::Digest;
use countersign_domain::interaction::{Answer, Interaction, Remember};
use countersign_domain::run::{CallEntry, Ruling, Run};
use countersign_policy::Layer;
use countersign_policy::source::{EffectName, EffectSource, RuleSource};
use jiff::Timestamp;

impl Runtime {
    /// The change that lets everybody do what `asked` was about. Tried out first: nothing is remembered that would be asked
    /// about again.
    pub(crate) async fn for_everyone(
        &self,
        run: &Run,
        asked: &Interaction,
        answer: &Answer,
        remember: &Remember,
        now: Timestamp,
    ) -> Result<PolicyChange, AnswerFailure> {
        let (version, mut items) = self.inner.store.policy_items().await?;
        let configured = self.inner.rulebook.standing().configured;
        let wrong = |why: String| AnswerFailure::NotForEveryone(why);
        let standing = Merged::new(&configured.source, &items).map_err(|all| wrong(super::told(&all)))?;
        let decided = asked.reasons.last().filter(|reason| reason.layer == Layer::Rule.word());
        let before = decided.and_then(|reason| reason.name.clone());
        // Where no rule asked, none matched: after all of them it changes nothing that any of them says.
        let last = standing.source.policy.rules.iter().map(priority).fold(USUAL_PRIORITY, i64::max);
        let key = format!("everyone-{}", Digest::of(remember.pattern.as_bytes()).hex().get(..12).unwrap_or_default());
        let rule = RuleSource {
            name: Some(key.clone()),
            priority: Some(last),
            server: None,
            tool: remember.pattern.clone(),
            when: condition(asked, remember),
            effect: Some(EffectSource::Name(EffectName::Allow)),
            remember: None,
            approvals: None,
            approvers: vec![],
            auto_approve: None,
            description: Some(format!("approved for everybody by {}", answer.by.name)),
        };
        let stored = StoredRule { made: version + 1, before, anchor: None, rule };
        let stored = stored.fastened(&configured.source.policy.rules);
        let change = PolicyChange {
            kind: PolicyKind::Rule,
            key,
            body: Some(serde_json::to_value(&stored).unwrap_or_default()),
            by: answer.by.clone(),
            why: answer.reason.clone(),
            at: now,
        };
        apply(&mut items, std::slice::from_ref(&change), version);
        let tried = Merged::new(&configured.source, &items).and_then(|merged| merged.compile());
        let policy = tried.map_err(|all| wrong(super::told(&all)))?;
        let call = run.call(asked.tool_call_id).and_then(CallEntry::call);
        let call = call.ok_or_else(|| wrong("there is no such call any more".into()))?;
        let judged = self.judge_by(&policy, call, &around(run), now);
        match judged.judgement.ruling {
            Ruling::Allow => Ok(change),
            _ => Err(wrong("a rule for everybody would not be heard, and the call be asked about again".into())),
        }
    }
}

/// When it holds: for the tool of no server if there was none, and until it ends.
fn condition(asked: &Interaction, remember: &Remember) -> Option<String> {
    let own = asked.call.server.is_none().then(|| "call.server == null".to_owned());
    let end = remember.expires_at.map(|end| format!("now < timestamp(\"{end}\")"));
    let all: Vec<_> = own.into_iter().chain(end).collect();
    (!all.is_empty()).then(|| all.join(" && "))
}
