//! The path of a call, in one page.
//!
//! ```text
//! call ─► describe ─► judge ─┬─ allow ─► start ─► execute ─► finish
//!                            ├─ deny ───────────────────────► finish, with the reason
//!                            └─ ask ─► interaction ─► (the run sleeps) ─► answer ─► judge again ─► …
//! ```
//!
//! Every arrow that changes something is load → `advance` → save, in one transaction. Judging is pure; what it needs of
//! the machine is gathered here. `drive` walks the arrows, `answer` enters from the side.

use crate::Runtime;
use crate::ports::{SameCall, StoreError};
use countersign_domain::delegation::Frame;
use countersign_domain::describe::Described;
use countersign_domain::interaction::{Answer, AnswerableBy, Interaction, Purpose, Reason, Status};
use countersign_domain::principal::Kind;
use countersign_domain::run::{CallEntry, Judgement, Review, Ruling, Run};
use countersign_domain::{Call, Digest, RunId};
use countersign_policy::pattern::resource_text;
use countersign_policy::source::{
    ApprovalSource, ContextSource, DecisionSource, PrincipalKind, PrincipalSource, RememberedSource, ResultPolicy,
};
use countersign_policy::{Ask, By, Context, Effect, Mode, Policy, explain, judge, refusal};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// A call that was judged, and what it was judged as.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The call and what it touches.
    pub call: Described,
    /// What the policy said.
    pub judgement: Judgement,
}

impl Runtime {
    /// Judges a call of `run` with the answers it has had so far.
    ///
    /// What short memory keeps is looked up only where it would count.
    pub(crate) async fn judge_in(
        &self,
        run: &Run,
        entry: &CallEntry,
        call: Call,
        now: Timestamp,
    ) -> Result<Judged, StoreError> {
        let asked = run.asked_about(entry.proposal.call_id).filter(|asked| authorises(asked.purpose));
        // An approval counts for what it was asked about, and only the latest question is about the call as it stands.
        let latest = asked.max_by_key(|asked| asked.ordinal);
        let approvals = latest.filter(|asked| asked.status == Status::Answered).into_iter();
        let mut context = ContextSource {
            correlation_key: latest.map(|asked| asked.correlation_key.clone()),
            approvals: approvals.flat_map(|asked| asked.approvals.iter().map(|given| approval(given, asked))).collect(),
            ..around(run)
        };
        if let Some(parent) = run.started.parent_run_id
            && let Some(denied) = self.denied_within(parent, &call, &mut context, now).await?
        {
            return Ok(denied);
        }
        let judged = self.judge(call.clone(), &context, now).await?;
        let (Ruling::Ask { mode, .. }, Some(same)) =
            (&judged.judgement.ruling, same_call(run, judged.judgement.digest))
        else {
            return Ok(judged);
        };
        if mode != Mode::Once.word() {
            return Ok(judged);
        }
        let since = now.saturating_sub(A_DAY).unwrap_or(Timestamp::MIN);
        let Some(answer) = self.inner.store.remembered(&same, since).await? else { return Ok(judged) };
        // Its own answer was heard as an approval: where that is not enough by now, it is not by having been remembered either.
        if latest.and_then(|asked| asked.answer.as_ref()).is_some_and(|own| own.responded_at == answer.at) {
            return Ok(judged);
        }
        let decision = if answer.approved { DecisionSource::Approve } else { DecisionSource::Reject };
        context.remembered = vec![RememberedSource {
            digest: same.digest.to_string(),
            decision,
            at: answer.at,
            user: None,
            session: None,
        }];
        self.judge(call, &context, now).await
    }

    /// Holds a call to what the run above it may do by now, which may be less than when it was asked for: its frames are
    /// added to the context. What that run's own agent may not do is denied, and everything once it has ended.
    async fn denied_within(
        &self,
        parent: RunId,
        call: &Call,
        context: &mut ContextSource,
        now: Timestamp,
    ) -> Result<Option<Judged>, StoreError> {
        let above = self.inner.store.shown(parent).await?.filter(|above| !above.has_ended());
        let nothing = Frame { allowed_tools: Some(vec![]), denied_tools: None };
        let frames = above.as_ref().map_or_else(|| vec![nothing], |above| above.delegated().frames().to_vec());
        for frame in frames {
            context.delegated = context.delegated.narrowed_by(frame);
        }
        let Some(above) = above else { return Ok(None) };
        let as_above = ContextSource { agent: Some(above.started.agent.clone()), ..context.clone() };
        let judged = self.judge(call.clone(), &as_above, now).await?;
        Ok(Some(judged).filter(|judged| matches!(judged.judgement.ruling, Ruling::Deny { .. })))
    }

    /// Judges `call`. Nothing is stored, nobody is asked.
    pub async fn judge(&self, call: Call, context: &ContextSource, now: Timestamp) -> Result<Judged, StoreError> {
        self.know_policy().await?;
        Ok(self.judge_by(&self.inner.rulebook.policy(), call, context, now))
    }

    /// The same, by a policy that need not be in force.
    pub(crate) fn judge_by(&self, policy: &Policy, call: Call, context: &ContextSource, now: Timestamp) -> Judged {
        let call = self.inner.machine.describe(policy, call);
        let review = match policy.result_policy(&call, context.user.as_deref()) {
            ResultPolicy::Never => Review::Never,
            ResultPolicy::OnError => Review::OnError,
            ResultPolicy::Always => Review::Always,
        };
        let judged = |ruling, reasons| Judgement {
            digest: call.digest,
            ruling,
            reasons,
            policy: policy.version(),
            resource: resource_text(&call),
            capabilities: call.capabilities.clone(),
            risk: call.risk.word().into(),
            review,
            can_be_remembered: false,
        };
        let mut may_remember = false;
        let judgement = match Context::new(context, call.digest, now) {
            Ok(context) => {
                let verdict = judge(policy, &call, &context);
                may_remember = matches!(&verdict.effect, Effect::Ask(ask) if one_may_remember(ask));
                let reasons = explain(&verdict, policy, &call, &context).into_iter().map(|said| Reason {
                    layer: said.layer.into(),
                    said: said.said.into(),
                    name: said.name,
                    text: said.text,
                });
                let ruling = match verdict.effect.clone() {
                    Effect::Allow => Ruling::Allow,
                    Effect::Ask(ask) => Ruling::Ask {
                        by: match ask.by {
                            By::Anyone => AnswerableBy::Anyone,
                            By::Human => AnswerableBy::Human,
                            By::SecondPerson => AnswerableBy::SecondPerson,
                        },
                        mode: ask.mode.word().into(),
                        approvals: ask.approvals,
                        approvers: ask.approvers.to_vec(),
                    },
                    Effect::Deny => Ruling::Deny {
                        refusal: refusal(&verdict, policy, &call, &context)
                            .unwrap_or_else(|| "PERMISSION_DENIED: refused by the policy".into()),
                    },
                };
                judged(ruling, reasons.collect())
            }
            // A boundary that cannot be read is a boundary that lets nothing through.
            Err(wrong) => judged(Ruling::Deny { refusal: format!("PERMISSION_DENIED: {wrong}") }, vec![]),
        };
        let can_be_remembered =
            may_remember && !self.hides(&call, &judgement) && self.can_be_remembered(&call, &judgement, context, now);
        Judged { call, judgement: Judgement { can_be_remembered, ..judgement } }
    }

    /// Whether a secret stands in what the call touches. A pattern is kept as it is, and a secret is not.
    fn hides(&self, described: &Described, judgement: &Judgement) -> bool {
        let (call, mut masker) = (&described.call, self.inner.store.masks().outside());
        let resource = judgement.resource.as_ref();
        resource.is_some_and(|resource| masker.hides(call.server(), call.tool(), call.args(), resource))
    }

    /// Whether a grant of exactly what the call touches would have answered the question. Tried out, so that nobody is
    /// offered to remember what would be asked about again.
    fn can_be_remembered(
        &self,
        call: &Described,
        judgement: &Judgement,
        context: &ContextSource,
        now: Timestamp,
    ) -> bool {
        let granting = judgement.resource.as_ref().and_then(|pattern| self.inner.rulebook.granting(pattern));
        let Some(policy) = granting else { return false };
        let granted = ContextSource { user: Some(GRANTEE.into()), now: context.now, ..ContextSource::default() };
        Context::new(&granted, call.digest, now)
            .is_ok_and(|context| judge(&policy, call, &context).effect == Effect::Allow)
    }
}

/// Whether one person alone may have the answer remembered: where several must approve, or certain groups, nobody may
/// spare them all later questions.
fn one_may_remember(ask: &Ask) -> bool {
    ask.mode == Mode::Once && ask.remember && ask.approvals <= 1 && ask.approvers.to_vec().is_empty()
}

/// The one user of a policy that is only tried out.
pub(crate) const GRANTEE: &str = "grantee";

/// How long short memory lasts.
const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The same call, as short memory knows it. Without a user or a session nothing is remembered.
pub(crate) fn same_call(run: &Run, digest: Digest) -> Option<SameCall> {
    let (user, session) = (run.started.user_id.clone()?, run.started.session_id.clone()?);
    Some(SameCall { user, session, digest })
}

/// What stands around the calls of `run`, with nothing answered.
pub(crate) fn around(run: &Run) -> ContextSource {
    ContextSource {
        user: run.started.user_id.clone(),
        behind: people_behind(run),
        agent: Some(run.started.agent.clone()),
        session: run.started.session_id.clone(),
        run: Some(run.id.to_string()),
        delegated: run.delegated(),
        ..ContextSource::default()
    }
}

/// The users who told the agent of `run` what to do. Only they are named: of what a second person must answer, no service
/// can approve anything.
fn people_behind(run: &Run) -> Vec<String> {
    let people = run.owner().principals().filter(|one| one.kind == Kind::User);
    people.map(|one| one.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether an answer to such a question may let a call be made.
const fn authorises(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Approval | Purpose::UncertainOutcome)
}

fn approval(given: &Answer, asked: &Interaction) -> ApprovalSource {
    ApprovalSource {
        // Whoever edited a call has approved what they made of it.
        digest: given.edited.as_ref().map_or(asked.call.digest, |edited| edited.digest).to_string(),
        by: PrincipalSource {
            kind: match given.by.kind {
                Kind::User if given.by.is_human() => PrincipalKind::User,
                // What no person gave in person clears what anyone may, and no more.
                Kind::User | Kind::Service => PrincipalKind::Service,
                Kind::Agent => PrincipalKind::Agent,
            },
            user: Some(given.by.name.clone()),
            groups: given.by.groups.clone(),
        },
        run: Some(asked.run_id.to_string()),
        correlation_key: Some(asked.correlation_key.clone()),
        expires_at: None,
        used: false,
    }
}
