//! `file_read`: reads a text file.

mod open;
mod window;

use crate::arguments::Arguments;
use crate::failed;
use async_trait::async_trait;
use countersign_domain::describe::{Described, Part, PathPart, Resource};
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use serde_json::json;
use tokio::fs::File;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;
use window::Window;

/// Reads text files, whole or some lines of them.
#[derive(Debug, Clone, Copy)]
pub struct FileRead;

/// How much is read at once.
const PIECE: usize = 64 * 1024;

#[async_trait]
impl Tool for FileRead {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "file_read".to_owned(),
            description:
                "Reads a text file and returns its lines as they are. A long file is cut, and the answer says \
                          with which `offset` to go on. Folders, binary files and devices are not read."
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
        timeout(order.timeout, read(order.call)).await.unwrap_or_else(late).unwrap_or_else(failed).into()
    }

    fn is_idempotent(&self) -> bool {
        true
    }
}

async fn read(described: &Described) -> Result<Report, String> {
    let arguments = Arguments::of(&described.call, &["file_path", "path", "offset", "limit"])?;
    let path = judged(described, arguments)?.clone();
    let mut window = Window::new(arguments.count("offset")?, arguments.count("limit")?);
    let shown = path.canonical().to_owned();
    // A file system far away may take its time, which must not hold up others.
    let opened = tokio::task::spawn_blocking(move || open::open(&path)).await;
    let mut file = File::from_std(opened.map_err(|error| format!("`{shown}` could not be opened: {error}"))??);
    let mut piece = vec![0; PIECE];
    while !window.is_full() {
        let count = file.read(&mut piece).await.map_err(|error| format!("`{shown}` could not be read: {error}"))?;
        if count == 0 {
            break;
        }
        window.take(piece.get(..count).unwrap_or_default());
    }
    window.report(&shown)
}

/// The path of the call, as it was judged.
fn judged<'a>(described: &'a Described, arguments: Arguments<'_>) -> Result<&'a PathPart, String> {
    let given = match (arguments.text("file_path")?, arguments.text("path")?) {
        (Some(given), None) | (None, Some(given)) => given,
        (None, None) => return Err("The argument `file_path` is missing. Nothing was read.".to_owned()),
        (Some(_), Some(_)) => return Err("Give `file_path` or `path`, not both. Nothing was read.".to_owned()),
    };
    match &described.resource {
        Resource::Parts(parts) => match parts.as_slice() {
            [Part::Path(path)] if path.given == given && !path.adrift => Ok(path),
            [Part::Path(path)] if path.adrift => {
                Err("The path is relative, and the call has no working folder. Nothing was read.".to_owned())
            }
            _ => Err(format!("`{given}` is not what was judged. Nothing was read.")),
        },
        _ => Err(format!("`{given}` cannot be understood as a path. Nothing was read.")),
    }
}
