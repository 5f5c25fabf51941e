//! One file per command.

pub mod check;
pub mod policy_lint;
pub mod policy_schema;
pub mod policy_test;
pub mod reference;
