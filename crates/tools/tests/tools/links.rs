//! Nothing outside the working folder is read or written, by whatever way it is named, and whatever is swapped meanwhile.

use super::{Folder, described, execute};
use countersign_runtime::ports::Tool;
use countersign_tools::{FileEdit, FileRead, FileWrite, ListFiles};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn tools() -> [(&'static str, Box<dyn Tool>); 4] {
    [
        ("file_read", Box::new(FileRead::default())),
        ("file_write", Box::new(FileWrite::default())),
        ("file_edit", Box::new(FileEdit::default())),
        ("list_files", Box::new(ListFiles::default())),
    ]
}

/// A call of `tool` that would do some harm at `path`.
fn args(tool: &str, path: &str) -> Value {
    match tool {
        "file_write" => json!({"file_path": path, "content": "harm"}),
        "file_edit" => json!({"file_path": path, "old_string": "hunter2", "new_string": "harm"}),
        "list_files" => json!({"path": path}),
        _ => json!({"file_path": path}),
    }
}

/// All that is outside is as it was.
fn assert_untouched(folder: &Folder) {
    assert_eq!(fs::read_to_string(folder.outside("secret")).unwrap(), "hunter2");
    assert_eq!(fs::read_dir(folder.outside("")).unwrap().count(), 1);
}

#[tokio::test]
async fn what_is_outside_is_not_reached_though_it_was_judged() {
    let folder = Folder::new();
    symlink(folder.outside("secret"), folder.path("link")).unwrap();
    symlink(folder.outside(""), folder.path("way")).unwrap();
    symlink("../outside/secret", folder.path("relative")).unwrap();
    symlink(folder.path("link"), folder.path("twice")).unwrap();
    symlink(folder.outside("missing"), folder.path("dangling")).unwrap();
    fs::create_dir(folder.path("sub")).unwrap();
    let absolute = folder.outside("secret");
    let through_proc = format!("/proc/self/cwd{}", absolute.display());
    let paths = [
        "../outside/secret",
        "sub/../../outside/secret",
        "..",
        "../work/../outside/secret",
        absolute.to_str().unwrap(),
        "link",
        "way/secret",
        "way/new",
        "way/new/deep",
        "relative",
        "twice",
        "dangling",
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/0",
        "/proc/self/environ",
        "/dev/stdin",
        through_proc.as_str(),
    ];
    for (name, tool) in tools() {
        for path in paths {
            // Judged with links followed, as the server does, and without, as if they had been made since.
            for call in
                [folder.call(name, &args(name, path)), described(name, &args(name, path), Some(&folder.path("")))]
            {
                let report = execute(&*tool, &call).await;
                assert!(report.failed, "{name} {path}: {report:?}");
                assert!(!report.output.contains("hunter2") && !report.output.contains("root:"), "{report:?}");
            }
            assert_untouched(&folder);
        }
    }
}

#[tokio::test]
async fn a_link_inside_the_folder_is_followed_if_it_was_judged_so() {
    let folder = Folder::new();
    fs::create_dir(folder.path("docs")).unwrap();
    folder.write("docs/a", "hunter2");
    symlink("docs/a", folder.path("link")).unwrap();
    symlink("docs", folder.path("way")).unwrap();
    let report = execute(&FileRead::default(), &folder.call("file_read", &args("file_read", "link"))).await;
    assert_eq!((report.output.as_str(), report.failed), ("hunter2", false));
    let report = execute(&FileEdit::default(), &folder.call("file_edit", &args("file_edit", "way/a"))).await;
    assert!(!report.failed, "{report:?}");
    assert_eq!(folder.read("docs/a"), "harm");
    let report = execute(&FileWrite::default(), &folder.call("file_write", &args("file_write", "link"))).await;
    assert!(!report.failed, "{report:?}");
    assert!(folder.path("link").is_symlink(), "the file it leads to is written, and the link stays");
    for (name, tool) in tools() {
        let path = if name == "list_files" { "way" } else { "link" };
        let call = described(name, &args(name, path), Some(&folder.path("")));
        let report = execute(&*tool, &call).await;
        assert!(report.failed && report.output.contains("now leads elsewhere"), "{name}: {report:?}");
    }
}

#[tokio::test]
async fn the_working_folder_may_be_named_by_a_link() {
    let folder = Folder::new();
    folder.write("a", "text");
    let link = folder.outside("../link");
    symlink(folder.path(""), &link).unwrap();
    let call = described("file_read", &args("file_read", folder.path("a").to_str().unwrap()), Some(&link));
    assert_eq!(execute(&FileRead::default(), &call).await.output, "text");
}

/// Swaps what is at `path` for a link to `target` and back, as quickly as it can, until it is told to stop.
fn swap(path: &Path, target: &Path, stop: &AtomicBool) {
    let aside = path.with_extension("aside");
    symlink(target, &aside).unwrap();
    while !stop.load(Ordering::Relaxed) {
        renameat_with(CWD, path, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
    }
}

#[tokio::test]
async fn a_folder_that_is_swapped_for_a_link_all_the_time_leads_nowhere() {
    let folder = Folder::new();
    fs::create_dir(folder.path("way")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (path, target, stopped) = (folder.path("way"), folder.outside(""), Arc::clone(&stop));
    let swapping = std::thread::spawn(move || swap(&path, &target, &stopped));
    let mut done = 0;
    for round in 0..1500 {
        let (name, tool) = &tools()[round % 4];
        let path = if *name == "list_files" { "way" } else { "way/secret" };
        // Judged while the folder was a folder.
        let call = described(name, &args(name, path), Some(&folder.path("")));
        let report = execute(&**tool, &call).await;
        done += usize::from(!report.failed);
        assert!(!report.output.contains("hunter2"), "{report:?}");
        assert_untouched(&folder);
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(done > 0, "some came through, or nothing was tried");
}
