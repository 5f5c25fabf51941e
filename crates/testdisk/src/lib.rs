//! A disk for tests: a folder whose `SQLite` files are watched, so that a loss of power can be played at every moment, and
//! so that the disk can be full, broken or read-only when a test says so.
//!
//! The first [`Disk`] makes a file system of `SQLite` the default of the process. It hands all to the platform's own, and
//! keeps a record of what happens to files in the folder of a disk; other files it does not touch. So the code under test
//! opens its database as it always does, and needs no door for tests.
//!
//! ```text
//! Disk::over(folder) ─► the code under test works ─► Disk::record ─► Platter::turn_to(moment) ─► Platter::image(loss)
//! ```

mod dice;
mod disk;
mod platter;
mod record;
mod vfs;

pub use dice::Dice;
pub use disk::{Disk, Trouble};
pub use platter::{Image, Loss, Platter};
pub use record::{Entry, FileId};
