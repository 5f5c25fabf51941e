//! How commands end, with all that they started.

use super::{LONG, described, execute, order, report};
use countersign_domain::describe::Described;
use countersign_runtime::ports::Tool;
use countersign_tools::Bash;
use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A folder in which commands write the numbers of their processes.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn call(&self, command: &str) -> Described {
        described("bash", &json!({"command": command}), Some(self.0.path()))
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// The number that was written to the file `name`, once it is there.
    async fn number(&self, name: &str) -> Pid {
        loop {
            let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
            if let Some(number) = text.strip_suffix('\n') {
                return Pid::from_raw(number.parse().unwrap()).unwrap();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Whether the process still runs; one that has ended and was not yet taken note of does not.
fn runs(process: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    test_kill_process(process).is_ok() && !matches!(state, None | Some('Z' | 'X'))
}

/// Waits until the process has ended. One that does not is the test's time-out.
async fn ended(process: Pid) {
    while runs(process) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A child and a grandchild that outlive everything, and the numbers of both.
const FAMILY: &str = "bash -c 'echo $$ > child; sleep 1000 & echo $! > grandchild; wait' & echo before; wait";

#[tokio::test]
async fn a_time_out_ends_children_and_grandchildren() {
    let (folder, tool) = (Folder::new(), Bash::default());
    let call = folder.call(FAMILY);
    // On a busy machine it may take a while until the whole family is there.
    for seconds in [1, 5, 25, 125] {
        let given = report(tool.execute(order(&call, Duration::from_secs(seconds))).await);
        assert!(given.failed);
        assert!(given.output.ends_with(&format!("The command was stopped after {seconds}000 ms.")), "{given:?}");
        if folder.path("grandchild").exists() {
            assert!(given.output.starts_with("before\n"), "{given:?}");
            break;
        }
    }
    ended(folder.number("child").await).await;
    ended(folder.number("grandchild").await).await;
}

#[tokio::test]
async fn a_call_may_shorten_its_time_out_and_not_lengthen_it() {
    let folder = Folder::new();
    for (wished, limit) in [(50, LONG), (3_600_000, Duration::from_millis(50))] {
        let args = json!({"command": "sleep 1000", "timeout": wished});
        let call = described("bash", &args, Some(folder.0.path()));
        let given = report(Bash::default().execute(order(&call, limit)).await);
        assert_eq!((given.output.as_str(), given.failed), ("The command was stopped after 50 ms.", true));
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_all_that_it_started() {
    let folder = Folder::new();
    let (call, tool) = (folder.call(FAMILY), Bash::default());
    let grandchild = tokio::select! {
        given = tool.execute(order(&call, LONG)) => panic!("{given:?}"),
        grandchild = folder.number("grandchild") => grandchild,
    };
    ended(folder.number("child").await).await;
    ended(grandchild).await;
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_command() {
    let folder = Folder::new();
    for command in ["sleep 1000 & echo $! > left; echo done", "sleep 1000 >/dev/null 2>&1 & echo $! > left; echo done"]
    {
        let given = execute(&Bash::default(), &folder.call(command)).await;
        assert_eq!((given.output.as_str(), given.failed), ("done\n", false));
        ended(folder.number("left").await).await;
    }
}

#[tokio::test]
async fn what_is_printed_in_the_background_until_shortly_after_is_heard() {
    let command = "echo first > >(cat) & echo second";
    let given = execute(&Bash::default(), &Folder::new().call(command)).await;
    let mut lines: Vec<&str> = given.output.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["first", "second"]);
}

#[tokio::test]
async fn a_daemon_that_holds_the_pipe_does_not_hold_the_call() {
    let folder = Folder::new();
    let command = "setsid bash -c 'echo $$ > daemon; sleep 1000' & until [ -s daemon ]; do sleep 0.01; done; echo done";
    let given = execute(&Bash::default(), &folder.call(command)).await;
    assert_eq!((given.output.as_str(), given.failed), ("done\n", false));
    let daemon = folder.number("daemon").await;
    assert!(runs(daemon), "it left the group, and so the call");
    rustix::process::kill_process_group(daemon, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn many_commands_at_once_each_end_with_their_own_code() {
    let folder = Folder::new();
    let calls: Vec<Described> = (0..20).map(|code| folder.call(&format!("sleep 0.0{code}; exit {code}"))).collect();
    let mut running = tokio::task::JoinSet::new();
    for (code, call) in calls.into_iter().enumerate() {
        running.spawn(async move { (code, execute(&Bash::default(), &call).await) });
    }
    for (code, given) in running.join_all().await {
        assert_eq!(given.failed, code != 0, "{given:?}");
        assert!(code == 0 || given.output == format!("The command ended with exit code {code}."), "{given:?}");
    }
}

#[test]
fn a_process_that_does_not_exist_does_not_run() {
    assert!(!runs(Pid::from_raw(i32::MAX).unwrap()));
    assert!(Path::new("/proc/self/stat").exists());
    assert!(runs(rustix::process::getpid()));
}
