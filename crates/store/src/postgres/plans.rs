//! What is asked all the time finds its rows by an index: a million runs that wait cost nothing.

use super::statement::Statement;
use super::steps::Locked;
use super::{Address, Postgres, claims, interactions, runs, secrets, steps};
use crate::rows::{EventRow, InteractionRow, SaveRows};
use countersign_domain::RunId;
use countersign_domain::audit::Payload;
use countersign_domain::interaction::Status;
use countersign_domain::run::RunKind;
use countersign_runtime::ports::{InteractionFilter, RunFilter};
use countersign_testkit as testkit;
use std::sync::Arc;
use uuid::Uuid;

/// Runs that wait for an answer, and a few that have something to do.
const MANY: &str = "
    INSERT INTO runs (id, seq, phase, \"user\", ready_since, created_at, updated_at)
    SELECT gen_random_uuid(), 1, CASE WHEN n % 1000 = 0 THEN 'active' ELSE 'waiting' END, 'u' || n % 5000,
        CASE WHEN n % 1000 = 0 THEN n END, n, n
    FROM generate_series(1, 20000) AS n;
    INSERT INTO events (run, seq, at, type, data, leaf)
    SELECT key, 1, 1, 'run_started', '{}', sha256('') FROM runs;
    INSERT INTO interactions (id, run, status, expires_at, remind_at, asker, asks_people)
    SELECT gen_random_uuid(), key, CASE WHEN key % 10 = 0 THEN 'open' ELSE 'answered' END, key,
        CASE WHEN key % 10 = 0 THEN key END, key % 50, key % 100 <> 0
    FROM runs;
    ANALYZE runs, events, interactions";

/// A database with many runs.
struct Full(testkit::Postgres);

impl Full {
    async fn new() -> Self {
        let full = Self::empty().await;
        full.0.query(MANY).unwrap();
        full
    }

    /// The same before there is any.
    async fn empty() -> Self {
        let database = testkit::Postgres::for_test();
        Postgres::open(Address::parse(&database.url()).unwrap()).await.unwrap();
        Self(database)
    }

    /// The plan for `sql` whatever its values are, as it is after a few times.
    fn plan(&self, sql: &str, values: usize) -> String {
        let nulls = vec!["NULL"; values].join(", ");
        let asked =
            format!("PREPARE asked AS {sql}; SET plan_cache_mode = force_generic_plan; EXPLAIN EXECUTE asked({nulls})");
        self.0.query(&asked).unwrap()
    }
}

fn walks(plan: &str, table: &str) -> bool {
    plan.contains(&format!("Seq Scan on {table}"))
}

#[tokio::test]
async fn a_claim_looks_only_at_runs_with_something_to_do() {
    let plan = Full::new().await.plan(&claims::claiming(), 3);
    assert!(plan.contains("Index Scan using runs_ready") && !walks(&plan, "runs"), "{plan}");
}

/// Whatever a table holds when the statement is planned: the plan stays.
#[tokio::test]
async fn what_steps_change_is_found_by_indexes() {
    let (full, empty) = (Full::new().await, Full::empty().await);
    for (steps, locked, lists) in [
        (vec![step(1, 1)], Locked::WaitedFor, 0),
        (vec![step(1, 1)], Locked::LeftOut, 0),
        (vec![step(1, 100)], Locked::WaitedFor, 3),
        (vec![step(1, 100)], Locked::LeftOut, 3),
        (vec![step(1, 1), step(0, 1)], Locked::LeftOut, 4),
    ] {
        let sql = steps::statement(&mut Statement::default(), &steps, locked);
        assert_eq!(sql.matches("unnest").count(), lists, "{sql}");
        for database in [&full, &empty] {
            let plan = database.plan(&sql, sql.matches('$').count());
            let tables = ["runs", "interactions", "secrets"];
            assert!(!tables.iter().any(|table| walks(&plan, table)), "{plan}");
        }
    }
}

#[tokio::test]
async fn runs_that_ask_are_read_by_indexes() {
    for database in [Full::new().await, Full::empty().await] {
        let plan = database.plan(&secrets::of_asking_text(), 2);
        assert!(!["runs", "interactions", "events", "secrets"].iter().any(|table| walks(&plan, table)), "{plan}");
    }
}

/// The last step of a run, with an answer and so many events.
fn step(seen: i64, events: usize) -> Arc<SaveRows> {
    let payload = Payload::None;
    let event =
        EventRow { seq: 1, at: 0, step: None, kind: String::new(), data: String::new(), payload, leaf: [0; 32] };
    let question = InteractionRow {
        id: Uuid::nil(),
        status: "answered",
        expires_at: 0,
        asks_people: true,
        remind_at: None,
        asker: None,
        decided: None,
    };
    Arc::new(SaveRows {
        run: RunId::new(Uuid::nil()),
        seen,
        claim: None,
        seq: seen,
        phase: "completed",
        user: None,
        session: None,
        call: None,
        narrowed: None,
        ready_since: None,
        input_tokens: 0,
        output_tokens: 0,
        ending: Some("{}".into()),
        created_at: 0,
        at: 0,
        progress: true,
        take: None,
        events: vec![event; events],
        asked: vec![],
        changed: vec![question],
        remember: None,
        policy: vec![],
        house: vec![],
        sealed: vec![],
        receipt: None,
    })
}

#[tokio::test]
async fn looking_for_what_is_overdue_finds_it_by_its_end() {
    let plan = Full::new().await.plan(interactions::OVERDUE, 2);
    assert!(
        ["people", "nobody"].iter().all(|whom| plan.contains(&format!("using interactions_of_{whom}")))
            && !walks(&plan, "interactions"),
        "{plan}"
    );
}

#[tokio::test]
async fn looking_for_whom_to_remind_finds_them_by_the_time() {
    let plan = Full::new().await.plan(interactions::UNREMINDED, 2);
    assert!(plan.contains("using interactions_to_remind") && !walks(&plan, "interactions"), "{plan}");
}

#[tokio::test]
async fn the_open_questions_of_an_asker_are_counted_by_an_index() {
    let plan = Full::new().await.plan(interactions::OPEN_OF, 2);
    assert!(plan.contains("interactions_by_asker") && !walks(&plan, "interactions"), "{plan}");
}

#[tokio::test]
async fn what_was_decided_about_a_call_is_found_by_an_index() {
    let plan = Full::new().await.plan(interactions::DECIDED, 2);
    assert!(plan.contains("interactions_decided") && !walks(&plan, "interactions"), "{plan}");
}

#[tokio::test]
async fn pages_are_read_in_the_order_of_an_index() {
    let full = Full::new().await;
    let run = RunId::new(Uuid::nil());
    let all = InteractionFilter { of_people: true, ..Default::default() };
    let of = |status| InteractionFilter { status: Some(status), ..all.clone() };
    let of_run = InteractionFilter { run: Some(run), ..Default::default() };
    for (filter, values, index) in [
        (of(Status::Open), 1, "interactions_of_people"),
        (of(Status::Answered), 1, "interactions_settled"),
        (all.clone(), 1, "interactions_settled"),
        (of_run, 2, "interactions_by_run"),
    ] {
        let sql = interactions::selection(&mut Statement::default(), &filter, None, 1);
        let plan = full.plan(&sql, values);
        assert!(plan.contains(index) && !walks(&plan, "interactions") && !walks(&plan, "runs"), "{plan}");
    }
    let all = RunFilter::default();
    let after = RunFilter { after: Some(run), ..Default::default() };
    let of_user = RunFilter { user: Some("u1".into()), ..Default::default() };
    let of_calls = RunFilter { kind: Some(RunKind::Call), ..Default::default() };
    for (filter, values, index) in
        [(all, 1, "runs_pkey"), (after, 2, "runs_pkey"), (of_user, 2, "runs_by_user"), (of_calls, 1, "runs_of_calls")]
    {
        let sql = runs::selection(&mut Statement::default(), &filter, 1);
        let plan = full.plan(&sql, values);
        assert!(plan.contains(index) && !walks(&plan, "runs") && !walks(&plan, "events"), "{plan}");
    }
}
