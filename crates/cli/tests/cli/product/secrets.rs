//! Secrets, planted wherever somebody can write something: executed and told to the model as they are, and found nowhere.

use super::kinds::{Dice, KINDS, Way, plant};
use super::server::Server;
use countersign_testkit::{Postgres, change_file};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was planted, and all that was seen of it.
#[derive(Default)]
struct Garden {
    planted: Vec<(String, &'static str)>,
    seen: Vec<(String, String)>,
}

impl Garden {
    /// A text with one secret of each kind, none of which was planted before.
    fn text(&mut self, place: &'static str) -> String {
        let lines: Vec<String> = (0..KINDS).map(|kind| self.line(place, kind)).collect();
        lines.join("\n")
    }

    fn line(&mut self, place: &'static str, kind: usize) -> String {
        let one = plant(kind, &mut Dice::new(self.planted.len() as u64 + 7_000));
        // The host is no secret.
        let secret = one.secret.strip_prefix("https://hooks.slack.com/services/").unwrap_or(&one.secret).to_owned();
        self.planted.push((secret, place));
        match &one.way {
            Way::Looks => format!("take {} for it", one.secret),
            Way::Name(name, ..) => format!("{name}={}", one.secret),
            Way::Around(whole) => whole.clone(),
        }
    }

    fn see(&mut self, surface: &str, seen: impl Into<String>) {
        self.seen.push((surface.to_owned(), seen.into()));
    }

    /// The secrets that somebody could find, and where.
    fn found(&self) -> Vec<String> {
        let mut found = vec![];
        for (surface, seen) in &self.seen {
            for (secret, place) in self.planted.iter().filter(|(secret, _)| seen.contains(secret)) {
                let around = seen.split(secret).next().unwrap_or_default();
                let around: String = around.chars().skip(around.chars().count().saturating_sub(40)).collect();
                found.push(format!("{place} in {surface}: …{around}{secret}"));
            }
        }
        found
    }
}

/// Reads a stream until it ends, in the background.
async fn listening(server: &Server, run: &str) -> Arc<Mutex<String>> {
    let heard = Arc::new(Mutex::new(String::new()));
    let (mut stream, kept) = (server.stream(run, 0).await, Arc::clone(&heard));
    tokio::spawn(async move {
        while let Ok(Some(piece)) = stream.chunk().await {
            kept.lock().unwrap().push_str(&String::from_utf8_lossy(&piece));
        }
    });
    heard
}

/// Lets the model end its turn as soon as somebody heard it speak.
async fn live_words_are_heard(server: &Server, heard: &Mutex<String>) {
    let words = async {
        while !heard.lock().unwrap().contains("step_delta") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), words).await.expect("live words are heard");
    server.model.linger(false);
}

/// What is planted on the way of one run and beside it.
struct Texts {
    input: String,
    letter: String,
    output: String,
    reply: String,
    reason: String,
    replacement: String,
    stopped: String,
    refused: String,
    command: String,
    unknown: String,
    /// What the model says, turn by turn.
    turns: Vec<Value>,
}

impl Texts {
    fn planted(garden: &mut Garden) -> Self {
        let [command, unknown, question, words] =
            ["arguments", "unreadable call", "question", "words"].map(|place| garden.text(place));
        let named = garden.line("name of a tool", 5);
        let turns = vec![
            json!([
                {"tool": "bash", "args": {"command": format!("cat <<'END' > got\n{command}\nEND\ncat planted")}},
                {"tool": named, "args": {"what": unknown}},
                {"tool": "ask_user",
                    "args": {"title": "Which one?", "description": question, "type": "input", "multiline": true}},
                {"tool": "file_read", "args": {"path": "planted"}},
            ]),
            json!(words),
        ];
        let [input, letter, output, reply, reason, replacement, stopped] =
            ["input", "letter", "output", "reply", "reason", "replacement", "cancel"].map(|place| garden.text(place));
        let refused = (0..6).map(|kind| garden.line("provider's error", kind)).collect::<Vec<_>>().join("\n");
        Self { input, letter, output, reply, reason, replacement, stopped, refused, command, unknown, turns }
    }

    /// The first line of each text that the model must have been told.
    fn told(&self) -> Vec<&str> {
        let texts =
            [&self.input, &self.letter, &self.output, &self.reply, &self.replacement, &self.command, &self.unknown];
        texts.into_iter().filter_map(|text| text.lines().next()).collect()
    }
}

async fn nothing_is_found(postgres: Option<Postgres>) {
    let mut garden = Garden::default();
    let texts = Texts::planted(&mut garden);
    let mut server = Server::logging(postgres, texts.turns.clone(), "tools: [ { tool: file_read, result: always } ]");
    std::fs::write(server.path("work/planted"), &texts.output).unwrap();
    let run = waits(&server, &texts, &mut garden).await;
    // Whoever takes the run up after a sudden end has its secrets too.
    server.kill();
    server.start(None);
    let heard = listening(&server, &run).await;
    // What is live only is told to whoever hears it in time: the model is not done before that.
    server.model.linger(true);
    tokio::join!(answer_all(&server, &run, &texts, &mut garden), live_words_are_heard(&server, &heard));
    // What was executed and what the model was told is what was written.
    assert_eq!(std::fs::read_to_string(server.path("work/got")).unwrap(), format!("{}\n", texts.command));
    let told = server.model.last_asked()["messages"].to_string();
    assert!(texts.told().iter().all(|line| told.contains(line)), "{told}");
    let stopped = ends_badly(&server, &texts, &mut garden).await;

    look_everywhere(&mut server, &mut garden, &[&run, &stopped]).await;
    garden.see("the second stream", heard.lock().unwrap().clone());
    let found = garden.found();
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), garden.planted.len(), found.join("\n"));
    assert!(garden.planted.len() >= 600, "{}", garden.planted.len());
    assert!(garden.seen.iter().any(|(_, seen)| seen.contains("⟦secret ")), "they are masked, not lost");
    server.sound().await;
}

/// A run that was written to, and waits for answers.
async fn waits(server: &Server, texts: &Texts, garden: &mut Garden) -> String {
    let body = json!({"agent": "worker", "input": texts.input, "user_id": "kim"});
    let (status, started) = server.post(&server.operator, "/api/runs", body).await;
    assert_eq!(status, 201, "{started}");
    garden.see("the run that was started", started.to_string());
    let run = started["id"].as_str().unwrap().to_owned();
    let heard = listening(server, &run).await;
    let letter = json!({"text": texts.letter});
    let (status, told) = server.post(&server.operator, &format!("/api/runs/{run}/message"), letter).await;
    assert_eq!(status, 200, "{told}");
    garden.see("the letter that was sent", told.to_string());
    server.until_status(&run, "waiting").await;
    garden.see("the first stream", heard.lock().unwrap().clone());
    run
}

/// Answers whatever is asked until the run has ended.
async fn answer_all(server: &Server, run: &str, texts: &Texts, garden: &mut Garden) {
    let mut answers = 0;
    while server.get(&format!("/api/runs/{run}")).await.1["status"] != "completed" {
        let open = server.get("/api/interactions").await.1;
        garden.see("the inbox", open.to_string());
        see_sessions(server, garden).await;
        for asked in open["items"].as_array().unwrap() {
            let body = match asked["purpose"].as_str().unwrap() {
                "approval" => json!({"decision": "approve", "reason": texts.reason}),
                "result_review" => json!({"decision": "replace", "replacement": texts.replacement}),
                _ => json!({"decision": "answer", "text": texts.reply}),
            };
            let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
            let (status, answered) = server.post(&server.approver, &path, body).await;
            assert_eq!(status, 200, "{answered}");
            garden.see("an answer", answered.to_string());
            let (_, late) = server.post(&server.operator, &path, json!({"decision": "reject"})).await;
            garden.see("an answer that came too late", late.to_string());
            answers += 1;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(answers >= 3, "{answers}");
}

/// A run that is stopped while it waits, which is given, and one whose model says why it does not answer.
async fn ends_badly(server: &Server, texts: &Texts, garden: &mut Garden) -> String {
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let reason = json!({"reason": texts.stopped});
    let (status, told) = server.post(&server.operator, &format!("/api/runs/{run}/cancel"), reason).await;
    assert_eq!(status, 200, "{told}");
    garden.see("the run that was stopped", told.to_string());
    server.model.refuse(&texts.refused);
    let failed = server.until_status(&server.run().await, "failed").await;
    assert!(failed["error"]["message"].as_str().unwrap().contains("⟦secret "), "{failed}");
    run
}

/// All that can be looked at: over HTTP, by the program, in the log, in the database.
async fn look_everywhere(server: &mut Server, garden: &mut Garden, runs: &[&str]) {
    for run in runs {
        for path in [format!("/api/runs/{run}"), format!("/api/runs/{run}/events?limit=1000")] {
            garden.see(&path, server.get(&path).await.1.to_string());
        }
    }
    for path in ["/api/runs", "/api/interactions?status=answered", "/api/audit", "/api/permissions/kim"] {
        garden.see(path, server.get(path).await.1.to_string());
    }
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    for format in ["csv", "json", "jsonl"] {
        garden.see(format, server.get(&format!("/api/audit/export?format={format}")).await.1.to_string());
        let exported = server.program().args(["audit", "export", "--format", format, "--db", &server.db()]).output();
        let exported = exported.unwrap();
        assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
        garden.see(&format!("audit export {format}"), String::from_utf8_lossy(&exported.stdout));
    }
    server.stop();
    let verified = server.program().args(["audit", "verify", "--db", &server.db()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    garden.see("the log of the server", std::fs::read_to_string(server.path("log")).unwrap());
    if let Some(database) = &server.postgres {
        garden.see("the tables", tables(database));
        return;
    }
    see_files(garden, &server.path("data"));
    change_file(&server.path("data/countersign.db"), "PRAGMA wal_checkpoint(TRUNCATE)");
    see_files(garden, &server.path("data"));
}

async fn see_sessions(server: &Server, garden: &mut Garden) {
    let sessions = server.get("/api/sessions").await.1;
    garden.see("/api/sessions", sessions.to_string());
    for session in sessions["items"].as_array().unwrap() {
        let path = format!("/api/sessions/{}/messages", session["id"].as_str().unwrap());
        let (status, messages) = server.get(&path).await;
        assert!(status == 200 && messages["items"] != json!([]), "{messages}");
        garden.see(&path, messages.to_string());
    }
}

/// All rows of all tables.
fn tables(database: &Postgres) -> String {
    let named = database.query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").unwrap();
    let rows = |table: &str| database.query(&format!("SELECT one::text FROM \"{table}\" AS one")).unwrap();
    named.lines().map(rows).collect()
}

fn see_files(garden: &mut Garden, folder: &Path) {
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        garden.see(&path.display().to_string(), String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
    }
}

#[tokio::test]
async fn no_planted_secret_is_found_anywhere() {
    nothing_is_found(None).await;
}

#[tokio::test]
async fn no_planted_secret_is_found_anywhere_on_postgres() {
    nothing_is_found(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn ordinary_commands_are_shown_as_they_are() {
    let commands: Vec<&str> =
        include_str!("../../../../domain/tests/cases/secrets/commands.txt").lines().step_by(3).take(30).collect();
    let calls: Vec<Value> =
        commands.iter().map(|command| json!({"tool": "bash", "args": {"command": command}})).collect();
    let server = Server::new(vec![json!(calls), json!("done")], "");
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let events = server.events(&run).await;
    let said = events.iter().find(|event| event["type"] == "step_completed").unwrap();
    let shown = said["data"]["calls"].as_array().unwrap().iter().map(|call| call["args"]["command"].clone());
    let same = shown.zip(&commands).filter(|(shown, command)| shown == *command).count();
    assert!(commands.len() == 30 && same >= 29, "{same} of {}", commands.len());
}

#[tokio::test]
async fn what_there_is_to_choose_is_chosen_by_what_is_shown() {
    let token = plant(5, &mut Dice::new(77)).secret;
    let options = json!([{"value": token, "label": "the first"}, {"value": "other", "label": "the other"}]);
    let form = json!({"title": "Which token?", "type": "select", "options": options});
    let server = Server::new(vec![json!([{"tool": "ask_user", "args": form}]), json!("done")], "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let shown = asked["options"][0]["value"].as_str().unwrap();
    assert!(shown.starts_with("⟦secret "), "{asked}");
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let (status, wrong) = server.post(&server.approver, &path, json!({"selected_values": ["neither"]})).await;
    assert!(status == 400 && !wrong.to_string().contains(&token), "{wrong}");
    let (status, answered) = server.post(&server.approver, &path, json!({"selected_values": [shown]})).await;
    assert!(status == 200 && !answered.to_string().contains(&token), "{answered}");
    server.until_status(&run, "completed").await;
    assert!(server.model.last_asked().to_string().contains(&token), "the agent is told what was chosen");
}

#[tokio::test]
async fn arguments_are_edited_around_what_is_masked_in_them() {
    let token = plant(5, &mut Dice::new(79)).secret;
    let command = format!("printf %s {token} > one");
    let server = Server::new(vec![json!([{"tool": "bash", "args": {"command": command}}]), json!("done")], "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let shown = asked["call"]["args"]["command"].as_str().unwrap();
    assert!(!shown.contains(&token) && asked["remember_options"] == json!([]), "{asked}");
    let edited = json!({"command": shown.replace("> one", "> other")});
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let body = json!({"decision": "edit", "edited_args": edited});
    let (status, answered) = server.post(&server.approver, &path, body).await;
    assert!(status == 200 && !answered.to_string().contains(&token), "{answered}");
    server.until_status(&run, "completed").await;
    assert_eq!(std::fs::read_to_string(server.path("work/other")).unwrap(), token);
    assert!(!json!(server.events(&run).await).to_string().contains(&token));
    server.sound().await;
}

/// Whoever is asked about a change of a file sees it, and not what is secret in the file.
#[tokio::test]
async fn a_change_is_shown_without_the_secrets_of_its_file() {
    let token = plant(5, &mut Dice::new(83)).secret;
    let edit = json!({"file_path": "settings", "old_string": "colour: red", "new_string": "colour: blue"});
    let server = Server::new(vec![json!([{"tool": "file_edit", "args": edit}]), json!("done")], "");
    std::fs::write(server.path("work/settings"), format!("token: {token}\ncolour: red\n")).unwrap();
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let shown = asked["preview"].to_string();
    assert!(shown.contains("colour: blue") && shown.contains("⟦secret ") && !shown.contains(&token), "{shown}");
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let (status, answered) = server.post(&server.approver, &path, json!({"decision": "approve"})).await;
    assert!(status == 200 && !answered.to_string().contains(&token), "{answered}");
    server.until_status(&run, "completed").await;
    let written = std::fs::read_to_string(server.path("work/settings")).unwrap();
    assert_eq!(written, format!("token: {token}\ncolour: blue\n"));
    server.sound().await;
}

#[tokio::test]
async fn a_placeholder_that_somebody_writes_gets_them_nothing() {
    let token = plant(5, &mut Dice::new(80)).secret;
    let turns = vec![json!([{"tool": "ask_user", "args": {"title": "Which?", "type": "input"}}]), json!("done")];
    let server = Server::new(turns, "");
    let body = json!({"agent": "worker", "input": format!("use {token}"), "user_id": "kim"});
    let (_, started) = server.post(&server.operator, "/api/runs", body).await;
    let run = started["id"].as_str().unwrap().to_owned();
    let place = started["input"].as_str().unwrap().trim_start_matches("use ").to_owned();
    let asked = server.open(1).await.remove(0);
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let (status, answered) = server.post(&server.approver, &path, json!({"text": format!("take {place}")})).await;
    assert_eq!(status, 200, "{answered}");
    server.until_status(&run, "completed").await;
    let told = server.model.last_asked()["messages"].to_string();
    assert!(told.contains(&format!("take {place}")) && told.matches(&token).count() == 1, "{told}");
}

#[tokio::test]
async fn a_name_that_looks_like_a_secret_is_refused_where_it_would_stand_for_ever() {
    let token = plant(5, &mut Dice::new(78)).secret;
    let server = Server::new(vec![json!("done")], "");
    for (what, value) in [
        ("session_id", json!(token)),
        ("org_id", json!(token)),
        ("delegated_permissions", json!([{"allowed_tools": [format!("bash(curl -H {token})")]}])),
    ] {
        let mut body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
        body[what] = value;
        let (status, refused) = server.post(&server.operator, "/api/runs", body).await;
        assert!(status == 400 && !refused.to_string().contains(&token), "{what}: {refused}");
    }
    let grant = json!({"resource": format!("bash(curl -H {token})")});
    let (status, refused) = server.post(&server.operator, "/api/permissions/kim/allow", grant).await;
    assert!(status == 400 && !refused.to_string().contains(&token), "{refused}");
}
