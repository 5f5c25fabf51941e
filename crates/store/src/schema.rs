//! The schema's history: ordered migrations, each applied once and remembered with its checksum. How they are applied is
//! each database's business; whether they may be is decided here for all.

use countersign_domain::Digest;

/// One step of the schema. What was released is never changed.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub number: i64,
    pub name: &'static str,
    pub sql: &'static str,
}

impl Migration {
    pub fn checksum(&self) -> String {
        Digest::of(self.sql.as_bytes()).to_string()
    }
}

/// A migration that was applied.
#[derive(Debug, PartialEq, Eq)]
pub struct Applied {
    pub number: i64,
    pub checksum: String,
}

/// What is in a database.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// What another program put there.
    Foreign,
    /// What ours did, the oldest first.
    Ours(Vec<Applied>),
}

impl Found {
    /// The last migration that is there, and the last of `migrations`, if those that are there are the first of them.
    pub fn standing(&self, migrations: &[Migration]) -> Result<(i64, i64), BadSchema> {
        let missing = self.pending(migrations)?.len();
        let number = |left: usize| migrations.iter().rev().nth(left).map_or(0, |last| last.number);
        Ok((number(missing), number(0)))
    }

    /// The migrations that are missing, if those that are there are the first of `migrations`.
    pub fn pending<'a>(&self, migrations: &'a [Migration]) -> Result<&'a [Migration], BadSchema> {
        let applied = match self {
            Self::Nothing => return Ok(migrations),
            Self::Foreign => return Err(BadSchema::Foreign),
            Self::Ours(applied) => applied,
        };
        let known = migrations.last().map_or(0, |last| last.number);
        let found = applied.last().map_or(0, |last| last.number);
        if found > known {
            return Err(BadSchema::Newer { found, known });
        }
        let differs = applied
            .iter()
            .zip(migrations)
            .find(|(there, here)| there.number != here.number || there.checksum != here.checksum());
        match differs {
            Some((there, _)) => Err(BadSchema::Changed { number: there.number }),
            None => Ok(migrations.get(applied.len()..).unwrap_or_default()),
        }
    }
}

/// Why what is in a database is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSchema {
    /// It belongs to another program.
    #[error("is the database of another program: choose another one")]
    Foreign,
    /// A newer program has been here.
    #[error("has schema {found}, this program knows {known}: use the newer program that made it")]
    Newer {
        /// Its schema.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// A migration was applied in another wording than the one that stands here.
    #[error("was made by another build: its migration {number} is not the one known here")]
    Changed {
        /// The migration.
        number: i64,
    },
}

/// The schema that a database has since it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// The number of its last migration.
    pub number: i64,
    /// The migrations that opening it applied, by number and name.
    pub applied: Vec<(i64, &'static str)>,
}

impl Schema {
    /// The schema after `applied`, the last of `all`, were.
    pub fn after(all: &[Migration], applied: &[Migration]) -> Self {
        let number = all.last().map_or(0, |last| last.number);
        Self { number, applied: applied.iter().map(|one| (one.number, one.name)).collect() }
    }
}
