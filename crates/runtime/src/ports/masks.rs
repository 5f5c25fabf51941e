//! How secrets are masked here: under which key, by what tools' schemas mark, and by what was found in a run before.

use super::ToolDefinition;
use countersign_domain::RunId;
use countersign_domain::secret::{Key, Marks, Masker, Secrets};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Runs whose secrets are remembered. Those of others are found where they stand, and not wherever they are repeated.
const MOST_RUNS: usize = 1_024;

/// How secrets are masked here.
#[derive(Debug)]
pub struct Masks {
    key: Key,
    marks: RwLock<Arc<Marks>>,
    /// What was found in runs that something is done for, the latest last.
    found: Mutex<VecDeque<(RunId, Secrets)>>,
}

impl Masks {
    /// Nothing is known yet.
    pub fn new(key: Key) -> Self {
        Self { key, marks: RwLock::default(), found: Mutex::default() }
    }

    /// The key.
    pub const fn key(&self) -> &Key {
        &self.key
    }

    /// From now on what the schema of this tool marks is masked.
    pub fn learn(&self, server: Option<&str>, tool: &ToolDefinition) {
        let mut marks = self.marks.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut marks).learn(server, &tool.name, &tool.parameters);
    }

    /// Whoever masks what happens in `run`.
    pub fn masker(&self, run: RunId) -> Masker {
        let masker = Masker::new(&self.key, Some(run)).marking(self.marks());
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match found.iter().find(|(known, _)| *known == run) {
            Some((_, secrets)) => masker.knowing(secrets),
            None => masker,
        }
    }

    /// Whoever masks what happens outside of runs.
    pub fn outside(&self) -> Masker {
        Masker::new(&self.key, None).marking(self.marks())
    }

    fn marks(&self) -> Arc<Marks> {
        Arc::clone(&self.marks.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Remembers what was found in `run`, for as long as something is done for it.
    pub fn remember(&self, run: RunId, secrets: Secrets) {
        if secrets.is_empty() {
            return;
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, before)) = found.iter_mut().find(|(known, _)| *known == run) {
            before.extend(secrets);
            return;
        }
        found.push_back((run, secrets));
        if found.len() > MOST_RUNS {
            found.pop_front();
        }
    }

    /// Forgets what was found in `run`: nothing is done for it now.
    pub fn forget(&self, run: RunId) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| *known != run);
    }
}
