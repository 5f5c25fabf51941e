//! What other sites' pages may send through somebody's browser, and what no client should: the table of attacks, and what
//! every answer tells a browser.

mod wire;

use super::server::{Server, one_call};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use wire::{Answer, send};

/// One line of the table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    at: At,
    #[serde(default)]
    send: String,
    #[serde(default, rename = "as")]
    who: Who,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    body: Option<String>,
    raw: Option<String>,
    gets: u16,
    #[serde(default)]
    says: String,
    #[serde(default)]
    changes: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum At {
    #[default]
    Local,
    Public,
    /// Beyond this machine, with no public address.
    Network,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Who {
    #[default]
    Session,
    Token,
    Nobody,
}

/// A server with a run that waits, and somebody signed in in a browser.
struct House {
    server: Server,
    address: String,
    at: At,
    run: String,
    question: String,
    session: String,
    other: String,
    ended: String,
}

impl House {
    async fn new(at: At) -> Self {
        let public = "server: { public_url: \"https://countersign.example\" }";
        let mut server = Server::not_started(None, one_call(), if at == At::Public { public } else { "" });
        server.listen = if at == At::Network { "0.0.0.0:0" } else { "127.0.0.1:0" };
        server.start(None);
        server.make_tokens();
        let run = server.run().await;
        let question = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
        let address = server.base.strip_prefix("http://").unwrap().to_owned();
        let (session, other, ended) = (String::new(), String::new(), String::new());
        let mut house = Self { server, address, at, run, question, session, other, ended };
        house.session = house.signed_in(&house.server.operator).await;
        house.other = house.signed_in(&house.server.approver).await;
        house.ended = house.signed_in(&house.server.operator).await;
        let out = house.server.http().post(format!("{}/api/sign-out", house.server.base));
        let out = out.header("cookie", format!("{}={}", house.cookie(), house.ended));
        let out = out.header("origin", &house.server.base).send().await.unwrap();
        assert_eq!(out.status(), 204);
        house
    }

    fn cookie(&self) -> &'static str {
        match self.at {
            At::Local | At::Network => "countersign_session",
            At::Public => "__Host-countersign_session",
        }
    }

    /// The session of a browser that signed in with `token`.
    async fn signed_in(&self, token: &str) -> String {
        let request = self.server.http().post(format!("{}/api/sign-in", self.server.base));
        let response = request.json(&json!({"token": token})).send().await.unwrap();
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        let (name, rest) = cookie.split_once('=').unwrap();
        assert_eq!(name, self.cookie());
        rest.split(';').next().unwrap().to_owned()
    }

    /// The request of a case, as it goes over the wire.
    fn request(&self, case: &Case) -> String {
        let request = case.raw.clone().unwrap_or_else(|| {
            let named = |name: &str| case.with.iter().any(|line| line.to_ascii_lowercase().starts_with(name));
            let mut lines = vec![format!("{} HTTP/1.1", case.send)];
            let mut usual = vec![("host", "Host: {host}".to_owned())];
            if let Some(body) = &case.body {
                let length = self.filled(body).len();
                usual.push(("content-type", "Content-Type: application/json".to_owned()));
                if !named("transfer-encoding") {
                    usual.push(("content-length", format!("Content-Length: {length}")));
                }
            }
            if !named("connection") {
                usual.push(("connection", "Connection: close".to_owned()));
            }
            let usual = usual.into_iter().filter(|(name, _)| !named(&format!("{name}:")));
            lines.extend(usual.filter(|(name, _)| !case.lacks.iter().any(|lacks| lacks == name)).map(|(_, line)| line));
            match case.who {
                Who::Session => lines.push(format!("Cookie: {}={{session}}", self.cookie())),
                Who::Token => lines.push("Authorization: Bearer {token}".to_owned()),
                Who::Nobody => {}
            }
            lines.extend(case.with.iter().cloned());
            format!("{}\r\n\r\n{}", lines.join("\r\n"), case.body.as_deref().unwrap_or_default())
        });
        self.filled(&request)
    }

    fn filled(&self, text: &str) -> String {
        let port = self.address.rsplit(':').next().unwrap();
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let large = "x".repeat(1024 * 1024 + 1);
        let words = [
            ("{host}", self.address.as_str()),
            ("{port}", port),
            ("{token}", &self.server.operator),
            ("{session}", &self.session),
            ("{other}", &self.other),
            ("{ended}", &self.ended),
            ("{run}", &self.run),
            ("{question}", &self.question),
            ("{deep}", &deep),
            ("{large}", &large),
        ];
        words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
    }

    /// All that an attack may have changed, once all runs wait.
    async fn state(&self) -> Vec<Value> {
        let waits = |run: &Value| run["status"] == "waiting";
        self.server.until("/api/runs?limit=200", |page| page["items"].as_array().unwrap().iter().all(waits)).await;
        let mut state = vec![];
        for path in ["/api/runs?limit=200", "/api/interactions?status=all", "/api/permissions/root"] {
            let mut page = self.server.get(path).await.1;
            // Time goes on by itself.
            for item in page["items"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
                item.remove("expires_in_seconds");
            }
            state.push(page);
        }
        for session in [&self.session, &self.other] {
            let me = self.server.http().get(format!("{}/api/me", self.server.base));
            let me = me.header("cookie", format!("{}={session}", self.cookie())).send().await.unwrap();
            state.push(me.json().await.unwrap());
        }
        state
    }

    /// What is wrong with how a case ended.
    async fn complaint(&self, case: &Case) -> Option<String> {
        let before = self.state().await;
        let Some(answer) = send(&self.address, self.request(case).as_bytes()).await else {
            return Some("no answer".to_owned());
        };
        if answer.status != case.gets || !answer.body.contains(&case.says) || answer.count != 1 {
            return Some(format!("{answer:#?}"));
        }
        if case.changes != (self.state().await != before) {
            return Some(format!("changes: {}", !case.changes));
        }
        // What is no request at all, the library refuses before anything of ours sees it, with nothing but a status.
        let is_ours = !answer.body.is_empty() || answer.headers.contains_key("content-security-policy");
        let is_api = case.send.split(' ').nth(1).is_some_and(|path| path.starts_with("/api/"));
        if is_ours { untold(&answer, is_api) } else { None }
    }
}

/// What an answer fails to tell a browser, or tells it and should not.
fn untold(answer: &Answer, is_api: bool) -> Option<String> {
    let must = [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ];
    let lacking = must.iter().find(|(name, value)| answer.header(name) != *value);
    if let Some((name, value)) = lacking {
        return Some(format!("`{name}` is not `{value}`: {:?}", answer.headers));
    }
    let policy = answer.header("content-security-policy");
    let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src"));
    let holds = policy.contains("default-src 'self'")
        && policy.contains("frame-ancestors 'none'")
        && scripts.is_none_or(|scripts| scripts.trim() == "script-src 'self'");
    if !holds {
        return Some(format!("a weak policy for content: {policy}"));
    }
    if is_api && answer.header("cache-control") != "no-store" {
        return Some(format!("it may be kept: {:?}", answer.headers));
    }
    if answer.headers.keys().any(|name| name.starts_with("access-control-")) {
        return Some(format!("it lets other sites read it: {:?}", answer.headers));
    }
    let is_page = answer.header("content-type").starts_with("text/html");
    if is_page && (answer.body.contains("alert(1)") || answer.body.contains("evil")) {
        return Some("it says what it was told".to_owned());
    }
    let place = answer.header("location");
    (!place.is_empty() && !place.starts_with("/api/")).then(|| format!("it sends the browser to {place}"))
}

#[tokio::test]
async fn no_attack_of_the_table_gets_anywhere() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora/attacks.yaml");
    let table: Vec<Case> = serde_saphyr::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();
    assert!(table.iter().filter(|case| !case.changes && case.gets != 200).count() >= 60);
    let names: BTreeSet<_> = table.iter().map(|case| (case.at as u8, &case.name)).collect();
    assert_eq!(names.len(), table.len(), "each has a name of its own");
    let mut wrong = vec![];
    for at in [At::Local, At::Public, At::Network] {
        let house = House::new(at).await;
        for case in table.iter().filter(|case| case.at == at) {
            if let Some(complaint) = house.complaint(case).await {
                wrong.push(format!("{}: {complaint}", case.name));
            }
        }
        house.server.sound().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn nothing_is_changed_by_looking() {
    let house = House::new(At::Local).await;
    let before = house.state().await;
    let (_, document) = house.server.get("/api/openapi.json").await;
    let mut paths: Vec<String> = vec!["/".into(), "/sign-in".into(), "/healthz".into(), "/readyz".into()];
    for (path, methods) in document["paths"].as_object().unwrap() {
        assert!(methods.get("head").is_none() && methods.get("options").is_none(), "{path}");
        if methods.get("get").is_some() {
            let id = if path.starts_with("/interactions") { &house.question } else { &house.run };
            let path = path.replace("{id}", id).replace("{user_id}", "root");
            let path = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
            paths.push(format!("/api{}", path.collect::<Vec<_>>().join("/")));
        }
    }
    for path in &paths {
        for method in [Method::GET, Method::HEAD] {
            let send = format!("{method} {path}");
            let case = Case { name: send.clone(), send, ..looked() };
            let request = house.request(&case);
            // Streams do not end by themselves; their head is enough.
            if path.ends_with("/stream") {
                continue;
            }
            let answer = send_to(&house, &request).await;
            assert!(answer.status < 500, "{answer:?}");
            assert_eq!(untold(&answer, path.starts_with("/api")), None, "{path}");
            assert!(!answer.headers.contains_key("set-cookie"), "{answer:?}");
        }
    }
    assert_eq!(house.state().await, before);
}

fn looked() -> Case {
    serde_saphyr::from_str("{ name: a look, gets: 200 }").unwrap()
}

async fn send_to(house: &House, request: &str) -> Answer {
    send(&house.address, request.as_bytes()).await.expect("an answer")
}

#[tokio::test]
async fn no_page_has_a_script_of_its_own_and_every_file_tells_browsers_what_it_is() {
    let house = House::new(At::Local).await;
    let (mut seen, mut waiting) = (BTreeSet::new(), vec!["/".to_owned(), "/sign-in".into(), "/api/docs".into()]);
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let case = Case { send: format!("GET {path}"), who: Who::Nobody, ..looked() };
        let answer = send_to(&house, &house.request(&case)).await;
        assert_eq!((answer.status, untold(&answer, false)), (200, None), "{path}");
        if !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        for tag in answer.body.split("<script").skip(1) {
            assert!(tag.split('>').next().unwrap().contains("src=\"/"), "{path}: a script in the page");
            assert!(tag.split_once('>').unwrap().1.starts_with("</script>"), "{path}: a script in the page");
        }
        assert!(!answer.body.contains(" onclick=") && !answer.body.contains("javascript:"), "{path}");
        let links = ["src=\"", "href=\""].map(|start| answer.body.split(start).skip(1));
        for link in links.into_iter().flatten().map(|rest| rest.split('"').next().unwrap()) {
            if link.starts_with('#') {
                continue;
            }
            assert!(link.starts_with('/') && !link.starts_with("//"), "{path} fetches {link}");
            waiting.push(link.to_owned());
        }
    }
}

#[tokio::test]
async fn a_link_is_used_by_nothing_but_a_sign_in_from_our_own_page() {
    let house = House::new(At::Local).await;
    let link = house.server.link.clone().unwrap();
    let secret = link.split_once("/sign-in#").unwrap().1;
    let body = json!({"link": secret}).to_string();
    let case = |line: &str, headers: &[&str]| Case {
        send: line.to_owned(),
        who: Who::Nobody,
        with: headers.iter().map(|&header| header.to_owned()).collect(),
        body: line.starts_with("POST").then(|| body.clone()),
        ..looked()
    };
    // Programs that look at links before people do, and pages that hold one.
    for (line, headers, status) in [
        ("GET /sign-in", vec!["Purpose: prefetch", "Sec-Purpose: prefetch"], 200),
        ("HEAD /sign-in", vec![], 200),
        (&*format!("GET /sign-in?link={secret}"), vec![], 200),
        (&*format!("GET /api/sign-in?link={secret}"), vec![], 405),
        (&*format!("HEAD /api/sign-in?link={secret}"), vec![], 405),
        (&*format!("OPTIONS /api/sign-in?link={secret}"), vec!["Origin: https://evil.example"], 405),
        ("POST /api/sign-in", vec!["Origin: https://evil.example"], 403),
        ("POST /api/sign-in", vec!["Origin: null"], 403),
        ("POST /api/sign-in", vec!["Origin: http://{host}", "Sec-Fetch-Site: cross-site"], 403),
        ("GET /api/me", vec![&*format!("Authorization: Bearer {secret}")], 401),
        ("GET /api/me", vec![&*format!("Cookie: countersign_session={secret}")], 401),
    ] {
        let answer = send_to(&house, &house.request(&case(line, &headers))).await;
        assert_eq!(answer.status, status, "{line} {headers:?} {answer:?}");
        assert!(!answer.headers.contains_key("set-cookie") && !answer.body.contains(secret), "{answer:?}");
    }
    let request = house.request(&case("POST /api/sign-in", &["Origin: http://{host}"]));
    let answer = send_to(&house, &request).await;
    assert_eq!(answer.status, 200, "none of that used it: {answer:?}");
    let again = send_to(&house, &request).await;
    assert_eq!((again.status, again.headers.contains_key("set-cookie")), (401, false), "{again:?}");
}

#[tokio::test]
async fn a_session_is_a_new_one_that_no_script_reads_and_no_other_site_sends() {
    for (at, secure) in [(At::Local, ""), (At::Public, "; Secure")] {
        let house = House::new(at).await;
        let sign_in = |cookie: &str| {
            let request = house.server.http().post(format!("{}/api/sign-in", house.server.base));
            let request = request.header("cookie", cookie).header("origin", &house.server.base);
            request.json(&json!({"token": house.server.approver})).send()
        };
        let planted = format!("{}=cs_session_planted", house.cookie());
        let response = sign_in(&planted).await.unwrap();
        let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
        let (pair, rest) = cookie.split_once("; ").unwrap();
        assert_eq!(rest, format!("HttpOnly; SameSite=Strict; Path=/{secure}; Max-Age=43200"));
        assert_ne!(pair, planted, "whoever planted it knows it");
        let me = |cookie: String| {
            let request = house.server.http().get(format!("{}/api/me", house.server.base)).header("cookie", cookie);
            async move { request.send().await.unwrap().status().as_u16() }
        };
        assert_eq!((me(planted).await, me(pair.to_owned()).await), (401, 200));
        // Who signs in where somebody was signed in ends that session.
        let response = sign_in(pair).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(me(pair.to_owned()).await, 401);
        let next = response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        let out = house.server.http().post(format!("{}/api/sign-out", house.server.base)).header("cookie", &next);
        let out = out.header("origin", &house.server.base).send().await.unwrap();
        let gone = out.headers()["set-cookie"].to_str().unwrap().to_owned();
        let name = house.cookie();
        assert_eq!(gone, format!("{name}=; HttpOnly; SameSite=Strict; Path=/{secure}; Max-Age=0"));
        assert_eq!(me(next).await, 401);
    }
}
