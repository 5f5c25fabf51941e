//! `countersign openapi`: prints the OpenAPI document.

use crate::failure::Failure;
use crate::output;

/// Carries out the command.
pub fn run() -> Result<u8, Failure> {
    let document = countersign_api::document().to_pretty_json();
    output::line(&document.map_err(|error| Failure::new(format!("cannot print the document: {error}")))?);
    Ok(0)
}
