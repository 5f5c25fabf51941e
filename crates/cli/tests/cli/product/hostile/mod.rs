//! What a model may say that no model should: each ends in a clear outcome, within the limits, and nothing that was not
//! allowed is done.

mod cases;
mod fake;

use super::server::Server;
use cases::{Case, Expect};
use fake::Fake;
use serde_json::{Value, json};

fn server(fake: &Fake) -> Server {
    let models = ["openai", "anthropic"].map(|provider| {
        format!("  {provider}: {{ provider: {provider}, model: m, base_url: \"{}\", timeout: 1s }}\n", fake.base)
    });
    let agents = ["openai", "anthropic"].map(|name| format!("  {name}: {{ model: {name}, tools: [bash] }}\n"));
    let server = Server::new(vec![], "policy: { rules: [ { name: nothing, priority: 1, tool: bash, effect: deny } ] }");
    server.rewrite("models:\n", &format!("models:\n{}", models.concat()));
    server.rewrite("agents:\n", &format!("agents:\n{}", agents.concat()));
    server
}

#[tokio::test]
async fn whatever_a_model_says_ends_in_a_clear_outcome() {
    let cases = cases::all();
    assert!(cases.len() >= 100, "{}", cases.len());
    let fake = Fake::start(cases::all());
    let server = server(&fake);
    let (status, answer) = server.post(&server.operator, "/api/config/reload", json!({})).await;
    assert_eq!(status, 200, "{answer}");
    let mut runs = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let body = json!({"agent": case.wire.agent(), "input": format!("case {number}"), "user_id": "kim"});
        let (status, run) = server.post(&server.operator, "/api/runs", body).await;
        assert_eq!(status, 201, "{run}");
        runs.push(run["id"].as_str().unwrap().to_owned());
    }
    let mut wrong = Vec::new();
    for (number, (case, run)) in cases.iter().zip(&runs).enumerate() {
        let ended = |run: &Value| !["queued", "running"].contains(&run["status"].as_str().unwrap());
        let run = server.until(&format!("/api/runs/{run}"), ended).await;
        let events = server.events(run["id"].as_str().unwrap()).await;
        if let Some(why) = complaint(case, &run, &events, fake.told(number).as_ref()) {
            wrong.push(format!("{} by {}: {why}", case.name, case.wire.agent()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (name, words) in [
        ("200 calls", "only the first 64 calls of a turn are looked at"),
        ("one id for two calls", "two calls of one turn have the id `a`"),
        ("arguments: no quotes", "the arguments are not valid JSON: line 1, column 13"),
        ("arguments: a text", "the arguments must be a JSON object"),
        ("arguments: ten megabytes", "the arguments are not valid JSON"),
    ] {
        for (number, _) in cases.iter().enumerate().filter(|(_, case)| case.name == name) {
            let told = fake.told(number).unwrap();
            assert!(told.contains(words), "{name}: {told}");
        }
    }
    server.sound().await;
}

/// What is wrong with how a case ended.
fn complaint(case: &Case, run: &Value, events: &[Value], told: Option<&String>) -> Option<String> {
    let (status, code) = (run["status"].as_str().unwrap(), run["error"]["code"].as_str().unwrap_or_default());
    let as_expected = match case.expect {
        Expect::Told => status == "completed",
        Expect::Done => status == "completed" && events.iter().all(|event| event["type"] != "tool_finished"),
        Expect::Fails(expected) => status == "failed" && code == expected,
    };
    if !as_expected {
        return Some(format!("{status} {code}: {}", run["error"]["message"]));
    }
    if events.iter().any(|event| event["type"] == "tool_started") {
        return Some("something was executed".to_owned());
    }
    let kept: usize = events.iter().map(|event| event.to_string().len()).sum();
    if kept > cases::MOST_KEPT {
        return Some(format!("{kept} bytes of it are kept"));
    }
    // A model that made a call was told what became of it, in words.
    let silent = matches!(case.expect, Expect::Told) && told.is_none_or(|told| told.trim().is_empty());
    silent.then(|| "the model was told nothing".to_owned())
}

/// Tokens are counted in the event of each turn, and of the run.
#[tokio::test]
async fn what_a_model_cost_is_recorded() {
    let fake =
        super::model::FakeModel::start(vec![json!([{"tool": "bash", "args": {"command": "ls"}}]), json!("done")]);
    let server = Server::new(vec![], "policy: { rules: [ { name: look, priority: 1, tool: bash, effect: allow } ] }");
    let base = fake.base.trim_end_matches("/v1");
    server.rewrite(
        "models:\n",
        &format!("models:\n  claude: {{ provider: anthropic, model: m, base_url: \"{base}\" }}\n"),
    );
    server.rewrite("worker: { model: fake,", "worker: { model: claude,");
    assert_eq!(server.post(&server.operator, "/api/config/reload", json!({})).await.0, 200);
    let run = server.run().await;
    let ended = server.until_status(&run, "completed").await;
    assert_eq!(ended["usage"], json!({"input_tokens": 22, "output_tokens": 14}), "{ended}");
    let events = server.events(&run).await;
    let turn = events.iter().find(|event| event["type"] == "step_completed").unwrap();
    assert_eq!(turn["data"]["usage"], json!({"input_tokens": 11, "output_tokens": 7}), "{turn}");
}
