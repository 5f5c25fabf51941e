//! The whole product: the built program, a real database, a fake model server that speaks the protocol, a real browser.

mod answers;
mod attacks;
mod audit;
mod authorization;
mod browser;
mod chat;
mod decisions;
mod demo;
mod disk;
mod doctor;
mod document;
mod doors;
mod hostile;
mod inbox;
mod kill;
#[expect(dead_code, reason = "the tests of masking itself need more of it")]
#[path = "../../../../domain/tests/secrets/kinds.rs"]
mod kinds;
mod limits;
mod model;
mod nodes;
mod operations;
mod page;
mod persons;
mod policy;
mod policy_everyone;
mod policy_trial;
mod reach;
mod reader;
mod reload;
mod reminders;
mod restart;
mod review;
mod secrets;
mod server;
mod sessions;
mod small_calls;
mod spoofs;
mod streams;
mod tampering;
mod terminal;
mod tool_calls;
mod tool_calls_within;
mod tools;
mod waiting;
mod waits;
