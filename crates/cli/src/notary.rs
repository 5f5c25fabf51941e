//! Whoever signs the log: the key, which is in a file and never in the database, and the file of signed checkpoints.

use crate::client;
use crate::config::AuditConfig;
use crate::failure::Failure;
use crate::home::{Database, data_folder, make_folder, real};
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
use std::path::PathBuf;
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
        let named = |setting: Option<String>, ending: &str| {
            let path = setting.map_or_else(|| beside(ending), |path| Ok(PathBuf::from(path)))?;
            // As it is protected from agents, whatever folder they work in.
            Ok::<_, Failure>(real(&path))
        };
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
            Err(None) => make(self)?,
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

/// Makes a key, for its owner's eyes only. Of two processes that do at once, one's counts for both.
fn make(kept: &Kept) -> Result<SignerKey, Failure> {
    let path = &kept.key;
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
    // Whole before it has its name: nobody ever reads half a key.
    let draft = path.with_extension(format!("{}.new", hex(rest)));
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).and_then(|mut file| {
        writeln!(file, "{}", key.secret_text())?;
        file.sync_all()?;
        std::fs::hard_link(&draft, path)
    });
    let _ = std::fs::remove_file(&draft);
    match written {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            kept.key().map_err(|failure| failure.unwrap_or_else(|| failed(&error)))
        }
        Err(error) => Err(failed(&error)),
    }
}

/// The notes in a file of checkpoints. What was torn off in the middle is no note.
pub fn notes(text: &str) -> Vec<String> {
    let mut notes = vec![];
    let mut said: Option<&str> = None;
    for part in text.split("\n\n") {
        match said.take() {
            Some(said) if part.starts_with("— ") => {
                notes.push(format!("{said}\n\n{}\n", part.trim_end_matches('\n')));
            }
            _ => said = Some(part.trim_start_matches('\n')),
        }
    }
    notes
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
        // On lines of its own also where the one before it was torn off.
        let (path, note) = (self.path.clone(), format!("\n\n{note}"));
        let added = tokio::task::spawn_blocking(move || {
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
            file.write_all(note.as_bytes())?;
            file.sync_data()
        });
        Ok(added.await??)
    }

    async fn kept(&self) -> Vec<String> {
        notes(&tokio::fs::read_to_string(&self.path).await.unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_was_torn_off_spoils_no_other() {
        let note = |size: u32| format!("log\n{size}\nroot\n\n— log c2lnbmVk\n");
        let (first, second, third) = (note(1), note(2), note(3));
        let whole: String = [&first, &second, &third].map(|note| format!("\n\n{note}")).concat();
        assert_eq!(notes(&whole), [first.clone(), second.clone(), third.clone()]);
        for cut in 1..second.len() {
            let torn = second.get(..cut).unwrap_or_default();
            let found = notes(&format!("\n\n{first}\n\n{torn}\n\n{third}"));
            assert!(found.first() == Some(&first) && found.last() == Some(&third), "{torn:?}: {found:?}");
        }
        assert_eq!(notes(""), Vec::<String>::new());
    }
}
