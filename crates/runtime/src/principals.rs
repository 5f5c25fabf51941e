//! Tokens, sessions and sign-in links: made here, shown once, kept only as hashes.

use crate::Runtime;
use crate::ports::{NewToken, Once, Receipt, Store, StoreError, TokenEntry, TokenForm};
use crate::start::OtherRequest;
use countersign_domain::Digest;
use countersign_domain::principal::{ANYBODY, Door, Kind, Principal, Role};
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use uuid::Uuid;

/// A secret that was just made. Shown once, to whoever asked for it.
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one who asked for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A token that was just made.
#[derive(Debug)]
pub struct Made {
    /// What is told of it.
    pub entry: TokenEntry,
    /// The token itself.
    pub secret: Secret,
}

/// Why no secret was made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// An agent must act for somebody.
    #[error("an agent's token acts for one user: name them")]
    ForNobody,
    /// Only agents act for somebody.
    #[error("only an agent's token acts for one other user; a service may act for whomever it names")]
    NotAnAgent,
    /// An agent can never answer.
    #[error("an agent's token has no role: it can ask and wait, and never answer")]
    AgentWithRole,
    /// A name cannot be empty.
    #[error("the name must have 1 to 200 characters, none of them hidden")]
    BadName,
    /// The machine gives no random numbers.
    #[error("the machine gives no random numbers")]
    NoChance,
    /// The same request made one before, under the same key.
    #[error("the token `{0}` was made under this idempotency key before; it was shown once, and cannot be shown again")]
    MadeBefore(String),
    /// Another request was made under the same key.
    #[error(transparent)]
    OtherRequest(#[from] OtherRequest),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the id of a token begins with.
const TOKEN: &str = "tok_";

/// How long a sign-in link holds.
const LINK: SignedDuration = SignedDuration::from_hours(1);

/// Makes a token for `principal`. Works without a runtime: the command line makes tokens while no server runs.
///
/// Under a key it is made once. What was made then cannot be shown again: only its hash is kept.
pub async fn make_token(
    store: &dyn Store,
    principal: Principal,
    by: Option<&Principal>,
    once: Option<Once>,
) -> Result<Made, MakeError> {
    match (principal.kind, &principal.acts_for) {
        (Kind::Agent, None) => return Err(MakeError::ForNobody),
        (Kind::Service, Some(whom)) if whom == ANYBODY => {}
        (Kind::User | Kind::Service, Some(_)) => return Err(MakeError::NotAnAgent),
        (Kind::Agent, Some(whom)) if whom == ANYBODY => return Err(MakeError::ForNobody),
        _ => {}
    }
    if principal.kind == Kind::Agent && principal.role != Role::Viewer {
        return Err(MakeError::AgentWithRole);
    }
    if ![Some(&principal.name), principal.acts_for.as_ref()].into_iter().flatten().all(|name| is_name(name)) {
        return Err(MakeError::BadName);
    }
    if let Some(once) = &once
        && let Some(before) = store.receipt(once).await?
    {
        return Err(made_before(once, before));
    }
    let prefix = format!("cs_{}_", principal.kind.word());
    let making = Making { by, once: once.clone() };
    match (keep(store, &prefix, TokenForm::Token, principal, Lasting::default(), making).await, once) {
        (Err(MakeError::Store(StoreError::Made(before))), Some(once)) => Err(made_before(&once, *before)),
        (made, _) => made,
    }
}

fn made_before(once: &Once, before: Receipt) -> MakeError {
    let is_same = before.once.digest == once.digest && before.made.starts_with(TOKEN);
    if is_same { MakeError::MadeBefore(before.made) } else { OtherRequest::of(once).into() }
}

/// Whether `text` can name somebody or something: 1 to 200 characters, none of them hidden.
pub fn is_name(text: &str) -> bool {
    let hidden = countersign_domain::disguise::hidden_in(text).is_some();
    !text.trim().is_empty() && text.chars().count() <= 200 && !hidden
}

/// Makes a link that signs in `principal` once.
pub async fn make_link(store: &dyn Store, principal: Principal) -> Result<Secret, MakeError> {
    let lasting = Lasting { lasts: Some(LINK), parent: None };
    let by = principal.clone();
    let making = Making { by: Some(&by), once: None };
    Ok(keep(store, "cs_link_", TokenForm::Link, principal, lasting, making).await?.secret)
}

/// Makes a session of a browser, opened with `by`. It ends with the token it was opened with.
pub async fn make_session(store: &dyn Store, by: TokenEntry, lasts: SignedDuration) -> Result<Secret, MakeError> {
    let parent = (by.form == TokenForm::Token).then_some(by.id);
    let lasting = Lasting { lasts: Some(lasts), parent };
    let who = by.principal.clone().at(Door::Page);
    let making = Making { by: Some(&who), once: None };
    Ok(keep(store, "cs_session_", TokenForm::Session, by.principal, lasting, making).await?.secret)
}

/// How long something holds: for a time, and no longer than what it was opened with.
#[derive(Default)]
struct Lasting {
    lasts: Option<SignedDuration>,
    parent: Option<String>,
}

/// Who makes something, and under which key once.
struct Making<'a> {
    by: Option<&'a Principal>,
    once: Option<Once>,
}

async fn keep(
    store: &dyn Store,
    prefix: &str,
    form: TokenForm,
    principal: Principal,
    Lasting { lasts, parent }: Lasting,
    Making { by, once }: Making<'_>,
) -> Result<Made, MakeError> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| MakeError::NoChance)?;
    let secret = Secret(format!("{prefix}{}", Digest::of(&random).hex()));
    let created_at = store.now().await?;
    let expires_at = lasts.map(|lasts| created_at.saturating_add(lasts).unwrap_or(Timestamp::MAX));
    let id = format!("{TOKEN}{}", Uuid::now_v7().simple());
    let receipt = once.map(|once| once.receipt(id.clone(), created_at));
    let entry = TokenEntry { id, form, principal, parent, created_at, expires_at, ended_at: None };
    let hash = Digest::of(secret.0.as_bytes());
    store.add_token(NewToken { entry: entry.clone(), hash, by: by.cloned(), receipt }).await?;
    Ok(Made { entry, secret })
}

impl Runtime {
    /// Whose secret of this form it is, if it still holds.
    pub async fn whose(&self, secret: &str, form: TokenForm) -> Result<Option<TokenEntry>, StoreError> {
        // Looking a link up uses it, so whatever is not even meant to be one is not looked up.
        let prefixes: &[&str] = match form {
            TokenForm::Token => &["cs_user_", "cs_agent_", "cs_service_"],
            TokenForm::Session => &["cs_session_"],
            TokenForm::Link => &["cs_link_"],
        };
        if !prefixes.iter().any(|prefix| secret.starts_with(prefix)) {
            return Ok(None);
        }
        let hash = Digest::of(secret.as_bytes());
        let entry = match form {
            TokenForm::Token | TokenForm::Session => self.holder(hash).await?,
            TokenForm::Link => self.store().principal(hash, self.store().now().await?).await?,
        };
        Ok(entry.filter(|entry| entry.form == form))
    }

    /// Whose token or session with this hash it is, if it still holds. Not for links: looking one up uses it.
    pub async fn holder(&self, hash: Digest) -> Result<Option<TokenEntry>, StoreError> {
        self.inner.holders.holder(self.store(), hash).await
    }
}
