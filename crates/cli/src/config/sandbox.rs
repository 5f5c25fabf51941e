//! What built-in tools reach of the machine.

use super::{Loaded, Setting};
use crate::failure::Failure;
use crate::home::real;
use countersign_policy::Place;
use countersign_tools::{IpNet, Kernel, Sandbox};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::IpAddr;
use std::path::PathBuf;

/// What built-in tools reach of the machine besides the working folder of a run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    /// `false`: the kernel is not asked to hold commands and file tools to this (Landlock, Linux only). Default: `true`, where
    /// the kernel can.
    pub enabled: Option<bool>,
    /// Files and folders that they may also read, and execute programs from: `~/.cargo`, `/srv/data`.
    pub read: Vec<Setting>,
    /// Files and folders that they may also write.
    pub write: Vec<Setting>,
    /// Private addresses that `web_fetch` may also reach: `127.0.0.1`, `10.0.0.0/8`.
    pub addresses: Vec<Setting>,
}

impl Loaded {
    /// What built-in tools reach.
    pub fn sandbox(&self) -> Result<Sandbox, Failure> {
        let SandboxConfig { enabled, read, write, addresses } = &self.config.sandbox;
        let kernel = if *enabled == Some(false) { Kernel::Off } else { Kernel::WherePossible };
        Ok(Sandbox {
            read: self.each(read, "read", PATH, path)?,
            write: self.each(write, "write", PATH, path)?,
            addresses: self.each(addresses, "addresses", ADDRESS, address)?,
            kernel,
        })
    }

    fn each<T>(
        &self,
        settings: &[Setting],
        key: &str,
        expected: &str,
        read: fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Failure> {
        let one = |(i, setting): (usize, &Setting)| {
            let place = Place::section("sandbox").key(key).index(i);
            let text = self.expand(Some(setting), &place)?.unwrap_or_default();
            read(&text).ok_or_else(|| self.wrong(&place, format!("expected {expected}")))
        };
        settings.iter().enumerate().map(one).collect()
    }
}

const PATH: &str = "an absolute path, or one that starts with `~/`";
const ADDRESS: &str = "an address or a range of them, such as `127.0.0.1` or `10.0.0.0/8`";

fn path(text: &str) -> Option<PathBuf> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None => PathBuf::from(text),
    };
    path.is_absolute().then(|| real(&path))
}

fn address(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}
