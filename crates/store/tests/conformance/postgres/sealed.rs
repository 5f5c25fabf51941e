//! Secrets, as whoever reads the tables would look for them.

use super::{beside, fresh};
use crate::secrets::{self, PLANTED};
use countersign_domain::secret::Key;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_any_table() {
    let (database, store) = fresh().await;
    secrets::a_run_that_has_ended_has_no_secrets_left(&store).await;
    let client = beside(&database.url()).await;
    let sealed = async || -> i64 { client.query_one("SELECT count(*) FROM secrets", &[]).await.unwrap().get(0) };
    assert_eq!(sealed().await, 0);
    secrets::whoever_works_on_a_run_has_its_secrets_and_nobody_sees_them(&store).await;
    assert!(sealed().await > 0);
    let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()";
    for table in client.query(tables, &[]).await.unwrap() {
        let table: String = table.get(0);
        for row in client.query(&format!("SELECT one::text FROM \"{table}\" AS one"), &[]).await.unwrap() {
            let row: String = row.get(0);
            assert!(PLANTED.iter().all(|secret| !row.contains(secret)), "{table}: {row}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_key_is_gone_can_be_looked_at_only() {
    let (_database, store) = fresh().await;
    secrets::under_another_key(&store, &store.clone().sealing(Key::new([9; 32]))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_at_hand_may_be_old() {
    let (_database, store) = fresh().await;
    crate::lately::what_is_at_hand_may_be_old(&store, &store.clone().sealing(Key::new([9; 32]))).await;
}
