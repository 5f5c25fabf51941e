//! A command as a process group: started, attended, and ended with all that it started.

use super::capture::Capture;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

/// How long output is waited for after the command has ended: a process that left the group may hold the pipe for ever.
const LONGEST_LINGER: Duration = Duration::from_secs(1);
/// How much is read at once.
const PIECE: usize = 16 * 1024;

/// Closes what was inherited by oversight, and becomes the shell that was asked for.
///
/// Our own files close by themselves; those that we were started with may not.
const ALONE: &str = r#"for fd in /dev/fd/*; do
    fd=${fd##*/}
    case $fd in 0|1|2|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac
done
exec "$BASH" --noprofile --norc -c -- "$1" bash"#;

/// How a command ended.
#[derive(Debug)]
pub enum End {
    Code(i32),
    Signal(i32),
    TimedOut,
    /// The system does not say.
    Lost(io::Error),
}

/// A running command. Dropping it ends it: the group first, while its number is still its own.
#[derive(Debug)]
pub struct Process {
    group: Group,
    child: Child,
    output: Receiver,
}

impl Process {
    /// Starts `command` in `cwd`. It sees these variables and nothing else of ours, and reaches what the calling thread does.
    pub fn start(
        command: &str,
        cwd: &str,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> io::Result<Self> {
        // One pipe for both, which keeps what is printed in order.
        let (output, print) = io::pipe()?;
        let output = Receiver::from_owned_fd(output.into())?;
        let child = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", ALONE, "bash", command])
            .current_dir(cwd)
            .env_clear()
            .envs(environment)
            .stdin(Stdio::null())
            .stdout(print.try_clone()?)
            .stderr(print)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let leader = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        let group = Group(leader.ok_or_else(|| io::Error::other("the process has no number"))?);
        Ok(Self { group, child, output })
    }

    /// Waits for the command to end, at most for `limit`, and ends whatever is left of it.
    pub async fn attend(mut self, limit: Duration) -> (End, Capture) {
        let mut capture = Capture::default();
        let ended = timeout(limit, until_end(self.group.0, &mut self.output, &mut capture)).await;
        if ended.is_err() {
            self.group.kill();
        }
        // What runs on in the background may still print, but not for long.
        let _ = timeout(LONGEST_LINGER, until_closed(&mut self.output, &mut capture)).await;
        self.group.kill();
        let end = match (ended, self.reap().await) {
            (Err(_), _) => End::TimedOut,
            (Ok(Err(error)), _) | (_, Err(error)) => End::Lost(error),
            (_, Ok(status)) => End::of(status),
        };
        (end, capture)
    }

    /// Takes the leader's status; from then on, its number may be another's.
    async fn reap(self) -> io::Result<ExitStatus> {
        let Self { group, mut child, .. } = self;
        drop(group);
        child.wait().await
    }
}

async fn until_end(leader: Pid, output: &mut Receiver, capture: &mut Capture) -> io::Result<()> {
    let ended = until_exit(leader);
    tokio::pin!(ended);
    tokio::select! {
        biased;
        ended = &mut ended => return ended,
        () = until_closed(output, capture) => {}
    }
    ended.await
}

/// Waits until `leader` has exited and leaves its status where it is: as long as nobody takes that, the number of the
/// group is no other's, and the group can be ended without hitting a stranger.
async fn until_exit(leader: Pid) -> io::Result<()> {
    let mut news = signal(SignalKind::child())?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(leader), look)?.is_none() {
        news.recv().await;
    }
    Ok(())
}

/// Reads until nobody can print any more.
async fn until_closed(output: &mut Receiver, capture: &mut Capture) {
    let mut piece = vec![0; PIECE];
    while let Ok(count @ 1..) = output.read(&mut piece).await {
        capture.take(piece.get(..count).unwrap_or_default());
    }
}

impl End {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Lost(io::Error::other("neither exit code nor signal")),
        }
    }
}

/// The process group of a command, by its leader, who has not been reaped. Dropping it ends the group.
#[derive(Debug)]
struct Group(Pid);

impl Group {
    /// Ends every process of the group.
    fn kill(&self) {
        // Where nobody is left to end, all is well.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
