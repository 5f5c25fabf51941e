//! What the runtime needs from outside, in its own words: a store, models, tools, and the machine it stands on.

mod machine;
mod model;
mod store;
mod tool;

pub use machine::Machine;
pub use model::{Model, ModelError, Prompt, Spoken};
pub use store::{
    Claim, Hint, InteractionFilter, NewToken, Page, RunFilter, RunStatus, RunSummary, Save, Store, StoreError,
    TokenEntry, TokenForm,
};
pub use tool::{Order, Report, Tool, ToolDefinition};
