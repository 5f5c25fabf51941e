//! `file_write`: writes a text file.

use crate::arguments::Arguments;
use crate::change::{self, Rewrite};
use crate::failed;
use crate::place::Aim;
use crate::sandbox::{Access, Sandbox};
use async_trait::async_trait;
use countersign_domain::describe::Described;
use countersign_domain::interaction::Preview;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use serde_json::json;

/// Writes text files, whole.
#[derive(Debug, Clone, Default)]
pub struct FileWrite {
    sandbox: Sandbox,
}

impl FileWrite {
    /// It reaches what `sandbox` says.
    pub const fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }

    fn read(&self, call: &Described) -> Result<(Aim, Rewrite), String> {
        let arguments = Arguments::of(&call.call, &["file_path", "path", "content"])?;
        let content = arguments.text("content")?.ok_or("The argument `content` is missing. Nothing was done.")?;
        let aim = Aim::of_file(call, arguments, Access::Write, &self.sandbox)?;
        let content = content.as_bytes().to_vec();
        Ok((aim, Box::new(move |_| Ok(content))))
    }

    async fn write(&self, order: Order<'_>) -> Result<Report, String> {
        let (aim, rewrite) = self.read(order.call)?;
        change::make(order, aim, rewrite).await
    }
}

#[async_trait]
impl Tool for FileWrite {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "file_write".to_owned(),
            description:
                "Writes a text file in the working folder, whole: what was in it is gone. Folders on the way that \
                          are missing are made. To change a part of a file, use `file_edit`."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {
                        "type": "string",
                        "description": "The file, absolute or from the working folder on.",
                    },
                    "content": {"type": "string", "description": "All that the file is to hold."},
                },
                "required": ["file_path", "content"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        self.write(order).await.unwrap_or_else(failed).into()
    }

    async fn preview(&self, call: &Described) -> Option<Preview> {
        let (aim, rewrite) = self.read(call).ok()?;
        change::preview(aim, rewrite).await
    }
}
