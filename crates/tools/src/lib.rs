//! The built-in tools: they act, once their call was cleared.

mod arguments;
mod ask_user;
mod bash;
mod change;
mod file_edit;
mod file_read;
mod file_write;
mod list_files;
mod place;
mod sandbox;
mod wait;
mod web_fetch;

pub use ask_user::AskUser;
pub use bash::Bash;
pub use file_edit::FileEdit;
pub use file_read::FileRead;
pub use file_write::FileWrite;
pub use ipnet::IpNet;
pub use list_files::ListFiles;
pub use sandbox::{Kernel, Sandbox, is_held_by_kernel};
pub use wait::WaitFor;
pub use web_fetch::WebFetch;

use countersign_runtime::ports::{Report, Tool};
use std::sync::Arc;

/// Every tool that is built in. They reach what `sandbox` says.
pub fn builtin(sandbox: &Sandbox) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(AskUser),
        Arc::new(Bash::new(sandbox.clone())),
        Arc::new(FileEdit::new(sandbox.clone())),
        Arc::new(FileRead::new(sandbox.clone())),
        Arc::new(FileWrite::new(sandbox.clone())),
        Arc::new(ListFiles::new(sandbox.clone())),
        Arc::new(WaitFor),
        Arc::new(WebFetch::new(sandbox.clone())),
    ]
}

/// The report that nothing was done, or not all of it.
fn failed(output: impl Into<String>) -> Report {
    Report { output: output.into(), failed: true }
}
