//! What is asked all the time finds its rows by an index: a million runs that wait cost nothing.

use super::{claims, interactions, migrate, runs};
use countersign_domain::interaction::Status;
use countersign_domain::run::RunKind;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{InteractionFilter, RunFilter};
use rusqlite::Connection;
use std::path::Path;

/// The lines of the plan for `sql`.
fn plan(sql: &str) -> Vec<String> {
    let mut db = Connection::open_in_memory().unwrap();
    migrate::migrate(&mut db, Path::new("x.db")).unwrap();
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
    let lines = statement.query_map(rusqlite::params_from_iter(nothing), |row| row.get("detail")).unwrap();
    lines.collect::<Result<_, _>>().unwrap()
}

/// Whether no line sorts or walks a table, or an index that holds all of it. A list that was given, or found just before,
/// is no table.
fn is_direct(plan: &[String]) -> bool {
    let given = |line: &String| ["runs_ready", "json_each", "SCAN due"].iter().any(|given| line.contains(given));
    let walks = |line: &String| line.starts_with("SCAN") && !given(line);
    !plan.iter().any(|line| walks(line) || line.contains("TEMP B-TREE"))
}

#[test]
fn a_claim_looks_only_at_runs_with_something_to_do() {
    let claim = plan(claims::CLAIM);
    assert!(claim.iter().any(|line| line.contains("COVERING INDEX runs_ready")), "{claim:#?}");
    assert!(is_direct(&claim), "{claim:#?}");
    let release = plan(claims::RELEASE_ALL);
    assert!(release.iter().any(|line| line.contains("INDEX runs_ready")), "{release:#?}");
}

#[test]
fn looking_for_what_is_overdue_finds_it_by_its_end() {
    let overdue = plan(interactions::OVERDUE);
    for index in ["interactions_of_people", "interactions_of_nobody"] {
        let found = format!("SEARCH interactions USING INDEX {index} (expires_at<?)");
        assert!(overdue.iter().any(|line| line.replace("COVERING ", "").contains(&found)), "{overdue:#?}");
    }
    assert!(!overdue.iter().any(|line| line.contains("SCAN interactions")), "{overdue:#?}");
}

#[test]
fn looking_for_whom_to_remind_finds_them_by_the_time() {
    let due = plan(interactions::UNREMINDED);
    assert!(due.iter().any(|line| line.contains("interactions_to_remind (remind_at<?)")), "{due:#?}");
    assert!(is_direct(&due), "{due:#?}");
}

#[test]
fn the_open_questions_of_an_asker_are_counted_by_an_index() {
    let open = plan(interactions::OPEN_OF);
    assert!(open.iter().any(|line| line.contains("interactions_by_asker (asker=?)")), "{open:#?}");
}

#[test]
fn what_was_decided_about_a_call_is_found_by_an_index() {
    let lines = plan(interactions::DECIDED);
    assert!(lines.iter().any(|line| line.contains("interactions_decided (decided=?)")), "{lines:#?}");
}

#[test]
fn pages_are_read_in_the_order_of_an_index() {
    let open = InteractionFilter { status: Some(Status::Open), of_people: true, limit: 1, ..Default::default() };
    let answered = InteractionFilter { status: Some(Status::Answered), ..open.clone() };
    for (filter, index) in [(&open, "interactions_of_people"), (&answered, "interactions_settled")] {
        for after in [None, Some(InteractionId::new(uuid::Uuid::nil()))] {
            let lines = plan(&interactions::selection(filter, after, 1).0);
            assert!(lines.iter().any(|line| line.contains(&format!("INDEX {index}"))), "{lines:#?}");
            assert!(!lines.iter().any(|line| line.contains("TEMP B-TREE")), "{lines:#?}");
        }
    }
    let of_run = InteractionFilter { run: Some(RunId::new(uuid::Uuid::nil())), ..open };
    let lines = plan(&interactions::selection(&of_run, None, 1).0);
    assert!(lines.iter().any(|line| line.contains("interactions_by_run (run=?)")), "{lines:#?}");
    for after in [None, Some(RunId::new(uuid::Uuid::nil()))] {
        let all = RunFilter { after, ..RunFilter::default() };
        let of_user = RunFilter { user: Some("ann".into()), ..all.clone() };
        let of_session = RunFilter { session: Some("s1".into()), ..of_user.clone() };
        let of_agents = RunFilter { kind: Some(RunKind::Agent), ..all.clone() };
        let of_calls = RunFilter { kind: Some(RunKind::Call), ..all.clone() };
        for (filter, index) in [
            (all, "runs"),
            (of_user, "INDEX runs_by_user"),
            (of_session, "INDEX runs_by_session"),
            (of_agents, "INDEX runs_of_agents"),
            (of_calls, "INDEX runs_of_calls"),
        ] {
            let lines = plan(&runs::selection(&filter, 1, jiff::Timestamp::UNIX_EPOCH).0);
            assert!(!lines.iter().any(|line| line.contains("TEMP B-TREE FOR ORDER BY")), "{lines:#?}");
            assert!(lines.iter().any(|line| line.contains(index)), "{lines:#?}");
        }
    }
}
