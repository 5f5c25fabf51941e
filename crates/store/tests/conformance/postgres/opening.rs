//! Opening: by many at once, and when it must not be opened.

use super::{beside, fresh, open, try_open};
use crate::fixture::{Tale, at, person};
use countersign_domain::Digest;
use countersign_runtime::ports::{NewToken, Store, TokenEntry, TokenForm};
use countersign_store::OpenError;
use countersign_testkit as testkit;
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_open_a_fresh_database_at_once() {
    for _ in 0..4 {
        let database = testkit::Postgres::for_test();
        let mut all = JoinSet::new();
        for n in 0..8 {
            let url = database.url();
            all.spawn(async move {
                let store = open(&url).await;
                let (id, form, principal) = (format!("t{n}"), TokenForm::Token, person("ann"));
                let (parent, expires_at, ended_at) = (None, None, None);
                let hash = Digest::of(id.as_bytes());
                let entry = TokenEntry { id, form, principal, parent, created_at: at(0), expires_at, ended_at };
                store.add_token(NewToken { entry, hash, by: None, receipt: None }).await.unwrap();
                store.schema().applied.len()
            });
        }
        let applied: Vec<usize> = all.join_all().await;
        let first = applied.iter().sum::<usize>();
        assert!(first > 0 && applied.iter().filter(|many| **many > 0).count() == 1, "one applied all: {applied:?}");
        let client = beside(&database.url()).await;
        let count = async |table: &str| -> i64 {
            client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
        };
        assert_eq!((count("tokens").await, count("migrations").await), (8, i64::try_from(first).unwrap()));
    }
}

#[tokio::test]
async fn what_was_there_is_there_when_it_is_opened_again() {
    let (database, store) = fresh().await;
    let tale = Tale::begin(&store, at(0)).await;
    let known = store.schema().number;
    drop(store);
    let store = open(&database.url()).await;
    assert_eq!(store.load(tale.run.id).await.unwrap(), Some(tale.run));
    assert_eq!((store.schema().number, store.schema().applied.len()), (known, 0));
}

#[tokio::test]
async fn an_older_program_refuses_a_newer_schema() {
    let (database, store) = fresh().await;
    let known = store.schema().number;
    let client = beside(&database.url()).await;
    client.execute("INSERT INTO migrations VALUES (999, 'later', 'x', 0)", &[]).await.unwrap();
    let error = try_open(&database.url()).await.err().unwrap().to_string();
    let expected = format!("has schema 999, this program knows {known}: use the newer program that made it");
    assert!(error.ends_with(&expected), "{error}");
}

#[tokio::test]
async fn a_migration_in_another_wording_is_refused() {
    let (database, _store) = fresh().await;
    let client = beside(&database.url()).await;
    client.execute("UPDATE migrations SET checksum = 'x' WHERE number = 1", &[]).await.unwrap();
    let error = try_open(&database.url()).await.err().unwrap().to_string();
    assert!(error.contains("its migration 1 is not the one known here"), "{error}");
}

#[tokio::test]
async fn the_database_of_another_program_is_left_alone() {
    for theirs in ["CREATE TABLE bookmarks (url TEXT)", "CREATE TABLE migrations (id INTEGER, batch INTEGER)"] {
        let database = testkit::Postgres::for_test();
        let client = beside(&database.url()).await;
        client.batch_execute(theirs).await.unwrap();
        let error = try_open(&database.url()).await.err().unwrap();
        assert!(matches!(error, OpenError::Schema { .. }), "{error}");
        assert!(error.to_string().contains("is the database of another program"), "{error}");
        let tables = client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", &[]).await.unwrap();
        assert_eq!(tables.len(), 1);
    }
}

#[tokio::test]
async fn an_error_never_holds_the_password() {
    let (database, _store) = fresh().await;
    let url = database.url();
    let password = url.split(['@', ':']).nth(2).unwrap();
    let name = url.rsplit('/').next().unwrap();
    let port = url.rsplit([':', '/']).nth(1).unwrap();
    for (url, expected) in [
        (url.replace(password, "s3cret"), "does not take this password for `postgres`"),
        (url.replace(name, "nowhere"), "there is no database `nowhere`"),
        (url.replace(&format!(":{port}/"), ":1/"), "cannot reach the database"),
        (format!("{url}?sslmode=require"), "server does not support TLS"),
        (url.replace("127.0.0.1", "no-such-host.invalid"), "cannot reach the database"),
    ] {
        let error = try_open(&url).await.err().unwrap();
        let said = format!("{error} {error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!said.contains(password) && !said.contains("s3cret"), "{said}");
    }
}

#[tokio::test]
async fn the_time_is_the_databases() {
    let (database, store) = fresh().await;
    let client = beside(&database.url()).await;
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let before = store.now().await.unwrap();
    let theirs = Timestamp::from_microsecond(client.query_one(sql, &[]).await.unwrap().get(0)).unwrap();
    let after = store.now().await.unwrap();
    // What nobody knows is half the round trip of the reading, on a machine that may be busy.
    let doubt = SignedDuration::from_millis(500);
    assert!(before - doubt < theirs && theirs < after + doubt, "{before} {theirs} {after}");
}

#[tokio::test]
async fn events_are_only_ever_added() {
    let (database, store) = fresh().await;
    Tale::begin(&store, at(0)).await;
    let client = beside(&database.url()).await;
    for change in ["UPDATE events SET data = '{}'", "DELETE FROM events", "TRUNCATE events"] {
        let error = client.batch_execute(change).await.unwrap_err();
        assert_eq!(error.as_db_error().unwrap().message(), "events are only ever added");
    }
}
