//! Other libraries on the same work, each measurement a Python process of its own.

use crate::Failure;
use crate::engine::{Database, Engine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    LangGraph,
    Dbos,
}

impl Peer {
    pub const ALL: [Self; 2] = [Self::LangGraph, Self::Dbos];

    pub fn title(self) -> &'static str {
        match self {
            Self::LangGraph => "LangGraph",
            Self::Dbos => "DBOS",
        }
    }

    fn script(self) -> &'static str {
        match self {
            Self::LangGraph => "langgraph_peer.py",
            Self::Dbos => "dbos_peer.py",
        }
    }
}

/// Runs a second.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Speed {
    pub to_wait: f64,
    pub resumes: f64,
    /// One after the other, where that was asked for.
    pub single: Option<f64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Size {
    bytes: f64,
}

/// What became of runs that were killed in their tool.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct Kills {
    pub kills: usize,
    /// The person who had answered was asked the same again.
    pub answers_lost: usize,
    /// The tool did its work a second time and nobody was asked.
    pub twice: usize,
    /// The tool never did its work.
    pub never: usize,
    /// The run did not come to its end.
    pub stuck: usize,
    /// The process was not killed, as the tool was not reached in time.
    pub not_reached: usize,
    /// A person was asked what to do about a call of which nobody knows whether it was made.
    #[serde(default)]
    pub asked: usize,
}

/// The Python that has them.
#[derive(Debug, Clone)]
pub struct Peers {
    python: PathBuf,
    scripts: PathBuf,
}

impl Peers {
    /// Installs them, if they are not there yet.
    pub fn installed() -> Result<Self, Failure> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        let output = Command::new(scripts.join("install")).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err("the peers could not be installed".into());
        }
        Ok(Self { python: String::from_utf8(output.stdout)?.trim().into(), scripts })
    }

    /// `runs` brought to the wait and answered by so many clients; `single` of them one after the other.
    pub fn speed(&self, peer: Peer, engine: &Engine, within: &Path, asked: Asked) -> Option<Speed> {
        let [runs, clients, single] = [asked.runs, asked.clients, asked.single].map(|number| number.to_string());
        self.told(peer, engine, within, &["speed", "--runs", &runs, "--clients", &clients, "--single", &single])
    }

    /// Bytes on disk of a run that waits.
    pub fn size(&self, peer: Peer, engine: &Engine, within: &Path, runs: usize) -> Option<f64> {
        let size: Size = self.told(peer, engine, within, &["size", "--runs", &runs.to_string(), "--clients", "8"])?;
        Some(size.bytes)
    }

    pub fn kills(&self, peer: Peer, engine: &Engine, within: &Path, count: usize) -> Option<Kills> {
        self.told(peer, engine, within, &["kills", "--runs", &count.to_string()])
    }

    /// What a peer tells; `None` if it failed, which is said and is no reason to stop.
    fn told<T: DeserializeOwned>(&self, peer: Peer, engine: &Engine, within: &Path, what: &[&str]) -> Option<T> {
        let told = self.asked(peer, engine, within, what);
        if let Err(error) = &told {
            eprintln!("{} on {}, {}: {error}", peer.title(), engine.title(), what.join(" "));
        }
        told.ok()
    }

    fn asked<T: DeserializeOwned>(
        &self,
        peer: Peer,
        engine: &Engine,
        within: &Path,
        what: &[&str],
    ) -> Result<T, Failure> {
        let database = engine.fresh(within, "peer")?;
        let Database { folder, place } = &database;
        let mut command = Command::new("timeout");
        command.arg("200").arg(&self.python).arg(self.scripts.join(peer.script())).arg(engine.word()).arg(folder);
        command.args(what).args(["--url", &place.replacen("postgres://", "postgresql://", 1)]);
        let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output()?;
        engine.remove(&database)?;
        let text = String::from_utf8(output.stdout)?;
        let last = text.lines().last().ok_or_else(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            errors.lines().last().unwrap_or("it told nothing").to_owned()
        })?;
        Ok(serde_json::from_str(last)?)
    }
}

/// How a peer is measured.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub runs: usize,
    pub clients: usize,
    pub single: usize,
}
