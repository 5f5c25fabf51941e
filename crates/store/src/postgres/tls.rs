//! TLS by rustls, for the driver.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// Which certificates of a server are good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Any: what is said is hidden, but from whom nobody knows. What `prefer` and `require` mean to PostgreSQL.
    Anyone,
    /// Those that this machine trusts, for the host's name.
    Platform,
    /// Those that a root in this file vouches for, for the host's name.
    Roots(PathBuf),
}

/// Makes a connection to the database a secret one.
#[derive(Clone)]
pub struct Tls(TlsConnector);

impl Tls {
    /// A way to connect to whom `trust` trusts.
    pub fn new(trust: &Trust) -> Result<Self, BadRoots> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| BadRoots::Platform(error.to_string()))?;
        let builder = match trust {
            Trust::Anyone => builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone::new(&provider))),
            Trust::Platform => {
                builder.with_platform_verifier().map_err(|error| BadRoots::Platform(error.to_string()))?
            }
            Trust::Roots(path) => builder.with_root_certificates(roots(path)?),
        };
        Ok(Self(TlsConnector::from(Arc::new(builder.with_no_client_auth()))))
    }
}

fn roots(path: &PathBuf) -> Result<RootCertStore, BadRoots> {
    let bad = |why: String| BadRoots::File { path: path.clone(), why };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))? {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
    }
    if roots.is_empty() { Err(bad("it holds no certificate".into())) } else { Ok(roots) }
}

/// Why there is nothing to know a good server by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRoots {
    /// The machine's own certificates.
    #[error("the certificates of this machine cannot be used: {0}")]
    Platform(String),
    /// The file that was named.
    #[error("`sslrootcert`: `{}` cannot be used: {why}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Secret<S>;
    type TlsConnect = ToHost;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, Self::Error> {
        // Where the host is a path or nobody named one, nothing will be encrypted.
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(ToHost { connector: self.0.clone(), host: ServerName::try_from(host.to_owned())? })
    }
}

/// The same, once the host is known.
pub struct ToHost {
    connector: TlsConnector,
    host: ServerName<'static>,
}

impl<S> TlsConnect<S> for ToHost
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Secret<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secret<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.host, stream).await.map(Box::new).map(Secret) })
    }
}

/// A connection of which nobody on the way can read a word.
pub struct Secret<S>(Box<tokio_rustls::client::TlsStream<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Secret<S> {
    // Who must know that nobody stands between asks for `verify-full`.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Secret<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Secret<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(cx)
    }
}

/// Takes any certificate whose key the server can prove to have.
#[derive(Debug)]
struct Anyone(WebPkiSupportedAlgorithms);

impl Anyone {
    fn new(provider: &CryptoProvider) -> Self {
        Self(provider.signature_verification_algorithms)
    }
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
