//! What is written, and what is not.

use super::{Folder, execute};
use countersign_runtime::ports::Report;
use countersign_tools::{FileEdit, FileWrite, Sandbox};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

async fn write(folder: &Folder, path: &str, content: &str) -> Report {
    let call = folder.call("file_write", &json!({"file_path": path, "content": content}));
    shortened(folder, &execute(&FileWrite::default(), &call).await)
}

async fn edit(folder: &Folder, args: Value) -> Report {
    shortened(folder, &execute(&FileEdit::default(), &folder.call("file_edit", &args)).await)
}

fn shortened(folder: &Folder, report: &Report) -> Report {
    Report { output: folder.short(&report.output), failed: report.failed }
}

fn done(output: &str) -> Report {
    Report { output: output.to_owned(), failed: false }
}

fn failed(output: &str) -> Report {
    Report { output: output.to_owned(), failed: true }
}

/// Everything that is in the working folder.
fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_file_is_written_whole_and_nothing_is_left_beside_it() {
    let folder = Folder::new();
    assert_eq!(write(&folder, "a.md", "één\r\n").await, done("`W/a.md` was made: 7 bytes."));
    assert_eq!(write(&folder, "./x/../a.md", "2").await, done("`W/a.md` was written: 1 bytes, 7 before."));
    assert_eq!(write(&folder, "deep/er/b/", "").await, done("`W/deep/er/b` was made: 0 bytes."));
    assert_eq!((folder.read("a.md").as_str(), folder.read("deep/er/b").as_str()), ("2", ""));
    assert_eq!(names(&folder), ["a.md", "deep"]);
}

#[tokio::test]
async fn what_others_may_do_with_a_file_stays() {
    let folder = Folder::new();
    folder.write("run.sh", "old").write("private", "old");
    for (name, mode) in [("run.sh", 0o755), ("private", 0o600)] {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
        write(&folder, name, "new").await;
        let meta = fs::metadata(folder.path(name)).unwrap();
        assert_eq!((meta.mode() & 0o7777, folder.read(name).as_str()), (mode, "new"));
    }
    // Rights of another user's are not lent to what was written by an agent.
    fs::set_permissions(folder.path("run.sh"), fs::Permissions::from_mode(0o4755)).unwrap();
    write(&folder, "run.sh", "newer").await;
    assert_eq!(fs::metadata(folder.path("run.sh")).unwrap().mode() & 0o7777, 0o755);
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_not_replaced_either() {
    let folder = Folder::new();
    folder.write("fixed", "old");
    fs::set_permissions(folder.path("fixed"), fs::Permissions::from_mode(0o444)).unwrap();
    let report = write(&folder, "fixed", "new").await;
    if rustix::process::geteuid().is_root() {
        assert_eq!(folder.read("fixed"), "new", "nothing is forbidden to root");
    } else {
        assert_eq!(report, failed("`W/fixed` may not be reached: permission denied. Nothing was done."));
        assert_eq!(folder.read("fixed"), "old");
    }
}

#[tokio::test]
async fn another_name_of_a_file_keeps_what_it_held() {
    let folder = Folder::new();
    fs::hard_link(folder.outside("secret"), folder.path("same")).unwrap();
    assert!(!write(&folder, "same", "new").await.failed);
    assert_eq!(
        (folder.read("same").as_str(), fs::read_to_string(folder.outside("secret")).unwrap().as_str()),
        ("new", "hunter2")
    );
}

#[tokio::test]
async fn a_piece_is_replaced() {
    let folder = Folder::new();
    folder.write("f", "a\r\nb\r\nb\r\n").write("bad", b"a\xFF").write("plain", "x = 1\n");
    let args = |path: &str, old: &str, new: &str| json!({"file_path": path, "old_string": old, "new_string": new});
    assert_eq!(edit(&folder, args("f", "a\nb\n", "c\n")).await, done("`W/f` was written: 6 bytes, 9 before."));
    assert_eq!(folder.read("f"), "c\r\nb\r\n");
    assert_eq!(edit(&folder, args("plain", "x = 1", "x = 2")).await, done("`W/plain` was written: 6 bytes, 6 before."));
    folder.write("f", "b b b");
    for (path, old, expected) in [
        (
            "f",
            "b",
            "`old_string` occurs 3 times: give more of the lines around it, or set `replace_all`; it is not unique in `W/f`. Nothing was done.",
        ),
        ("f", "B", "`old_string` does not occur in `W/f`. Nothing was done."),
        ("bad", "a", "`W/bad` is not text in UTF-8. Nothing was done."),
        ("missing", "a", "There is no file `W/missing`. Nothing was done."),
    ] {
        assert_eq!(edit(&folder, args(path, old, "x")).await, failed(expected));
    }
    let all = json!({"file_path": "f", "old_string": "b", "new_string": "", "replace_all": true});
    assert_eq!(edit(&folder, all).await, done("`W/f` was written: 2 bytes, 5 before."));
    assert_eq!(names(&folder), ["bad", "f", "plain"]);
}

#[tokio::test]
async fn what_is_no_file_is_not_replaced() {
    let folder = Folder::new();
    folder.write("file", "");
    fs::create_dir(folder.path("sub")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path("fifo"), rustix::fs::Mode::RUSR).unwrap();
    let long = "x".repeat(256);
    for (name, expected) in [
        ("sub", "`W/sub` is a folder, not a file. Nothing was done."),
        (".", "`W` is a folder, not a file. Nothing was done."),
        ("fifo", "`W/fifo` is a named pipe, not a file. Nothing was done."),
        ("file/x", "`W/file/x` could not be reached: Not a directory (os error 20). Nothing was done."),
        (&long, &format!("`W/{long}` could not be reached: File name too long (os error 36). Nothing was done.")),
    ] {
        assert_eq!(write(&folder, name, "new").await, failed(expected));
    }
    let longest = "x".repeat(255);
    assert!(!write(&folder, &longest, "new").await.failed, "a name as long as there can be");
}

#[tokio::test]
async fn what_is_too_large_is_left_alone() {
    let folder = Folder::new();
    fs::File::create(folder.path("huge")).unwrap().set_len(16 * 1024 * 1024 + 1).unwrap();
    let expected = failed("`W/huge` is larger than 16777216 bytes. Nothing was done.");
    assert_eq!(write(&folder, "huge", "new").await, expected);
    assert_eq!(edit(&folder, json!({"file_path": "huge", "old_string": "a", "new_string": "b"})).await, expected);
    folder.write("grows", "a".repeat(1024 * 1024));
    let grown = json!({"file_path": "grows", "old_string": "a", "new_string": "b".repeat(32), "replace_all": true});
    assert_eq!(
        edit(&folder, grown).await,
        failed("there would be more than 16777216 bytes in `W/grows`. Nothing was done.")
    );
}

#[tokio::test]
async fn folders_that_the_configuration_names_are_reached_too() {
    let folder = Folder::new();
    let path = folder.outside("new");
    let call = folder.call("file_write", &json!({"file_path": path.to_str(), "content": "text"}));
    let may_read = Sandbox { read: vec![folder.outside("")], ..Sandbox::default() };
    let refused = execute(&FileWrite::new(may_read), &call).await;
    assert!(refused.failed && refused.output.contains("the setting `sandbox.write` names"), "{refused:?}");
    let may_write = Sandbox { write: vec![folder.outside("")], ..Sandbox::default() };
    assert!(!execute(&FileWrite::new(may_write), &call).await.failed);
    assert_eq!(fs::read_to_string(path).unwrap(), "text");
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let folder = Folder::new();
    for (args, why) in [
        (json!({"file_path": "f"}), "The argument `content` is missing"),
        (json!({"content": "f"}), "The argument `file_path` is missing"),
        (json!({"file_path": "f", "content": 1}), "`content` must be a text"),
        (json!({"file_path": "f", "content": "", "mode": "a"}), "does not know the argument `mode`"),
        (json!({"file_path": "f\u{0}", "content": ""}), "cannot be understood as a path"),
    ] {
        let report = execute(&FileWrite::default(), &folder.call("file_write", &args)).await;
        assert!(report.failed && report.output.contains(why), "{report:?}");
    }
    for (args, why) in [
        (json!({"file_path": "f", "old_string": "a"}), "The argument `new_string` is missing"),
        (json!({"file_path": "f", "old_string": "", "new_string": "a"}), "`old_string` is empty"),
        (json!({"file_path": "f", "old_string": "a", "new_string": "a"}), "are the same"),
        (json!({"file_path": "f", "edits": []}), "does not know the argument `edits`"),
    ] {
        let report = execute(&FileEdit::default(), &folder.call("file_edit", &args)).await;
        assert!(report.failed && report.output.contains(why), "{report:?}");
    }
    assert!(names(&folder).is_empty());
}
