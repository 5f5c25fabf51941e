//! What holds in every database, to close tests with.

use countersign_runtime::ports::Store;
use countersign_store::{Address, Postgres, Sqlite};
use countersign_testkit::invariants::{self, Rows};
use std::path::Path;

/// Checks the file at `path`, in which nothing may be going on.
pub async fn sound(path: &Path) {
    check(&Sqlite::open(path).unwrap(), &Rows::of_sqlite(path).unwrap()).await;
}

/// The same, of a database in PostgreSQL.
pub async fn sound_on_postgres(url: &str) {
    let store = Postgres::open(Address::parse(url).unwrap()).await.unwrap();
    check(&store, &Rows::of_postgres(url).await.unwrap()).await;
}

async fn check(store: &dyn Store, rows: &Rows) {
    let broken = invariants::broken(store, rows).await.unwrap();
    assert_eq!(broken, Vec::<String>::new());
}
