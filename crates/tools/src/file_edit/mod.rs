//! `file_edit`: replaces a piece of a text file.

mod replace;

use crate::arguments::Arguments;
use crate::change::{self, Rewrite};
use crate::failed;
use crate::place::{Aim, Existing};
use crate::sandbox::{Access, Sandbox};
use async_trait::async_trait;
use countersign_domain::describe::Described;
use countersign_domain::interaction::Preview;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use replace::{Replace, Times};
use serde_json::json;

/// Replaces pieces of text files.
#[derive(Debug, Clone, Default)]
pub struct FileEdit {
    sandbox: Sandbox,
}

impl FileEdit {
    /// It reaches what `sandbox` says.
    pub const fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }

    fn read(&self, call: &Described) -> Result<(Aim, Rewrite), String> {
        let arguments = Arguments::of(&call.call, &["file_path", "path", "old_string", "new_string", "replace_all"])?;
        let text = |name: &str| {
            let missing = || format!("The argument `{name}` is missing. Nothing was done.");
            arguments.text(name)?.map(str::to_owned).ok_or_else(missing)
        };
        let times = if arguments.flag("replace_all")? { Times::All } else { Times::Once };
        let replace = Replace::new(text("old_string")?, text("new_string")?, times)?;
        let aim = Aim::of_file(call, arguments, Access::Write, &self.sandbox)?;
        let shown = aim.shown().to_owned();
        let rewrite = move |before: Option<&Existing>| {
            let before = before.ok_or_else(|| format!("There is no file `{shown}`. Nothing was done."))?;
            let not_text = |_| format!("`{shown}` is not text in UTF-8. Nothing was done.");
            let text = str::from_utf8(&before.bytes).map_err(not_text)?;
            replace.within(text).map(String::into_bytes).map_err(|why| format!("{why} in `{shown}`. Nothing was done."))
        };
        Ok((aim, Box::new(rewrite)))
    }

    async fn edit(&self, order: Order<'_>) -> Result<Report, String> {
        let (aim, rewrite) = self.read(order.call)?;
        change::make(order, aim, rewrite).await
    }
}

#[async_trait]
impl Tool for FileEdit {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "file_edit".to_owned(),
            description: "Replaces a piece of a text file in the working folder by another. The piece must be given exactly \
                          as it stands in the file, blanks and line ends included, and must occur exactly once: give some \
                          lines around it if it does not. With `replace_all` it is replaced wherever it occurs."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {
                        "type": "string",
                        "description": "The file, absolute or from the working folder on.",
                    },
                    "old_string": {"type": "string", "description": "What is replaced."},
                    "new_string": {"type": "string", "description": "What it is replaced by."},
                    "replace_all": {"type": "boolean", "description": "Whether to replace it everywhere. Default: false."},
                },
                "required": ["file_path", "old_string", "new_string"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        self.edit(order).await.unwrap_or_else(failed).into()
    }

    async fn preview(&self, call: &Described) -> Option<Preview> {
        let (aim, rewrite) = self.read(call).ok()?;
        change::preview(aim, rewrite).await
    }
}
