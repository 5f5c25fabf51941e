//! A server with somebody of every kind, and things to call it about.

use super::calls::{About, Call};
use super::{has_own, is_change, method, word};
use crate::product::server::Server;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whose thing a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    Nobodys,
    Own,
    Others,
}

impl Whose {
    pub const BOTH: [Self; 2] = [Self::Own, Self::Others];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Nobodys => "",
            Self::Own => "own",
            Self::Others => "other",
        }
    }
}

/// Somebody.
#[derive(Debug, Clone)]
pub struct Who {
    /// The column.
    pub name: &'static str,
    /// The user whose things are their own.
    pub user: Option<&'static str>,
    /// Whether they start things of their own, which belong to no user.
    pub starts: bool,
    credential: Credential,
}

#[derive(Debug, Clone)]
enum Credential {
    None,
    Token(String),
    Session(String),
}

/// What a call is about.
#[derive(Debug, Clone)]
struct Thing(BTreeMap<&'static str, String>);

impl Thing {
    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (word, value)| text.replace(&format!("{{{word}}}"), value))
    }
}

pub struct House {
    server: Server,
    /// Whoever starts everything: an operator, and nobody's.
    maker: String,
    everybody: Vec<Who>,
    /// Things that no call has changed, by whose they are.
    unused: Mutex<BTreeMap<(About, String), Thing>>,
    /// How many things of a policy were made.
    made: AtomicUsize,
}

const CONFIG: &str = "server: { session_hours: 0 }
policy:
  rules:
    - { name: human, priority: 1, tool: file_write, effect: require_human }
    - { name: second, priority: 2, tool: file_edit, effect: second_person }
    - { name: outside, priority: 3, tool: deploy, effect: allow }";

impl House {
    pub async fn new() -> Self {
        let edit = json!({"file_path": "a", "old_string": "a", "new_string": "b"});
        let calls = json!([
            {"tool": "bash", "args": {"command": "echo ran"}},
            {"tool": "file_write", "args": {"file_path": "b", "content": "b"}},
            {"tool": "file_edit", "args": edit},
        ]);
        let server = Server::new(vec![calls, json!("done")], CONFIG);
        std::fs::write(server.path("work/a"), "a").unwrap();
        let maker = server.token(&["--kind", "user", "--name", "maker", "--role", "operator"]);
        let mut house = Self { server, maker, everybody: vec![], unused: Mutex::default(), made: AtomicUsize::new(1) };
        house.everybody = house.make_everybody().await;
        house
    }

    pub fn everybody(&self) -> &[Who] {
        &self.everybody
    }

    async fn make_everybody(&self) -> Vec<Who> {
        let token = |words: &str| self.server.token(&words.split(' ').collect::<Vec<_>>());
        let person = |name, user, role: &str| {
            let credential = Credential::Token(token(&format!("--kind user --name {user} --role {role}")));
            Who { name, user: Some(user), starts: false, credential }
        };
        let service = |name: &'static str, words: &str, starts| {
            let credential = Credential::Token(token(&format!("--kind service {words}")));
            Who { name, user: None, starts, credential }
        };
        let agent = Credential::Token(token("--kind agent --name coder --for dana"));
        let revoked = person("revoked", "rita", "operator");
        self.revoke("rita");
        let expired = token("--kind user --name xena --role operator");
        let request = self.server.http().post(format!("{}/api/sign-in", self.server.base));
        let response = request.json(&json!({"token": expired})).send().await.unwrap();
        let session = response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        vec![
            Who { name: "nobody", user: None, starts: false, credential: Credential::None },
            person("viewer", "vera", "viewer"),
            person("approver", "abe", "approver"),
            person("operator", "olga", "operator"),
            Who { name: "agent", user: Some("dana"), starts: false, credential: agent },
            service("service", "--name s1", false),
            service("service approver", "--name s2 --role approver", true),
            service("service operator", "--name s3 --role operator", true),
            revoked,
            Who { name: "expired", user: Some("xena"), starts: false, credential: Credential::Session(session) },
        ]
    }

    fn revoke(&self, name: &str) {
        let db = self.server.db();
        let list = self.server.program().args(["token", "list", "--db", &db]).output().unwrap();
        let list = String::from_utf8(list.stdout).unwrap();
        let line = list.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap();
        let id = line.split_whitespace().next().unwrap();
        assert!(self.server.program().args(["token", "revoke", id, "--db", &db]).status().unwrap().success());
    }

    pub async fn document(&self) -> Value {
        self.server.get("/api/openapi.json").await.1
    }

    /// What `who` gets of a call about their own thing or another's, in the table's word.
    pub async fn cell(&self, call: &Call, who: &Who, whose: Whose) -> String {
        if whose == Whose::Own && !has_own(who) {
            return String::new();
        }
        let owner = match whose {
            Whose::Own if who.user.is_some() => who.user.unwrap_or_default(),
            Whose::Own => who.name,
            Whose::Others | Whose::Nobodys => "somebody",
        };
        let thing = self.thing(call.about, owner, who).await;
        let request = self.request(call, who, &thing);
        let mut response = request.send().await.unwrap();
        let status = response.status().as_u16();
        // A stream goes on for ever: its beginning says enough.
        let is_stream = response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let answer = if is_stream {
            String::from_utf8(response.chunk().await.unwrap().unwrap().to_vec()).unwrap()
        } else {
            response.text().await.unwrap()
        };
        if !(is_change(call) && (200..300).contains(&status)) {
            self.unused.lock().unwrap().insert((call.about, owner.to_owned()), thing.clone());
        }
        word(call, status, &answer, &thing.fill(call.shows))
    }

    fn request(&self, call: &Call, who: &Who, thing: &Thing) -> RequestBuilder {
        let address = format!("{}{}", self.server.base, thing.fill(call.address));
        let mut request = self.server.http().request(method(call), address);
        let (secret, cookie) = match &who.credential {
            Credential::None => ("cs_user_nobody", None),
            Credential::Token(token) => (token.as_str(), None),
            Credential::Session(cookie) => (cookie.split_once('=').unwrap().1, Some(cookie)),
        };
        if !call.body.is_empty() {
            let body = thing.fill(call.body).replace("{token}", secret);
            request = request.header("content-type", "application/json").body(body);
        }
        // Whoever signs in has nothing else to show.
        match (&who.credential, call.name) {
            (_, "POST /sign-in") | (Credential::None, _) => request,
            (Credential::Token(token), _) => request.bearer_auth(token),
            (Credential::Session(_), _) => {
                request.header("cookie", cookie.unwrap()).header("origin", &self.server.base)
            }
        }
    }

    /// A thing of `owner`, made if there is none that nobody has changed.
    async fn thing(&self, about: About, owner: &str, who: &Who) -> Thing {
        let unused = self.unused.lock().unwrap().remove(&(about, owner.to_owned()));
        if let Some(thing) = unused {
            return thing;
        }
        // A service's own things belong to no user: it starts them itself.
        let user = if owner == who.name { None } else { Some(owner) };
        let mut words = BTreeMap::from([("user", json!(user).to_string()), ("who", owner.replace(' ', "-"))]);
        match about {
            About::Nothing | About::User => {}
            About::Waiting => words.extend(self.run(user, who).await),
            About::Ended => {
                words.extend(self.run(user, who).await);
                let path = format!("/api/runs/{}/cancel", words["run"]);
                assert_eq!(self.server.post(&self.maker, &path, json!({})).await.0, 200);
            }
            About::Allowed | About::AllowedToAnother => {
                let body = json!({"tool": "deploy", "user_id": user});
                let itself = about == About::Allowed && who.name == "agent" && user == who.user;
                let starter = match &who.credential {
                    Credential::Token(token) if itself => token,
                    _ => self.starter(user, who),
                };
                let (status, asked) = self.server.post(starter, "/api/tool-calls", body).await;
                assert_eq!((status, &asked["decision"]), (201, &json!("allow")), "{asked}");
                words.insert("asked", asked["id"].as_str().unwrap().to_owned());
            }
            About::Policy => words.extend(self.policy().await),
            About::Token => {
                let body = json!({"kind": "service", "name": "some-service"});
                let (status, made) = self.server.post(&self.maker, "/api/tokens", body).await;
                assert_eq!(status, 201, "{made}");
                words.insert("token_id", made["id"].as_str().unwrap().to_owned());
            }
            About::Granted => {
                for (side, resource) in [("allow", "bash(ls)"), ("deny", "bash(rm)")] {
                    let path = format!("/api/permissions/{}/{side}", words["who"]);
                    let (status, given) = self.server.post(&self.maker, &path, json!({"resource": resource})).await;
                    assert_eq!(status, 200, "{given}");
                }
            }
        }
        Thing(words)
    }

    /// One thing of every kind that a policy is made of.
    async fn policy(&self) -> [(&'static str, String); 2] {
        let made = format!("made-{}", self.made.fetch_add(1, Ordering::Relaxed));
        for (kind, body) in [
            ("rules", json!({"tool": made, "effect": "require_approval"})),
            ("capabilities", json!({"effect": "require_approval"})),
            ("overrides", json!({"execution": "ask-once"})),
            ("tools", json!({"risk": "medium"})),
            ("roles", json!({"denied_tools": ["nothing"]})),
        ] {
            let path = format!("/api/{kind}/{made}");
            let (status, put) = self.server.try_send(&self.maker, Method::PUT, &path, Some(&body)).await.unwrap();
            assert!((200..300).contains(&status), "{path}: {put}");
        }
        let (_, changes) = self.server.get("/api/policy/changes?limit=1").await;
        [("made", made), ("version", changes["items"][0]["version"].to_string())]
    }

    /// Whoever starts a thing: what belongs to no user, `who` does.
    fn starter<'a>(&'a self, user: Option<&str>, who: &'a Who) -> &'a str {
        match &who.credential {
            Credential::Token(token) if user.is_none() => token,
            _ => &self.maker,
        }
    }

    /// A run that waits for three answers.
    async fn run(&self, user: Option<&str>, who: &Who) -> Vec<(&'static str, String)> {
        let body = json!({"agent": "worker", "input": "x", "user_id": user});
        let (status, run) = self.server.post(self.starter(user, who), "/api/runs", body).await;
        assert_eq!(status, 201, "{run}");
        let id = run["id"].as_str().unwrap();
        let path = format!("/api/interactions?run_id={id}");
        let page = self.server.until(&path, |page| page["items"].as_array().unwrap().len() == 3).await;
        let question = |tool: &str| {
            let asked = page["items"].as_array().unwrap().iter().find(|asked| asked["tool_name"] == tool).unwrap();
            let word = |name: &str| asked[name].as_str().unwrap().to_owned();
            (word("id"), word("correlation_key"), word("tool_call_id"))
        };
        let (asked, key, tool_call) = question("bash");
        vec![
            ("run", id.to_owned()),
            ("session", run["session_id"].as_str().unwrap().to_owned()),
            ("question", asked),
            ("key", key),
            ("tool_call", tool_call),
            ("human", question("file_write").0),
            ("second", question("file_edit").0),
        ]
    }
}
