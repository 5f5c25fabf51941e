//! What the runtime needs from outside, in its own words: a store, models, tools, and the machine it stands on.

mod log;
mod machine;
mod model;
mod policy;
mod store;
mod summary;
mod token;
mod tool;

pub use log::{Anchor, Erasure, LEAST_KEPT, Log, Logged, SignedTree};
pub use machine::Machine;
pub use model::{Model, ModelError, Prompt, Spoken};
pub use policy::{PolicyChange, PolicyItem, PolicyKind};
pub use store::{Claim, Hint, InteractionFilter, Page, Remembered, RunFilter, SameCall, Save, Store, StoreError};
pub use summary::{RunStatus, RunSummary};
pub use token::{NewToken, TokenEntry, TokenForm};
pub use tool::{Order, Outcome, Report, Tool, ToolDefinition};
