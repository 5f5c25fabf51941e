//! `countersign doctor`: looks at everything that a server needs, and changes nothing.

use crate::args::Doctor;
use crate::doctor::{self, Check, State};
use crate::failure::Failure;
use crate::output;
use countersign_domain::secret::hidden;
use serde_json::json;

/// Carries out the command.
pub fn run(args: &Doctor) -> Result<u8, Failure> {
    let checks = super::in_async(async { Ok(doctor::examine(args).await) })?;
    let worst = checks.iter().map(|check| check.state).max().unwrap_or(State::Ok);
    if args.json {
        let checks: Vec<_> = checks.iter().map(Check::to_json).collect();
        let document = json!({"status": worst.word(), "version": env!("CARGO_PKG_VERSION"), "checks": checks});
        output::json_line(&hidden(&document.to_string()));
    } else {
        checks.iter().flat_map(Check::lines).for_each(|line| output::line(&output::visible(&hidden(&line))));
    }
    Ok(u8::from(worst == State::Failed))
}
