//! `countersign serve`: the API, the page, the workers.

use crate::args::Serve;
use crate::assembly::{self, Assembly};
use crate::failure::Failure;
use crate::home::ServerLock;
use crate::log;
use crate::output;
use crate::reload;
use crate::traces::Traces;
use countersign_api::{Api, Site};
use countersign_domain::Principal;
use countersign_domain::principal::{Door, Kind, Role};
use countersign_runtime::ports::Store;
use countersign_runtime::{Workers, failpoint, principals};
use jiff::SignedDuration;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// How long open streams may go on when the server is stopped.
const FAREWELL: Duration = Duration::from_secs(2);

/// Carries out the command.
pub fn run(serve: &Serve) -> Result<u8, Failure> {
    let (assembly, traces) = prepared(serve.config.as_deref(), serve.db.as_deref())?;
    super::in_threads(async {
        let sending = traces.map(Traces::start).transpose()?;
        let served = served(serve, assembly).await;
        if let Some(sending) = sending {
            sending.finish().await;
        }
        served
    })
}

/// What a node is made of, with its log and its traces begun.
pub fn prepared(config: Option<&Path>, db: Option<&str>) -> Result<(Assembly, Option<Traces>), Failure> {
    let traces = log::begin()?;
    if let Some(spec) = std::env::var("COUNTERSIGN_FAILPOINT").ok().filter(|_| cfg!(debug_assertions)) {
        failpoint::arm(&spec).map_err(Failure::new)?;
    }
    Ok((assembly::assemble(config, db)?, traces))
}

async fn served(serve: &Serve, assembly: Assembly) -> Result<u8, Failure> {
    let lock = ServerLock::take(&assembly.database)?;
    let store: Arc<dyn Store> = assembly.open().await?;
    if lock.is_some() {
        // Nobody else serves this file, so whoever held a run is gone.
        store.release_all().await.map_err(|error| Failure::from_store(&error))?;
    }
    let listen = serve.listen.clone().unwrap_or_else(|| assembly.listen.clone());
    let listener = TcpListener::bind(&listen)
        .await
        .map_err(|error| Failure::new(format!("cannot listen on `{listen}`: {error}; choose another with --listen")))?;
    let address = listener.local_addr().map_err(|error| Failure::new(format!("cannot listen: {error}")))?;
    let fresh = store.is_fresh().await.map_err(|error| Failure::from_store(&error))?;
    let (public_url, session) = (assembly.public_url.clone(), assembly.session);
    let (rate_limit, most_streams, human) = (assembly.rate_limit, assembly.most_streams, assembly.human);
    let connections = assembly.connections;
    // Whoever reads that it listens may ask it to stop at once.
    let stopped = stopped();
    let runtime = assembly.runtime(store)?;
    let _reloading = reload::on_hangup(&runtime)?;
    let workers = Workers::start(&runtime);
    output::line(&format!("listening on http://{address}"));
    let base = public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    if fresh || serve.sign_in_link {
        let link = principals::make_link(runtime.store(), operator()).await.map_err(Failure::new)?;
        output::line(&format!("sign in: {}/sign-in#{}", base.trim_end_matches('/'), link.reveal()));
    }
    warn_if_open(address);
    let site = Site {
        public_url,
        loopback: address.ip().is_loopback(),
        session,
        rate_limit,
        most_streams,
        connections,
        human,
    };
    Api::new(runtime, site).serve(listener, stopped, FAREWELL).await;
    workers.stop().await;
    drop(lock);
    Ok(0)
}

/// Whoever sits at this machine: the person who starts the server, makes tokens and erases.
pub fn operator() -> Principal {
    let name =
        ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok()).filter(|name| !name.trim().is_empty());
    Principal::new(Kind::User, name.unwrap_or_else(|| "operator".into()), Role::Operator).at(Door::Terminal)
}

fn warn_if_open(address: SocketAddr) {
    if !address.ip().is_loopback() {
        tracing::warn!("listening beyond this machine without TLS: put a proxy with TLS in front of it");
    }
}

/// Ends when the process is asked to, from this call on.
pub fn stopped() -> impl Future<Output = ()> + Send + 'static {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return std::future::pending().await };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// How long a browser stays signed in, unless the configuration says otherwise.
pub const SESSION: SignedDuration = SignedDuration::from_hours(12);
