//! One file per command.

pub mod answer;
pub mod audit;
pub mod check;
pub mod doctor;
pub mod migrate;
pub mod openapi;
pub mod policy_lint;
pub mod policy_schema;
pub mod policy_test;
pub mod reference;
pub mod run;
pub mod serve;
pub mod token;
pub mod worker;

use crate::failure::Failure;

/// Carries out a command that waits for others.
fn in_async<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let done = runtime.block_on(work);
    // Somebody may still be asked at the terminal, and never answer.
    runtime.shutdown_background();
    done
}

/// Carries out a command that works for as long as it is let.
fn in_threads<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::new(format!("cannot start: {error}")))?.block_on(work)
}
