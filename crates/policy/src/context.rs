//! Who a call is made for and what has been answered before. Part of the input: nothing is looked up while judging.

use crate::boundary::{BadEntry, Boundary};
use crate::source::{ContextSource, DecisionSource, PrincipalKind};
use countersign_domain::Digest;
use jiff::Timestamp;

/// What stands around a call.
#[derive(Debug, Clone)]
pub struct Context {
    /// The user the run belongs to.
    pub user: Option<String>,
    /// Other users who told the agent what to do. None of them is a second person.
    pub behind: Vec<String>,
    /// The agent that makes the call.
    pub agent: Option<String>,
    /// The role it acts in.
    pub role: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The key that an approval of this call must carry.
    pub correlation_key: Option<String>,
    /// The time of judging.
    pub now: Timestamp,
    /// The run's delegation chain, the root's frame first.
    pub frames: Vec<Boundary>,
    /// Answers given for this call.
    pub approvals: Vec<Approval>,
    /// Answers that short memory keeps.
    pub remembered: Vec<Remembered>,
}

/// An approval of one call.
#[derive(Debug, Clone)]
pub struct Approval {
    /// The digest of the call that was approved.
    pub digest: Digest,
    /// What kind of principal approved.
    pub kind: PrincipalKind,
    /// The user, or the name of the service.
    pub user: Option<String>,
    /// The groups of approvers it belongs to.
    pub groups: Vec<String>,
    /// The run it was given in.
    pub run: Option<String>,
    /// The key of the question it answers.
    pub correlation_key: Option<String>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Whether a call that started has used it up.
    pub used: bool,
}

/// An answer that short memory keeps.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The digest of the call.
    pub digest: Digest,
    /// Whether it was approved.
    pub approved: bool,
    /// When.
    pub at: Timestamp,
    /// The user it was asked for.
    pub user: Option<String>,
    /// The session it was asked in.
    pub session: Option<String>,
}

/// Why a context cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadContext {
    /// An entry of the delegation chain is not a pattern.
    #[error("`delegated[{frame}].{}[{}]`: {}", problem.list, problem.index, problem.why)]
    Frame {
        /// The frame's place.
        frame: usize,
        /// Where in it, and what.
        problem: BadEntry,
    },
    /// A digest is none.
    #[error("`{list}[{index}].digest` must be `$self`, or `sha256:` and 64 hexadecimal digits")]
    Digest {
        /// `approvals` or `remembered`.
        list: &'static str,
        /// The place in it.
        index: usize,
    },
}

impl Context {
    /// The context of the call with this digest, at `now` unless `source` names another time.
    pub fn new(source: &ContextSource, own: Digest, now: Timestamp) -> Result<Self, BadContext> {
        let digest = |text: &str, list, index| match text {
            "$self" => Ok(own),
            text => text.parse().map_err(|_| BadContext::Digest { list, index }),
        };
        let frames = source.delegated.frames().iter().enumerate().map(|(frame, limits)| {
            Boundary::new(limits.allowed_tools.as_deref(), limits.denied_tools.as_deref())
                .map_err(|problem| BadContext::Frame { frame, problem })
        });
        let approvals = source.approvals.iter().enumerate().map(|(i, given)| {
            Ok(Approval {
                digest: digest(&given.digest, "approvals", i)?,
                kind: given.by.kind,
                user: given.by.user.clone(),
                groups: given.by.groups.clone(),
                run: given.run.clone(),
                correlation_key: given.correlation_key.clone(),
                expires_at: given.expires_at,
                used: given.used,
            })
        });
        let remembered = source.remembered.iter().enumerate().map(|(i, given)| {
            Ok(Remembered {
                digest: digest(&given.digest, "remembered", i)?,
                approved: given.decision == DecisionSource::Approve,
                at: given.at,
                user: given.user.clone().or_else(|| source.user.clone()),
                session: given.session.clone().or_else(|| source.session.clone()),
            })
        });
        Ok(Self {
            user: source.user.clone(),
            behind: source.behind.clone(),
            agent: source.agent.clone(),
            role: source.role.clone(),
            session: source.session.clone(),
            run: source.run.clone(),
            correlation_key: source.correlation_key.clone(),
            now: source.now.unwrap_or(now),
            frames: frames.collect::<Result<_, _>>()?,
            approvals: approvals.collect::<Result<_, _>>()?,
            remembered: remembered.collect::<Result<_, _>>()?,
        })
    }
}
