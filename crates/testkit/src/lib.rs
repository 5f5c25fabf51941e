//! What tests of several crates share: a PostgreSQL database of their own.
//!
//! The server is started by `scripts/with-postgres`, which `make test` uses; nothing here starts one.

mod postgres;

pub use postgres::Postgres;
