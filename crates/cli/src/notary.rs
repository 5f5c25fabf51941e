//! Whoever signs the log: the key, which is in a file and never in the database, and the file of signed checkpoints.

use crate::client;
use crate::config::AuditConfig;
use crate::failure::Failure;
use crate::home::{Database, data_folder, make_folder};
use crate::output;
use async_trait::async_trait;
use countersign_domain::audit::hex;
use countersign_domain::audit::note::SignerKey;
use countersign_runtime::Notary;
use countersign_runtime::ports::Anchor;
use reqwest::Client;
use std::error::Error;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the key and the checkpoints are.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The file with the key.
    pub key: PathBuf,
    /// The file with the checkpoints.
    pub checkpoints: PathBuf,
    /// Where else they go.
    elsewhere: Vec<Elsewhere>,
}

/// Where checkpoints go besides the file.
#[derive(Debug, Clone)]
enum Elsewhere {
    Stdout,
    Webhook(String),
}

impl Kept {
    /// As the configuration says, or else beside the database file, or in the data folder.
    pub fn of(config: &AuditConfig, database: &Database) -> Result<Self, Failure> {
        let beside = |ending: &str| match database {
            Database::Sqlite(path) => Ok(PathBuf::from(format!("{}.{ending}", path.display()))),
            Database::Postgres(_) => Ok(data_folder()?.join(format!("audit.{ending}"))),
        };
        let named =
            |setting: Option<String>, ending: &str| setting.map_or_else(|| beside(ending), |path| Ok(path.into()));
        let text = |setting: &Option<crate::config::Setting>, place: &str| {
            setting.as_ref().map(|setting| setting.expand(place)).transpose()
        };
        let webhook = text(&config.webhook, "audit.webhook")?;
        if webhook.as_ref().is_some_and(|url| !url.starts_with("https://") && !url.starts_with("http://")) {
            return Err(Failure::new("`audit.webhook` must be an address as `https://example.com/checkpoints`"));
        }
        let stdout = config.stdout.unwrap_or_default().then_some(Elsewhere::Stdout);
        Ok(Self {
            elsewhere: stdout.into_iter().chain(webhook.map(Elsewhere::Webhook)).collect(),
            key: named(text(&config.key, "audit.key")?, "key")?,
            checkpoints: named(text(&config.checkpoints, "audit.checkpoints")?, "checkpoints")?,
        })
    }

    /// The paths that no agent may touch.
    pub fn own_paths(&self) -> impl Iterator<Item = String> {
        [&self.key, &self.checkpoints].map(|path| path.display().to_string()).into_iter()
    }

    /// Whoever signs with the key that is there, or with a new one.
    pub fn notary(&self) -> Result<Notary, Failure> {
        let key = match self.key() {
            Err(None) => make(&self.key)?,
            Err(Some(failure)) => return Err(failure),
            Ok(key) => key,
        };
        let mut anchors: Vec<Arc<dyn Anchor>> = vec![Arc::new(Checkpoints { path: self.checkpoints.clone() })];
        for place in &self.elsewhere {
            anchors.push(match place {
                Elsewhere::Stdout => Arc::new(Stdout),
                Elsewhere::Webhook(url) => Arc::new(Webhook { url: url.clone(), http: client::http(url)? }),
            });
        }
        Ok(Notary { key, anchors })
    }

    /// The key that is there; nothing if there is none.
    pub fn key(&self) -> Result<SignerKey, Option<Failure>> {
        let path = &self.key;
        match std::fs::read_to_string(path) {
            Ok(text) => text.trim().parse().map_err(|wrong| {
                Some(Failure::new(format!("`{}` holds no key to sign with: {wrong}", path.display())))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(None),
            Err(error) => Err(Some(Failure::unreadable(path, &error))),
        }
    }
}

/// Makes a key, for its owner's eyes only. Of two processes that do, one's counts.
fn make(path: &Path) -> Result<SignerKey, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "choose another place with `audit.key`";
        Failure::new(format!("cannot make the key `{}`: {error}; {hint}", path.display()))
    };
    let mut random = [0; 36];
    getrandom::fill(&mut random).map_err(|error| failed(&error))?;
    let (seed, rest) = random.split_first_chunk().ok_or_else(|| failed(&"no randomness"))?;
    let key = SignerKey::new(&format!("countersign-{}", hex(rest)), *seed).map_err(|error| failed(&error))?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(|error| failed(&error))?;
    writeln!(file, "{}", key.secret_text()).and_then(|()| file.sync_all()).map_err(|error| failed(&error))?;
    Ok(key)
}

/// The notes in a file of checkpoints.
pub fn notes(text: &str) -> Vec<String> {
    // A checkpoint has no empty line but the one above its signatures, and the file one after each.
    let parts: Vec<&str> = text.split("\n\n").collect();
    parts.chunks(2).map(|note| note.join("\n\n")).filter(|note| !note.trim().is_empty()).map(ended).collect()
}

fn ended(note: String) -> String {
    if note.ends_with('\n') { note } else { note + "\n" }
}

/// A file to which every checkpoint is added.
struct Checkpoints {
    path: PathBuf,
}

#[async_trait]
impl Anchor for Checkpoints {
    fn name(&self) -> &'static str {
        "checkpoints"
    }

    async fn keep(&self, note: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (path, note) = (self.path.clone(), format!("{note}\n"));
        let added = tokio::task::spawn_blocking(move || {
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
            file.write_all(note.as_bytes())?;
            file.sync_data()
        });
        Ok(added.await??)
    }
}

/// Standard output, for whoever collects it.
struct Stdout;

#[async_trait]
impl Anchor for Stdout {
    fn name(&self) -> &'static str {
        "stdout"
    }

    async fn keep(&self, note: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        output::line(note);
        Ok(())
    }
}

/// How long whoever is posted to may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// An address to which checkpoints are posted. One that is missed is made up for by the next: it covers all before it.
struct Webhook {
    url: String,
    http: Client,
}

#[async_trait]
impl Anchor for Webhook {
    fn name(&self) -> &'static str {
        "webhook"
    }

    async fn keep(&self, note: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let request = self.http.post(&self.url).header("content-type", "text/plain; charset=utf-8");
        // The address may hold a password: it is in no error.
        let sent = request.timeout(PATIENCE).body(note.to_owned()).send().await.map_err(reqwest::Error::without_url)?;
        sent.error_for_status().map_err(reqwest::Error::without_url)?;
        Ok(())
    }
}
