//! What Countersign remembers: runs, their events and questions, and who may speak. The only SQL of the project.
//!
//! One contract, [`countersign_runtime::ports::Store`], and one suite of tests for every database that keeps it. `rows`
//! is what all of them share: columns in, the domain's nouns out.

mod failure;
mod inspect;
mod json;
mod lately;
mod open;
mod page;
mod postgres;
mod rows;
mod salt;
mod schema;
mod sqlite;
mod time;
mod vault;

pub use inspect::{Inspected, Opens};
pub use open::OpenError;
pub use postgres::{Address, BadAddress, BadRoots, ConnectError, Failed, Postgres};
pub use schema::{BadSchema, Schema};
pub use sqlite::Sqlite;
