//! `list_files`: what there is in a folder.

mod glob;
mod walk;

use crate::arguments::Arguments;
use crate::place::Aim;
use crate::sandbox::{Access, Sandbox, inside};
use crate::{change, failed};
use async_trait::async_trait;
use countersign_domain::describe::Described;
use countersign_domain::interaction::Preview;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use glob::Glob;
use serde_json::json;
use tokio::time::timeout;
use walk::List;

/// Lists the files in a folder, and in the folders below it.
#[derive(Debug, Clone, Default)]
pub struct ListFiles {
    sandbox: Sandbox,
}

/// How deep a folder is looked into unless the call says so.
const USUAL_DEPTH: u64 = 3;
/// How deep it is looked into at most, and where a pattern says what is wanted.
const MOST_DEPTH: u64 = 32;

impl ListFiles {
    /// It reaches what `sandbox` says.
    pub const fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }

    fn read(&self, call: &Described) -> Result<(Aim, List), String> {
        let arguments = Arguments::of(&call.call, &["path", "file_path", "depth", "pattern"])?;
        let given = match (arguments.text("path")?, arguments.text("file_path")?) {
            (Some(_), Some(_)) => return Err("Give `path` or `file_path`, not both. Nothing was done.".to_owned()),
            (Some(given), None) | (None, Some(given)) => given,
            (None, None) => ".",
        };
        let pattern = arguments.text("pattern")?.map(Glob::read).transpose()?;
        let usual = if pattern.is_some() { MOST_DEPTH } else { USUAL_DEPTH };
        let depth = arguments.count("depth")?.unwrap_or(usual).min(MOST_DEPTH);
        Ok((Aim::of(call, given, Access::Read, &self.sandbox)?, List::new(depth, pattern)))
    }

    async fn list(&self, order: Order<'_>) -> Result<Report, String> {
        let (aim, list) = self.read(order.call)?;
        let seen = order.seen.cloned();
        let work = inside(aim.fence(), move |waiting| {
            let place = aim.place(seen.as_ref())?;
            list.of(&place.open_folder()?, &place.shown, waiting)
        });
        let late = |_| format!("The folder was not listed within {} ms.", order.timeout.as_millis());
        let listed = timeout(order.timeout, work).await.map_err(late)?;
        let output = listed.map_err(|error| format!("The folder could not be worked on: {error}"))??;
        Ok(Report { output, failed: false })
    }
}

#[async_trait]
impl Tool for ListFiles {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "list_files".to_owned(),
            description:
                "Lists what there is in a folder and in the folders below it, one path a line and sorted: folders \
                          end in `/`, links show where they lead and are not followed. Hidden files are listed too; \
                          `.git` is not looked into unless it is the folder asked for. A long list is cut and says how \
                          much is left out."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "The folder, absolute or from the working folder on. Left out: the working folder.",
                    },
                    "depth": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "How many levels to list; 1 is the folder alone. Left out: 3, or all with a pattern.",
                    },
                    "pattern": {
                        "type": "string",
                        "description": "List only what fits: `*.rs` by its name, `src/**/test_*` by its path from the \
                                        folder on. `*` and `?` stay within a name, `**` does not.",
                    },
                },
                "required": [],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        self.list(order).await.unwrap_or_else(failed).into()
    }

    async fn preview(&self, call: &Described) -> Option<Preview> {
        change::preview_of_place(self.read(call).ok()?.0).await
    }

    fn is_idempotent(&self) -> bool {
        true
    }
}
