//! Looking at a database without changing anything.

use super::address::Address;
use super::connection::{Connection, Failed, Greeted};
use super::{Postgres, log, migrate};
use crate::OpenError;
use crate::inspect::{Inspected, Sealed};
use crate::time;
use countersign_domain::RunId;

/// The first schema with a log, and the first with secrets.
const WITH_LOG: i64 = 2;
const WITH_SECRETS: i64 = 4;

impl Postgres {
    /// Looks at the database at `address`.
    pub async fn inspect(address: &Address) -> Result<Inspected, OpenError> {
        let place = address.to_string();
        let Greeted { connection: db, reading } = Connection::open(address, None).await?;
        let refused = |cause: Failed| OpenError::Refused { place: place.clone(), why: cause.said(), cause };
        // Whatever is asked from here on, the database itself lets nothing be changed.
        db.batch("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY").await.map_err(refused)?;
        let (schema, known) = migrate::standing(&db, &place).await?;
        let clock = Some(super::clock::Clock::new(reading).now());
        let mut seen = Inspected { schema, known, clock, written: None, signed: None, sealed: None };
        if schema >= WITH_LOG {
            seen.written = written(&db).await.map_err(refused)?.and_then(time::at);
            let unread = |cause| OpenError::Unread { place: place.clone(), cause };
            seen.signed = log::newest_checkpoint(&db).await.map_err(unread)?;
        }
        if schema >= WITH_SECRETS {
            seen.sealed = sealed(&db).await.map_err(refused)?;
        }
        Ok(seen)
    }
}

async fn written(db: &Connection) -> Result<Option<i64>, Failed> {
    let sql = "
        SELECT greatest(
            (SELECT updated_at FROM runs ORDER BY key DESC LIMIT 1),
            (SELECT at FROM checkpoints ORDER BY size DESC LIMIT 1),
            (SELECT max(applied_at) FROM migrations)
        )";
    let rows = db.rows(sql, &[]).await?;
    rows.first().map(|row| row.try_get(0)).transpose().map(Option::flatten).map_err(Failed::Refused)
}

async fn sealed(db: &Connection) -> Result<Option<Sealed>, Failed> {
    let sql = "
        SELECT runs.id, secrets.seq, secrets.sealed FROM secrets JOIN runs ON runs.key = secrets.run
        ORDER BY secrets.run DESC LIMIT 1";
    let rows = db.rows(sql, &[]).await?;
    let read = |row: &tokio_postgres::Row| {
        Ok::<_, tokio_postgres::Error>(Sealed {
            run: RunId::new(row.try_get(0)?),
            seq: row.try_get(1)?,
            bytes: row.try_get(2)?,
        })
    };
    rows.first().map(read).transpose().map_err(Failed::Refused)
}
