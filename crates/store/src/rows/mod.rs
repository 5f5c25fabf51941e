//! Columns in, the domain's nouns out, and the other way round. The same for every database.

mod advice;
pub mod event;
mod house;
mod interaction;
mod log;
mod policy;
mod receipt;
mod run;
mod save;
mod session;
mod token;

pub use advice::AdviceRow;
pub use event::EventRow;
pub use house::{HouseRow, token_ended};
pub use interaction::{InteractionRow, holds, short, sieve};
pub use log::frontier;
pub use policy::{ChangeRow, SHORT_MEMORY, item, mask_change, past};
pub use receipt::ReceiptRow;
pub use run::{Ending, RunRow, erased, phase_word};
pub use save::SaveRows;
pub use session::SessionRow;
pub use token::TokenRow;

use crate::{failure, time};
use countersign_runtime::ports::StoreError;
use jiff::Timestamp;
use std::fmt::Display;
use std::str::FromStr;

/// Where a value was read, for the error that says it means nothing.
#[derive(Clone, Copy)]
struct Place<'a> {
    table: &'static str,
    row: &'a dyn Display,
}

impl Place<'_> {
    fn wrong(self, detail: impl Display) -> StoreError {
        failure::inconsistent(self.table, self.row, detail)
    }

    fn parse<T: FromStr<Err: Display>>(self, column: &str) -> Result<T, StoreError> {
        column.parse().map_err(|error| self.wrong(error))
    }

    fn time(self, column: i64) -> Result<Timestamp, StoreError> {
        time::at(column).ok_or_else(|| self.wrong(format!("`{column}` is no time")))
    }

    fn count(self, column: i64) -> Result<u64, StoreError> {
        u64::try_from(column).map_err(|_| self.wrong(format!("`{column}` is below zero")))
    }

    fn column(self, count: u64) -> Result<i64, StoreError> {
        i64::try_from(count).map_err(|_| self.wrong(format!("`{count}` is larger than a column holds")))
    }
}
