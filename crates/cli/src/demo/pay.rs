//! A payment that harms nobody: a line in the ledger of the demo's folder. Only the demo offers it.

use async_trait::async_trait;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// `pay_invoice`, of the demo.
pub struct PayInvoice {
    ledger: PathBuf,
}

impl PayInvoice {
    /// Pays by a line in the ledger of `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { ledger: folder.join("ledger.txt") }
    }

    fn pay(&self, args: &serde_json::Map<String, Value>) -> Result<String, String> {
        let word = |key: &str| {
            let text = args.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
            text.filter(|text| text.chars().count() <= LONGEST && !text.contains(char::is_control))
                .ok_or_else(|| format!("`{key}` must be a text of one line"))
        };
        let amount = args.get("amount").and_then(Value::as_f64).filter(|amount| *amount > 0.0 && *amount < 1e9);
        let amount = amount.ok_or("`amount` must be a number above 0")?;
        let line = format!("paid {amount:.2} {} for invoice {}\n", word("currency")?, word("invoice")?);
        let written = OpenOptions::new().create(true).append(true).open(&self.ledger);
        written
            .and_then(|mut ledger| ledger.write_all(line.as_bytes()))
            .map_err(|error| format!("the ledger cannot be written: {error}"))?;
        Ok(format!("{} (a line in ledger.txt: no money was moved)", line.trim()))
    }
}

/// The longest word in the ledger, in characters.
const LONGEST: usize = 60;

#[async_trait]
impl Tool for PayInvoice {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "pay_invoice".into(),
            description: "Pays an invoice. In this demo no money is moved: a line is added to the ledger.".into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "invoice": {"type": "string", "description": "The invoice's number"},
                    "amount": {"type": "number", "description": "How much to pay"},
                    "currency": {"type": "string", "description": "In which currency, such as EUR"},
                },
                "required": ["invoice", "amount", "currency"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        match self.pay(order.call.call.args()) {
            Ok(output) => Report { output, failed: false }.into(),
            Err(output) => Report { output, failed: true }.into(),
        }
    }
}
