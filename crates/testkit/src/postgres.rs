//! A database per test, on the PostgreSQL server that `scripts/with-postgres` started, or on one of the test's own.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// What every test's database is a clone of.
const TEMPLATE: &str = "countersign_template";

/// A database that belongs to one test, and is dropped with this value.
#[derive(Debug)]
pub struct Postgres {
    server: Server,
    name: String,
}

impl Postgres {
    /// A fresh clone of the template database.
    ///
    /// # Panics
    ///
    /// Where there is no server to be had: a test that cannot run has failed.
    #[track_caller]
    pub fn for_test() -> Self {
        let server = Server::from(|variable| std::env::var_os(variable));
        match server.and_then(|server| Self::cloned(server, TEMPLATE)) {
            Ok(database) => database,
            #[expect(clippy::panic, reason = "only tests call this, and so a test says that it could not run")]
            Err(unavailable) => panic!("{unavailable}"),
        }
    }

    /// A database on a server of its own, which keeps its word also if it crashes.
    ///
    /// # Panics
    ///
    /// Where there is no server to be had: a test that cannot run has failed.
    #[track_caller]
    pub fn on_its_own() -> (Self, Own) {
        let started = Own::start().and_then(|own| Ok((Self::cloned(own.server.clone(), TEMPLATE)?, own)));
        match started {
            Ok(database) => database,
            #[expect(clippy::panic, reason = "only tests call this, and so a test says that it could not run")]
            Err(unavailable) => panic!("{unavailable}"),
        }
    }

    /// The address of this database, `postgres://user:password@host:port/name`.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// What PostgreSQL answers to `sql`: a line for each row, or what it said no with.
    pub fn query(&self, sql: &str) -> Result<String, String> {
        self.server.query(&self.url(), sql)
    }

    fn cloned(server: Server, template: &str) -> Result<Self, Unavailable> {
        // Random, so that it is new even where process ids come round again. No clock is read.
        let name = format!("test_{:016x}", RandomState::new().hash_one(std::process::id()));
        server.run("createdb", &[&format!("--template={template}"), &name])?;
        Ok(Self { server, name })
    }
}

impl Drop for Postgres {
    /// Ends what connections are left. A database that cannot be dropped goes when the server does.
    fn drop(&mut self) {
        let _ = self.server.run("dropdb", &["--force", "--if-exists", &self.name]);
    }
}

/// A server that belongs to one test, and goes with this value.
#[derive(Debug)]
pub struct Own {
    server: Server,
    folder: PathBuf,
    script: Child,
}

/// The script that starts servers.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres");

impl Own {
    fn start() -> Result<Self, Unavailable> {
        let missing = |cause| Unavailable::Missing { program: "with-postgres", cause };
        let said = "printf '%s\\n' \"$COUNTERSIGN_TEST_POSTGRES\" \"$COUNTERSIGN_TEST_POSTGRES_BIN\" \
            \"$COUNTERSIGN_TEST_POSTGRES_FOLDER\"; exec sleep 3600";
        let mut script = Command::new(SCRIPT)
            .args(["sh", "-c", said])
            .env("COUNTERSIGN_POSTGRES_DURABLE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(missing)?;
        let mut lines = script.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        let mut line = || lines.next().transpose().map_err(missing)?.ok_or(Unavailable::NotStarted("a server"));
        let (address, programs, folder) = (line()?, line()?.into(), line()?.into());
        Ok(Self { server: Server { address, programs }, folder, script })
    }

    /// The server crashes, and is started again.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn crash(&self) {
        let status = Command::new(SCRIPT).arg("--crash").arg(&self.folder).status();
        assert!(status.is_ok_and(|status| status.success()), "the server is up again");
    }
}

impl Drop for Own {
    /// The script takes the server and its files away.
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.script.id().to_string()).status();
        let _ = self.script.wait();
    }
}

/// Where the server is, and the folder its programs are in.
#[derive(Debug, Clone)]
struct Server {
    address: String,
    programs: PathBuf,
}

impl Server {
    fn from(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Unavailable> {
        let get = |name| variable(name).filter(|value| !value.is_empty()).ok_or(Unavailable::NotStarted(name));
        let address = get("COUNTERSIGN_TEST_POSTGRES")?.to_string_lossy().into_owned();
        let programs = get("COUNTERSIGN_TEST_POSTGRES_BIN")?.into();
        Ok(Self { address, programs })
    }

    fn url(&self, database: &str) -> String {
        format!("{}/{database}", self.address)
    }

    fn query(&self, url: &str, sql: &str) -> Result<String, String> {
        let output = self.psql(url).args(["--command", sql]).output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn psql(&self, url: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url]);
        psql
    }

    /// Runs one of the server's programs, connected to the database that is always there.
    fn run(&self, program: &'static str, arguments: &[&str]) -> Result<(), Unavailable> {
        let output = Command::new(self.programs.join(program))
            .arg(format!("--maintenance-db={}", self.url("postgres")))
            .args(arguments)
            .output()
            .map_err(|cause| Unavailable::Missing { program, cause })?;
        if output.status.success() {
            return Ok(());
        }
        Err(Unavailable::Refused { program, said: String::from_utf8_lossy(&output.stderr).trim().to_owned() })
    }
}

/// Why a test has no database.
#[derive(Debug, thiserror::Error)]
enum Unavailable {
    #[error("`{0}` is not set: run the tests with `make test`, or a command of yours with `scripts/with-postgres`")]
    NotStarted(&'static str),
    #[error("`{program}` did not run: {cause}")]
    Missing { program: &'static str, cause: io::Error },
    #[error("`{program}` failed: {said}")]
    Refused { program: &'static str, said: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_databases_are_separate() {
        let (one, other) = (Postgres::for_test(), Postgres::for_test());
        one.query("create table only_here ()").unwrap();
        assert_eq!(tables(&one), "only_here");
        assert_eq!(tables(&other), "");
    }

    #[test]
    fn a_database_starts_as_its_template() {
        let template = Postgres::for_test();
        template.query("create table inherited ()").unwrap();
        let clone = Postgres::cloned(template.server.clone(), &template.name).unwrap();
        assert_eq!(tables(&clone), "inherited");
    }

    #[test]
    fn a_dropped_database_is_gone_even_while_in_use() {
        let database = Postgres::for_test();
        let url = database.url();
        let mut user = database.server.psql(&url).args(["--command", "select pg_sleep(60)"]).spawn().unwrap();
        let busy = format!("select count(*) from pg_stat_activity where datname = '{}'", database.name);
        let server = database.server.clone();
        while server.query(&server.url("postgres"), &busy).unwrap() == "0" {
            assert_eq!(user.try_wait().unwrap(), None);
        }
        drop(database);
        assert!(!user.wait().unwrap().success());
        assert!(server.query(&url, "select 1").unwrap_err().contains("does not exist"));
    }

    #[test]
    fn without_a_server_the_error_says_how_to_get_one() {
        let error = Server::from(|_| None).unwrap_err().to_string();
        assert!(error.contains("COUNTERSIGN_TEST_POSTGRES") && error.contains("make test"), "{error}");
    }

    #[test]
    fn a_server_that_refuses_is_quoted() {
        let server = Postgres::for_test().server.clone();
        let error = Postgres::cloned(server, "no_such_template").unwrap_err().to_string();
        assert!(error.starts_with("`createdb` failed") && error.contains("no_such_template"), "{error}");
    }

    fn tables(database: &Postgres) -> String {
        database.query("select tablename from pg_tables where schemaname = 'public'").unwrap()
    }
}
