//! Real disks: a small one that is full and then read-only, and a limit on the size of files.

use super::{FILE, ledger::works_on};
use crate::fixture::{Tale, at};
use countersign_domain::run::Run;
use countersign_runtime::ports::{Store, StoreError};
use countersign_store::{OpenError, Sqlite};
use countersign_testkit::invariants::{self, Rows};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Set for a process that a test starts of itself; names the folder to work in.
const CHILD: &str = "COUNTERSIGN_SMALL_DISK";

/// Puts a disk of one megabyte at the first argument, where only this process sees it, and runs the rest.
const WITH_SMALL_DISK: &str = r#"mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@""#;

/// Lets no file grow beyond a quarter of a megabyte or half of one, whichever the shell's unit makes of it, and runs the rest.
const WITH_SMALL_FILES: &str = r#"trap "" XFSZ; ulimit -S -f 512; exec "$@""#;

#[test]
fn a_small_disk_fills_up_and_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", WITH_SMALL_DISK, "sh"]).arg(folder.path());
    // Where only the administrator may put up a disk, those of `trouble` must do.
    let Ok(output) = this_program(command, "works_on_a_small_disk", folder.path()) else { return };
    let has_begun = String::from_utf8_lossy(&output.stdout).contains("running 1 test");
    assert!(output.status.success() || !has_begun, "{output:#?}");
}

#[test]
fn a_limit_on_the_size_of_files_passes() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", WITH_SMALL_FILES, "sh"]);
    let output = this_program(command, "works_with_small_files", folder.path()).unwrap();
    assert!(output.status.success(), "{output:#?}");
}

/// Has `command` run one test of this program.
fn this_program(mut command: Command, test: &str, folder: &Path) -> io::Result<Output> {
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("power::real::{test}"), "--nocapture", "--include-ignored"]);
    command.env(CHILD, folder).output()
}

#[tokio::test]
#[ignore = "what a process does that another test starts"]
async fn works_on_a_small_disk() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let (path, ballast) = (folder.join(FILE), folder.join("ballast"));
    std::fs::write(&ballast, vec![1; 400_000]).unwrap();
    let store = Sqlite::open(&path).unwrap();
    let (saved, error) = until_it_fails(&store).await;
    assert!(matches!(error, StoreError::Full(_)), "{error:?}");
    std::fs::remove_file(&ballast).unwrap();
    sound(&store, &path, &saved).await;
    closed(store, &path).await;

    // Full again, to the last byte.
    while OpenOptions::new().append(true).create(true).open(&ballast).and_then(write_some).is_ok() {}
    let error = Sqlite::open(&path).unwrap_err();
    assert!(matches!(error, OpenError::Full { .. }), "{error:?}");
    std::fs::remove_file(&ballast).unwrap();
    let store = Sqlite::open(&path).unwrap();
    sound(&store, &path, &saved).await;
    closed(store, &path).await;

    remount(&folder, "ro");
    for path in [&path, &folder.join("other.db"), &folder.join("new").join("other.db")] {
        let error = Sqlite::open(path).unwrap_err();
        assert!(matches!(error, OpenError::ReadOnly { .. }), "{error:?}");
    }
    remount(&folder, "rw");
    sound(&Sqlite::open(&path).unwrap(), &path, &saved).await;
}

#[tokio::test]
#[ignore = "what a process does that another test starts"]
async fn works_with_small_files() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let path = folder.join(FILE);
    let store = Sqlite::open(&path).unwrap();
    let (saved, error) = until_it_fails(&store).await;
    assert!(error.passes(), "{error:?}");
    let limit = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    sound(&store, &path, &saved).await;
}

/// Starts runs until the disk takes no more: what was saved, and what was told at the end.
async fn until_it_fails(store: &Sqlite) -> (Vec<Run>, StoreError) {
    let mut saved = vec![];
    for n in 0..100_000 {
        let (save, run) = Tale::unsaved(at(n));
        match store.save(save).await {
            Ok(_) => saved.push(run),
            Err(error) => return (saved, error),
        }
    }
    panic!("the disk was never full");
}

/// All that was saved is there, and work goes on.
async fn sound(store: &Sqlite, path: &Path, saved: &[Run]) {
    assert!(works_on(store).await);
    for run in saved {
        assert_eq!(store.load(run.id).await.unwrap().as_ref(), Some(run));
    }
    let broken = invariants::broken(store, &Rows::of_sqlite(path).unwrap()).await.unwrap();
    assert_eq!(broken, Vec::<String>::new());
}

/// Closes it, which is when its log is gone.
async fn closed(store: Sqlite, path: &Path) {
    drop(store);
    let log = path.with_extension("db-wal");
    for _ in 0..500 {
        if !log.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the store was never closed");
}

fn write_some(mut file: File) -> io::Result<()> {
    file.write_all(&[1; 4_096])
}

fn remount(folder: &Path, how: &str) {
    let done = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(folder).status().unwrap();
    assert!(done.success());
}
