//! Explain: turns the ids of a trail into words.

use crate::boundary::Boundary;
use crate::compile::Policy;
use crate::context::Context;
use crate::effect::{By, Effect, Mode};
use crate::index::Sought;
use crate::pattern::{Pattern, Stance, account_for_commands};
use crate::subject::Subject;
use crate::trail::{Reason, Said, Trail};
use crate::verdict::{Cause, Layer, Verdict};
use countersign_domain::describe::Described;
use serde::Serialize;

/// One entry of a trail, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The layer that was consulted.
    pub layer: &'static str,
    /// `allow`, `ask`, `deny` or `silent`.
    pub said: &'static str,
    /// The rule, grant, capability, role or frame that said it.
    pub name: Option<String>,
    /// Why, for people.
    pub text: String,
}

/// The trail of `verdict` in words.
pub fn explain(verdict: &Verdict, policy: &Policy, call: &Described, context: &Context) -> Vec<Explained> {
    verdict.trail.iter().map(|reason| Words { policy, call, context, trail: &verdict.trail }.entry(reason)).collect()
}

/// What a refused caller is told: a code, and what refused.
pub fn refusal(verdict: &Verdict, policy: &Policy, call: &Described, context: &Context) -> Option<String> {
    let last = verdict.trail.last().filter(|_| verdict.effect == Effect::Deny)?;
    let text = Words { policy, call, context, trail: &verdict.trail }.entry(last).text;
    Some(if verdict.hitl_disabled { format!("HITL_DISABLED: {text}") } else { format!("PERMISSION_DENIED: {text}") })
}

/// One command of a command line, and what covers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedCommand {
    /// The command; empty where it is the line as a whole that was not understood.
    pub command: String,
    /// The grant that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<String>,
    /// Why no grant does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

/// The command lines of `call` taken apart: each command with the grant of the user that covers it, or the reason that
/// none does.
pub fn explain_commands(policy: &Policy, call: &Described, context: &Context) -> Vec<ExplainedCommand> {
    let subject = Subject::new(call);
    let user = context.user.as_ref().and_then(|user| policy.users.get(user));
    let grants: Vec<_> = user
        .map(|user| user.allowing_patterns(&user.find(&Sought::call(call)), context.now).collect())
        .unwrap_or_default();
    let writes = |path: &str| user.is_some_and(|user| user.may_write(path, &subject, context.now));
    let accounts = account_for_commands(grants.into_iter(), &subject, &writes);
    let explained = accounts.into_iter().map(|(command, account)| ExplainedCommand {
        command,
        covered_by: account.as_ref().ok().map(|text| (*text).to_owned()),
        why_not: account.err(),
    });
    explained.collect()
}

struct Words<'a> {
    policy: &'a Policy,
    call: &'a Described,
    context: &'a Context,
    trail: &'a Trail,
}

impl Words<'_> {
    fn entry(&self, reason: &Reason) -> Explained {
        let (name, text) = self.words(reason);
        Explained { layer: reason.layer.word(), said: reason.said.map_or("silent", Said::word), name, text }
    }

    fn words(&self, reason: &Reason) -> (Option<String>, String) {
        let tool = self.call.call.name();
        let effect = reason.said.map_or_else(String::new, said_words);
        match reason.cause {
            Cause::Silence => (None, self.silent(reason.layer)),
            Cause::Own(_) => (
                Some("countersign".into()),
                format!("denied: `{tool}` would touch Countersign's own files or commands"),
            ),
            Cause::PerhapsOwn(_) => (
                Some("countersign".into()),
                format!(
                    "asked at least: nobody can tell whether `{tool}` would touch Countersign's own files or commands"
                ),
            ),
            Cause::Denied { frame, entry } => {
                let (name, entry) = (
                    self.boundary_name(reason.layer, frame.get()),
                    self.denied_text(reason.layer, frame.get(), entry.get()),
                );
                (Some(name.clone()), format!("denied by {name}: `{tool}` matches its denied entry `{entry}`"))
            }
            Cause::PerhapsDenied { frame, entry } => {
                let (name, entry) = (
                    self.boundary_name(reason.layer, frame.get()),
                    self.denied_text(reason.layer, frame.get(), entry.get()),
                );
                (
                    Some(name.clone()),
                    format!("asked at least: nobody can tell whether the denied entry `{entry}` of {name} fits"),
                )
            }
            Cause::Lacking { frame } => {
                let name = self.boundary_name(reason.layer, frame.get());
                (Some(name.clone()), format!("denied by {name}: its list of allowed tools lacks `{tool}`"))
            }
            Cause::UnknownRole => {
                let role = self.role();
                (Some(role.clone()), format!("denied: there is no role `{role}`, so nothing is allowed in it"))
            }
            Cause::Listed => {
                let role = self.role();
                (Some(role.clone()), format!("{effect}: role \"{role}\" lists `{tool}`"))
            }
            Cause::Grant(i) => {
                let pattern = self.grant(false, i.get());
                (Some(pattern.clone()), format!("denied by the deny grant `{pattern}` of {}", self.user()))
            }
            Cause::PerhapsGrant(i) => {
                let pattern = self.grant(false, i.get());
                (
                    Some(pattern.clone()),
                    format!("asked at least: nobody can tell whether the deny grant `{pattern}` fits"),
                )
            }
            Cause::Granted(i) => self.granted(&[i.get()]),
            Cause::Grants(all) => self.granted(self.trail.kept(all)),
            Cause::Capability(i) => {
                let name = self.call.capabilities.get(i.get()).cloned().unwrap_or_default();
                let text = format!("{effect} by the policy of the capability `{name}`");
                (Some(name), text)
            }
            Cause::Rule(i) => self.rule(i.get(), |rule, fits| format!("{effect} by {rule}: tool matches {fits}")),
            Cause::UndecidedRule(i) => self.rule(i.get(), |rule, fits| {
                format!("{effect} by {rule}: tool matches {fits}, but that condition could not be evaluated")
            }),
            Cause::PerhapsRule(i) => self.rule(i.get(), |rule, fits| {
                format!("asked at least: nobody can tell whether {rule} fits, which matches {fits}")
            }),
            Cause::Risk => (
                Some(self.call.risk.word().into()),
                format!("{effect}: the risk of `{tool}` is {}", self.call.risk.word()),
            ),
            Cause::Override => (Some(tool.clone()), format!("{effect} by an override for `{tool}`")),
            Cause::Declaration => (Some(tool.clone()), format!("{effect} by what `{tool}` declares")),
            Cause::Default => (None, format!("{effect}: nothing spoke, and `policy.default` says so")),
            Cause::Doubt => {
                let doubt = self.call.doubts.first().map(ToString::to_string).unwrap_or_default();
                (None, format!("what would allow is not heard: {doubt}"))
            }
            Cause::Remembered(i) => {
                let at = self.context.remembered.get(i.get()).map(|answer| answer.at.to_string()).unwrap_or_default();
                (None, format!("{effect}: the same call was answered at {at}"))
            }
            Cause::Approvals(all) => {
                let who: Vec<_> =
                    self.trail.kept(all).iter().filter_map(|&i| self.context.approvals.get(i)?.user.clone()).collect();
                let by = if who.is_empty() {
                    "an approval".to_owned()
                } else {
                    format!("the approval of {}", who.join(", "))
                };
                (Some(who.join(", ")).filter(|who| !who.is_empty()), format!("allowed by {by} of this very call"))
            }
            Cause::Off if reason.layer == Layer::Hitl => {
                (None, "denied: a question would be due, and `hitl.enabled` is off".into())
            }
            Cause::Off => (None, "allowed: the policy is switched off (`policy.enabled: false`)".into()),
        }
    }

    fn silent(&self, layer: Layer) -> String {
        let unheard = if layer == Layer::AllowGrant { self.unheard() } else { None };
        unheard.unwrap_or_else(|| silence(layer).to_owned())
    }

    /// Why a grant of the user is not heard that seems to cover the call.
    fn unheard(&self) -> Option<String> {
        let user = self.policy.users.get(self.context.user.as_ref()?)?;
        let subject = Subject::new(self.call);
        let sought = Sought::call(self.call);
        let found = user.find(&sought);
        let grants = || user.allowing_patterns(&found, self.context.now);
        if let Some(doubt) = self.call.doubts.first() {
            let named = grants().any(|grant| grant.names(&subject, Stance::Allow));
            return named.then(|| format!("no allow grant is heard: {doubt}"));
        }
        let objection = |grant: &Pattern| Some((grant.text().to_owned(), grant.objection(&subject)?));
        let (grant, why) = grants().find_map(objection)?;
        Some(format!("no allow grant covers the call; `{grant}` seems to, but {why}"))
    }

    fn rule(&self, i: usize, text: impl Fn(&str, &str) -> String) -> (Option<String>, String) {
        let Some(rule) = self.policy.rules.all.get(i) else { return (None, String::new()) };
        let condition = rule.when.as_ref().map(|when| format!(" when {}", when.text())).unwrap_or_default();
        let named = format!("rule \"{}\" (priority {})", rule.name, rule.priority);
        (Some(rule.name.clone()), text(&named, &format!("{}{condition}", rule.pattern.text())))
    }

    fn granted(&self, all: &[usize]) -> (Option<String>, String) {
        let patterns = all.iter().map(|&i| self.grant(true, i)).collect::<Vec<_>>().join("`, `");
        (Some(patterns.replace('`', "")), format!("allowed by what {} granted: `{patterns}`", self.user()))
    }

    fn boundary_name(&self, layer: Layer, frame: usize) -> String {
        match layer {
            Layer::Delegation => format!("delegation frame {}", frame + 1),
            Layer::Role => format!("role \"{}\"", self.role()),
            _ => format!("agent \"{}\"", self.context.agent.as_deref().unwrap_or_default()),
        }
    }

    fn denied_text(&self, layer: Layer, frame: usize, entry: usize) -> String {
        let role = self.role();
        let boundary: Option<&Boundary> = match layer {
            Layer::Delegation => self.context.frames.get(frame),
            _ => self.policy.roles.get(&role),
        };
        boundary.map(|boundary| boundary.denied_text(entry).to_owned()).unwrap_or_default()
    }

    fn role(&self) -> String {
        let agents = || self.policy.agents.get(self.context.agent.as_ref()?)?.role.clone();
        self.context.role.clone().or_else(agents).unwrap_or_default()
    }

    fn user(&self) -> &str {
        self.context.user.as_deref().unwrap_or("the user")
    }

    fn grant(&self, allow: bool, i: usize) -> String {
        let user = self.context.user.as_ref().and_then(|user| self.policy.users.get(user));
        let grants = user.map(|user| if allow { &user.allow } else { &user.deny });
        grants.and_then(|grants| grants.all.get(i)).map(|grant| grant.text().to_owned()).unwrap_or_default()
    }
}

fn said_words(said: Said) -> String {
    match said {
        Said::Allow => "allowed".into(),
        Said::Deny => "denied".into(),
        Said::Ask { mode, by, approvals } => {
            let who = match by {
                By::Anyone => "asked",
                By::Human => "a person is asked",
                By::SecondPerson => "a second person is asked",
            };
            let when = if mode == Mode::Once { "" } else { " every time" };
            let count = if approvals > 1 { format!(", {approvals} approvals") } else { String::new() };
            format!("{who}{when}{count}")
        }
    }
}

fn silence(layer: Layer) -> &'static str {
    match layer {
        Layer::Delegation => "within the delegation chain",
        Layer::DenyGrant => "no deny grant fits",
        Layer::Rule => "no rule matches",
        Layer::Capability => "no policy for all of its capabilities",
        Layer::AllowGrant => "no allow grant covers the call",
        Layer::Role => "no role lists the tool",
        Layer::Tool => "the tool declares nothing, and no override speaks",
        Layer::Risk => "nobody knows the risk",
        _ => "nothing to say",
    }
}
