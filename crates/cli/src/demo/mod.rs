//! The demo that stands in for a configuration: an assistant in a folder of its own, that a script speaks for, or a real model
//! where there is a key to one.

mod pay;

pub use pay::PayInvoice;

use crate::config::{Loaded, ModelConfig, Provider, Setting};
use crate::failure::Failure;
use crate::home;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What stands for the demo's script in a configuration.
pub const BUILTIN_SCRIPT: &str = "builtin:assistant";
/// The demo's script.
pub const SCRIPT: &str = include_str!("assistant.yaml");

const CONFIG: &str = include_str!("countersign.yaml");
const README: &str = include_str!("README.txt");
const INVOICE: &str = include_str!("invoice.txt");

/// The demo's configuration. With a key in the environment a real model speaks for the assistant.
pub fn loaded() -> Result<Loaded, Failure> {
    let mut loaded = Loaded::parse(CONFIG, Path::new("demo/countersign.yaml"))?;
    if let Some(real) = REAL.iter().find(|real| is_set(real.key)) {
        let model = real.model();
        tracing::info!(provider = real.name, model = real.chosen(), "the demo's assistant talks to a real model");
        loaded.config.models.insert("demo".to_owned(), model);
    }
    Ok(loaded)
}

/// A real model that can take the place of the script, by the variables that its provider's own programs know.
struct Real {
    name: &'static str,
    provider: Provider,
    key: &'static str,
    base_url: &'static str,
    model: &'static str,
    usual: &'static str,
}

const REAL: [Real; 2] = [
    Real {
        name: "openai",
        provider: Provider::Openai,
        key: "OPENAI_API_KEY",
        base_url: "OPENAI_BASE_URL",
        model: "OPENAI_MODEL",
        usual: "gpt-5-mini",
    },
    Real {
        name: "anthropic",
        provider: Provider::Anthropic,
        key: "ANTHROPIC_API_KEY",
        base_url: "ANTHROPIC_BASE_URL",
        model: "ANTHROPIC_MODEL",
        usual: "claude-sonnet-5",
    },
];

impl Real {
    fn model(&self) -> ModelConfig {
        ModelConfig {
            provider: self.provider,
            model: Setting::try_from(self.chosen()).ok(),
            base_url: is_set(self.base_url).then(|| Setting::of_environment(self.base_url)),
            api_key: Some(Setting::of_environment(self.key)),
            headers: BTreeMap::new(),
            max_tokens: None,
            temperature: None,
            timeout: None,
            script: None,
            price: None,
        }
    }

    fn chosen(&self) -> String {
        std::env::var(self.model).ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| self.usual.to_owned())
    }
}

fn is_set(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| !value.trim().is_empty())
}

/// The folder that the demo's assistant works in.
pub fn workspace() -> Result<PathBuf, Failure> {
    let folder = home::demo_folder()?;
    home::make_folder(&folder.join("build"))?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|error| Failure::new(format!("cannot write the demo: {error}")))
    };
    write("README.txt", README)?;
    write("invoice.txt", INVOICE)?;
    write("build/old.o", "the result of an old build\n")?;
    Ok(folder)
}
