//! What commands reach where the kernel holds them to it.

use super::{Folder, execute};
use countersign_tools::{Bash, Kernel, Sandbox, is_held_by_kernel};
use serde_json::json;
use std::fs;

async fn run(folder: &Folder, sandbox: Sandbox, command: &str) -> String {
    let call = folder.call("bash", &json!({"command": command}));
    folder.short(&execute(&Bash::new(sandbox), &call).await.output)
}

/// Says plainly that nothing is tested where there is nothing to test.
fn is_held() -> bool {
    if !is_held_by_kernel() {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests should know")]
        {
            eprintln!("skipped: this kernel has no Landlock");
        }
    }
    is_held_by_kernel()
}

#[tokio::test]
async fn a_command_works_in_its_folder_with_the_programs_of_the_system() {
    let folder = Folder::new();
    let command = "mkdir -p a/b && echo text > a/b/f && mv a/b/f a/g && ln a/g a/h && sed -i s/t/T/ a/g && cat a/g a/h \
                   && t=$(mktemp) && case $t in $TMPDIR/*) echo private;; esac && mv $t a/t && grep -c root /etc/passwd \
                   && ls / > /dev/null; echo $? && head -c1 /dev/urandom | wc -c && echo x | cat <(cat) > /dev/null && rm -r a && ls -A";
    let told = run(&folder, Sandbox::default(), command).await;
    // The root itself is not one of the folders that may be listed.
    let expected = if is_held_by_kernel() {
        "Text\ntext\nprivate\n1\nls: cannot open directory '/': Permission denied\n2\n1\n"
    } else {
        "Text\ntext\nprivate\n1\n0\n1\n"
    };
    assert_eq!(told, expected);
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 0);
}

#[tokio::test]
async fn git_works_with_the_settings_of_its_user() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().unwrap());
    fs::write(home.path().join(".gitconfig"), "[user]\nname = Kim\nemail = kim@a.test\n").unwrap();
    fs::write(home.path().join(".netrc"), "hunter2").unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let bash = Bash::with_environment([("PATH".into(), path), ("HOME".into(), home.path().into())]);
    let command = "git init -q . && git commit -q --allow-empty -m x && git log --format=%an && git status --short && cat ~/.netrc";
    let told = execute(&bash, &folder.call("bash", &json!({"command": command}))).await.output;
    let expected = if is_held_by_kernel() { "Kim\ncat: " } else { "Kim\nhunter2" };
    assert!(told.starts_with(expected), "{told}");
}

#[tokio::test]
async fn a_command_reaches_nothing_else() {
    if !is_held() {
        return;
    }
    let folder = Folder::new();
    std::os::unix::fs::symlink(folder.outside(""), folder.path("way")).unwrap();
    for command in [
        "cat ../outside/secret",
        "cat way/secret",
        "ls ../outside",
        "echo harm > ../outside/secret",
        "echo harm > ../outside/new",
        "echo harm >> way/secret",
        "rm ../outside/secret",
        "mv ../outside/secret .",
        "ln ../outside/secret here",
        "truncate -s0 ../outside/secret",
        "mkdir ../outside/x",
        "bash -c 'cat ../outside/secret'",
        "cp /bin/true ../outside/x",
        "touch /etc/countersign-was-here",
        "touch /tmp/countersign-was-here",
        "(setsid cat ../outside/secret)",
        // Terminals, which others read questions on.
        "echo harm > /dev/ptmx",
        "ls /dev/pts",
    ] {
        let told = run(&folder, Sandbox::default(), command).await;
        assert!(told.contains("ermission denied") || told.contains("cross-device"), "{command}: {told}");
        assert!(!told.contains("hunter2"), "{command}: {told}");
        assert_eq!(fs::read_to_string(folder.outside("secret")).unwrap(), "hunter2", "{command}");
        assert_eq!(fs::read_dir(folder.outside("")).unwrap().count(), 1, "{command}");
    }
    let told = run(&folder, Sandbox::default(), "cat ../outside/secret").await;
    assert!(told.ends_with("name more under `sandbox`."), "{told}");
}

#[tokio::test]
async fn a_command_learns_nothing_from_our_own_process_and_cannot_end_it() {
    if !is_held() {
        return;
    }
    let folder = Folder::new();
    let me = std::process::id();
    for command in [
        format!("cat /proc/{me}/environ"),
        format!("readlink -v /proc/{me}/fd/1"),
        format!("cat /proc/{me}/root{}", folder.outside("secret").display()),
        format!("head -c1 /proc/{me}/mem"),
    ] {
        let told = run(&folder, Sandbox::default(), &command).await;
        assert!(told.contains("ermission denied"), "{command}: {told}");
    }
    let told = run(&folder, Sandbox::default(), &format!("kill -0 {me}")).await;
    assert!(told.contains("not permitted"), "{told}");
}

#[tokio::test]
async fn what_the_configuration_names_is_reached_too() {
    let folder = Folder::new();
    let may_read = Sandbox { read: vec![folder.outside("")], ..Sandbox::default() };
    assert_eq!(run(&folder, may_read.clone(), "cat ../outside/secret").await, "hunter2");
    if is_held() {
        assert!(run(&folder, may_read, "echo x > ../outside/secret").await.contains("ermission denied"));
    }
    let may_write = Sandbox { write: vec![folder.outside("")], ..Sandbox::default() };
    assert_eq!(run(&folder, may_write, "echo x > ../outside/new; cat ../outside/new").await, "x\n");
    let off = Sandbox { kernel: Kernel::Off, ..Sandbox::default() };
    assert_eq!(run(&folder, off, "cat ../outside/secret").await, "hunter2");
}

#[tokio::test]
async fn the_folder_for_what_does_not_last_is_private_and_gone_afterwards() {
    let folder = Folder::new();
    let told = run(&folder, Sandbox::default(), "echo x > $TMPDIR/x; stat -c %a $TMPDIR; echo $TMPDIR").await;
    let (mode, path) = told.trim().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(!std::path::Path::new(path).exists(), "{path}");
}
