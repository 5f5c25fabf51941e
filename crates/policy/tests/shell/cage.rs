//! A bash that can do no harm and tells what it would have run.
//!
//! No command is ever found: `PATH` points to a folder that does not exist and cannot be changed, and a handler writes
//! down the words instead. Builtins that act are disabled. The kernel lets the process execute bash alone and write
//! below one empty folder alone (Landlock); processor time and the size of files are limited.

use landlock::{ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a line would have executed: the words of each command.
pub type Executed = Vec<Vec<String>>;

pub struct Cage {
    folder: tempfile::TempDir,
    log: tempfile::TempDir,
}

/// Builtins that act on the process, its environment or its files. Those that the handler itself needs stay.
const DISABLED: &str = "cd pushd popd dirs exec eval source . trap kill suspend logout exit return builtin command \
    ulimit umask set shopt hash alias unalias bind complete compgen compopt fc history let declare typeset export local \
    readonly unset read mapfile readarray bg fg jobs disown caller getopts times shift";

impl Cage {
    /// A cage; the calling thread and all that it starts are inside from now on.
    pub fn enter() -> Self {
        let cage = Self { folder: tempfile::tempdir().unwrap(), log: tempfile::tempdir().unwrap() };
        let all = AccessFs::from_all(ABI::V3);
        let rules = Ruleset::default().handle_access(all).unwrap().create().unwrap();
        let allow = |path: &Path, access| PathBeneath::new(PathFd::new(path).unwrap(), access);
        let run = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
        let bash = bash();
        let mut rules = rules
            .add_rule(allow(&bash, AccessFs::Execute | AccessFs::ReadFile))
            .unwrap()
            .add_rule(allow(cage.folder.path(), all))
            .unwrap()
            .add_rule(allow(cage.log.path(), all))
            .unwrap()
            .add_rule(allow(Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile))
            .unwrap();
        // The loader and its libraries.
        for library in
            ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].map(PathBuf::from).iter().filter(|path| path.exists())
        {
            rules = rules.add_rule(allow(library, run)).unwrap();
        }
        if Path::new("/etc/ld.so.cache").exists() {
            rules = rules.add_rule(allow(Path::new("/etc/ld.so.cache"), AccessFs::ReadFile.into())).unwrap();
        }
        let status = rules.restrict_self().unwrap();
        assert_ne!(status.ruleset, RulesetStatus::NotEnforced, "without Landlock nothing is run");
        cage
    }

    /// What bash executes of `line` if every command succeeds, or fails, with `status`.
    /// `None` where it did not end in time.
    pub fn run(&self, line: &str, status: u8) -> Option<Executed> {
        // One file a process: commands of a pipeline write at the same time.
        let log = self.log.path();
        empty(log);
        // The handler must use nothing that is disabled, or it would call itself without end; `FUNCNEST` is the belt.
        let end = if status == 0 { "true" } else { "false" };
        let script = format!(
            "ulimit -t 2 -f 64 -c 0\ncommand_not_found_handle() {{ printf '%s\\0' \"$#\" \"$@\" >> '{}'/$BASHPID; {end}; }}\nFUNCNEST=8\nreadonly PATH FUNCNEST\nenable -n {DISABLED}\nenable -n enable\n{line}\nwait\n",
            log.display()
        );
        let mut child = Command::new(bash())
            .args(["--norc", "--noprofile", "-c", &script])
            .env_clear()
            .env("PATH", "/nonexistent")
            .env("HOME", self.folder.path())
            .env("LC_ALL", "C.UTF-8")
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        if !ends(&mut child) {
            return None;
        }
        // Redirections leave files; the next line must find none.
        empty(self.folder.path());
        let mut logs: Vec<PathBuf> = std::fs::read_dir(log).unwrap().flatten().map(|entry| entry.path()).collect();
        logs.sort_by_key(|path| path.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok()));
        Some(logs.iter().flat_map(|path| told(&std::fs::read(path).unwrap_or_default())).collect())
    }
}

/// The commands in a log: how many words, and the words.
fn told(log: &[u8]) -> Executed {
    // What follows the last NUL was cut off when the time was up.
    let whole = log.iter().rposition(|byte| *byte == 0).and_then(|end| log.get(..end)).unwrap_or_default();
    let mut fields = whole.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut executed = Vec::new();
    while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
        let words: Vec<String> = fields.by_ref().take(count).collect();
        executed.extend((words.len() == count).then_some(words));
    }
    executed
}

fn empty(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
}

fn ends(child: &mut std::process::Child) -> bool {
    for _ in 0..3000 {
        if child.try_wait().unwrap().is_some() {
            kill_all(child);
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_all(child);
    false
}

/// Also what it left running in the background.
fn kill_all(child: &mut std::process::Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let _ = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
    let _ = child.wait();
}

fn bash() -> PathBuf {
    ["/usr/bin/bash", "/bin/bash"].map(PathBuf::from).into_iter().find(|path| path.exists()).unwrap()
}
