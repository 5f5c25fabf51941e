//! The promise of the product: whenever the process is killed, nothing is lost and nothing is done twice.

use super::browser::Browser;
use super::server::{Server, count, one_call};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

/// An agent proposes a call, the policy asks, the run sleeps on disk; the process dies at `failpoint` and is started again;
/// a person approves on the page; the tool runs once; the agent goes on.
async fn survives(failpoint: &str, uncertain: Uncertain) -> (Server, String, Vec<Value>) {
    let mut server = Server::with(one_call(), "", Some(failpoint));
    let browser = Browser::signed_in(&server);
    let body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
    let started = server.try_send(&server.operator, Method::POST, "/api/runs", Some(&body)).await;
    let run = if let Some((201, run)) = started {
        run["id"].as_str().unwrap().to_owned()
    } else {
        wait_for_death(&mut server).await;
        restart(&mut server);
        let (_, runs) = server.get("/api/runs").await;
        runs["items"][0]["id"].as_str().unwrap().to_owned()
    };
    let asked = wait_for_question(&mut server).await;
    let mut pressed = browser.approve(&server, &asked);
    // The click reached a process that died: a person presses again.
    if !server.is_alive() || pressed.is_err() {
        wait_for_death(&mut server).await;
        restart(&mut server);
        let (_, question) = server.get(&format!("/api/interactions/{asked}")).await;
        if question["interaction_request"]["status"] == "open" {
            pressed = browser.approve(&server, &asked);
            pressed.expect("the page takes the answer once the server is back");
        }
    }
    let said = finish(&mut server, &run, uncertain).await;
    if let Uncertain::Asked(decision) = uncertain {
        assert_eq!(said, Some(decision), "nobody knows what became of the call, and somebody was asked");
    }
    let shown = browser.see_run(&server, &run);
    assert!(shown.contains("completed"), "{shown}");
    assert_eq!(server.restarts, 1, "it was killed, once");
    let events = server.events(&run).await;
    let questions = 1 + usize::from(said.is_some());
    assert_eq!(count(&events, "interaction_request"), questions, "asked once about each thing");
    assert_eq!(count(&events, "interaction_response"), questions, "answered once");
    let starts = 1 + usize::from(said == Some("run_again"));
    assert_eq!(count(&events, "tool_started"), starts, "started once, and again only where a person said so");
    assert_eq!(count(&events, "tool_finished"), 1, "ended once");
    assert_eq!(count(&events, "run_completed"), 1);
    server.sound().await;
    (server, run, events)
}

fn restart(server: &mut Server) {
    assert!(server.was_killed(), "the failpoint kills");
    server.start(None);
    server.restarts += 1;
}

async fn wait_for_death(server: &mut Server) {
    for _ in 0..2400 {
        if !server.is_alive() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server lives on");
}

/// Waits for the question, starting the server again if it died on the way.
async fn wait_for_question(server: &mut Server) -> String {
    for _ in 0..2400 {
        if !server.is_alive() {
            restart(server);
        }
        let page = server.try_send(&server.operator, Method::GET, "/api/interactions", None).await;
        if let Some((200, page)) = page
            && let Some(id) = page["items"][0]["id"].as_str()
        {
            // It may be about to die of having asked.
            tokio::time::sleep(Duration::from_millis(300)).await;
            if server.is_alive() {
                return id.to_owned();
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nobody was asked");
}

/// Waits for the end of the run, starting the server again if it died on the way, and saying what became of a call of
/// which nobody knows. Gives what was said.
async fn finish(server: &mut Server, run: &str, uncertain: Uncertain) -> Option<&'static str> {
    let mut said = None;
    for _ in 0..2400 {
        if !server.is_alive() {
            restart(server);
        }
        if uncertain != Uncertain::Never
            && let Some((200, page)) = server.try_send(&server.operator, Method::GET, "/api/interactions", None).await
            && let Some(asked) = page["items"].as_array().unwrap().first()
        {
            assert_eq!(asked["purpose"], "uncertain_outcome");
            let decision = match uncertain {
                Uncertain::Asked(decision) => decision,
                // Somebody goes and looks.
                _ if server.counted() == 1 => "happened",
                _ => "run_again",
            };
            let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
            assert_eq!(server.post(&server.approver, &path, json!({"decision": decision})).await.0, 200);
            said = Some(decision);
        }
        let found = server.try_send(&server.operator, Method::GET, &format!("/api/runs/{run}"), None).await;
        if let Some((200, found)) = found
            && found["status"] == "completed"
        {
            tokio::time::sleep(Duration::from_millis(300)).await;
            if server.is_alive() {
                return said;
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the run did not end");
}

/// Whether a person has to say what became of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uncertain {
    Never,
    Asked(&'static str),
    /// A worker was told before the process died: it may have come as far as the tool, or not.
    Perhaps,
}

/// What a kill there may cost: requests to the model for its first and its last turn, lines the tool wrote, how the call
/// ended.
struct Cost {
    first: usize,
    last: usize,
    ran: usize,
    uncertain: Uncertain,
    status: &'static str,
}

const NOTHING: Cost = Cost { first: 1, last: 1, ran: 1, uncertain: Uncertain::Never, status: "completed" };

async fn costs(failpoint: &str, cost: Cost) {
    let (server, _run, events) = survives(failpoint, cost.uncertain).await;
    assert_eq!(server.model.times_asked(0), cost.first, "requests for the first turn");
    let last = server.model.times_asked(1);
    if cost.uncertain == Uncertain::Perhaps {
        assert!((1..=2).contains(&last), "{last} requests for the last turn");
    } else {
        assert_eq!(last, cost.last, "requests for the last turn");
    }
    assert_eq!(server.counted(), cost.ran, "executions of the tool");
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!(finished["data"]["status"], cost.status);
}

macro_rules! killed {
    ($($name:ident: $failpoint:literal, $cost:expr;)+) => {
        $(#[tokio::test]
        async fn $name() {
            costs($failpoint, $cost).await;
        })+
    };
}

killed! {
    killed_after_a_run_is_started: "run_started.after_commit", NOTHING;
    killed_before_the_model_is_asked: "before_model", NOTHING;
    killed_before_the_models_answer_is_saved: "after_model", Cost { first: 2, ..NOTHING };
    killed_while_the_models_answer_is_saved: "step_completed.before_commit", Cost { first: 2, ..NOTHING };
    killed_after_the_models_answer_is_saved: "step_completed.after_commit", NOTHING;
    killed_before_a_judgement_is_saved: "judged", Cost { first: 2, ..NOTHING };
    killed_after_a_question_is_saved: "interaction_request.before_ack", NOTHING;
    killed_before_an_answer_is_saved: "interaction_response.before_commit", NOTHING;
    // The start of the call is saved with it.
    killed_after_an_answer_is_saved: "interaction_response.after_commit",
        Cost { uncertain: Uncertain::Asked("run_again"), ..NOTHING };
    killed_before_an_answer_is_acknowledged: "interaction_response.before_ack",
        Cost { uncertain: Uncertain::Perhaps, ..NOTHING };
    killed_before_a_tools_report_is_saved: "tool_finished.before_commit",
        Cost { uncertain: Uncertain::Asked("give_up"), status: "unknown", ..NOTHING };
    killed_after_a_tool_is_started: "tool_started.after_commit", Cost { uncertain: Uncertain::Asked("run_again"), ..NOTHING };
    killed_after_a_tool_ran: "after_tool", Cost { uncertain: Uncertain::Asked("happened"), ..NOTHING };
    killed_after_a_tool_reported: "tool_finished.after_commit", NOTHING;
    killed_before_the_last_word_is_saved: "after_model:2", Cost { last: 2, ..NOTHING };
    killed_after_the_run_ended: "run_completed.after_commit", NOTHING;
}

/// The first paragraph of what this is for, without a failpoint: killed while it waits.
#[tokio::test]
async fn a_run_that_waits_survives_a_kill_and_costs_no_request() {
    let mut server = Server::new(one_call(), "");
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    let asked = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    server.kill();
    server.start(None);
    assert_eq!(server.get(&format!("/api/runs/{run}")).await.1["status"], "waiting");
    browser.approve(&server, &asked).unwrap();
    let done = server.until_status(&run, "completed").await;
    assert_eq!(done["output"], "all done");
    assert_eq!((server.counted(), server.model.times_asked(0), server.model.times_asked(1)), (1, 1, 1));
}
