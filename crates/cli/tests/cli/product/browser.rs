//! A real browser, driven through the page as a person would.

use super::server::Server;
use std::path::PathBuf;
use std::process::Command;

/// A browser that is signed in.
pub struct Browser {
    state: PathBuf,
}

impl Browser {
    /// Opens the sign-in link of `server`.
    pub fn signed_in(server: &Server) -> Self {
        let browser = Self { state: server.path("browser.json") };
        let link = server.link.clone().unwrap();
        browser.drive(server, &["sign-in", &link]).unwrap();
        browser
    }

    /// Presses the button. An error is what the page or the connection said.
    pub fn approve(&self, server: &Server, id: &str) -> Result<String, String> {
        self.drive(server, &["approve", id])
    }

    /// Rejects with a reason.
    pub fn reject(&self, server: &Server, id: &str, reason: &str) -> Result<String, String> {
        self.drive(server, &["reject", id, reason])
    }

    /// Presses the button of this name.
    pub fn decide(&self, server: &Server, id: &str, button: &str) -> Result<String, String> {
        self.drive(server, &["decide", id, button])
    }

    /// Fills in a form: by the title of each part, words or a list of labels.
    pub fn answer(&self, server: &Server, id: &str, fields: &serde_json::Value) -> Result<String, String> {
        self.drive(server, &["answer", id, &fields.to_string()])
    }

    /// What the page of a run shows.
    pub fn see_run(&self, server: &Server, run: &str) -> String {
        self.drive(server, &["see-run", run]).unwrap()
    }

    /// Does something on another screen, as the script describes, and gives what the page showed.
    pub fn see(&self, server: &Server, arguments: &[&str]) -> Result<serde_json::Value, String> {
        self.drive(server, arguments).map(|found| serde_json::from_str(&found).unwrap())
    }

    fn drive(&self, server: &Server, arguments: &[&str]) -> Result<String, String> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/e2e/drive.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(&server.base).args(arguments).arg("--state").arg(&self.state);
        // Generous: it only decides how long a failure takes.
        command.args(["--timeout", "100"]);
        let ran = command.output().expect("node runs");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        if ran.status.success() { Ok(text(ran.stdout)) } else { Err(text(ran.stderr)) }
    }
}
