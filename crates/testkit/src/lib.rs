//! What tests of several crates share: a PostgreSQL database of their own, a wire to it that breaks, and what
//! holds in every database.
//!
//! Servers are started by `scripts/with-postgres`, which `make test` uses.

mod file;
pub mod invariants;
mod postgres;
mod proxy;
mod seed;

pub use file::change_file;
pub use postgres::{Own, Postgres};
pub use proxy::{Break, Proxy};
pub use seed::seed;
