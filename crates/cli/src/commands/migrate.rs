//! `countersign migrate`: brings a database to the present schema, and says what that took.

use crate::args::Migrate;
use crate::config::Loaded;
use crate::failure::Failure;
use crate::home::Database;
use crate::output;

/// Carries out the command.
pub fn run(migrate: &Migrate) -> Result<u8, Failure> {
    let config = migrate.config.as_deref().map(Loaded::read).transpose()?;
    let store = config.as_ref().and_then(|loaded| loaded.config.store.as_ref());
    let named = store.map(|store| store.expand("store")).transpose()?;
    let database = Database::named(migrate.db.as_deref().or(named.as_deref()))?;
    super::in_async(async {
        let (_, schema) = database.opened().await?;
        for (number, name) in &schema.applied {
            output::line(&format!("applied {number:04}_{name}"));
        }
        output::line(&format!("{database} has schema {}", schema.number));
        Ok(0)
    })
}
