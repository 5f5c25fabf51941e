//! Asking the policy, and what users have granted.

pub mod check;
pub mod permissions;
