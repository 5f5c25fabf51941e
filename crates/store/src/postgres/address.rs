//! Where a PostgreSQL database is, and what a connection to it must prove.

use super::tls::Trust;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long reaching a server may take, unless the address says otherwise.
const CONNECT: Duration = Duration::from_secs(5);

/// How long what was sent may stay unheard before the connection counts as broken.
const UNHEARD: Duration = Duration::from_secs(20);

/// How long a connection is silent before it is asked whether it still lives.
const SILENT: Duration = Duration::from_secs(30);

/// The address of a database. It holds the password, and never shows it.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) trust: Trust,
    place: String,
}

impl Address {
    /// Whether `text` is meant as one.
    pub fn is_meant_by(text: &str) -> bool {
        ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// Reads `postgres://user:password@host:port/database?sslmode=…`.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        if !Self::is_meant_by(text) {
            return Err(BadAddress::Form);
        }
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        // It would be read as part of the host, and hosts are shown.
        if base.matches('@').count() > 1 {
            return Err(BadAddress::At);
        }
        let (tls, rest): (Vec<_>, Vec<_>) =
            query.split('&').filter(|one| !one.is_empty()).partition(|one| one.starts_with("ssl"));
        let mut config: Config =
            format!("{base}?{}", rest.join("&")).parse().map_err(|error| BadAddress::Config(reason(&error)))?;
        let (mode, trust) = security(&tls)?;
        config.ssl_mode(mode);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(BadAddress::Host);
        }
        if config.get_application_name().is_none() {
            config.application_name("countersign");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNHEARD);
        }
        config.keepalives_idle(SILENT);
        let place = place(&config);
        Ok(Self { config, trust, place })
    }

    pub(super) fn user(&self) -> &str {
        self.config.get_user().unwrap_or("the user of this process")
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_else(|| self.user())
    }
}

/// Without the password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// What the settings that begin with `ssl` ask for.
fn security(settings: &[&str]) -> Result<(SslMode, Trust), BadAddress> {
    let (mut mode, mut root) = ("prefer", None);
    for setting in settings {
        match setting.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => root = Some(value),
            _ => return Err(BadAddress::Setting(setting.split('=').next().unwrap_or_default().to_owned())),
        }
    }
    let roots = match root {
        None | Some("system") => Trust::Platform,
        Some(_) if mode != "verify-full" => return Err(BadAddress::Root),
        Some(path) => Trust::Roots(PathBuf::from(path.replace("%2F", "/").replace("%2f", "/"))),
    };
    match mode {
        "disable" => Ok((SslMode::Disable, Trust::Anyone)),
        "prefer" => Ok((SslMode::Prefer, Trust::Anyone)),
        "require" => Ok((SslMode::Require, Trust::Anyone)),
        "verify-full" => Ok((SslMode::Require, roots)),
        other => Err(BadAddress::Mode(other.to_owned())),
    }
}

/// `postgres://user@host:port/database`.
fn place(config: &Config) -> String {
    let named = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) if name.contains(':') => format!("[{name}]"),
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    let numbered = config.get_hostaddrs().iter().map(ToString::to_string);
    let hosts: Vec<String> = if config.get_hosts().is_empty() { numbered.collect() } else { named.collect() };
    let ports = config.get_ports();
    let port = |i: usize| ports.get(i).or(ports.first()).copied().filter(|port| *port != 5432);
    let hosts = hosts.iter().enumerate().map(|(i, name)| match port(i) {
        Some(port) => format!("{name}:{port}"),
        None => name.clone(),
    });
    let user = config.get_user().map_or_else(String::new, |user| format!("{user}@"));
    let database = config.get_dbname().map_or_else(String::new, |name| format!("/{name}"));
    format!("postgres://{user}{}{database}", hosts.collect::<Vec<_>>().join(","))
}

/// The innermost cause, which names the setting and not its value.
fn reason(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Why a text is no address. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It has another form.
    #[error("expected a database as `postgres://user:password@host:port/database`")]
    Form,
    /// There are two `@`.
    #[error("the database's address holds more than one `@`: write the one in the password as `%40`")]
    At,
    /// It names no host.
    #[error("the database's address names no host: expected `postgres://user:password@host:port/database`")]
    Host,
    /// Something in it cannot be.
    #[error("the database's address cannot be used: {0}")]
    Config(String),
    /// A way of encrypting that is not known.
    #[error("`sslmode` is `{0}`: expected `disable`, `prefer`, `require` or `verify-full`")]
    Mode(String),
    /// Roots for a connection that looks at none.
    #[error("`sslrootcert` needs `sslmode=verify-full`: otherwise nothing is compared with it")]
    Root,
    /// A setting for TLS that is not known.
    #[error("the database's address has a setting `{0}`: of those for TLS, `sslmode` and `sslrootcert` are known")]
    Setting(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        Address::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (given, shown) in [
            ("postgres://ann:s3cret@db.example/cs", "postgres://ann@db.example/cs"),
            ("postgresql://ann:s3cret@[::1]:6543/cs?sslmode=disable", "postgres://ann@[::1]:6543/cs"),
            ("postgres://ann:s3cret@a,b:5433/cs?connect_timeout=3", "postgres://ann@a,b:5433/cs"),
            ("postgres:///cs?host=/run/postgresql&user=ann&password=s3cret", "postgres://ann@/run/postgresql/cs"),
        ] {
            let address = Address::parse(given).unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?} {:?}", address.config).contains("s3cret"));
        }
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused_without_its_password() {
        for text in [
            "mysql://ann:s3cret@db/cs",
            "postgres://ann:s3cret@word@db/cs",
            "postgres://ann:s3cret@db:port/cs",
            "postgres://ann:s3cret@db/cs?s3=cret",
            "postgres://ann:s3cret@db/cs?sslmode=sometimes",
            "postgres://ann:s3cret@db/cs?sslcert=mine",
            "postgres:///cs",
        ] {
            let said = said(text);
            assert!(!said.contains("cret"), "{said}");
        }
        assert_eq!(said("postgres://u:p@h/d?sslmode=require&sslrootcert=/ca.pem"), BadAddress::Root.to_string());
    }

    #[test]
    fn the_way_of_encrypting_says_whom_to_trust() {
        let read = |query: &str| {
            let address = Address::parse(&format!("postgres://u:p@h/d{query}")).unwrap();
            (address.config.get_ssl_mode(), address.trust)
        };
        assert_eq!(read(""), (SslMode::Prefer, Trust::Anyone));
        assert_eq!(read("?sslmode=disable"), (SslMode::Disable, Trust::Anyone));
        assert_eq!(read("?sslmode=require"), (SslMode::Require, Trust::Anyone));
        assert_eq!(read("?sslmode=verify-full&sslrootcert=system"), (SslMode::Require, Trust::Platform));
        let own = Trust::Roots("/etc/ca.pem".into());
        assert_eq!(read("?sslrootcert=/etc/ca.pem&sslmode=verify-full"), (SslMode::Require, own));
    }
}
