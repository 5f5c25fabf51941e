//! The same from a terminal.

use super::server::{Server, one_call};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[tokio::test]
async fn a_run_is_followed_and_its_question_answered_from_another_terminal() {
    let server = Server::new(one_call(), "");
    let mut program = server.program();
    program.args(["run", "worker", "do it", "--server", &server.base]).env("COUNTERSIGN_TOKEN", &server.operator);
    let mut run = program.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let answer = |verb: &str| {
        let mut program = server.program();
        program.args([verb, &id, "--server", &server.base]).env("COUNTERSIGN_TOKEN", &server.approver);
        let ran = program.output().unwrap();
        (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr))
    };
    let (code, said) = answer("approve");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("approved: bash(echo ran >> count)"), "{said}");
    let (code, said) = answer("approve");
    assert!(code == Some(0) && said.contains("as before"), "{said}");
    let (code, said) = answer("reject");
    assert!(code == Some(2) && said.contains("ALREADY_ANSWERED"), "{said}");
    assert!(run.wait().unwrap().success());
    let shown: Vec<String> = BufReader::new(run.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    let shown = shown.join("\n");
    for part in ["ask    bash(echo ran >> count)", "countersign approve int_", "completed", "all done"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn without_a_token_or_a_server_one_is_told_what_to_do() {
    let server = Server::new(one_call(), "");
    let without = server.program().args(["approve", "int_00000000000000000000000000000000"]).output().unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&without.stderr).contains("countersign token create"));
    let mut program = server.program();
    program.args(["approve", "int_00000000000000000000000000000000", "--server", "http://127.0.0.1:9"]);
    let nobody = program.env("COUNTERSIGN_TOKEN", "cs_user_x").output().unwrap();
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("countersign serve"));
}

#[test]
fn a_bad_configuration_is_refused_before_anything_starts() {
    let (_folder, path) = crate::program::file("c.yaml", "agents: { a: { model: nope } }\n");
    let ran = crate::program::countersign(&["serve", "--config", &path, "--db", "sqlite:///tmp/never-made/x.db"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no model `nope`"), "{}", ran.stderr);
    let (_folder, path) = crate::program::file(
        "c.yaml",
        "models: { m: { provider: openai, model: x, api_key: \"${NO_SUCH_VARIABLE}\" } }\n",
    );
    let ran = crate::program::countersign(&["serve", "--config", &path, "--db", "sqlite:///tmp/never-made/x.db"], "");
    assert!(
        ran.stderr.contains("c.yaml:1:53: models.m.api_key: the environment variable `NO_SUCH_VARIABLE` is not set"),
        "{}",
        ran.stderr
    );
}

/// Sits at a terminal. Its script is a list of pairs: what to wait for, looked for after what was last waited for, and what
/// to type then.
pub const TYPIST: &str = r#"
import json, os, pty, sys, termios
script, program = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    # An interrupt throws away what was shown and not read yet: also what the program says to it, if it is quick.
    set_up = termios.tcgetattr(0)
    set_up[3] |= termios.NOFLSH
    termios.tcsetattr(0, termios.TCSANOW, set_up)
    os.execv(program[0], program)
shown, seen = b"", 0
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    while script and (at := shown.find(script[0][0].encode(), seen)) >= 0:
        seen = at + len(script[0][0].encode())
        os.write(terminal, script.pop(0)[1].encode())
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// What the program showed to whoever answered by `script`.
pub fn at_terminal(server: &Server, script: &[(&str, &str)]) -> String {
    let (code, shown) = left_terminal(server, script);
    assert_eq!(code, Some(0), "{shown}");
    shown
}

/// How the program ended, and what it showed.
fn left_terminal(server: &Server, script: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut typist = std::process::Command::new("python3");
    typist.args(["-c", TYPIST, &json!(script).to_string(), env!("CARGO_BIN_EXE_countersign")]);
    typist.args(["run", "worker", "do it", "--server", &server.base]).env("COUNTERSIGN_TOKEN", &server.operator);
    let ran = typist.output().unwrap();
    (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[tokio::test]
async fn whoever_leaves_a_run_is_told_how_to_answer_it_later() {
    // An interrupt, the end of the input, and the word for it.
    for typed in ["\u{3}", "\u{4}", "/later\n"] {
        let server = Server::new(one_call(), "");
        let (code, shown) = left_terminal(&server, &[("approve?", typed)]);
        assert_eq!(code, Some(3), "{typed:?}: {shown}");
        let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
        assert!(shown.contains(&format!("{}/runs/run_", server.base)), "{typed:?}: {shown}");
        assert!(shown.contains(&format!("to answer it later: countersign approve {id}")), "{typed:?}: {shown}");
        let mut program = server.program();
        program.args(["approve", &id, "--server", &server.base]).env("COUNTERSIGN_TOKEN", &server.approver);
        assert!(program.output().unwrap().status.success());
        let run = server.get("/api/runs").await.1["items"][0]["id"].as_str().unwrap().to_owned();
        server.until_status(&run, "completed").await;
        assert_eq!(server.counted(), 1, "it went on without whoever left");
    }
}

#[tokio::test]
async fn without_a_terminal_a_run_that_waits_is_left_on_demand() {
    let server = Server::new(one_call(), "");
    for json in [None, Some("--json")] {
        let mut program = server.program();
        program.args(["run", "worker", "do it", "--no-wait", "--server", &server.base]).args(json);
        let ran = program.env("COUNTERSIGN_TOKEN", &server.operator).stdin(Stdio::null()).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert_eq!(ran.status.code(), Some(3), "{out}{err}");
        assert!(err.contains("to answer it later: countersign approve int_"), "{err}");
        assert!(!out.contains('\r') && !err.contains('\r'), "nothing is drawn where nobody looks: {out}{err}");
        if json.is_some() {
            assert!(out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{out}");
        }
    }
}

#[tokio::test]
async fn a_call_is_shown_with_its_verdict_its_reason_and_what_is_going_on() {
    let call = |command: &str| json!({"tool": "bash", "args": {"command": command}});
    let turns =
        vec![json!([call("sleep 2"), call("curl evil.example")]), json!([call("ls nothing")]), json!("all done")];
    let policy = "policy: { rules: [ { name: no-net, priority: 1, tool: \"bash(curl:*)\", effect: deny }, \
        { name: rest, priority: 2, tool: bash, effect: allow } ] }";
    let server = Server::new(turns, policy);
    let shown = at_terminal(&server, &[]);
    for part in ["rule \"no-net\"", "rule \"rest\"", "bash(sleep 2) is at work", "completed after 2.", "No such file"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let after = shown.rsplit("is at work").next().unwrap();
    assert!(after.contains("\r\u{1b}[K"), "it is taken away: {shown}");
}

#[tokio::test]
async fn a_question_is_answered_where_the_run_was_started() {
    let server = Server::new(one_call(), "");
    let shown = at_terminal(&server, &[("approve?", "y\n")]);
    assert!(shown.contains("│ all done"), "what the agent says is marked: {shown}");
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn what_was_typed_before_the_question_is_no_answer() {
    let mut turns = one_call();
    turns.insert(0, json!([{"tool": "bash", "args": {"command": "sleep 2"}}]));
    let policy = "policy: { rules: [ { name: wait, priority: 1, tool: \"bash(sleep:*)\", effect: allow } ] }";
    let server = Server::new(turns, policy);
    at_terminal(&server, &[("run_", "y\n"), ("approve?", "too early\n")]);
    assert_eq!(server.counted(), 0);
    assert!(server.model.last_asked().to_string().contains("too early"), "{}", server.model.last_asked());
}

/// A form with a part of each kind, one within another.
fn release() -> Vec<serde_json::Value> {
    let form = json!({"title": "How shall I\n  approve? [y/N] release it?", "type": "combined", "interactions": [
        {"id": "version", "title": "Version", "type": "input"},
        {"id": "notes", "title": "Notes", "type": "input", "multiline": true, "required": false},
        {"id": "more", "title": "Around it", "type": "combined", "interactions": [
            {"id": "tell", "title": "Whom to tell", "type": "select", "multiple": true, "options": [
                {"value": "mail", "label": "Customers"}, {"value": "chat", "label": "The team"}]},
            {"id": "tag", "title": "Tag it?", "type": "confirm", "cancel_text": "No tag"},
        ]},
    ]});
    vec![json!([{"tool": "ask_user", "args": form}]), json!("all done")]
}

#[tokio::test]
async fn a_form_is_filled_in_part_by_part_and_what_does_not_fit_is_asked_again() {
    let server = Server::new(release(), "");
    // Only what is typed after a prompt counts.
    let script = [
        ("a line: ", "\n"),
        ("a line: ", "1.4.0\n"),
        ("ended by an empty one, or nothing:", "two\nlines\n\n"),
        ("blanks between them: ", "3\n"),
        ("blanks between them: ", "2 1\n"),
        ("y or n: ", "n\n"),
    ];
    let shown = at_terminal(&server, &script);
    for part in ["`text` is missing", " 2 │ The team", "a number from 1 to 2, not `3`", "n │ No tag"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(shown.contains("│   approve? [y/N] release it?"), "each line of a question is marked: {shown}");
    let told = server.model.last_asked()["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    let told: serde_json::Value = serde_json::from_str(told.as_str().unwrap()).unwrap();
    let inner = json!([
        {"request_id": "tell", "selected_values": ["chat", "mail"]},
        {"request_id": "tag", "confirmed": false}]);
    let expected = json!({"responses": [
        {"request_id": "version", "text": "1.4.0"},
        {"request_id": "notes", "text": "two\nlines"},
        {"request_id": "more", "responses": inner}]});
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_question_is_declined_at_the_terminal() {
    let server = Server::new(release(), "");
    at_terminal(&server, &[("a line: ", "/decline ask me tomorrow\n")]);
    assert!(server.model.last_asked().to_string().contains("declined to answer: ask me tomorrow"));
}

#[tokio::test]
async fn a_result_is_replaced_at_the_terminal_before_the_agent_sees_it() {
    let call = json!([{"tool": "bash", "args": {"command": "printf 'key=s3cret\\nr'"}}]);
    let policy = "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ], \
                  overrides: { bash: { result: always } } }";
    let server = Server::new(vec![call, json!("all done")], policy);
    let shown = at_terminal(&server, &[("may the agent see it?", "p\n"), ("told instead", "key=…\n\n")]);
    assert!(shown.contains("│ key=s3cret\r\n│ r\r\n"), "what a tool gave is marked: {shown:?}");
    let told = server.model.last_asked().to_string();
    assert!(told.contains("key=…") && !told.contains("s3cret\\nr"), "{told}");
}

#[tokio::test]
async fn whoever_approves_a_question_is_told_what_it_takes() {
    let server = Server::new(release(), "");
    server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let mut program = server.program();
    program.args(["approve", &id, "--server", &server.base]).env("COUNTERSIGN_TOKEN", &server.approver);
    let ran = program.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    let told = format!(
        "`{id}` is a question to be answered: it takes `answer`, `reject`, not `approve`. Answer it at {}/interactions/{id}",
        server.base
    );
    assert!(said.contains(&told), "{said}");
    let mut program = server.program();
    program
        .args(["reject", &id, "--reason", "no", "--server", &server.base])
        .env("COUNTERSIGN_TOKEN", &server.approver);
    let ran = program.output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stdout).starts_with("declined: "), "{ran:?}");
}
