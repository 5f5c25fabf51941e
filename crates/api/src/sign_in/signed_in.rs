//! The extractor that handlers name to be sure of somebody.

use super::cookie;
use crate::{Api, Problem};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use countersign_domain::Principal;
use countersign_domain::interaction::Interaction;
use countersign_domain::principal::{ANYBODY, Door, Kind, Role};
use countersign_domain::run::{Event, Recorded};
use countersign_runtime::ports::{RunSummary, TokenEntry, TokenForm};

/// Somebody who proved who they are.
pub struct SignedIn(pub Principal);

impl FromRequestParts<Api> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let found = match bearer(&parts.headers)? {
            Some(token) => {
                api.runtime.whose(token, TokenForm::Token).await?.map(|entry| api.site.human.by_token(entry))
            }
            None => match cookie::session(&api.site, &parts.headers) {
                Some(session) => api.runtime.whose(session, TokenForm::Session).await?.map(at_the_page),
                None => None,
            },
        };
        let who = found.map(|entry| entry.principal).ok_or_else(Problem::who_are_you)?;
        api.pace.take(&who)?;
        Ok(Self(who))
    }
}

fn at_the_page(mut entry: TokenEntry) -> TokenEntry {
    entry.principal.door = Door::Page;
    entry
}

/// The token that was sent, if one was.
pub fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter();
    let Some(header) = tokens.next() else { return Ok(None) };
    if tokens.next().is_some() {
        return Err(Problem::who_are_you());
    }
    let token = header.to_str().ok().and_then(|text| text.split_once(' '));
    match token {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(Problem::who_are_you()),
    }
}

/// How much somebody is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// All there is.
    Whole,
    /// What an agent is shown: no result that a person has not released.
    Agent,
}

impl Sight {
    /// The question as they see it.
    pub fn of(self, asked: Interaction) -> Interaction {
        match self {
            Self::Whole => asked,
            Self::Agent => Interaction { result: None, ..asked },
        }
    }

    /// The event as they see it.
    pub fn of_event(self, mut recorded: Recorded) -> Recorded {
        if let (Self::Agent, Event::ToolHeld { end, .. }) = (self, &mut recorded.event) {
            end.output.clear();
        }
        recorded
    }
}

impl SignedIn {
    /// How much they are shown.
    pub fn sight(&self) -> Sight {
        if self.0.kind == Kind::Agent { Sight::Agent } else { Sight::Whole }
    }

    /// Whether they may see things of this user. An agent sees what belongs to the user it acts for.
    pub fn sees(&self, user: Option<&str>) -> bool {
        self.0.kind != Kind::Agent || (user.is_some() && self.0.user() == user)
    }

    /// The user whose things they see; `None` is everybody.
    pub fn only_of(&self) -> Option<String> {
        // An agent always acts for somebody; one that does not sees nothing of anybody.
        (self.0.kind == Kind::Agent).then(|| self.0.acts_for.clone().unwrap_or_default())
    }

    /// Refuses agents.
    pub fn is_no_agent(&self) -> Result<(), Problem> {
        if self.0.kind == Kind::Agent {
            return Err(Problem::denied("an agent sees its own runs, and not the record"));
        }
        Ok(())
    }

    /// Refuses everybody but operators.
    pub fn may_see_all(&self) -> Result<(), Problem> {
        self.is_no_agent()?;
        if self.0.role < Role::Operator {
            return Err(Problem::denied("only an operator exports and verifies the record"));
        }
        Ok(())
    }

    /// Refuses everybody but operators, agents among them.
    pub fn may_manage_tokens(&self) -> Result<(), Problem> {
        // A service that could make a person's token could answer what a person must.
        if !self.0.is_human() || self.0.role < Role::Operator {
            return Err(Problem::denied("only an operator in person makes, lists and revokes tokens"));
        }
        Ok(())
    }

    /// Refuses those who may only look. An agent may ask for what it is to do.
    pub fn may_start(&self) -> Result<(), Problem> {
        if self.0.kind != Kind::Agent && self.0.role < Role::Approver {
            return Err(Problem::denied("a viewer cannot start runs: ask an operator for the role `approver`"));
        }
        Ok(())
    }

    /// Refuses those who may only look, and agents: they ask and wait, and speak to no other agent behind a person's back.
    pub fn may_reach(&self) -> Result<(), Problem> {
        if self.0.kind == Kind::Agent {
            return Err(Problem::denied("an agent can ask and wait; it can neither stop a run nor write to one"));
        }
        self.may_start()
    }

    /// The run, if they may see it.
    pub fn seen(&self, run: Option<RunSummary>) -> Result<RunSummary, Problem> {
        run.filter(|run| self.sees(run.user_id.as_deref())).ok_or_else(|| Problem::not_found("there is no such run"))
    }

    /// The user that something they start belongs to. Only an operator may name another than themselves, or a service that
    /// acts for anybody.
    pub fn on_behalf_of(&self, named: Option<String>) -> Result<Option<String>, Problem> {
        let own = self.0.user().map(str::to_owned);
        let acts_for_anybody = self.0.kind == Kind::Service && self.0.acts_for.as_deref() == Some(ANYBODY);
        let may_name = acts_for_anybody || self.0.kind != Kind::Agent && self.0.role >= Role::Operator;
        match named {
            None => Ok(own),
            named if named == own || may_name => Ok(named),
            Some(_) => Err(Problem::denied(
                "only an operator may name another user than their own, and a service whose token was made with `--act-for`",
            )),
        }
    }
}
