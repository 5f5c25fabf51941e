//! The configuration: does it read, does it compile, what is odd in it.

use super::{Check, State};
use crate::args::Doctor;
use crate::assembly;
use crate::config::Loaded;
use crate::demo;
use crate::failure::Failure;
use crate::home::Database;
use crate::notary::Kept;
use countersign_policy::Place;
use countersign_tools::Sandbox;

const ID: &str = "config";

/// What the other checks need to know of it.
pub struct Settings {
    /// What was read.
    pub loaded: Loaded,
    /// Where everything is kept.
    pub database: Database,
    /// Where the key and the checkpoints are.
    pub kept: Kept,
    /// The address to listen on.
    pub listen: String,
    /// What tools reach, where that can be said.
    pub sandbox: Option<Sandbox>,
}

/// Looks at it, and gives what it says if as much can be said.
pub fn look(args: &Doctor) -> (Check, Option<Settings>) {
    let loaded = match &args.config {
        Some(path) => Loaded::read(path),
        None => demo::loaded(),
    };
    let settings = loaded.and_then(|loaded| settings(args, loaded));
    match settings {
        Err(failure) => (wrong(failure), None),
        Ok(settings) => (judged(args, &settings), Some(settings)),
    }
}

fn settings(args: &Doctor, loaded: Loaded) -> Result<Settings, Failure> {
    let store = loaded.expand(loaded.config.store.as_ref(), &Place::section("store"))?;
    let database = Database::named(args.db.as_deref().or(store.as_deref()))?;
    let kept = Kept::of(&loaded.config.audit, &database)?;
    let named = loaded.expand(loaded.config.server.listen.as_ref(), &Place::section("server").key("listen"))?;
    let listen = args.listen.clone().or(named).unwrap_or_else(|| assembly::LISTEN.to_owned());
    let sandbox = loaded.sandbox().ok();
    Ok(Settings { loaded, database, kept, listen, sandbox })
}

fn judged(args: &Doctor, settings: &Settings) -> Check {
    let Some(path) = &args.config else {
        return Check::ok(ID, "none is named: the built-in demo").hint("name yours with --config");
    };
    // All that a server would refuse to start with. The files of the demo are not made here.
    if let Err(failure) = assembly::assemble(Some(path), args.db.as_deref()) {
        return wrong(failure);
    }
    let Loaded { config, .. } = &settings.loaded;
    let policy = match settings.loaded.policy() {
        Ok(policy) => policy,
        Err(failure) => return wrong(failure),
    };
    let mut odd = countersign_policy::lint(&policy, &config.source(vec![]));
    odd.extend(config.odd());
    let counted = format!(
        "`{}` has {} rules, {} agents, {} models",
        path.display(),
        config.policy.rules.len(),
        config.agents.len(),
        config.models.len()
    );
    if odd.is_empty() {
        return Check::ok(ID, counted);
    }
    let located = odd.iter().map(|one| settings.loaded.locate(one)).collect();
    Check::new(ID, State::Warning, format!("{counted}, and {} oddities", odd.len()))
        .hint("see whether each is meant")
        .details(located)
}

fn wrong(failure: Failure) -> Check {
    Check::failed(ID, "it is bad").hint("put right what is said below").details(failure.into_lines())
}
