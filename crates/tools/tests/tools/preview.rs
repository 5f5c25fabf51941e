//! What people are shown before they approve, and what becomes of it when the world has changed since.

use super::{Folder, LONG, order, report};
use countersign_domain::Digest;
use countersign_domain::describe::Described;
use countersign_domain::interaction::{Change, ChangeKind, Preview};
use countersign_runtime::ports::{Order, Report, Tool};
use countersign_tools::{Bash, FileEdit, FileRead, FileWrite};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

async fn preview(tool: &dyn Tool, call: &Described) -> Preview {
    tool.preview(call).await.unwrap()
}

async fn approved(tool: &dyn Tool, call: &Described, seen: &Preview) -> Report {
    report(tool.execute(Order { seen: Some(seen), ..order(call, LONG) }).await)
}

fn change(preview: &Preview) -> (ChangeKind, &str, Option<Digest>) {
    let Change { kind, text, digest } = preview.change.as_ref().unwrap();
    (*kind, text, *digest)
}

#[tokio::test]
async fn whoever_approves_sees_what_changes_and_that_is_what_happens() {
    let folder = Folder::new();
    folder.write("f", "a\nb\nc\n");
    let edit = folder.call("file_edit", &json!({"file_path": "f", "old_string": "b", "new_string": "B"}));
    let seen = preview(&FileEdit::default(), &edit).await;
    assert_eq!(seen.path, folder.path("f").to_str().unwrap());
    let text = "--- now\n+++ then\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    assert_eq!(change(&seen), (ChangeKind::Diff, text, Some(Digest::of(b"a\nb\nc\n"))));
    assert_eq!(folder.read("f"), "a\nb\nc\n", "to look changes nothing");
    assert!(!approved(&FileEdit::default(), &edit, &seen).await.failed);
    assert_eq!(folder.read("f"), "a\nB\nc\n");
    let write = folder.call("file_write", &json!({"file_path": "new/g", "content": "x\n"}));
    let seen = preview(&FileWrite::default(), &write).await;
    assert_eq!(change(&seen), (ChangeKind::Diff, "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+x\n", None));
    assert!(!folder.path("new").exists(), "to look makes no folder");
    assert!(!approved(&FileWrite::default(), &write, &seen).await.failed);
    assert_eq!(folder.read("new/g"), "x\n");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_shown_is_not_overwritten() {
    let folder = Folder::new();
    folder.write("f", "a\n");
    let write = folder.call("file_write", &json!({"file_path": "f", "content": "x\n"}));
    let edit = folder.call("file_edit", &json!({"file_path": "f", "old_string": "a", "new_string": "x"}));
    let (writes, edits) = (FileWrite::default(), FileEdit::default());
    let seen = (preview(&writes, &write).await, preview(&edits, &edit).await);
    folder.write("f", "a\nwork of somebody else\n");
    let expected = "`W/f` changed since this was approved. Nothing was done; propose it anew.";
    for report in [approved(&writes, &write, &seen.0).await, approved(&edits, &edit, &seen.1).await] {
        assert_eq!((folder.short(&report.output).as_str(), report.failed), (expected, true));
    }
    fs::remove_file(folder.path("f")).unwrap();
    assert!(approved(&writes, &write, &seen.0).await.failed, "nor is one made where one was to be replaced");
    assert!(!folder.path("f").exists());
}

#[tokio::test]
async fn a_link_that_was_swapped_since_it_was_shown_is_not_followed() {
    let folder = Folder::new();
    folder.write("a", "same").write("b", "same");
    let read = |target: &str| {
        let _ = fs::remove_file(folder.path("link"));
        symlink(target, folder.path("link")).unwrap();
        folder.call("file_read", &json!({"file_path": "link"}))
    };
    let call = read("a");
    let seen = preview(&FileRead::default(), &call).await;
    assert_eq!(seen, Preview { path: folder.path("a").to_str().unwrap().to_owned(), change: None });
    assert_eq!(approved(&FileRead::default(), &call, &seen).await.output, "same");
    // Judged anew before it is executed, as every call is, and so with where the link leads now.
    let report = approved(&FileRead::default(), &read("b"), &seen).await;
    let expected = "`W/link` now leads elsewhere than when it was approved. Nothing was done.";
    assert_eq!((folder.short(&report.output).as_str(), report.failed), (expected, true));
}

#[tokio::test]
async fn what_would_fail_says_so_before_anybody_approves_it() {
    let folder = Folder::new();
    folder.write("f", "a a");
    let edit = folder.call("file_edit", &json!({"file_path": "f", "old_string": "a", "new_string": "x"}));
    let seen = preview(&FileEdit::default(), &edit).await;
    let (kind, text, digest) = change(&seen);
    assert_eq!((kind, digest), (ChangeKind::Note, Some(Digest::of(b"a a"))));
    assert!(text.starts_with("This would fail: `old_string` occurs 2 times"), "{text}");
    let read = folder.call("file_read", &json!({"file_path": "../outside/secret"}));
    let seen = preview(&FileRead::default(), &read).await;
    assert!(change(&seen).1.contains("is not in the working folder"), "{seen:?}");
}

#[tokio::test]
async fn a_command_says_all_there_is_to_say_itself() {
    let folder = Folder::new();
    assert_eq!(Bash::default().preview(&folder.call("bash", &json!({"command": "ls"}))).await, None);
}
