//! What all lists of the policy have in common: where a thing comes from, and pages.

use crate::Problem;
use countersign_runtime::ports::Changed;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Where a thing of the policy comes from.
#[derive(Debug, Serialize, ToSchema)]
pub struct OriginBody {
    /// `file`: the configuration file, where alone it is changed. `api`: somebody made it while the server ran.
    source: &'static str,
    /// Who made it so, for what the API made.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<ChangedBody>,
}

/// The change that made something what it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedBody {
    /// The version of the policy that it made.
    version: u64,
    /// Who.
    by: String,
    /// When.
    at: String,
    /// Why.
    reason: Option<String>,
}

impl From<Option<Changed>> for OriginBody {
    fn from(changed: Option<Changed>) -> Self {
        let source = if changed.is_some() { "api" } else { "file" };
        let changed = changed.map(|Changed { version, by, at, why }| ChangedBody {
            version,
            by: by.name,
            at: at.to_string(),
            reason: why,
        });
        Self { source, changed }
    }
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// `next` of an earlier page.
    after: Option<String>,
    /// At most so many, up to 1000. Default: 200.
    limit: Option<usize>,
}

impl Part {
    /// That part of `all`, and where the next one starts.
    pub fn of<T>(&self, all: Vec<T>, name: impl Fn(&T) -> &str) -> Result<(Vec<T>, Option<String>), Problem> {
        let limit = self.limit.unwrap_or(200).clamp(1, 1000);
        let from = match &self.after {
            None => 0,
            Some(after) => {
                let at = all.iter().position(|one| name(one) == after);
                at.ok_or_else(|| Problem::invalid("`after` is no cursor, or what it named is gone: begin anew"))? + 1
            }
        };
        let more = all.len() > from.saturating_add(limit);
        let part: Vec<_> = all.into_iter().skip(from).take(limit).collect();
        let next = part.last().filter(|_| more).map(|last| name(last).to_owned());
        Ok((part, next))
    }
}
