//! Asking the policy, changing it, and what users have granted.

pub mod capabilities;
mod catalog;
pub mod changes;
pub mod check;
pub mod door;
pub mod dry_run;
pub mod effect;
pub mod listed;
pub mod overrides;
pub mod permissions;
pub mod roles;
pub mod rules;
pub mod tools;
