//! A file system of `SQLite` that gathers what a commit adds to the write-ahead log, and writes it at once.
//!
//! `SQLite` writes the log by two writes for each page: a header of 24 bytes, and the page. A step of a run changes a dozen
//! pages, and two dozen calls of the system take half as long as the flush after them. Here they are one.
//!
//! Everything else goes to the default file system of the process as it comes. What is gathered is handed on
//!
//! - with the last page of a commit, so before anybody else may look for it, and before it is flushed;
//! - before anything else is asked of the file;
//! - when it becomes too much to keep.

mod gathered;
mod vfs;

pub use vfs::name;
