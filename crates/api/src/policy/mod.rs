//! Asking the policy.

pub mod check;
