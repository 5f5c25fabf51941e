//! What the runtime needs from outside, in its own words: a store, models, tools, the machine it stands on, and where its
//! configuration comes from.

mod log;
mod machine;
mod masks;
mod model;
mod origin;
mod policy;
mod receipt;
mod store;
mod summary;
mod token;
mod tool;

pub use log::{Anchor, Erasure, LEAST_KEPT, Log, Logged, SignedTree};
pub use machine::Machine;
pub use masks::Masks;
pub use model::{Heard, Model, ModelError, Prompt, Spoken};
pub use origin::{BadConfiguration, Configuration, Fresh, Origin};
pub use policy::{Changed, PastChange, PolicyChange, PolicyItem, PolicyKind};
pub use receipt::{Once, Receipt};
pub use store::{
    Asking, Claim, Counts, Hint, InteractionFilter, Mark, Page, Remembered, RunFilter, SameCall, Save, SessionFilter,
    Store, StoreError, Take,
};
pub use summary::{RunStatus, RunSummary, SessionSummary};
pub use token::{NewToken, TokenEntry, TokenForm};
pub use tool::{Order, Outcome, Report, Tool, ToolDefinition, Until, Wait};
