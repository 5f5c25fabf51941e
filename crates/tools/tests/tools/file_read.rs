//! What is read, and what is not.

use super::{described, execute};
use countersign_domain::describe::{Surroundings, builtin, describe};
use countersign_runtime::ports::Report;
use countersign_tools::FileRead;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder of files to read.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    async fn read(&self, args: Value) -> Report {
        execute(&FileRead::default(), &described("file_read", &args, Some(&self.path("")))).await
    }

    async fn refusal(&self, args: Value) -> String {
        let report = self.read(args).await;
        assert!(report.failed, "{report:?}");
        report.output.replace(self.path("").to_str().unwrap(), "")
    }
}

fn read(output: &str) -> Report {
    Report { output: output.to_owned(), failed: false }
}

#[tokio::test]
async fn a_file_is_read_as_it_is() {
    let folder = Folder::new();
    folder.write("a.md", "één\r\n二\n").write("empty", "").write("bad", b"a\xFFb");
    assert_eq!(folder.read(json!({"file_path": "a.md"})).await, read("één\r\n二\n"));
    assert_eq!(folder.read(json!({"path": "./x/../a.md"})).await, read("één\r\n二\n"));
    assert_eq!(folder.read(json!({"file_path": folder.path("a.md").to_str()})).await, read("één\r\n二\n"));
    assert_eq!(folder.read(json!({"file_path": "empty"})).await, read("The file is empty."));
    assert_eq!(folder.read(json!({"file_path": "bad"})).await, read("a\u{FFFD}b"));
}

#[tokio::test]
async fn lines_are_read_from_an_offset_on() {
    let folder = Folder::new();
    folder.write("f", "1\n2\n3\n4\n5");
    let lines =
        async |offset: u64, limit: u64| folder.read(json!({"file_path": "f", "offset": offset, "limit": limit})).await;
    assert_eq!(lines(1, 2).await, read("1\n2\n[lines 1 to 2; go on with `offset` 3]"));
    assert_eq!(lines(4, 1).await, read("4\n[lines 4 to 4; go on with `offset` 5]"));
    assert_eq!(lines(4, 2).await, read("4\n5"));
    assert_eq!(lines(5, u64::MAX).await, read("5"));
    assert_eq!(folder.refusal(json!({"file_path": "f", "offset": 6})).await, "`f` has only 5 lines.");
    folder.write("g", "1\n2\n");
    assert_eq!(folder.refusal(json!({"file_path": "g", "offset": 3})).await, "`g` has only 2 lines.");
}

#[tokio::test]
async fn a_long_file_is_cut_at_a_line_and_says_how_to_go_on() {
    let folder = Folder::new();
    let lines = (1..=100_000).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    folder.write("long", &lines);
    let (mut offset, mut whole) = (1, String::new());
    loop {
        let report = folder.read(json!({"file_path": "long", "offset": offset})).await;
        assert!(report.output.len() <= 256 * 1024 + 100);
        let Some((shown, note)) = report.output.split_once('[') else {
            whole.push_str(&report.output);
            break;
        };
        whole.push_str(shown);
        offset = note.rsplit_once(' ').unwrap().1.trim_end_matches(']').parse().unwrap();
    }
    assert!(whole == lines && offset > 20_000);
    folder.write("wide", "x".repeat(300_000) + "\nlast\n");
    let cut = folder.read(json!({"file_path": "wide"})).await;
    assert!(cut.output.ends_with("x\n[line 1 is longer than 262144 bytes and was cut; go on with `offset` 2]"));
    assert_eq!(folder.read(json!({"file_path": "wide", "offset": 2})).await, read("last\n"));
}

#[tokio::test]
async fn what_is_no_text_file_is_named() {
    let folder = Folder::new();
    folder.write("image", b"\x89PNG\0\0").write("late", [b"text\n".repeat(4000), b"\0".to_vec()].concat());
    fs::create_dir(folder.path("sub")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path("fifo"), rustix::fs::Mode::RUSR).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap();
    for (name, expected) in [
        ("image", "`image` is a binary file. Nothing is shown of it."),
        ("late", "`late` is a binary file. Nothing is shown of it."),
        ("sub", "`sub` is a folder, not a file. Nothing was done."),
        ("fifo", "`fifo` is a named pipe, not a file. Nothing was done."),
        ("socket", "`socket` is a socket, not a file. Nothing was done."),
        ("missing", "There is no file `missing`. Nothing was done."),
        ("image/x", "`image/x` could not be reached: Not a directory (os error 20). Nothing was done."),
    ] {
        assert_eq!(folder.refusal(json!({"file_path": name})).await, expected);
    }
}

#[tokio::test]
async fn a_link_that_was_judged_is_followed() {
    let folder = Folder::new();
    folder.write("target", "text");
    symlink(folder.path("target"), folder.path("link")).unwrap();
    let told = [("link", "target")].map(|(from, to)| {
        folder.path(from).to_str().zip(folder.path(to).to_str()).map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap()
    });
    let around = Surroundings { home: None, paths: told.into() };
    let call = described("file_read", &json!({"file_path": "link"}), Some(&folder.path(""))).call;
    let judged = describe(call, &builtin("file_read").unwrap(), &around);
    assert_eq!(execute(&FileRead::default(), &judged).await, read("text"));
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_when_it_was_judged_is_not_read() {
    let folder = Folder::new();
    folder.write("notes", "harmless").write("secret", "hunter2");
    fs::create_dir(folder.path("docs")).unwrap();
    folder.write("docs/notes", "harmless");
    let at = folder.path("");
    let call = described("file_read", &json!({"file_path": "notes"}), Some(&at));
    let deep = described("file_read", &json!({"file_path": "docs/notes"}), Some(&at));
    assert_eq!(execute(&FileRead::default(), &call).await, read("harmless"));
    // After the judgement, a link takes the file's place, and another that of a folder on the way.
    fs::remove_file(folder.path("notes")).unwrap();
    symlink(folder.path("secret"), folder.path("notes")).unwrap();
    fs::rename(folder.path("docs"), folder.path("moved")).unwrap();
    symlink(folder.path("moved"), folder.path("docs")).unwrap();
    for call in [call, deep] {
        let report = execute(&FileRead::default(), &call).await;
        assert!(report.failed && report.output.contains("now leads elsewhere"), "{report:?}");
        assert!(!report.output.contains("hunter2") && !report.output.contains("secret"));
    }
}

#[tokio::test]
async fn our_own_process_is_not_read_by_its_nickname() {
    for path in ["/proc/self/environ", "/proc/thread-self/environ", "/dev/fd/0", "/dev/stdin"] {
        let refusal = Folder::new().refusal(json!({"file_path": path})).await;
        let told = ["now leads elsewhere", "could not be reached", "is not in the working folder"];
        assert!(told.iter().any(|told| refusal.contains(told)), "{refusal}");
    }
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let folder = Folder::new();
    folder.write("f", "text");
    for (args, why) in [
        (json!({}), "The argument `file_path` is missing"),
        (json!({"file_path": "f", "path": "f"}), "not both"),
        (json!({"file_path": ["f"]}), "`file_path` must be a text"),
        (json!({"file_path": ""}), "cannot be understood as a path"),
        (json!({"file_path": "f", "offset": 0}), "`offset` must be a whole number of at least 1"),
        (json!({"file_path": "f", "limit": -1}), "`limit` must be a whole number of at least 1"),
        (json!({"file_path": "f", "pages": "1-3"}), "does not know the argument `pages`"),
    ] {
        let refusal = folder.refusal(args).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    let adrift = execute(&FileRead::default(), &described("file_read", &json!({"file_path": "f"}), None)).await;
    assert_eq!(adrift.output, "The path is relative, and the call has no working folder. Nothing was done.");
}

#[tokio::test]
async fn only_the_path_that_was_judged_is_read() {
    let folder = Folder::new();
    folder.write("a", "judged").write("b", "not judged");
    let mut call = described("file_read", &json!({"file_path": "a"}), Some(&folder.path("")));
    call.call = described("file_read", &json!({"file_path": "b"}), Some(&folder.path(""))).call;
    assert_eq!(execute(&FileRead::default(), &call).await.output, "`b` is not what was judged. Nothing was done.");
}
