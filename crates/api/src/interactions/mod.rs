//! The inbox: questions, and answers to them.

pub mod about;
pub mod advice;
pub mod body;
pub mod inbox;
pub mod list;
pub mod read;
pub mod respond;
pub mod stream;
