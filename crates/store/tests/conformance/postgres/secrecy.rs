//! TLS: whom each `sslmode` speaks to.

use super::try_open;
use crate::fixture::{Tale, at};
use countersign_store::Postgres;
use countersign_testkit as testkit;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A database that only speaks in secret, with a certificate for `localhost` that nobody knows.
struct Secretive {
    database: testkit::Postgres,
    port: u16,
    folder: TempDir,
}

impl Secretive {
    async fn start() -> Self {
        let database = testkit::Postgres::for_test();
        let target = database.url().split(['@', '/']).nth(3).unwrap().to_owned();
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("root.pem"), cert.pem()).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(in_secret(client, acceptor.clone(), target.clone()));
            }
        });
        Self { database, port, folder }
    }

    /// The store, by this name of the host and these settings.
    async fn open(&self, host: &str, settings: &str) -> Result<Postgres, String> {
        let url = self.database.url();
        let (credentials, name) = (url.rsplit_once('@').unwrap().0, url.rsplit('/').next().unwrap());
        let address = format!("{credentials}@{host}:{}/{name}?hostaddr=127.0.0.1&{settings}", self.port);
        try_open(&address).await.map_err(|error| error.to_string())
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }
}

async fn in_secret(mut client: TcpStream, acceptor: TlsAcceptor, target: String) {
    // It asks whether it may, and may.
    let mut asked = [0; 8];
    client.read_exact(&mut asked).await.unwrap();
    if asked != [0, 0, 0, 8, 4, 210, 22, 47] {
        return;
    }
    client.write_all(b"S").await.unwrap();
    let Ok(mut client) = acceptor.accept(client).await else { return };
    let mut server = TcpStream::connect(target).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_is_hidden_where_it_can_be() {
    let database = Secretive::start().await;
    for mode in ["prefer", "require"] {
        let store = database.open("localhost", &format!("sslmode={mode}")).await.unwrap();
        Tale::begin(&store, at(0)).await;
    }
    assert!(database.open("localhost", "sslmode=disable").await.is_err(), "it speaks only in secret");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_must_know_to_whom_is_told() {
    let database = Secretive::start().await;
    let with_root = format!("sslmode=verify-full&sslrootcert={}", database.root().display());
    let store = database.open("localhost", &with_root).await.unwrap();
    Tale::begin(&store, at(0)).await;
    let refused = async |host, settings| database.open(host, settings).await.err().expect("a refusal");
    let unknown = refused("localhost", "sslmode=verify-full").await;
    assert!(unknown.contains("certificate"), "nobody on this machine vouches for it: {unknown}");
    let other = refused("db.example", &with_root).await;
    assert!(other.contains("not valid for name"), "{other}");
    std::fs::write(database.root(), "no certificate").unwrap();
    let empty = refused("localhost", &with_root).await;
    assert!(empty.contains("holds no certificate"), "{empty}");
}
