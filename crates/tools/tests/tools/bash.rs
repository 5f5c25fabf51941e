//! What a command gives, what it sees, and what is refused.

use super::{described, execute};
use countersign_domain::Digest;
use countersign_runtime::ports::Report;
use countersign_tools::Bash;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

async fn bash(args: Value) -> Report {
    execute(&Bash::default(), &described("bash", &args, Some(Path::new("/")))).await
}

fn report(output: &str, failed: bool) -> Report {
    Report { output: output.to_owned(), failed }
}

#[tokio::test]
async fn output_and_errors_come_in_their_order() {
    let command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    let given = bash(json!({"command": command, "description": "counts"})).await;
    assert_eq!(given, report("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", false));
}

#[tokio::test]
async fn a_failure_is_named() {
    for (command, expected) in [
        ("echo a; exit 3", "a\nThe command ended with exit code 3."),
        ("printf a; false", "a\nThe command ended with exit code 1."),
        ("kill -TERM $$", "The command was ended by signal 15."),
        ("no-such-program", "bash: line 1: no-such-program: command not found\nThe command ended with exit code 127."),
    ] {
        assert_eq!(bash(json!({"command": command})).await, report(expected, true), "{command}");
    }
    assert_eq!(bash(json!({"command": "true"})).await, report("The command ended without output.", false));
}

#[tokio::test]
async fn a_command_runs_in_the_folder_of_its_call_without_input() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let call = described("bash", &json!({"command": "pwd; cat; echo $0 $#"}), Some(&folder));
    let given = execute(&Bash::default(), &call).await;
    assert_eq!(given, report(&format!("{}\nbash 0\n", folder.display()), false));
}

#[tokio::test]
async fn much_output_is_cut_in_the_middle_and_bytes_that_are_no_text_are_replaced() {
    let given =
        bash(json!({"command": r"echo start; head -c 3000000 /dev/zero | tr '\0' x; echo; printf 'end\377'"})).await;
    assert!(!given.failed);
    assert!(given.output.starts_with("start\nxxx") && given.output.ends_with("xxx\nend\u{FFFD}"));
    assert!(given.output.contains("bytes of output left out"));
    assert!(given.output.len() < 256 * 1024 + 100, "{}", given.output.len());
}

#[tokio::test]
async fn the_environment_is_scrubbed() {
    let inherited =
        ["PATH=/usr/bin:/bin", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=hunter2", "BASH_ENV=/x", "COUNTERSIGN_TOKEN=t"];
    let variables =
        inherited.map(|pair| pair.split_once('=').map(|(name, value)| (name.into(), value.into())).unwrap());
    let call = described("bash", &json!({"command": "env"}), Some(Path::new("/")));
    let given = execute(&Bash::with_environment(variables), &call).await;
    let names: BTreeSet<&str> = given.output.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    // The shell itself adds some.
    let expected = ["COUNTERSIGN_CALL_KEY", "LC_ALL", "PATH", "PWD", "SHLVL", "TMPDIR", "_"];
    assert_eq!(names.difference(&["OLDPWD"].into()).copied().collect::<Vec<_>>(), expected, "{}", given.output);
    assert!(given.output.contains(&format!("COUNTERSIGN_CALL_KEY={}\n", Digest::of(b"key"))));
}

#[tokio::test]
async fn a_secret_of_ours_does_not_reach_a_command() {
    // Whoever runs tests sets this one, so that there is something to hide.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let given = bash(json!({"command": "env | grep CARGO; cat /proc/$$/environ | tr '\\0' '\\n' | grep CARGO"})).await;
    assert_eq!(given, report("The command ended with exit code 1.", true));
}

#[tokio::test]
async fn a_command_inherits_no_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "hunter2").unwrap();
    // It stays open when a program is started, as files may that we were started with ourselves.
    let held = std::fs::File::open(folder.path().join("secret")).unwrap();
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).unwrap();
    let given = bash(json!({"command": "for fd in /proc/self/fd/*; do readlink $fd; done | grep -c secret"})).await;
    assert_eq!(given, report("0\nThe command ended with exit code 1.", true));
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    for (args, why) in [
        (json!({}), "The argument `command` is missing"),
        (json!({"command": 3}), "`command` must be a text"),
        (json!({"command": "touch x", "cwd": "/tmp"}), "`bash` does not know the argument `cwd`"),
        (json!({"command": "touch x", "timeout": "soon"}), "`timeout` must be a whole number"),
        (json!({"command": "touch x", "timeout": 0}), "`timeout` must be a whole number"),
        (json!({"command": "touch x", "run_in_background": true}), "`run_in_background` is not possible"),
        (json!({"command": "touch x", "run_in_background": "no"}), "`run_in_background` must be `true` or `false`"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let given = execute(&Bash::default(), &described("bash", &args, Some(folder.path()))).await;
        assert!(given.failed && given.output.contains(why), "{args}: {given:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{args}");
    }
    let fine = json!({"command": "echo a", "timeout": null, "run_in_background": false});
    assert_eq!(bash(fine).await, report("a\n", false));
}

#[tokio::test]
async fn a_folder_that_is_missing_is_named() {
    let args = json!({"command": "pwd"});
    let given = execute(&Bash::default(), &described("bash", &args, Some(Path::new("/no/such/folder")))).await;
    assert_eq!(given, report("The working folder `/no/such/folder` is not there. Nothing was done.", true));
    let given = execute(&Bash::default(), &described("bash", &args, None)).await;
    assert_eq!(given, report("The call has no working folder. Nothing was done.", true));
}

#[tokio::test]
async fn a_command_that_looks_like_an_option_is_none() {
    let report = bash(json!({"command": "-x"})).await;
    assert!(report.failed && report.output.contains("command not found"), "{report:?}");
}
