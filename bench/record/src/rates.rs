//! What giving places costs the rate at which 32 savers save, on each engine: the same work with and without it, in turn.
//!
//! Without: a trigger drops the note that events have no place yet, and nobody gives any. Leaves are computed and stored in both;
//! what that takes of the processor is measured by itself.

use crate::{Failure, fill};
use bench_report::median;
use countersign_runtime::ports::Store;
use countersign_store::{Address, Postgres, Sqlite};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Times that each is measured; the median counts.
const ROUNDS: usize = 3;
/// Entries of a round.
const ENTRIES: usize = 40_000;
/// How often the product gives places.
const LOOK: Duration = Duration::from_millis(250);

/// Whether events get their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    Given,
    Dropped,
}

/// Entries a second.
pub struct Rates {
    pub engine: &'static str,
    pub with: f64,
    pub without: f64,
}

impl Rates {
    /// The share of the rate that giving places takes.
    pub fn cost(&self) -> f64 {
        1.0 - self.with / self.without
    }
}

/// On SQLite, in a folder.
pub async fn sqlite(folder: &Path) -> Result<Rates, Failure> {
    measured("SQLite", async |name, places| {
        let path = folder.join(format!("{name}.db"));
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(&path)?);
        if places == Places::Dropped {
            let sql = "CREATE TRIGGER dropped BEFORE INSERT ON unplaced BEGIN SELECT RAISE(IGNORE); END";
            rusqlite::Connection::open(&path)?.execute_batch(sql)?;
        }
        Ok(store)
    })
    .await
}

/// On the PostgreSQL that `scripts/with-postgres` has started, if it did.
pub async fn postgres() -> Result<Option<Rates>, Failure> {
    let (Ok(url), Some(programs)) =
        (std::env::var("COUNTERSIGN_TEST_POSTGRES"), std::env::var_os("COUNTERSIGN_TEST_POSTGRES_BIN"))
    else {
        return Ok(None);
    };
    let psql = |database: &str, sql: &str| {
        let output = Command::new(Path::new(&programs).join("psql"))
            .args(["-X", "-q", "-d", &format!("{url}/{database}"), "-c", sql])
            .output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
            .map_err(Failure::from)
    };
    let rates = measured("PostgreSQL", async |name, places| {
        psql("postgres", &format!("CREATE DATABASE {name}"))?;
        let store: Arc<dyn Store> = Arc::new(Postgres::open(Address::parse(&format!("{url}/{name}"))?).await?);
        if places == Places::Dropped {
            psql(
                name,
                "CREATE FUNCTION dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER dropped BEFORE INSERT ON unplaced FOR EACH ROW EXECUTE FUNCTION dropped()",
            )?;
        }
        Ok(store)
    })
    .await?;
    Ok(Some(rates))
}

async fn measured(
    engine: &'static str,
    open: impl AsyncFn(&str, Places) -> Result<Arc<dyn Store>, Failure>,
) -> Result<Rates, Failure> {
    let (mut with, mut without) = (vec![], vec![]);
    for round in 0..ROUNDS {
        let store = open(&format!("with_{round}"), Places::Given).await?;
        let placer = tokio::spawn(placing(Arc::clone(&store)));
        with.push(rate(&store).await?);
        placer.abort();
        let store = open(&format!("without_{round}"), Places::Dropped).await?;
        without.push(rate(&store).await?);
    }
    Ok(Rates { engine, with: median(with), without: median(without) })
}

/// Gives places as the product does, as long as there is somebody who saves.
async fn placing(store: Arc<dyn Store>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let mut size = 0;
        while let Ok(tree) = store.place(1_000).await {
            if tree.size() == size {
                break;
            }
            size = tree.size();
        }
    }
}

async fn rate(store: &Arc<dyn Store>) -> Result<f64, Failure> {
    let began = Instant::now();
    let (_, saved) = fill(store, ENTRIES).await?;
    Ok(saved as f64 / began.elapsed().as_secs_f64())
}
