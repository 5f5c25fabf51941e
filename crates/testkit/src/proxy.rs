//! A wire to a PostgreSQL server that breaks where a test wants it to.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

/// Where the wire breaks: at the n-th message, from 1, that a client sends from the moment on at which this was asked for.
///
/// Only the first connection that says something then is meant, unless certain messages are. What is said on the way in is
/// not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// The message is not delivered.
    Before(usize),
    /// The message is delivered, and nothing is heard any more.
    After(usize),
    /// The message is delivered and answered in full, and the answer is not: neither to it nor to what follows up to the
    /// end of the answer.
    Reply(usize),
    /// The client hears that the wire is cut; the message, and what the client sent with it, are delivered when the test says so
    /// with [`Proxy::deliver`].
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
    /// Whether nobody gets through.
    away: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Plan {
    armed: Option<Trap>,
    broken: bool,
}

/// What to break.
#[derive(Debug)]
struct Trap {
    at: Break,
    /// What a message must hold to be counted; if nothing, the connection that is meant.
    which: Which,
    count: usize,
    /// Whether nobody gets through afterwards.
    for_good: bool,
}

#[derive(Debug)]
enum Which {
    Holding(String),
    Of(Option<u64>),
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pass,
    Break { at: Break, for_good: bool },
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
        self.set(Trap { at, which: Which::Of(None), count: 0, for_good: false });
    }

    /// Breaks it at the n-th message that holds this text, whoever sends it, and nobody gets through from then on.
    pub fn arm_for_good(&self, at: Break, holding: &str) {
        self.set(Trap { at, which: Which::Holding(holding.to_owned()), count: 0, for_good: true });
    }

    fn set(&self, trap: Trap) {
        *self.shared.plan() = Plan { armed: Some(trap), broken: false };
    }

    /// Cuts all wires, and lets nobody through.
    pub fn go_away(&self) {
        self.shared.away.send_replace(true);
    }

    /// Lets everybody through again.
    pub fn come_back(&self) {
        self.shared.away.send_replace(false);
    }

    /// Whether it has broken since it was armed.
    pub fn has_broken(&self) -> bool {
        self.shared.plan().broken
    }

    /// Delivers a message that is late with those up to the next `Sync`, and returns when the server has answered.
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
    fn fate(&self, connection: u64, message: &[u8]) -> Fate {
        let mut plan = self.plan();
        let Some(trap) = &mut plan.armed else { return Fate::Pass };
        let is_meant = match &mut trap.which {
            Which::Of(meant) => *meant.get_or_insert(connection) == connection,
            Which::Holding(text) => message.windows(text.len()).any(|part| part == text.as_bytes()),
        };
        trap.count += usize::from(is_meant);
        let (Break::Before(n) | Break::After(n) | Break::Reply(n) | Break::Late(n)) = trap.at;
        if !is_meant || trap.count < n {
            return Fate::Pass;
        }
        let (at, for_good) = (trap.at, trap.for_good);
        *plan = Plan { armed: None, broken: true };
        Fate::Break { at, for_good }
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

/// Carries one connection until it breaks, one side closes it, or nobody gets through.
async fn carry(client: TcpStream, target: SocketAddr, number: u64, shared: Arc<Shared>) {
    let mut away = shared.away.subscribe();
    if *away.borrow_and_update() {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let wire = Wire {
        number,
        shared,
        to_client: Some(to_client).into(),
        swallowing: Mutex::default(),
        is_late: AtomicBool::default(),
    };
    tokio::select! {
        _ = wire.there(from_client, to_server) => {}
        _ = wire.back(from_server) => {}
        _ = away.wait_for(|away| *away) => {}
    }
}

struct Wire {
    number: u64,
    shared: Arc<Shared>,
    /// `None` once the client is cut off.
    to_client: tokio::sync::Mutex<Option<OwnedWriteHalf>>,
    /// Whether the answers are thrown away, up to the end of one; and whether nobody gets through then.
    swallowing: Mutex<Option<bool>>,
    /// Whether what comes back now answers what was late.
    is_late: AtomicBool,
}

/// Asks for TLS, which this proxy has none of.
const ASK_FOR_TLS: u32 = 80_877_103;

impl Wire {
    async fn there(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> Option<()> {
        self.entry(&mut from, &mut to).await?;
        loop {
            let message = message(&mut from).await?;
            // A password is part of the way in.
            let fate =
                if message.first() == Some(&b'p') { Fate::Pass } else { self.shared.fate(self.number, &message) };
            let Fate::Break { at, for_good } = fate else {
                to.write_all(&message).await.ok()?;
                continue;
            };
            match at {
                Break::Before(_) => return self.cut(for_good),
                Break::After(_) => {
                    to.write_all(&message).await.ok()?;
                    return self.cut(for_good);
                }
                Break::Reply(_) => {
                    *self.swallowing() = Some(for_good);
                    to.write_all(&message).await.ok()?;
                }
                Break::Late(_) => {
                    *self.to_client.lock().await = None;
                    self.shared.deliver.notified().await;
                    self.is_late.store(true, Ordering::Relaxed);
                    let mut next = message;
                    while to.write_all(&next).await.is_ok() && next.first() != Some(&b'S') {
                        next = self::message(&mut from).await?;
                    }
                    // The server finds out for itself that nobody listens.
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// Ends this wire, and all others if nobody is to get through.
    fn cut(&self, for_good: bool) -> Option<()> {
        if for_good {
            self.shared.away.send_replace(true);
        }
        None
    }

    fn swallowing(&self) -> MutexGuard<'_, Option<bool>> {
        self.swallowing.lock().unwrap_or_else(PoisonError::into_inner)
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
            let swallowing = *self.swallowing();
            match swallowing {
                None => drop(self.answer(&message).await),
                Some(for_good) if message.first() == Some(&b'Z') => return self.cut(for_good),
                Some(_) => {}
            }
            if message.first() == Some(&b'Z') && self.is_late.load(Ordering::Relaxed) {
                self.shared.delivered.notify_one();
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
