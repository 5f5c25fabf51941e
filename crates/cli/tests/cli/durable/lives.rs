//! What can become of runs, calls and questions.

use super::node::{Database, Node, World, ends, person, runtime, settings, until};
use super::on_each_engine;
use countersign_domain::Call;
use countersign_domain::interaction::{AnswerError, Decision, Purpose, Reply, Response, Status};
use countersign_domain::run::{EndStatus, Event, Letter, Phase, Ruling};
use countersign_policy::source::{ContextSource, Source};
use countersign_runtime::ports::{PolicyChange, PolicyKind};
use countersign_runtime::{AnswerFailure, ReachError, Settings, Workers};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

on_each_engine! {
    a_tool_asks_in_the_middle_of_its_work_and_goes_on_with_the_answer,
    a_question_that_is_declined_ends_its_call,
    a_result_is_held_until_somebody_releases_it,
    a_result_can_be_replaced_or_withheld,
    calls_of_one_turn_are_executed_side_by_side,
    an_answer_is_taken_up_while_another_tool_works,
    one_refusal_does_not_spoil_the_others,
    a_waiting_run_is_cancelled,
    a_tool_at_work_is_stopped_with_its_run,
    a_letter_is_read_before_the_last_word,
    a_run_that_crashes_its_worker_five_times_is_set_aside,
    the_same_call_in_the_same_session_is_asked_about_once,
    a_harmless_call_that_was_lost_is_made_again_under_the_same_key,
    a_denial_that_came_while_somebody_was_thinking_wins,
    the_start_of_a_call_is_saved_with_the_answer_that_clears_it,
    what_a_script_says_is_saved_with_what_led_to_it,
    an_answer_counts_by_what_stands_though_that_was_moved_elsewhere,
    where_nobody_is_free_an_answer_is_saved_by_itself,
    what_is_started_with_an_answer_is_made_though_whoever_answered_has_gone,
    several_must_approve_where_the_rule_says_so,
    an_approval_that_is_not_enough_any_more_is_not_by_being_remembered,
    what_was_changed_counts_from_the_first_judgement_after_a_restart,
    a_call_in_doubt_that_is_not_made_again_stays_unknown,
    a_tool_that_breaks_down_leaves_its_call_in_doubt_and_spoils_no_other,
}

async fn a_tool_asks_in_the_middle_of_its_work_and_goes_on_with_the_answer(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "ask", "effect": "allow"}]}));
    let form = json!({"title": "Who?", "type": "combined", "interactions": [
        {"id": "name", "title": "Name", "type": "input"},
        {"id": "size", "title": "Size", "type": "select", "options": [{"value": "s", "label": "small"}]},
    ]});
    let run = node.run(&json!([["ask", form]])).await;
    let asked = node.open(run, 1).await.remove(0);
    assert_eq!((asked.purpose, asked.title.as_str()), (Purpose::Question, "Who?"));
    let answer = async |reply: serde_json::Value| {
        let reply: Reply = serde_json::from_value(reply).unwrap();
        let response = Response::new(asked.id, None, None).unwrap().filled_in(reply);
        node.runtime.answer(asked.id, response, &person("ann")).await
    };
    let incomplete = answer(json!({"responses": [{"request_id": "name", "text": "Kim"}]})).await.unwrap_err();
    assert_eq!(incomplete.to_string(), "`size`: it is required, and there is no reply to it");
    let whole = json!({"responses": [
        {"request_id": "name", "text": "Kim"}, {"request_id": "size", "selected_values": ["s"]},
    ]});
    answer(whole.clone()).await.unwrap();
    let run = node.ended(run).await;
    assert_eq!(run.phase, Phase::Completed { output: whole.to_string() });
    assert_eq!(node.world.executions(), 1);
    let words = node.words(run.id).await;
    let starts = words.iter().filter(|word| **word == "tool_started").count();
    assert_eq!((starts, words.contains(&"tool_paused"), words.contains(&"tool_lost")), (2, true, false));
}

async fn a_question_that_is_declined_ends_its_call(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "ask", "effect": "allow"}]}));
    let run = node.run(&json!([["ask", {"title": "Who?", "type": "input"}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    node.answer(&asked, Decision::Reject, "ann").await.unwrap();
    let run = node.ended(run).await;
    assert_eq!((ends(&run), node.world.executions()), (vec![EndStatus::Rejected], 0));
}

fn reviewed() -> serde_json::Value {
    let rules = json!([{"tool": "send", "effect": "allow"}]);
    json!({"rules": rules, "overrides": {"send": {"execution": "auto", "result": "always"}}})
}

async fn a_result_is_held_until_somebody_releases_it(database: Database) {
    let node = Node::judging(&database, reviewed());
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    assert_eq!(asked.purpose, Purpose::ResultReview);
    assert_eq!(asked.result.as_ref().unwrap().output, "done");
    assert_eq!(node.world.executions(), 1, "it was executed, but the agent has not heard");
    node.answer(&asked, Decision::Release, "ann").await.unwrap();
    let run = node.ended(run).await;
    assert_eq!(run.phase, Phase::Completed { output: "done".into() });
    assert_eq!(node.world.executions(), 1);
}

async fn a_result_can_be_replaced_or_withheld(database: Database) {
    let node = Node::judging(&database, reviewed());
    let run = node.run(&json!([["send", {"n": 1}], ["send", {"n": 2}]])).await;
    let open = node.open(run, 2).await;
    let replaced = Response::new(open[0].id, Some(Decision::Replace), None).unwrap().replacing(Some("nothing".into()));
    node.runtime.answer(open[0].id, replaced, &person("ann")).await.unwrap();
    let why = Some("too private".to_owned());
    let withheld = Response::new(open[1].id, Some(Decision::Reject), why).unwrap();
    node.runtime.answer(open[1].id, withheld, &person("ann")).await.unwrap();
    let Phase::Completed { output } = node.ended(run).await.phase else { panic!("it completes") };
    assert!(output.contains("nothing") && output.contains("withheld its result: too private"), "{output}");
    assert!(!output.contains("done"), "{output}");
}

async fn calls_of_one_turn_are_executed_side_by_side(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "slow", "effect": "allow"}]}));
    let run = node.run(&json!([["slow", {"n": 1}], ["slow", {"n": 2}], ["slow", {"n": 3}]])).await;
    // None of them can end before all of them work.
    node.world.until_executed(3).await;
    node.world.gate.add_permits(3);
    assert_eq!(ends(&node.ended(run).await), [EndStatus::Completed; 3]);
}

async fn an_answer_is_taken_up_while_another_tool_works(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "slow", "effect": "allow"}]}));
    let run = node.run(&json!([["slow", {}], ["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    node.world.until_executed(1).await;
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    node.world.until_executed(2).await;
    node.world.gate.add_permits(1);
    assert_eq!(ends(&node.ended(run).await), [EndStatus::Completed; 2]);
}

async fn one_refusal_does_not_spoil_the_others(database: Database) {
    use EndStatus::{Completed, Denied, Error, Rejected};
    let policy = json!({"rules": [{"tool": "again", "effect": "deny"}, {"tool": "slow", "effect": "allow"}]});
    let node = Node::judging(&database, policy);
    node.world.gate.add_permits(1);
    let run =
        node.run(&json!([["send", {"n": 1}], ["again", {}], ["slow", {}], ["send", {"n": 2}], ["none", {}]])).await;
    let open = node.open(run, 2).await;
    let (no, yes) = if open[0].call.args["n"] == 1 { (0, 1) } else { (1, 0) };
    node.answer(&open[yes], Decision::Approve, "ann").await.unwrap();
    node.answer(&open[no], Decision::Reject, "ann").await.unwrap();
    assert_eq!(ends(&node.ended(run).await), [Rejected, Denied, Completed, Completed, Error]);
    assert_eq!(node.world.executions(), 2);
}

async fn a_waiting_run_is_cancelled(database: Database) {
    let node = Node::new(&database);
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    node.runtime.cancel(run, &person("ann"), Some("changed my mind".into())).await.unwrap();
    node.runtime.cancel(run, &person("bob"), None).await.expect("stopped is stopped");
    let ended = node.ended(run).await;
    assert!(matches!(&ended.phase, Phase::Cancelled { by, .. } if by.name == "ann"), "{:?}", ended.phase);
    assert_eq!(ends(&ended), [EndStatus::Cancelled]);
    let late = node.answer(&asked, Decision::Approve, "ann").await;
    assert!(matches!(late, Err(AnswerFailure::Answer(AnswerError::Cancelled(_)))), "{late:?}");
    let other = node.run(&json!([])).await;
    node.ended(other).await;
    let late = node.runtime.cancel(other, &person("ann"), None).await;
    assert!(matches!(late, Err(ReachError::Ended(_))), "{late:?}");
}

async fn a_tool_at_work_is_stopped_with_its_run(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "slow", "effect": "allow"}]}));
    let run = node.run(&json!([["slow", {}]])).await;
    node.world.until_executed(1).await;
    node.runtime.cancel(run, &person("ann"), None).await.unwrap();
    assert_eq!(ends(&node.ended(run).await), [EndStatus::Unknown], "nobody knows how far it came");
    until(async || (node.world.stopped.load(Ordering::SeqCst) == 1).then_some(())).await;
}

async fn a_letter_is_read_before_the_last_word(database: Database) {
    let node = Node::new(&database);
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    let letter = Letter { text: "be quick".into(), channel: None, by: person("ann") };
    node.runtime.write(run, letter.clone()).await.unwrap();
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    let ended = node.ended(run).await;
    let Phase::Completed { output } = &ended.phase else { panic!("{:?}", ended.phase) };
    assert_eq!(output, "done | be quick");
    assert!(matches!(node.runtime.write(run, letter).await, Err(ReachError::Ended(_))));
}

async fn a_run_that_crashes_its_worker_five_times_is_set_aside(database: Database) {
    // Nobody works here: claims are taken and nothing comes of them, as when a worker dies.
    let idle = runtime(Arc::clone(&database.store), &World::default(), Source::default(), settings());
    let node = Node::idle(idle.clone());
    let run = node.run(&json!([["send", {}]])).await;
    for _ in 0..5 {
        assert_eq!(database.store.claim(Duration::ZERO, &[], 1).await.unwrap().len(), 1);
    }
    let _workers = Workers::start(&idle);
    let ended = node.ended(run).await;
    let Phase::SetAside(why) = &ended.phase else { panic!("{:?}", ended.phase) };
    assert!(why.message.contains("5 times in a row"), "{}", why.message);
    assert_eq!(*node.words(run).await.last().unwrap(), "run_set_aside");
}

async fn the_same_call_in_the_same_session_is_asked_about_once(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "send", "effect": "require_approval"}]}));
    for (args, decision, status) in [
        (json!({"n": 1}), Decision::Approve, EndStatus::Completed),
        (json!({"n": 2}), Decision::Reject, EndStatus::Rejected),
    ] {
        let first = node.runs("s1", &json!([["send", args]])).await;
        let asked = node.open(first, 1).await.remove(0);
        node.answer(&asked, decision, "ann").await.unwrap();
        assert_eq!(ends(&node.ended(first).await), [status]);
        let second = node.runs("s1", &json!([["send", args]])).await;
        let remembered = if decision == Decision::Approve { EndStatus::Completed } else { EndStatus::Denied };
        assert_eq!(ends(&node.ended(second).await), [remembered], "nobody was asked again");
        let elsewhere = node.runs("s2", &json!([["send", args]])).await;
        node.open(elsewhere, 1).await;
    }
}

async fn a_harmless_call_that_was_lost_is_made_again_under_the_same_key(database: Database) {
    let policy = json!({"rules": [{"tool": "again", "effect": "allow"}]});
    let source = Source { policy: serde_json::from_value(policy).unwrap(), ..Source::default() };
    let settings = Settings { lease: Duration::from_millis(300), ..settings() };
    let world = World::default();
    let first = Node::with(&database, world.clone(), source.clone(), settings.clone());
    let run = first.run(&json!([["again", {"wait": true}]])).await;
    world.until_executed(1).await;
    // Gone in the middle of it.
    drop(first);
    let second = Node::with(&database, world.clone(), source, settings);
    world.until_executed(2).await;
    world.gate.add_permits(1);
    assert_eq!(ends(&second.ended(run).await), [EndStatus::Completed]);
    let keys = world.did.lock().unwrap().clone();
    assert_eq!(keys.first(), keys.last(), "it is the same execution");
    assert!(second.words(run).await.contains(&"tool_lost"));
}

async fn a_denial_that_came_while_somebody_was_thinking_wins(database: Database) {
    let node = Node::new(&database);
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    let change = PolicyChange {
        kind: PolicyKind::Rule,
        key: "no-mail".into(),
        body: Some(json!({"name": "no-mail", "tool": "send", "effect": "deny"})),
        by: person("olga"),
        why: None,
        at: asked.created_at,
    };
    node.runtime.change_policy(vec![change]).await.unwrap();
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    let ended = node.ended(run).await;
    assert_eq!((ends(&ended), node.world.executions()), (vec![EndStatus::Denied], 0));
    let bad = PolicyChange {
        kind: PolicyKind::Rule,
        key: "nonsense".into(),
        body: Some(json!({"tool": "send", "effect": "perhaps"})),
        by: person("olga"),
        why: None,
        at: asked.created_at,
    };
    assert!(node.runtime.change_policy(vec![bad]).await.is_err(), "what is no policy is refused");
    assert_eq!(database.store.policy_version().await.unwrap(), 1);
}

async fn the_start_of_a_call_is_saved_with_the_answer_that_clears_it(database: Database) {
    let node = Node::new(&database);
    let run = node.run(&json!([["slow", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    assert_eq!(node.words(run).await.last(), Some(&"tool_started"), "it is there when the answer is acknowledged");
    let claimed = database.store.asking(asked.id).await.unwrap().unwrap().fence;
    let started = node.events(run, "tool_started").await;
    assert!(matches!(started[..], [Event::ToolStarted { fence, .. }] if fence == claimed), "{started:?} {claimed}");
    node.world.gate.add_permits(1);
    assert_eq!((ends(&node.ended(run).await), node.world.executions()), (vec![EndStatus::Completed], 1));
    let steps = database.store.events(run, 0, 100).await.unwrap();
    let at = |word| steps.iter().find(|recorded| recorded.event.word() == word).unwrap().at;
    assert_eq!(at("interaction_response"), at("tool_started"));
}

async fn what_a_script_says_is_saved_with_what_led_to_it(database: Database) {
    let node = Node::new(&database);
    for (agent, is_with_it) in [("actor", true), ("agent", false)] {
        let run = node.runs_of(agent, agent, &json!([["send", {}]])).await;
        let asked = node.open(run, 1).await.remove(0);
        node.answer(&asked, Decision::Approve, "ann").await.unwrap();
        assert_eq!(node.ended(run).await.phase, Phase::Completed { output: "done".into() });
        let steps = database.store.events(run, 0, 100).await.unwrap();
        let at = |word| steps.iter().find(|recorded| recorded.event.word() == word).unwrap().at;
        assert_eq!(at("tool_finished") == at("run_completed"), is_with_it, "{agent}: {steps:#?}");
    }
}

async fn an_answer_counts_by_what_stands_though_that_was_moved_elsewhere(database: Database) {
    let policy = json!({"rules": [{"tool": "send", "effect": "require_approval", "approvals": 2}]});
    let node = Node::judging(&database, policy.clone());
    let elsewhere = Node::judging(&database.elsewhere(), policy);
    let asks = async |n: u32| {
        let run = node.run(&json!([["send", {"n": n}]])).await;
        (run, node.open(run, 1).await.remove(0))
    };
    // The first of two approvals there, the second here.
    let (run, asked) = asks(1).await;
    elsewhere.answer(&asked, Decision::Approve, "kim").await.unwrap();
    assert!(!node.answer(&asked, Decision::Approve, "ann").await.unwrap().repeated);
    let executions = || node.world.executions() + elsewhere.world.executions();
    assert_eq!((ends(&node.ended(run).await), executions()), (vec![EndStatus::Completed], 1));
    // The same approval there and here is one of two.
    let (run, asked) = asks(2).await;
    elsewhere.answer(&asked, Decision::Approve, "ann").await.unwrap();
    assert!(node.answer(&asked, Decision::Approve, "ann").await.unwrap().repeated);
    assert_eq!(node.load(run).await.interactions[&asked.id].approvals.len(), 1);
    // The first approval here, and there the answer that settles it: neither who repeats theirs here nor who changes it is told what was.
    let (_, asked) = asks(4).await;
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    elsewhere.answer(&asked, Decision::Reject, "kim").await.unwrap();
    for decision in [Decision::Approve, Decision::Reject] {
        let told = node.answer(&asked, decision, "ann").await;
        let settled = matches!(
            &told,
            Err(AnswerFailure::Answer(AnswerError::AlreadyAnswered { answer, .. })) if answer.by.name == "kim"
        );
        let is_shown = told.as_ref().is_ok_and(|told| told.repeated && told.interaction.status == Status::Answered);
        assert!(settled || is_shown, "{told:?}");
    }
    // Stopped there.
    let (run, asked) = asks(3).await;
    elsewhere.runtime.cancel(run, &person("kim"), None).await.unwrap();
    let told = node.answer(&asked, Decision::Approve, "ann").await;
    assert!(matches!(told, Err(AnswerFailure::Answer(AnswerError::Cancelled(_)))), "{told:?}");
    assert_eq!(executions(), 1);
}

async fn where_nobody_is_free_an_answer_is_saved_by_itself(database: Database) {
    let first = Node::new(&database);
    let run = first.run(&json!([["send", {}]])).await;
    let asked = first.open(run, 1).await.remove(0);
    drop(first);
    let idle = Node::idle(runtime(Arc::clone(&database.store), &World::default(), Source::default(), settings()));
    idle.answer(&asked, Decision::Approve, "ann").await.unwrap();
    let words = idle.words(run).await;
    assert!(words.contains(&"interaction_response") && !words.contains(&"tool_started"), "{words:?}");
    let node = Node::new(&database);
    assert_eq!((ends(&node.ended(run).await), node.world.executions()), (vec![EndStatus::Completed], 1));
}

async fn what_is_started_with_an_answer_is_made_though_whoever_answered_has_gone(database: Database) {
    let node = Arc::new(Node::new(&database));
    for round in 0..40_u64 {
        let run = node.run(&json!([["send", {"round": round}]])).await;
        let asked = node.open(run, 1).await.remove(0);
        let answering = tokio::spawn({
            let (node, asked) = (Arc::clone(&node), asked.clone());
            async move { node.answer(&asked, Decision::Approve, "ann").await }
        });
        // Somewhere between before and after.
        tokio::time::sleep(Duration::from_micros(round * 100)).await;
        answering.abort();
        let _ = answering.await;
        // If it did not count it can be given again.
        node.answer(&asked, Decision::Approve, "ann").await.unwrap();
        assert_eq!(ends(&node.ended(run).await), vec![EndStatus::Completed], "nobody is asked what became of it");
    }
    assert_eq!(node.world.executions(), 40);
}

async fn several_must_approve_where_the_rule_says_so(database: Database) {
    let policy = json!({"rules": [{"tool": "send", "effect": "require_approval", "approvals": 2}]});
    let node = Node::judging(&database, policy);
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    node.answer(&asked, Decision::Approve, "ann").await.unwrap();
    assert!(node.answer(&asked, Decision::Approve, "ann").await.unwrap().repeated, "once is once");
    assert_eq!(node.world.executions(), 0);
    node.answer(&asked, Decision::Approve, "bob").await.unwrap();
    assert_eq!(ends(&node.ended(run).await), [EndStatus::Completed]);
    let responses = node.events(run, "interaction_response").await;
    let settled: Vec<_> =
        responses.iter().map(|event| matches!(event, Event::InteractionResponse { settled: true, .. })).collect();
    assert_eq!(settled, [false, true]);
}

async fn an_approval_that_is_not_enough_any_more_is_not_by_being_remembered(database: Database) {
    for whoever_answers_works in [true, false] {
        let node = Node::new(&database);
        let run = node.runs(&format!("s{whoever_answers_works}"), &json!([["send", {}]])).await;
        let asked = node.open(run, 1).await.remove(0);
        let idle = Node::idle(runtime(Arc::clone(&database.store), &World::default(), Source::default(), settings()));
        let both = json!({"name": "both", "priority": 1, "tool": "send", "effect": "require_approval", "approvals": 2});
        let change = PolicyChange { key: "both".into(), body: Some(both), ..no_mail("olga", "send") };
        let node = if whoever_answers_works {
            node.runtime.change_policy(vec![change]).await.unwrap();
            node.answer(&asked, Decision::Approve, "ann").await.unwrap();
            node
        } else {
            drop(node);
            idle.runtime.change_policy(vec![change]).await.unwrap();
            idle.answer(&asked, Decision::Approve, "ann").await.unwrap();
            Node::new(&database)
        };
        let again = node.open(run, 1).await.remove(0);
        assert_eq!((again.approvals_needed, node.world.executions()), (2, 0));
        node.runtime.cancel(run, &person("ann"), None).await.unwrap();
        let undone = PolicyChange { key: "both".into(), body: None, ..no_mail("olga", "send") };
        node.runtime.change_policy(vec![undone]).await.unwrap();
    }
}

fn no_mail(by: &str, tool: &str) -> PolicyChange {
    PolicyChange {
        kind: PolicyKind::Rule,
        key: "no-mail".into(),
        body: Some(json!({"name": "no-mail", "priority": 1, "tool": tool, "effect": "deny"})),
        by: person(by),
        why: None,
        at: jiff::Timestamp::UNIX_EPOCH,
    }
}

async fn what_was_changed_counts_from_the_first_judgement_after_a_restart(database: Database) {
    let allowing = || {
        let policy = json!({"rules": [{"tool": "send", "priority": 9, "effect": "allow"}]});
        Source { policy: serde_json::from_value(policy).unwrap(), ..Source::default() }
    };
    let idle = runtime(Arc::clone(&database.store), &World::default(), allowing(), settings());
    idle.change_policy(vec![no_mail("olga", "send")]).await.unwrap();
    // Ready to be judged before anybody works.
    let run = Node::idle(idle).run(&json!([["send", {}]])).await;
    // Whoever only asks what would happen may come before any worker as well.
    let asked = runtime(Arc::clone(&database.store), &World::default(), allowing(), settings());
    let call = Call::new(None, "send".into(), serde_json::Map::new(), None).unwrap();
    let now = asked.store().now().await.unwrap();
    let said = asked.judge(call, &ContextSource::default(), now).await.unwrap().judgement.ruling;
    assert!(matches!(said, Ruling::Deny { .. }), "{said:?}");
    let node = Node::with(&database, World::default(), allowing(), settings());
    assert_eq!((ends(&node.ended(run).await), node.world.executions()), (vec![EndStatus::Denied], 0));
}

async fn a_call_in_doubt_that_is_not_made_again_stays_unknown(database: Database) {
    let policy = json!({"rules": [{"tool": "slow", "priority": 9, "effect": "allow"}]});
    let source = Source { policy: serde_json::from_value(policy).unwrap(), ..Source::default() };
    let settings = Settings { lease: Duration::from_millis(600), ..settings() };
    let world = World::default();
    let first = Node::with(&database, world.clone(), source.clone(), settings.clone());
    let run = first.run(&json!([["slow", {}]])).await;
    world.until_executed(1).await;
    drop(first);
    let second = Node::with(&database, world.clone(), source, settings);
    let asked = second.open(run, 1).await.remove(0);
    assert_eq!(asked.purpose, Purpose::UncertainOutcome);
    second.runtime.change_policy(vec![no_mail("olga", "slow")]).await.unwrap();
    second.answer(&asked, Decision::RunAgain, "ann").await.unwrap();
    let ended = second.ended(run).await;
    assert_eq!((ends(&ended), world.executions()), (vec![EndStatus::Unknown], 1), "of the first time nobody knows");
}

async fn a_tool_that_breaks_down_leaves_its_call_in_doubt_and_spoils_no_other(database: Database) {
    let node = Node::judging(&database, json!({"rules": [{"tool": "send", "effect": "allow"}]}));
    // One at once, one in the middle of its work, one not.
    let plan = json!([["send", {"break": 1}], ["send", {"break": 2, "wait": 1}], ["send", {}]]);
    let run = node.run(&plan).await;
    node.world.until_executed(3).await;
    node.world.gate.add_permits(1);
    for asked in node.open(run, 2).await {
        assert_eq!(asked.purpose, Purpose::UncertainOutcome);
        node.answer(&asked, Decision::GiveUp, "ann").await.unwrap();
    }
    let expected = [EndStatus::Unknown, EndStatus::Unknown, EndStatus::Completed];
    assert_eq!(ends(&node.ended(run).await), expected);
    assert_eq!(node.world.executions(), 3);
}
