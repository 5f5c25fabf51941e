//! What tools reach of the machine, and the kernel that holds them to it where it can.
//!
//! The kernel restricts a thread and whatever that thread starts. So each piece of work is done on a thread of its own, which
//! ends with it.

mod fence;

pub use fence::{Fence, is_held_by_kernel};

use ipnet::IpNet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// What tools reach besides the working folder of their call.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    /// Files and folders that they may also read, and execute programs from.
    pub read: Vec<PathBuf>,
    /// Files and folders that they may also write.
    pub write: Vec<PathBuf>,
    /// Addresses that they may fetch from though they are not of the public internet.
    pub addresses: Vec<IpNet>,
    /// Whether the kernel is asked to hold them to it.
    pub kernel: Kernel,
}

/// Whether the kernel is asked to hold tools to what they may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kernel {
    /// Where it can.
    #[default]
    WherePossible,
    /// Not at all.
    Off,
}

/// What a tool does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It looks.
    Read,
    /// It changes it.
    Write,
}

impl Sandbox {
    /// The folders that files may be in, for `access` by a call in the folder `cwd`.
    pub fn grounds(&self, cwd: &Path, access: Access) -> Vec<PathBuf> {
        let read: &[PathBuf] = if access == Access::Read { &self.read } else { &[] };
        [cwd.to_owned()].into_iter().chain(self.write.iter().cloned()).chain(read.iter().cloned()).collect()
    }
}

/// Does `work` inside `fence`. Where this is dropped meanwhile, the work is told that nobody waits for it any more.
pub async fn inside<T: Send + 'static>(
    fence: Fence,
    work: impl FnOnce(&Waiting) -> T + Send + 'static,
) -> io::Result<T> {
    let (tell, told) = oneshot::channel();
    let waiting = Waiting::default();
    let _until_dropped = Leaves(waiting.clone());
    let work = move || {
        let done = fence.enter().map(|()| work(&waiting));
        // Nobody may be left to be told.
        let _ = tell.send(done);
    };
    std::thread::Builder::new().name("tool".to_owned()).spawn(work)?;
    told.await.map_err(|_| io::Error::other("it broke off"))?
}

/// Whether somebody still waits for a piece of work.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// Whether nobody does: what has no effect yet should have none any more.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

struct Leaves(Waiting);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Release);
    }
}
