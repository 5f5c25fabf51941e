//! What tests of several crates share: a PostgreSQL database of their own, and a wire to it that breaks.
//!
//! The server is started by `scripts/with-postgres`, which `make test` uses; nothing here starts one.

mod postgres;
mod proxy;

pub use postgres::Postgres;
pub use proxy::{Break, Proxy};
