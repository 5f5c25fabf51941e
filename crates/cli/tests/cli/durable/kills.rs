//! Kills: the process dies at every place where that could matter, is started again, and every run comes to its end: no
//! answer lost, no tool run a second time unless a person said so.

use super::victim::{Engine, Victim};
use crate::sound::{sound, sound_on_postgres};
use countersign_runtime::failpoint;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many tests share the failpoints among them.
const SHARES: usize = 6;

macro_rules! shares {
    ($($name:ident: $share:literal,)+) => {
        $(#[tokio::test]
        async fn $name() {
            die_everywhere($share).await;
        })+
    };
}
shares! {
    killed_at_every_place_first_share: 0,
    killed_at_every_place_second_share: 1,
    killed_at_every_place_third_share: 2,
    killed_at_every_place_fourth_share: 3,
    killed_at_every_place_fifth_share: 4,
    killed_at_every_place_sixth_share: 5,
}

#[test]
fn there_are_enough_places_to_die_at() {
    let names = failpoint::names();
    assert!(names.len() >= 60, "{}", names.len());
    let mut different = names.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), names.len());
}

/// Each failpoint once, the engine rotating; or each on both engines at its first, second and third pass.
async fn die_everywhere(share: usize) {
    let full = std::env::var_os("COUNTERSIGN_FULL").is_some();
    // Another one from commit to commit, so that each failpoint meets each engine in time.
    let turn = usize::from(countersign_testkit::seed() % 2 == 1);
    for (i, name) in failpoint::names().into_iter().enumerate().filter(|(i, _)| i % SHARES == share) {
        if full {
            for engine in ENGINES {
                for pass in 1..=3 {
                    die(engine, &name, pass).await;
                }
            }
        } else {
            die(ENGINES[(i / SHARES + turn) % ENGINES.len()], &name, 1).await;
        }
    }
}

const ENGINES: [Engine; 2] = [Engine::Sqlite, Engine::Postgres];

/// One life that ends at `name`, and the lives after it.
async fn die(engine: Engine, name: &str, pass: u32) {
    let place = format!("{name}:{pass}");
    let what = name.split('.').next().unwrap_or(name);
    let (before, scenarios): (Vec<&str>, Vec<&'static str>) = match what {
        // Somebody must have died of it before.
        "tool_lost" => (vec!["after_tool"], vec!["approve"]),
        "run_set_aside" => (vec!["before_model"; 5], vec!["approve"]),
        "renew" => (vec![], vec!["slow"]),
        "release" => (vec![], vec!["thinking"]),
        "reminder" => (vec![], vec!["overlooked"]),
        _ => (vec![], vec!["approve", "reject", "question", "review", "cancel", "letter", "twice"]),
    };
    let aside = what == "run_set_aside";
    let doomed = before.iter().map(|&name| name.to_owned()).chain([place.clone()]).collect();
    // Half of it must pass before anybody is reminded.
    let timeout = if what == "reminder" { "20s" } else { "1h" };
    let victim = Victim::asking(engine, doomed, timeout);
    let mut life = Life { victim, runs: BTreeMap::new(), stop: what == "release" };
    let ended = life.live(&scenarios).await;
    let deaths = life.victim.deaths;
    if pass == 1 {
        assert_eq!(deaths, before.len() + 1, "{place} on {engine:?}: it dies there\n{}", life.victim.log());
    }
    for scenario in scenarios {
        let (status, lines) = match scenario {
            _ if aside => ("set_aside", 0),
            "reject" => ("failed", 0),
            "cancel" => ("cancelled", 0),
            "question" | "review" => ("completed", 0),
            "twice" => ("completed", 2),
            _ => ("completed", 1),
        };
        let (run, events) = &ended[scenario];
        assert_eq!(run["status"], status, "{place} on {engine:?}, {scenario}: {run:#}\n{}", life.victim.log());
        // Where the machine is slow, the time is over before the person comes.
        let is_over = scenario == "overlooked" && events.iter().any(|event| event["data"]["outcome"] == "expired");
        let lines = if is_over { 0 } else { lines };
        assert_eq!(life.victim.wrote(scenario), lines, "{place} on {engine:?}, {scenario}: {events:#?}");
        check(events, &format!("{place} on {engine:?}, {scenario}"));
    }
    match engine {
        Engine::Sqlite => sound(&life.victim.path("data/countersign.db")).await,
        Engine::Postgres => sound_on_postgres(&life.victim.db()).await,
    }
}

/// What must hold of the events of any run that has ended.
fn check(events: &[Value], place: &str) {
    let of = |word: &str| events.iter().filter(|event| event["type"] == word).collect::<Vec<_>>();
    for (i, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], i + 1, "{place}: gapless");
    }
    let mut asked: Vec<_> =
        of("interaction_request").iter().map(|e| e["data"]["interaction_request"]["id"].clone()).collect();
    let settled: Vec<_> = of("wait_completed").iter().map(|e| e["data"]["interaction_request_id"].clone()).collect();
    asked.retain(|id| !settled.contains(id));
    assert!(asked.is_empty(), "{place}: no question is left open");
    for reminder in of("reminder") {
        let same =
            |event: &&&Value| event["data"]["interaction_request_id"] == reminder["data"]["interaction_request_id"];
        assert_eq!(of("reminder").iter().filter(same).count(), 1, "{place}: people are reminded once");
    }
    for finished in of("tool_finished") {
        let same = |event: &&&Value| event["data"]["call_id"] == finished["data"]["call_id"];
        assert_eq!(of("tool_finished").iter().filter(same).count(), 1, "{place}: a call ends once");
        let paused = of("tool_paused").iter().filter(same).count();
        let lost = of("tool_lost").iter().filter(same).count();
        let starts = of("tool_started").iter().filter(same).count();
        assert!(starts <= 1 + paused + lost, "{place}: nothing starts twice in silence");
    }
}

/// A person who brings runs to their end, whatever happens to the server meanwhile.
struct Life {
    victim: Victim,
    runs: BTreeMap<&'static str, String>,
    /// Whether the server is asked to stop once a run is under way.
    stop: bool,
}

impl Life {
    /// Brings runs of all scenarios to their end, and gives them with their events.
    async fn live(&mut self, scenarios: &[&'static str]) -> BTreeMap<&'static str, (Value, Vec<Value>)> {
        self.sign_in().await;
        self.grant().await;
        for _ in 0..2_000 {
            self.victim.rises_again();
            for scenario in scenarios {
                self.start(scenario).await;
            }
            if self.stop && !self.runs.is_empty() {
                self.stop = false;
                tokio::time::sleep(Duration::from_millis(200)).await;
                self.victim.stop_and_start().await;
            }
            self.answer().await;
            if let Some(ended) = self.ended(scenarios).await
                && self.is_recorded().await
            {
                // It may be about to die of having ended.
                tokio::time::sleep(Duration::from_millis(50)).await;
                if !self.victim.rises_again() {
                    return ended;
                }
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        panic!("it came to no end: {:?}\n{}", self.runs, self.victim.log());
    }

    /// Whether all that happened has its place in the log, and some of it is signed.
    async fn is_recorded(&mut self) -> bool {
        let report = self.victim.send(Method::GET, "/api/audit/verify", None).await;
        report.is_some_and(|(_, report)| report["waiting"] == 0 && report["checkpoints"] != 0)
    }

    async fn sign_in(&mut self) {
        let token = json!({"token": self.victim.token()});
        while self.victim.send(Method::POST, "/api/sign-in", Some(token.clone())).await.is_none() {}
    }

    /// Gives a grant, again if the reply was lost.
    async fn grant(&mut self) {
        let grant = json!({"resource": "bash(make)"});
        while self.victim.send(Method::POST, "/api/permissions/kim/allow", Some(grant.clone())).await.is_none() {}
        let kept = loop {
            if let Some((200, kept)) = self.victim.send(Method::GET, "/api/permissions/kim", None).await {
                break kept;
            }
        };
        assert_eq!(kept["allow"][0]["resource"], "bash(make)", "{kept}");
    }

    /// Starts a run, unless there is one: the reply may have been lost, but not the run.
    async fn start(&mut self, scenario: &'static str) {
        if self.runs.contains_key(scenario) {
            return;
        }
        let Some((200, page)) = self.victim.send(Method::GET, "/api/runs", None).await else { return };
        let mine = page["items"].as_array().unwrap().iter().find(|run| run["input"] == scenario).cloned();
        let run = if let Some(run) = mine {
            run
        } else {
            let body = json!({"agent": "worker", "input": scenario});
            let Some((201, run)) = self.victim.send(Method::POST, "/api/runs", Some(body)).await else { return };
            run
        };
        self.runs.insert(scenario, run["id"].as_str().unwrap().to_owned());
    }

    /// Answers whatever is asked.
    async fn answer(&mut self) {
        let Some((200, page)) = self.victim.send(Method::GET, "/api/interactions", None).await else { return };
        for asked in page["items"].as_array().unwrap().clone() {
            let run = asked["run_id"].as_str().unwrap().to_owned();
            let Some(scenario) = self.runs.iter().find(|(_, id)| **id == run).map(|(scenario, _)| *scenario) else {
                continue;
            };
            let (path, body) = match (asked["purpose"].as_str().unwrap(), scenario) {
                ("approval", "overlooked") if !self.has(&run, "reminder").await => continue,
                ("approval", "cancel") => (format!("/api/runs/{run}/cancel"), json!({})),
                ("approval", "letter") if !self.has(&run, "permissions_narrowed").await => {
                    (format!("/api/runs/{run}/delegated-permissions"), json!({"denied_tools": ["web_fetch"]}))
                }
                ("approval", "letter") if !self.has(&run, "message_received").await => {
                    (format!("/api/runs/{run}/message"), json!({"text": "be quick"}))
                }
                (purpose, _) => {
                    let answer = match (purpose, scenario) {
                        ("approval", "reject") => json!({"decision": "reject", "reason": "no"}),
                        ("question", _) => json!({"text": "blue"}),
                        ("result_review", _) => json!({"decision": "release"}),
                        ("uncertain_outcome", _) => {
                            // What the server started goes on without it: whoever says what became of it waits that long.
                            if scenario == "slow" {
                                tokio::time::sleep(Duration::from_millis(1_500)).await;
                            }
                            json!({"decision": self.what_became(&asked, scenario).await})
                        }
                        _ => json!({"decision": "approve"}),
                    };
                    (format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap()), answer)
                }
            };
            if let Some((status, told)) = self.victim.send(Method::POST, &path, Some(body.clone())).await {
                // What came twice because its first reply was lost is no contradiction.
                assert!(matches!(status, 200 | 409 | 410), "{path} {body}: {status} {told}");
            }
        }
    }

    /// Whether this happened in the run; if nobody can tell, it did.
    async fn has(&mut self, run: &str, word: &str) -> bool {
        let path = format!("/api/runs/{run}/events?limit=1000");
        let Some((200, page)) = self.victim.send(Method::GET, &path, None).await else { return true };
        page["items"].as_array().unwrap().iter().any(|event| event["type"] == word)
    }

    /// A person looks: did it happen? A command that the server had started may take a moment longer than the server lived.
    async fn what_became(&mut self, asked: &Value, scenario: &str) -> &'static str {
        tokio::time::sleep(Duration::from_millis(500)).await;
        // Both of the two write the same word: a line is this one's if there are more than of calls that have ended.
        let path = format!("/api/runs/{}/events?limit=1000", asked["run_id"].as_str().unwrap());
        let page = self.victim.send(Method::GET, &path, None).await.map(|(_, page)| page).unwrap_or_default();
        let ended =
            |event: &&Value| event["type"] == "tool_finished" && event["data"]["call_id"] != asked["tool_call_id"];
        let others = page["items"].as_array().into_iter().flatten().filter(ended).count();
        if self.victim.wrote(scenario) > others { "happened" } else { "run_again" }
    }

    /// All runs with their events, if all have ended.
    async fn ended(&mut self, scenarios: &[&'static str]) -> Option<BTreeMap<&'static str, (Value, Vec<Value>)>> {
        let mut all = BTreeMap::new();
        for scenario in scenarios {
            let id = self.runs.get(scenario)?.clone();
            let (_, run) = self.victim.send(Method::GET, &format!("/api/runs/{id}"), None).await?;
            if !matches!(run["status"].as_str()?, "completed" | "failed" | "cancelled" | "set_aside") {
                return None;
            }
            let (_, page) = self.victim.send(Method::GET, &format!("/api/runs/{id}/events?limit=1000"), None).await?;
            all.insert(*scenario, (run, page["items"].as_array()?.clone()));
        }
        Some(all)
    }
}
