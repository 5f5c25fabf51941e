//! A bash that can do no harm and tells what it would have run.
//!
//! No command is ever found: `PATH` points to a folder that does not exist and cannot be changed, and a handler writes
//! down the words instead. Builtins that act are disabled. The kernel lets the process execute bash alone, write below
//! one folder alone, reach no network and signal nobody outside (Landlock, as far as the kernel knows these);
//! processor time, the size of files and the number of commands are limited, and what is left running is killed.

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope,
};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::cell::Cell;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a line would have executed: the words of each command.
pub type Executed = Vec<Vec<String>>;

/// A line, and the status with which every command of it ends.
pub type Run = (String, u8);

pub struct Cage {
    folder: PathBuf,
    /// Counts the batches. Each has folders of its own: what was killed may still be writing to those of the last one.
    batch: Cell<usize>,
}

/// Builtins that act on the process, its environment or its files. Those that the handler itself needs stay.
const DISABLED: &str = "cd pushd popd dirs exec eval source . trap kill suspend logout exit return builtin command \
    ulimit umask set shopt hash alias unalias bind complete compgen compopt fc history let declare typeset export local \
    readonly unset read mapfile readarray bg fg jobs disown caller getopts times shift";

/// How long a run may take, and how many commands it may execute: a loop without end tells nothing new.
pub const LONGEST: Duration = Duration::from_secs(3);
pub const MOST_COMMANDS: usize = 64;
const PAUSE: Duration = Duration::from_millis(1);
const MOMENTS: u32 = 50;

/// Does `work` in a cage, on a thread that never leaves it; its folder is removed from outside.
pub fn caged<T: Send>(work: impl FnOnce(&Cage) -> T + Send) -> T {
    let folder = folder();
    std::thread::scope(|scope| scope.spawn(|| work(&Cage::enter(folder.path()))).join()).unwrap()
}

impl Cage {
    /// The calling thread and all that it starts are inside from now on.
    fn enter(folder: &Path) -> Self {
        let cage = Self { folder: folder.to_owned(), batch: Cell::new(0) };
        let all = AccessFs::from_all(ABI::V3);
        let rules = Ruleset::default().handle_access(all).unwrap();
        let rules = rules.handle_access(AccessNet::from_all(ABI::V4)).unwrap().scope(Scope::from_all(ABI::V6)).unwrap();
        let allow = |path: &Path, access| PathBeneath::new(PathFd::new(path).unwrap(), access);
        let run = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
        let mut rules = rules
            .create()
            .unwrap()
            .add_rule(allow(&bash(), AccessFs::Execute | AccessFs::ReadFile))
            .unwrap()
            .add_rule(allow(folder, all))
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

    /// What bash executes of `line` if every command ends with `status`, in a bash of its own.
    /// `None` where it did not end in time.
    pub fn run(&self, line: &str, status: u8) -> Option<Executed> {
        self.prepare(1);
        let script = self.script(0, line, status);
        let mut child = self.bash().args(["-c", &script]).stdout(Stdio::null()).spawn().unwrap();
        let ended = self.ends(&mut child);
        end_all(&mut child);
        let told = self.told(1).remove(0);
        ended.then_some(told)
    }

    fn ends(&self, child: &mut Child) -> bool {
        for pause in 1..=LONGEST.as_millis() / PAUSE.as_millis() {
            if child.try_wait().unwrap().is_some() || (pause % 16 == 0 && self.commands_of(0) > MOST_COMMANDS) {
                return true;
            }
            std::thread::sleep(PAUSE);
        }
        false
    }

    /// Whether the run with this number is a loop that will not end.
    pub fn runs_away(&self, number: usize) -> bool {
        self.commands_of(number) > MOST_COMMANDS
    }

    fn commands_of(&self, number: usize) -> usize {
        self.logs().filter(|(run, _, _)| *run == number).count()
    }

    /// New folders for runs with the numbers up to `count`, and no log.
    pub fn prepare(&self, count: usize) {
        let _ = std::fs::remove_dir_all(self.batch());
        self.batch.set(self.batch.get() + 1);
        std::fs::create_dir_all(self.log()).unwrap();
        for number in 0..count {
            std::fs::create_dir(self.folder(number)).unwrap();
        }
    }

    /// What each of the runs with numbers up to `count` told, in the order of their processes.
    pub fn told(&self, count: usize) -> Vec<Executed> {
        let mut logs: Vec<(usize, u64, PathBuf)> = self.logs().collect();
        logs.sort();
        let mut told = vec![Executed::new(); count];
        for (run, _, path) in logs {
            let home = self.folder(run).display().to_string();
            let commands = commands(&std::fs::read(path).unwrap_or_default()).into_iter();
            // Every run is told as if all had the same home.
            told[run].extend(
                commands.map(|words: Vec<String>| words.iter().map(|word| word.replace(&home, "/home")).collect()),
            );
        }
        told
    }

    /// The run, the process and the file of every log.
    fn logs(&self) -> impl Iterator<Item = (usize, u64, PathBuf)> {
        std::fs::read_dir(self.log()).unwrap().flatten().map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let (run, process) = name.split_once('.').unwrap();
            (run.parse().unwrap(), process.parse().unwrap(), entry.path())
        })
    }

    /// What bash is given to run `line`. Whatever it sets up holds for this run alone.
    pub fn script(&self, number: usize, line: &str, status: u8) -> String {
        // The handler must use nothing that is disabled, or it would call itself without end; `FUNCNEST` is the belt.
        let end = if status == 0 { "true" } else { "false" };
        let (folder, log) = (self.folder(number), self.log());
        let (folder, log) = (folder.display(), log.display());
        // However the line ends, what it left in the background is waited for.
        format!(
            "set --; cd {folder}; HOME={folder}; unset -v OLDPWD; trap wait EXIT; ulimit -t 2 -f 64 -c 0\n\
             command_not_found_handle() {{ printf '%s\\0' \"$#\" \"$@\" >> {log}/{number}.$BASHPID; {end}; }}\n\
             FUNCNEST=8; readonly PATH FUNCNEST; enable -n {DISABLED} enable\n{line}\nwait\n"
        )
    }

    /// A bash without settings, in a process group of its own.
    pub fn bash(&self) -> Command {
        let mut command = Command::new(bash());
        command
            .args(["--norc", "--noprofile"])
            .env_clear()
            .env("PATH", "/nonexistent")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        command
    }

    fn batch(&self) -> PathBuf {
        self.folder.join(self.batch.get().to_string())
    }

    /// Where a run starts and is at home.
    fn folder(&self, number: usize) -> PathBuf {
        self.batch().join(number.to_string())
    }

    /// Holds a file for each process of each run: commands of a pipeline write at the same time.
    fn log(&self) -> PathBuf {
        self.batch().join("log")
    }
}

/// In memory where that is possible: there are many small files.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The commands in a log: how many words, and the words.
fn commands(log: &[u8]) -> Executed {
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

/// Ends `child` and what it left running. Where it ended by itself, what it left has a moment to tell what it runs.
pub fn end_all(child: &mut Child) {
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let mut moments = if child.try_wait().unwrap().is_some() { MOMENTS } else { 0 };
    while moments > 0 && test_kill_process_group(group).is_ok() {
        moments -= 1;
        std::thread::sleep(PAUSE);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

fn bash() -> PathBuf {
    ["/usr/bin/bash", "/bin/bash"].map(PathBuf::from).into_iter().find(|path| path.exists()).unwrap()
}
