//! A wire to a PostgreSQL server that breaks where a test wants it to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

/// Where the wire breaks: at the n-th message, from 1, that a client sends from the moment on at which this was asked for.
///
/// Only the first connection that says something then is meant. What is said on the way in is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// The message is not delivered.
    Before(usize),
    /// The message is delivered, and nothing is heard any more.
    After(usize),
    /// The message is delivered and answered in full, and the answer is not: neither to it nor to what follows up to the
    /// end of the answer.
    Reply(usize),
    /// The client hears that the wire is cut; the message is delivered when the test says so with [`Proxy::deliver`].
    Late(usize),
}

/// Stands between clients and a server.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    plan: Mutex<Plan>,
    deliver: Notify,
    delivered: Notify,
}

#[derive(Debug, Default)]
struct Plan {
    /// What to break, which connection is meant, and how many messages it has sent.
    armed: Option<(Break, Option<u64>, usize)>,
    broken: bool,
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pass,
    Break(Break),
}

impl Proxy {
    /// A proxy to the server of `url`, which stays as it is but for the port.
    ///
    /// # Panics
    ///
    /// Where there is no port to be had, or `url` names none.
    pub async fn start(url: &str) -> Self {
        let (target, rest) = split(url).unwrap_or_else(|| unusable("the address names no host and port"));
        let listener = match TcpListener::bind("127.0.0.1:0").await {
            Ok(listener) => listener,
            Err(error) => unusable(&error.to_string()),
        };
        let port = listener.local_addr().map_or_else(|error| unusable(&error.to_string()), |address| address.port());
        let shared = Arc::new(Shared::default());
        let task = tokio::spawn(serve(listener, target, Arc::clone(&shared)));
        Self { url: format!("{}127.0.0.1:{port}{}", rest.0, rest.1), shared, task }
    }

    /// The address of the database, by way of this proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Breaks the wire once.
    pub fn arm(&self, at: Break) {
        *self.shared.plan() = Plan { armed: Some((at, None, 0)), broken: false };
    }

    /// Whether it has broken since it was armed.
    pub fn has_broken(&self) -> bool {
        self.shared.plan().broken
    }

    /// Delivers a message that is late, and returns when the server has it.
    pub async fn deliver(&self) {
        let delivered = self.shared.delivered.notified();
        self.shared.deliver.notify_one();
        delivered.await;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[expect(clippy::panic, reason = "only tests call this, and so a test says that it could not run")]
fn unusable(why: &str) -> ! {
    panic!("no proxy: {why}")
}

/// The host and port, and what stands before and after them.
fn split(url: &str) -> Option<(SocketAddr, (String, String))> {
    let (before, host) = url.rsplit_once('@')?;
    let (host, after) = host.split_once('/')?;
    Some((host.parse().ok()?, (format!("{before}@"), format!("/{after}"))))
}

impl Shared {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a message of `connection`.
    fn fate(&self, connection: u64) -> Fate {
        let mut plan = self.plan();
        let Some((at, meant, count)) = &mut plan.armed else { return Fate::Pass };
        if *meant.get_or_insert(connection) != connection {
            return Fate::Pass;
        }
        *count += 1;
        let (Break::Before(n) | Break::After(n) | Break::Reply(n) | Break::Late(n)) = *at;
        if *count < n {
            return Fate::Pass;
        }
        let at = *at;
        *plan = Plan { armed: None, broken: true };
        Fate::Break(at)
    }
}

async fn serve(listener: TcpListener, target: SocketAddr, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    for number in 0_u64.. {
        let Ok((client, _)) = listener.accept().await else { return };
        connections.spawn(carry(client, target, number, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

/// Carries one connection until it breaks, or one side closes it.
async fn carry(client: TcpStream, target: SocketAddr, number: u64, shared: Arc<Shared>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let wire = Wire { number, shared, to_client: Some(to_client).into(), swallowing: Mutex::new(false) };
    tokio::select! {
        _ = wire.there(from_client, to_server) => {}
        _ = wire.back(from_server) => {}
    }
}

struct Wire {
    number: u64,
    shared: Arc<Shared>,
    /// `None` once the client is cut off.
    to_client: tokio::sync::Mutex<Option<OwnedWriteHalf>>,
    /// Whether the answers are thrown away, up to the end of one.
    swallowing: Mutex<bool>,
}

/// Asks for TLS, which this proxy has none of.
const ASK_FOR_TLS: u32 = 80_877_103;

impl Wire {
    async fn there(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> Option<()> {
        self.entry(&mut from, &mut to).await?;
        loop {
            let message = message(&mut from).await?;
            // A password is part of the way in.
            let fate = if message.first() == Some(&b'p') { Fate::Pass } else { self.shared.fate(self.number) };
            match fate {
                Fate::Break(Break::Before(_)) => return None,
                Fate::Break(Break::Late(_)) => {
                    *self.to_client.lock().await = None;
                    self.shared.deliver.notified().await;
                }
                Fate::Break(Break::Reply(_)) => {
                    *self.swallowing.lock().unwrap_or_else(PoisonError::into_inner) = true;
                }
                Fate::Pass | Fate::Break(Break::After(_)) => {}
            }
            to.write_all(&message).await.ok()?;
            match fate {
                Fate::Break(Break::After(_)) => return None,
                Fate::Break(Break::Late(_)) => {
                    self.shared.delivered.notify_one();
                    // The server finds out for itself that nobody listens.
                    std::future::pending::<()>().await;
                }
                _ => {}
            }
        }
    }

    /// The first messages have no letter.
    async fn entry(&self, from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf) -> Option<()> {
        loop {
            let first = sized(from, vec![]).await?;
            let code = first.get(4..8).and_then(|code| Some(u32::from_be_bytes(code.try_into().ok()?)));
            if code != Some(ASK_FOR_TLS) {
                return to.write_all(&first).await.ok();
            }
            self.answer(b"N").await?;
        }
    }

    async fn back(&self, mut from: OwnedReadHalf) -> Option<()> {
        loop {
            let message = message(&mut from).await?;
            if !*self.swallowing.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = self.answer(&message).await;
            } else if message.first() == Some(&b'Z') {
                return None;
            }
        }
    }

    /// A client that was cut off hears nothing.
    async fn answer(&self, message: &[u8]) -> Option<()> {
        self.to_client.lock().await.as_mut()?.write_all(message).await.ok()
    }
}

/// One message: a letter, its length, and the rest.
async fn message(from: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let letter = from.read_u8().await.ok()?;
    sized(from, vec![letter]).await
}

async fn sized(from: &mut (impl AsyncRead + Unpin), mut message: Vec<u8>) -> Option<Vec<u8>> {
    let length = from.read_u32().await.ok()?;
    message.extend(length.to_be_bytes());
    let begun = message.len();
    message.resize(begun + usize::try_from(length).ok()?.saturating_sub(4), 0);
    from.read_exact(message.get_mut(begun..)?).await.ok()?;
    Some(message)
}
