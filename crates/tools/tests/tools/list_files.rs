//! What is listed.

use super::{Folder, execute};
use countersign_tools::ListFiles;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

async fn list(folder: &Folder, args: Value) -> String {
    folder.short(&execute(&ListFiles::default(), &folder.call("list_files", &args)).await.output)
}

fn tree() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("src/a/b/c")).unwrap();
    fs::create_dir_all(folder.path(".git/objects")).unwrap();
    folder
        .write("src/main.rs", "")
        .write("src/a/deep.rs", "")
        .write("src/a/b/c/deeper.rs", "")
        .write(".env", "")
        .write("B", "")
        .write("a.md", "");
    symlink(folder.outside(""), folder.path("way")).unwrap();
    folder
}

#[tokio::test]
async fn a_folder_is_listed_sorted_with_those_below_and_by_no_link() {
    let folder = tree();
    let whole = list(&folder, json!({})).await;
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(
        lines,
        [".env", ".git/", "B", "a.md", "src/", "src/a/", "src/a/b/", "src/a/deep.rs", "src/main.rs", "way -> O/"]
    );
    assert_eq!(list(&folder, json!({"path": ".", "depth": 1})).await, ".env\n.git/\nB\na.md\nsrc/\nway -> O/");
    assert_eq!(list(&folder, json!({"path": "src/a", "depth": 9})).await, "b/\nb/c/\nb/c/deeper.rs\ndeep.rs");
    assert_eq!(list(&folder, json!({"file_path": ".git"})).await, "objects/");
    assert_eq!(list(&folder, json!({"path": ".git/objects"})).await, "The folder is empty.");
}

#[tokio::test]
async fn only_what_fits_is_listed() {
    let folder = tree();
    assert_eq!(list(&folder, json!({"pattern": "*.rs"})).await, "src/a/b/c/deeper.rs\nsrc/a/deep.rs\nsrc/main.rs");
    assert_eq!(list(&folder, json!({"pattern": "src/**/d*.rs", "depth": 3})).await, "src/a/deep.rs");
    assert_eq!(list(&folder, json!({"pattern": "../*"})).await, "Nothing there fits the pattern.");
}

#[tokio::test]
async fn a_long_list_says_how_much_is_left_out() {
    let folder = Folder::new();
    for i in 0..1234 {
        folder.write(&format!("{i:04}"), "");
    }
    let whole = list(&folder, json!({})).await;
    assert_eq!(whole.lines().count(), 1001);
    assert!(whole.starts_with("0000\n0001\n") && whole.ends_with("\n0999\n[… 234 more …]"), "{whole}");
}

#[tokio::test]
async fn a_name_cannot_look_like_another() {
    let folder = Folder::new();
    folder.write("a\nb", "").write("c\u{1b}[2J", "");
    fs::write(folder.path("").join(OsStr::from_bytes(b"d\xFF")), "").unwrap();
    assert_eq!(list(&folder, json!({})).await, "a\\nb\nc\\u{1b}[2J\nd\u{FFFD}");
}

#[tokio::test]
async fn what_is_no_folder_is_named() {
    let folder = tree();
    for (args, expected) in [
        (json!({"path": "a.md"}), "`W/a.md` is a file, not a folder. Nothing was done."),
        (json!({"path": "missing"}), "There is no folder `W/missing`. Nothing was done."),
        (json!({"path": ".", "file_path": "."}), "Give `path` or `file_path`, not both. Nothing was done."),
        (json!({"pattern": ""}), "The argument `pattern` must have 1 to 256 bytes. Nothing was done."),
        (json!({"recursive": true}), "`list_files` does not know the argument `recursive`. Nothing was done."),
    ] {
        assert_eq!(list(&folder, args).await, expected);
    }
}
