//! `countersign policy schema`: prints the JSON Schema of the configuration file.

use crate::config::Config;
use crate::failure::Failure;
use crate::output;

/// Carries out the command.
pub fn run() -> Result<u8, Failure> {
    let schema = schemars::schema_for!(Config);
    output::line(&serde_json::to_string_pretty(&schema).map_err(Failure::new)?);
    Ok(0)
}
