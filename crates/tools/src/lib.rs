//! The built-in tools: they act, once their call was cleared.

mod arguments;
mod ask_user;
mod bash;
mod file_read;
mod wait;

pub use ask_user::AskUser;
pub use bash::Bash;
pub use file_read::FileRead;
pub use wait::WaitFor;

use countersign_runtime::ports::{Report, Tool};
use std::sync::Arc;

/// Every tool that is built in.
pub fn builtin() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(AskUser), Arc::new(Bash::default()), Arc::new(FileRead), Arc::new(WaitFor)]
}

/// The report that nothing was done, or not all of it.
fn failed(output: impl Into<String>) -> Report {
    Report { output: output.into(), failed: true }
}
