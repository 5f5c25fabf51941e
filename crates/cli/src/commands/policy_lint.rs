//! `countersign policy lint`: refuses a bad policy, and reports what is odd in a good one.

use crate::args::Lint;
use crate::config::Loaded;
use crate::failure::Failure;
use crate::output;
use serde_json::json;

/// Carries out the command.
pub fn run(lint: &Lint) -> Result<u8, Failure> {
    let loaded = Loaded::read(&lint.file)?;
    let policy = loaded.policy()?;
    let mut warnings = countersign_policy::lint(&policy, &loaded.config.source(vec![]));
    warnings.extend(loaded.config.odd());
    let located: Vec<_> = warnings.iter().map(|warning| loaded.locate(warning)).collect();
    if lint.json {
        output::json_line(
            &json!({"file": lint.file, "policy": policy.version().to_string(), "warnings": located}).to_string(),
        );
    } else {
        for warning in &located {
            output::line(&format!("warning: {warning}"));
        }
        let rules = loaded.config.policy.rules.len();
        let tests = loaded.config.policy.tests.len();
        output::line(&format!(
            "{}: good: {rules} rules, {tests} tests, {} warnings",
            lint.file.display(),
            located.len()
        ));
    }
    Ok(u8::from(lint.strict && !located.is_empty()))
}
