//! `file_read`: reads a text file.

mod window;

use crate::arguments::Arguments;
use crate::place::Aim;
use crate::sandbox::{Access, Sandbox, inside};
use crate::{change, failed};
use async_trait::async_trait;
use countersign_domain::describe::Described;
use countersign_domain::interaction::Preview;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use serde_json::json;
use std::io::Read as _;
use tokio::time::timeout;
use window::Window;

/// Reads text files, whole or some lines of them.
#[derive(Debug, Clone, Default)]
pub struct FileRead {
    sandbox: Sandbox,
}

impl FileRead {
    /// It reaches what `sandbox` says.
    pub const fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }
}

/// How much is read at once.
const PIECE: usize = 64 * 1024;

#[async_trait]
impl Tool for FileRead {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "file_read".to_owned(),
            description:
                "Reads a text file in the working folder and returns its lines as they are. A long file is cut, and \
                          the answer says with which `offset` to go on. Folders, binary files and devices are not read."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {
                        "type": "string",
                        "description": "The file, absolute or from the working folder on.",
                    },
                    "offset": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The first line to read, counted from 1. Left out: the first.",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "How many lines to read. Left out: as many as fit.",
                    },
                },
                "required": ["file_path"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        let late = |_| Err(format!("The file was not read within {} ms.", order.timeout.as_millis()));
        timeout(order.timeout, read(order, &self.sandbox)).await.unwrap_or_else(late).unwrap_or_else(failed).into()
    }

    async fn preview(&self, call: &Described) -> Option<Preview> {
        change::preview_of_place(understood(call, &self.sandbox).ok()?.0).await
    }

    fn is_idempotent(&self) -> bool {
        true
    }
}

async fn read(order: Order<'_>, sandbox: &Sandbox) -> Result<Report, String> {
    let (aim, mut window) = understood(order.call, sandbox)?;
    let seen = order.seen.cloned();
    let work = inside(aim.fence(), move |waiting| {
        let place = aim.place(seen.as_ref())?;
        let mut file = place.open()?;
        let mut piece = vec![0; PIECE];
        while !window.is_full() && !waiting.is_over() {
            let told = |error| format!("`{}` could not be read: {error}", place.shown);
            let count = file.read(&mut piece).map_err(told)?;
            if count == 0 {
                break;
            }
            window.take(piece.get(..count).unwrap_or_default());
        }
        window.report(&place.shown)
    });
    work.await.map_err(|error| format!("The file could not be worked on: {error}"))?
}

fn understood(call: &Described, sandbox: &Sandbox) -> Result<(Aim, Window), String> {
    let arguments = Arguments::of(&call.call, &["file_path", "path", "offset", "limit"])?;
    let window = Window::new(arguments.count("offset")?, arguments.count("limit")?);
    Ok((Aim::of_file(call, arguments, Access::Read, sandbox)?, window))
}
