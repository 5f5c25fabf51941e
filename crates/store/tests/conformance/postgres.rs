//! What only a server has: other processes, broken wires, hints.

use countersign_store::{Address, Postgres};
use countersign_testkit as testkit;

/// A fresh database, and the store on it.
pub async fn fresh() -> (testkit::Postgres, Postgres) {
    let database = testkit::Postgres::for_test();
    let store = open(&database.url()).await;
    (database, store)
}

async fn open(url: &str) -> Postgres {
    Postgres::open(Address::parse(url).unwrap()).await.unwrap()
}
