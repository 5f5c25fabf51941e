//! Many runs in one bash: each in a subshell of its own, which starts from the same state as all others.
//!
//! A subshell is a process, so nothing that a line does to its shell reaches the next one; its descriptors are closed to
//! it, its folder is its own, and it is set up by the very script that a bash of its own would be given. The bash that
//! starts them says after each that it is still there. Where it does not, it is killed with all that it started: the run
//! that did this is done again in a bash of its own, and those after it in a new one.

use crate::cage::{Cage, Executed, LONGEST, Run, end_all};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Every script is an argument. The words that a line may use stay free: it sees neither arguments nor this variable.
const DRIVER: &str = "for __cage_script; do
( eval \"unset -v __cage_script; $__cage_script\" ) >/dev/null
printf '.\\n'
done";

/// How often a run that takes long is looked after.
const LOOK: Duration = Duration::from_millis(15);

/// How many runs one bash is given: all of them are its arguments, which the system limits.
pub const MOST_RUNS: usize = 512;

impl Cage {
    /// What [`Cage::run`] tells of each of `runs`, which are at most [`MOST_RUNS`].
    pub fn run_all(&self, runs: &[Run]) -> Vec<Option<Executed>> {
        let mut told = Vec::with_capacity(runs.len());
        while let Some(rest) = runs.get(told.len()..).filter(|rest| !rest.is_empty()) {
            let (done, end) = self.run_some(rest);
            told.extend(done.into_iter().map(Some));
            // The one after those that were done is why this bash ended.
            if let (End::Disturbed, Some((line, status))) = (end, runs.get(told.len())) {
                told.push(self.run(line, *status));
            }
        }
        told
    }

    /// What the first of `runs` told, as many as one bash did, and how it ended.
    fn run_some(&self, runs: &[Run]) -> (Vec<Executed>, End) {
        self.prepare(runs.len());
        let scripts = runs.iter().enumerate().map(|(number, (line, status))| self.script(number, line, *status));
        let mut bash = self.bash().args(["-c", DRIVER, "bash"]).args(scripts).stdout(Stdio::piped()).spawn().unwrap();
        let (done, end) = self.attend(&mut bash, runs.len());
        end_all(&mut bash);
        let mut told = self.told(runs.len());
        told.truncate(done);
        (told, end)
    }

    /// Waits for `count` runs; how many are done when it ends.
    fn attend(&self, bash: &mut Child, count: usize) -> (usize, End) {
        let signs = signs(bash);
        let (mut done, mut looks) = (0, 0);
        while done < count {
            match signs.recv_timeout(LOOK) {
                Ok(()) => (done, looks) = (done + 1, 0),
                // What it has told so far is what it tells.
                Err(RecvTimeoutError::Timeout) if self.runs_away(done) => return (done + 1, End::Whole),
                Err(RecvTimeoutError::Timeout) if LOOK * looks < LONGEST => looks += 1,
                Err(_) => return (done, End::Disturbed),
            }
        }
        (done, End::Whole)
    }
}

enum End {
    /// All that was counted is told.
    Whole,
    /// The run after those was not done.
    Disturbed,
}

/// One for each run that `bash` has done.
fn signs(bash: &mut Child) -> Receiver<()> {
    let (sender, signs) = channel();
    let mut lines = BufReader::new(bash.stdout.take().unwrap()).lines();
    std::thread::spawn(move || {
        while let Some(Ok(_)) = lines.next()
            && sender.send(()).is_ok()
        {}
    });
    signs
}
