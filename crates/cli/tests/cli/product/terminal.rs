//! The same from a terminal.

use super::server::{Server, one_call};
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
        ran.stderr.contains("`models.m.api_key` speaks of the environment variable `NO_SUCH_VARIABLE`"),
        "{}",
        ran.stderr
    );
}
