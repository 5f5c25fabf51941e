//! The inbox: questions, and answers to them.

pub mod body;
pub mod list;
pub mod read;
pub mod respond;
