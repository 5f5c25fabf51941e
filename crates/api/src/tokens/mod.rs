//! Tokens: who may speak to the server. For operators.

pub mod create;
pub mod list;
pub mod revoke;
