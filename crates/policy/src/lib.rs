//! Judges a tool call against a policy and says why.
//!
//! Pure: no I/O, no clock, no randomness. A [`Policy`] is compiled once from a [`source::Source`] and immutable after
//! that; [`judge`] takes it, a described call and its [`Context`], and gives a [`Verdict`] with the trail to it.
//!
//! ```
//! use countersign_domain::{Call, describe::Surroundings};
//! use countersign_policy::{Context, Policy, judge, source};
//!
//! let policy = Policy::compile(&source::Source::default()).unwrap();
//! let args = serde_json::json!({"command": "npm run lint"}).as_object().unwrap().clone();
//! let call = Call::new(None, "bash".into(), args, Some("/srv/repo".into())).unwrap();
//! let call = policy.describe(call, &Surroundings::default());
//! let context = Context::new(&source::ContextSource::default(), call.digest, jiff::Timestamp::UNIX_EPOCH).unwrap();
//! assert_eq!(judge(&policy, &call, &context).effect.word(), "ask");
//! ```

mod boundary;
mod catalog;
pub mod command;
mod compile;
mod condition;
mod context;
mod draw;
mod effect;
mod explain;
mod index;
mod ladder;
mod lint;
mod own;
pub mod pattern;
mod problem;
mod shadow;
pub mod source;
mod subject;
mod trail;
mod verdict;

pub use boundary::{BadEntry, Boundary};
pub use compile::Policy;
pub use condition::{BadCondition, Condition};
pub use context::{Approval, BadContext, Context, Remembered};
pub use draw::{Drawing, DrawnCommand, draw};
pub use effect::{Approvers, Ask, By, Effect, Mode};
pub use explain::{Explained, ExplainedCommand, explain, explain_commands, refusal};
pub use ladder::judge;
pub use lint::lint;
pub use problem::{Place, Problem, Step};
pub use trail::{Reason, Said, Trail};
pub use verdict::{Layer, Verdict};
