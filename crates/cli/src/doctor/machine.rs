//! The machine: its clock, its disks, its kernel, its ports; and what is in the program itself.

use super::config::Settings;
use super::{Check, State};
use crate::client;
use crate::home::Database;
use crate::rim;
use countersign_store::Inspected;
use countersign_tools::{Kernel, Sandbox};
use jiff::{SignedDuration, Timestamp};
use rustix::fs::statvfs;
use serde_json::Value;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{TcpListener, lookup_host};
use tokio::time::Instant;

/// By how much two clocks may differ before somebody is told.
const APART: SignedDuration = SignedDuration::from_secs(5);
/// Free bytes below which somebody is told, and those below which nothing works for long.
const LITTLE: u64 = 1024 * 1024 * 1024;
const TOO_LITTLE: u64 = 64 * 1024 * 1024;
/// How long whoever listens at our address may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// The clock: against that of the database, what was written there, and itself since `began`.
pub fn clock(seen: Option<&Inspected>, began: Timestamp, ticking: Instant) -> Check {
    const ID: &str = "clock";
    let now = rim::now();
    let passed = SignedDuration::try_from(ticking.elapsed()).unwrap_or(SignedDuration::MAX);
    let set = now.duration_since(began).checked_sub(passed).unwrap_or(SignedDuration::MAX);
    let hint = "let the system keep it right, by NTP for instance";
    if set.abs() > APART {
        return Check::warning(ID, format!("it was set by {set:#} while it was looked at")).hint(hint);
    }
    if let Some(clock) = seen.and_then(|seen| seen.clock) {
        // The database was asked a moment ago.
        let apart = now.duration_since(clock).abs().checked_sub(passed).unwrap_or(SignedDuration::ZERO);
        if apart > APART {
            return Check::warning(ID, format!("it differs from the database's clock by {apart:#}")).hint(hint);
        }
    }
    if let Some(written) = seen.and_then(|seen| seen.written).filter(|at| at.duration_since(now) > APART) {
        return Check::warning(ID, format!("it shows {now}, and something in the database was written at {written}"))
            .hint("set it right: deadlines and the order of the record depend on it");
    }
    Check::ok(ID, format!("it shows {now}"))
}

/// Room for the database, the key and the checkpoints.
pub fn disk(settings: &Settings) -> Check {
    const ID: &str = "disk";
    let file = match &settings.database {
        Database::Sqlite(path) => Some(path.clone()),
        Database::Postgres(_) => None,
    };
    let (mut state, mut told) = (State::Ok, vec![]);
    for path in file.iter().chain([&settings.kept.checkpoints]) {
        let Some(folder) = there(path) else { continue };
        let (how, text) = match statvfs(&folder) {
            Ok(about) => room(about.f_bavail.saturating_mul(about.f_frsize), &folder),
            Err(error) => (State::Warning, format!("`{}` cannot be looked at: {error}", folder.display())),
        };
        state = state.max(how);
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let check = Check::new(ID, state, told.join(", "));
    if state == State::Ok { check } else { check.hint("make room: what cannot be saved is not done") }
}

fn room(free: u64, folder: &Path) -> (State, String) {
    let state = match free {
        ..TOO_LITTLE => State::Failed,
        TOO_LITTLE..LITTLE => State::Warning,
        _ => State::Ok,
    };
    (state, format!("{} MiB are free at `{}`", free / (1024 * 1024), folder.display()))
}

/// The innermost folder on the way to `path` that is there.
fn there(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|folder| folder.exists()).map(Path::to_owned)
}

/// Whether the kernel holds tools to what they may reach.
pub fn sandbox(sandbox: Option<&Sandbox>) -> Check {
    const ID: &str = "sandbox";
    let Some(sandbox) = sandbox else { return Check::unseen(ID, "`sandbox` in the configuration is bad") };
    if sandbox.kernel == Kernel::Off {
        return Check::warning(ID, "`sandbox.enabled` is `false`: commands reach whatever this user may");
    }
    if countersign_tools::is_held_by_kernel() {
        return Check::ok(ID, "the kernel holds commands and file tools to their folders (Landlock)");
    }
    Check::warning(ID, "this kernel has no Landlock: commands reach whatever this user may")
        .hint("use Linux 5.13 or newer with Landlock enabled, or run the server as a user that may do little")
}

/// Whether the address is free, or a Countersign answers there.
pub async fn listen(listen: &str) -> Check {
    const ID: &str = "listen";
    let hint = "choose another with --listen";
    let address = match lookup_host(listen).await.map(|mut found| found.next()) {
        Ok(Some(address)) => address,
        Ok(None) => return Check::failed(ID, format!("`{listen}` is no address")).hint(hint),
        Err(error) => return Check::failed(ID, format!("`{listen}` is no address: {error}")).hint(hint),
    };
    match TcpListener::bind(address).await {
        Ok(_) => Check::ok(ID, format!("`{listen}` is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => match ours_at(address).await {
            Some(version) => Check::ok(ID, format!("a Countersign {version} answers at `{listen}`")),
            None => Check::failed(ID, format!("another program listens on `{listen}`")).hint(hint),
        },
        Err(error) => Check::failed(ID, format!("cannot listen on `{listen}`: {error}")).hint(hint),
    }
}

/// The version of the Countersign that answers there, if one does.
async fn ours_at(mut address: SocketAddr) -> Option<String> {
    if address.ip().is_unspecified() {
        let here = if address.is_ipv4() { IpAddr::from(Ipv4Addr::LOCALHOST) } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(here);
    }
    let base = format!("http://{address}");
    let http = client::http(&base).ok()?;
    let answer = http.get(format!("{base}/api/openapi.json")).timeout(PATIENCE).send().await.ok()?;
    let document: Value = answer.json().await.ok()?;
    let said = |pointer: &str| document.pointer(pointer).and_then(Value::as_str);
    (said("/info/title") == Some("Countersign")).then(|| said("/info/version").unwrap_or_default().to_owned())
}

/// Whether the page is part of this build.
pub fn page() -> Check {
    const ID: &str = "page";
    if countersign_api::has_page() {
        return Check::ok(ID, "the web page is part of this build");
    }
    Check::warning(ID, "the web page is not part of this build").hint("build it with `make web`, then the program anew")
}
