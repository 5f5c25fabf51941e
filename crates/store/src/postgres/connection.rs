//! One connection: set up like all others, and handed on only while nothing is wrong with it.

use super::address::Address;
use super::clock::{NOW, Reading};
use super::tls::{BadRoots, Tls};
use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Notification, Row, SimpleQueryMessage, Socket, Statement};

/// How long reaching the server and being let in may take together, however many hosts are tried.
const ENTRY: Duration = Duration::from_secs(15);

/// How long a statement may take. The server ends it itself; the time beyond is for a server that does not speak any more.
const STATEMENT: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(20);

/// The values of a statement.
pub type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection to the database.
pub struct Connection {
    client: Client,
    pid: i32,
    statements: Mutex<HashMap<Cow<'static, str>, Statement>>,
    /// Whether the last thing that was asked of it was answered.
    is_sound: AtomicBool,
}

/// A connection that was just made, and the database's time then.
pub struct Greeted {
    pub connection: Connection,
    pub reading: Reading,
}

/// Why a statement gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The database refused it: nothing of it was done.
    #[error("the database refused a statement")]
    Refused(#[source] tokio_postgres::Error),
    /// The connection broke: nobody knows whether it was done.
    #[error("the connection to the database broke")]
    Lost(#[source] tokio_postgres::Error),
    /// The server is silent: nobody knows whether it was done.
    #[error("the database did not answer within {} s", SILENCE.as_secs())]
    Silent,
}

impl Failed {
    /// In words; of what the database said only that which holds no values.
    pub fn said(&self) -> String {
        match self {
            Self::Refused(error) | Self::Lost(error) => match error.as_db_error() {
                Some(said) => said.message().to_owned(),
                None => causes(error),
            },
            Self::Silent => self.to_string(),
        }
    }

    /// What kind of refusal it is.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Refused(error) => error.code(),
            Self::Lost(_) | Self::Silent => None,
        }
    }
}

impl Connection {
    /// Connects. What the server tells unasked goes to `heard`.
    pub async fn open(address: &Address, heard: Option<mpsc::Sender<Notification>>) -> Result<Greeted, ConnectError> {
        let tls = Tls::new(&address.trust)?;
        let late = || ConnectError::Unreachable { place: address.to_string(), why: "it does not answer".into() };
        timeout(ENTRY, entered(address, tls, heard)).await.map_err(|_| late())?
    }

    /// Does one statement, and gives its rows.
    pub async fn rows(&self, sql: impl Into<Cow<'static, str>>, values: Values<'_>) -> Result<Vec<Row>, Failed> {
        self.watched(async {
            let statement = self.prepared(sql.into()).await?;
            self.client.query(&statement, values).await
        })
        .await
    }

    /// Does one statement, and gives the number of rows that it changed.
    pub async fn change(&self, sql: impl Into<Cow<'static, str>>, values: Values<'_>) -> Result<u64, Failed> {
        self.watched(async {
            let statement = self.prepared(sql.into()).await?;
            self.client.execute(&statement, values).await
        })
        .await
    }

    /// Does several statements that take no values and give none.
    pub async fn batch(&self, sql: &str) -> Result<(), Failed> {
        self.watched(self.client.batch_execute(sql)).await
    }

    /// Does several statements, however long they take.
    pub async fn long_batch(&self, sql: &str) -> Result<(), Failed> {
        self.noted(self.client.batch_execute(sql).await)
    }

    /// The number of the server's side of it.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Whether it may be used for something else.
    pub fn is_sound(&self) -> bool {
        self.is_sound.load(Ordering::Relaxed) && !self.client.is_closed()
    }

    async fn prepared(&self, sql: Cow<'static, str>) -> Result<Statement, tokio_postgres::Error> {
        let known = self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(&sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(&sql).await?;
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).insert(sql, statement.clone());
        Ok(statement)
    }

    async fn watched<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Failed> {
        // Also whoever stops waiting leaves something unanswered behind.
        self.is_sound.store(false, Ordering::Relaxed);
        let answered = timeout(SILENCE, work).await.map_err(|_| Failed::Silent)?;
        self.noted(answered)
    }

    fn noted<T>(&self, answered: Result<T, tokio_postgres::Error>) -> Result<T, Failed> {
        let outcome =
            answered.map_err(|error| if is_refusal(&error) { Failed::Refused(error) } else { Failed::Lost(error) });
        let goes_on = match &outcome {
            Ok(_) => true,
            Err(Failed::Refused(error)) => !needs_another(error),
            Err(_) => false,
        };
        self.is_sound.store(goes_on, Ordering::Relaxed);
        outcome
    }
}

/// Whether the server said no to a statement. What ends the whole session may have come after the work was done.
fn is_refusal(error: &tokio_postgres::Error) -> bool {
    let fatal = [Some(Severity::Fatal), Some(Severity::Panic)];
    error.as_db_error().is_some_and(|said| !fatal.contains(&said.parsed_severity()))
}

/// Whether the same might work on another connection: a server that may only be read from has given its place to another,
/// and a statement that was forgotten or means something else now must be prepared anew.
fn needs_another(error: &tokio_postgres::Error) -> bool {
    let code = error.code();
    [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::FEATURE_NOT_SUPPORTED]
        .iter()
        .any(|known| Some(known) == code)
}

async fn entered(
    address: &Address,
    tls: Tls,
    heard: Option<mpsc::Sender<Notification>>,
) -> Result<Greeted, ConnectError> {
    let (client, wire) = address.config.connect(tls).await.map_err(|error| ConnectError::new(address, &error))?;
    // Ends when the client is gone, or the wire is cut.
    tokio::spawn(speak(wire, heard));
    let sent = Instant::now();
    let said = client.simple_query(&greeting()).await.map_err(|error| ConnectError::new(address, &error))?;
    let received = Instant::now();
    let odd = || ConnectError::Refused { place: address.to_string(), said: "it does not say who it is".into() };
    let (pid, shown) = read_greeting(&said).ok_or_else(odd)?;
    let connection = Connection { client, pid, statements: Mutex::default(), is_sound: AtomicBool::new(true) };
    Ok(Greeted { connection, reading: Reading::between(sent, received, shown) })
}

/// Sets the session up, and asks for its number and the time.
///
/// `synchronous_commit`: what is acknowledged must survive a loss of power. Where it is waited for even longer, so be it.
fn greeting() -> String {
    format!(
        "SET statement_timeout = {statement};
        SET lock_timeout = {lock};
        SET idle_in_transaction_session_timeout = {statement};
        SET default_transaction_isolation = 'read committed';
        SET client_min_messages = warning;
        SELECT
            pg_backend_pid(),
            {NOW},
            CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END",
        statement = STATEMENT.as_millis(),
        lock = (STATEMENT / 2).as_millis(),
    )
}

fn read_greeting(said: &[SimpleQueryMessage]) -> Option<(i32, i64)> {
    let row = said.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })?;
    Some((row.get(0)?.parse().ok()?, row.get(1)?.parse().ok()?))
}

/// Carries what is asked and answered, and passes on what the server tells unasked.
async fn speak(
    mut wire: tokio_postgres::Connection<Socket, super::tls::Secret<Socket>>,
    heard: Option<mpsc::Sender<Notification>>,
) {
    loop {
        match poll_fn(|context| wire.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notification(told))) => {
                // Whoever cannot follow loses some: the wire must never wait for who waits for the wire.
                if let Some(heard) = &heard {
                    let _ = heard.try_send(told);
                }
            }
            Some(Ok(AsyncMessage::Notice(notice))) => {
                tracing::debug!(notice = notice.message(), "the database remarks");
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(error = causes(&error), "a connection to the database ended");
                return;
            }
            None => return,
        }
    }
}

/// Why there is no connection. Never holds the password.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ConnectError {
    /// Nobody is there, or nobody answers.
    #[error("cannot reach the database `{place}`: {why}")]
    Unreachable {
        /// The database.
        place: String,
        /// What the system says.
        why: String,
    },
    /// The password is wrong, or there is no such user.
    #[error("the database `{place}` does not take this password for `{user}`")]
    Password {
        /// The database.
        place: String,
        /// The user.
        user: String,
    },
    /// The server has no such database.
    #[error("there is no database `{name}` on the server of `{place}`: make it first, as `createdb` does")]
    NoDatabase {
        /// The address.
        place: String,
        /// The database.
        name: String,
    },
    /// The server does not let this user in, or nobody now.
    #[error("the database `{place}` refused the connection: {said}")]
    Refused {
        /// The database.
        place: String,
        /// What it said.
        said: String,
    },
    /// This process is about to end.
    #[error("no new connection to the database `{place}`: this process is ending")]
    Closing {
        /// The database.
        place: String,
    },
    /// There is nothing to know a good server by.
    #[error(transparent)]
    Roots(#[from] BadRoots),
}

impl ConnectError {
    fn new(address: &Address, error: &tokio_postgres::Error) -> Self {
        let place = address.to_string();
        match error.as_db_error() {
            Some(said) if *said.code() == SqlState::INVALID_PASSWORD => {
                Self::Password { place, user: address.user().to_owned() }
            }
            Some(said) if *said.code() == SqlState::INVALID_CATALOG_NAME => {
                Self::NoDatabase { place, name: address.database().to_owned() }
            }
            Some(said) => Self::Refused { place, said: said.message().to_owned() },
            None => Self::Unreachable { place, why: causes(error) },
        }
    }
}

/// An error with its causes.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
