//! The whole product: the built program, a real database, a fake model server that speaks the protocol, a real browser.

mod answers;
mod audit;
mod browser;
mod decisions;
mod demo;
mod disk;
mod doors;
mod hostile;
mod kill;
mod limits;
mod model;
mod nodes;
mod page;
mod reach;
mod reload;
mod server;
mod sessions;
mod tampering;
mod terminal;
mod tools;
mod waiting;
mod waits;
