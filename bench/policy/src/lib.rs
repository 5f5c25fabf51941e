//! The judge of Countersign side by side with other engines: one workload, one binary for each engine, one process for
//! each measurement.

#![expect(clippy::disallowed_methods, reason = "to measure is to read clocks")]

pub mod by_hash;
pub mod engine;
pub mod measure;
pub mod report;
pub mod workload;
