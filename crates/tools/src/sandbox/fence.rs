//! What one call reaches, as the kernel is told it.

use super::{Access, Kernel, Sandbox};
use std::io;
use std::path::{Path, PathBuf};

/// What one call reaches of the file system.
#[derive(Debug, Clone, Default)]
pub struct Fence {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    kernel: Kernel,
}

/// What commands may read and execute: programs, their libraries and settings. Nobody's home is among them.
const SYSTEM: [&str; 17] = [
    "/bin",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    // Of processes outside, the kernel shows nothing that is private to them.
    "/proc",
    "/run/current-system",
    "/run/systemd/resolve",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/lib/dpkg",
];
/// What commands may write to besides: nothing is kept there. No terminal is among them: a command that can open one can
/// draw over the question by which somebody decides about it.
const DEVICES: [&str; 5] = ["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];
/// Settings in the home folder without which `git` does nothing at all.
const AT_HOME: [&str; 2] = [".gitconfig", ".config/git"];

impl Sandbox {
    /// What a file tool reaches that works in these folders.
    pub fn for_files(&self, grounds: &[PathBuf], access: Access) -> Fence {
        let (read, write) = match access {
            Access::Read => (grounds.to_vec(), vec![]),
            Access::Write => (vec![], grounds.to_vec()),
        };
        Fence { read, write, kernel: self.kernel }
    }

    /// What a command reaches in the folder `cwd`, with the folder `temporary` for what does not last.
    pub fn for_commands(&self, cwd: &Path, temporary: &Path, home: Option<&Path>) -> Fence {
        let at_home = home.into_iter().flat_map(|home| AT_HOME.map(|name| home.join(name)));
        let read = SYSTEM.iter().map(PathBuf::from).chain(at_home).chain(self.read.iter().cloned());
        let own = [cwd.to_owned(), temporary.to_owned()];
        let write = DEVICES.iter().map(PathBuf::from).chain(own).chain(self.write.iter().cloned());
        Fence { read: read.collect(), write: write.collect(), kernel: self.kernel }
    }
}

impl Sandbox {
    /// Whether commands reach `path` in whatever folder they work.
    pub fn lets_commands_reach(&self, path: &Path) -> bool {
        let system = SYSTEM.iter().map(Path::new);
        system.chain(self.read.iter().chain(&self.write).map(PathBuf::as_path)).any(|reached| path.starts_with(reached))
    }
}

impl Fence {
    /// Whether the kernel holds whoever enters it.
    pub fn holds(&self) -> bool {
        self.kernel == Kernel::WherePossible && is_held_by_kernel()
    }

    /// The calling thread, and whatever it starts, is inside from now on and for good.
    #[cfg(target_os = "linux")]
    pub(super) fn enter(&self) -> io::Result<()> {
        use landlock::{
            ABI, Access as _, AccessFs, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope, path_beneath_rules,
        };
        if !self.holds() {
            return Ok(());
        }
        let all = AccessFs::from_all(ABI::V3);
        let rules = || {
            let rules = Ruleset::default().handle_access(all)?.scope(Scope::Signal)?.create()?;
            let rules = rules.add_rules(path_beneath_rules(&self.read, AccessFs::from_read(ABI::V3)))?;
            rules.add_rules(path_beneath_rules(&self.write, all))?.restrict_self()
        };
        rules().map(drop).map_err(|error: landlock::RulesetError| io::Error::other(error))?;
        give_up_powers()
    }

    /// Other systems have no such thing.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn enter(&self) -> io::Result<()> {
        let Self { read: _, write: _, kernel: _ } = self;
        Ok(())
    }
}

/// Gives up what root may do beyond working on files: some of it, such as looking into other processes, leads around the rules.
/// What the thread starts does not get it back.
#[cfg(target_os = "linux")]
fn give_up_powers() -> io::Result<()> {
    use rustix::thread::{CapabilitySet as Power, CapabilitySets, capabilities, set_capabilities};
    const KEPT: Power = Power::CHOWN
        .union(Power::DAC_OVERRIDE)
        .union(Power::FOWNER)
        .union(Power::FSETID)
        .union(Power::NET_BIND_SERVICE)
        .union(Power::SETGID)
        .union(Power::SETUID);
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let fewer =
        CapabilitySets { effective: effective & KEPT, permitted: permitted & KEPT, inheritable: inheritable & KEPT };
    Ok(set_capabilities(None, fewer)?)
}

/// Whether this machine's kernel can hold tools to what they may reach: whether it has Landlock.
#[cfg(target_os = "linux")]
pub fn is_held_by_kernel() -> bool {
    use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};
    use std::sync::LazyLock;
    static HELD: LazyLock<bool> = LazyLock::new(|| {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    });
    *HELD
}

/// Other systems have no such thing.
#[cfg(not(target_os = "linux"))]
pub const fn is_held_by_kernel() -> bool {
    false
}
