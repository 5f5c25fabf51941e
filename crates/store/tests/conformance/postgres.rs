//! What only a server has: others who open it at the same time, passwords, broken wires.

mod hints;
mod opening;
mod races;
mod sealed;
mod secrecy;
mod wires;

use countersign_store::{Address, OpenError, Postgres};
use countersign_testkit as testkit;
use tokio_postgres::{Client, NoTls};

/// A fresh database, and the store on it.
pub async fn fresh() -> (testkit::Postgres, Postgres) {
    let database = testkit::Postgres::for_test();
    let store = open(&database.url()).await;
    (database, store)
}

async fn open(url: &str) -> Postgres {
    try_open(url).await.unwrap()
}

async fn try_open(url: &str) -> Result<Postgres, OpenError> {
    Postgres::open(Address::parse(url).unwrap()).await
}

/// A connection beside the store.
pub async fn beside(url: &str) -> Client {
    let (client, wire) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(wire);
    client
}

/// Ends all connections to the database but this one; gives how many.
async fn cut_all(client: &Client) -> i64 {
    let sql = "
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    client.query_one(sql, &[]).await.unwrap().get(0)
}
