//! `web_fetch`: fetches a page.

mod address;
mod entity;
mod fetch;
mod html;
mod page;

use crate::arguments::Arguments;
use crate::failed;
use crate::sandbox::Sandbox;
use async_trait::async_trait;
use countersign_domain::describe::{Described, Part, Resource};
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use fetch::Fetcher;
use page::Shown;
use reqwest::Url;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Fetches pages as text.
#[derive(Debug, Clone, Default)]
pub struct WebFetch {
    sandbox: Sandbox,
}

/// How much text is given unless the call says so.
const USUAL_BYTES: u64 = 100_000;
/// How much text is given at most.
const MOST_BYTES: u64 = 256 * 1024;

impl WebFetch {
    /// It reaches what `sandbox` says.
    pub const fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }

    async fn fetch(&self, order: Order<'_>) -> Result<Report, String> {
        let (url, most) = understood(order.call)?;
        let addresses = self.sandbox.addresses.clone();
        // The certificates of this machine are read for it.
        let fetcher = spawn_blocking(move || Fetcher::new(&addresses)).await;
        let fetcher = fetcher.unwrap_or_else(|error| Err(format!("Nothing can be fetched here: {error}")))?;
        let late = |_| format!("`{url}` was not fetched within {} ms.", order.timeout.as_millis());
        let report = async {
            let (answer, url) = (fetcher.fetch(&url).await?, url.clone());
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            // Pages are long and written by strangers: nobody else waits while one is read.
            let read = spawn_blocking(move || Shown { most, url: &url }.report(&answer));
            read.await.unwrap_or_else(|error| Err(format!("The answer could not be read: {error}")))
        };
        timeout(order.timeout, report).await.map_err(late)?
    }
}

#[async_trait]
impl Tool for WebFetch {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "web_fetch".to_owned(),
            description: "Fetches a page with GET and returns it as text, HTML without its markup and with its links. An \
                          answer that leads to another address is not followed: the address is told, to be fetched by a \
                          call of its own. Addresses of private networks are not reached. Images and other binary data \
                          are not returned."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": "The address, with `https://` or `http://`."},
                    "max_bytes": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "How many bytes of text to return at most. Default: 100000, at most 262144.",
                    },
                },
                "required": ["url"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        self.fetch(order).await.unwrap_or_else(failed).into()
    }

    /// HTTP says that GET may be repeated by whoever stands in between, and so by us too.
    fn is_idempotent(&self) -> bool {
        true
    }
}

fn understood(call: &Described) -> Result<(Url, u64), String> {
    let arguments = Arguments::of(&call.call, &["url", "max_bytes"])?;
    let given = arguments.text("url")?.ok_or("The argument `url` is missing. Nothing was done.")?;
    let most = arguments.count("max_bytes")?.unwrap_or(USUAL_BYTES).min(MOST_BYTES);
    let Resource::Parts(parts) = &call.resource else {
        return Err(format!("`{given}` cannot be understood as an address. Nothing was done."));
    };
    match parts.as_slice() {
        [Part::Url(judged)] if judged.given == given => {}
        _ => return Err(format!("`{given}` is not what was judged. Nothing was done.")),
    }
    let url = Url::parse(given).map_err(|error| format!("`{given}` is not an address: {error}. Nothing was done."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{given}` must start with `https://` or `http://`. Nothing was done."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("An address with a name or password in it is not fetched. Nothing was done.".to_owned());
    }
    Ok((url, most))
}
