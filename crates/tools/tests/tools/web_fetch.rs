//! What is fetched, and from where nothing is.

use super::{LONG, described, execute, order, report};
use countersign_runtime::ports::{Report, Tool};
use countersign_tools::{Sandbox, WebFetch};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What is answered to a path.
type Answer = dyn Fn(&str) -> Vec<u8> + Send + Sync;

/// A server that answers each path with the bytes that are given for it.
struct Site {
    at: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Site {
    async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (at, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let answer: Arc<Answer> = Arc::new(answer);
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, Arc::clone(&answer)));
            }
        });
        Self { at, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Fetches `path`, where this machine may be reached.
    async fn fetch(&self, path: &str) -> Report {
        let report = fetch(json!({"url": format!("http://{}{path}", self.at)})).await;
        Report { output: report.output.replace(&format!("http://{}", self.at), "S"), ..report }
    }
}

async fn serve(mut stream: TcpStream, answer: Arc<Answer>) {
    let mut request = vec![];
    while !request.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        request.push(byte);
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap();
    let _ = stream.write_all(&answer(path)).await;
    match path {
        "/slow" => tokio::time::sleep(LONG).await,
        "/endless" => while stream.write_all(&[b'x'; 8192]).await.is_ok() {},
        _ => {}
    }
}

fn tool() -> WebFetch {
    WebFetch::new(Sandbox { addresses: vec!["127.0.0.1/32".parse().unwrap()], ..Sandbox::default() })
}

async fn fetch(args: Value) -> Report {
    execute(&tool(), &described("web_fetch", &args, None)).await
}

fn ok(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body.as_ref()].concat()
}

fn to(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
}

#[tokio::test]
async fn text_is_given_as_it_is_and_pages_without_markup() {
    let site = Site::start(|path| match path {
        "/page" => ok("text/html; charset=utf-8", "<title>T</title><p>one <a href='/x'>two</a>"),
        "/json" => ok("application/json", "{\"a\": 1}"),
        "/latin" => ok("text/plain; charset=iso-8859-1", b"\xE9t\xE9"),
        "/wrong" => ok("text/plain; charset=utf-8", b"\xE9t\xE9"),
        "/odd" => ok("text/plain; charset=klingon", "plain"),
        "/meta" => ok("text/html", b"<meta charset=\"windows-1252\">\xE9t\xE9"),
        "/wide" => ok("text/plain", [0xFF, 0xFE, b'h', 0, b'i', 0]),
        "/unnamed" => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec(),
        _ => b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngone".to_vec(),
    })
    .await;
    let link = format!("[two](http://{}/x)", site.at).replace(&format!("http://{}", site.at), "S");
    for (path, expected) in [
        ("/page", format!("T\n\none {link}")),
        ("/json", "{\"a\": 1}".to_owned()),
        ("/latin", "été".to_owned()),
        ("/wrong", "\u{FFFD}t\u{FFFD}".to_owned()),
        ("/odd", "plain".to_owned()),
        ("/meta", "été".to_owned()),
        ("/wide", "hi".to_owned()),
        ("/unnamed", "hi".to_owned()),
    ] {
        let expected = Report { output: format!("200 OK from `S{path}`\n\n{expected}"), failed: false };
        assert_eq!(site.fetch(path).await, expected);
    }
    let missing = Report { output: "404 Not Found from `S/else`\n\ngone".to_owned(), failed: true };
    assert_eq!(site.fetch("/else").await, missing);
}

#[tokio::test]
async fn what_is_no_text_is_named_and_not_shown() {
    let site = Site::start(|path| match path {
        "/image" => ok("image/png", b"\x89PNG"),
        "/lies" => ok("text/plain", b"a\0b"),
        "/unnamed" => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xFF\xFE".to_vec(),
        _ => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b".to_vec(),
    })
    .await;
    for (path, expected) in [
        ("/image", "200 OK from `S/image`: it is `image/png`, not text. Nothing of it is shown."),
        ("/lies", "200 OK from `S/lies`: it is `text/plain`, not text. Nothing of it is shown."),
        ("/unnamed", "200 OK from `S/unnamed`: it is `binary data`, not text. Nothing of it is shown."),
        ("/bomb", "The answer is packed as `gzip`, which was not asked for. Nothing of it is shown."),
    ] {
        assert_eq!(site.fetch(path).await, Report { output: expected.to_owned(), failed: true });
    }
}

#[tokio::test]
async fn private_addresses_are_not_reached_however_they_are_spelt() {
    let site = Site::start(|_| ok("text/plain", "hunter2")).await;
    let port = site.at.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "10.0.0.1",
        "%31%32%37.0.0.1",
        "①②⑦.0.0.1",
    ] {
        let url = format!("http://{host}:{port}/");
        let call = described("web_fetch", &json!({"url": url}), None);
        let report = execute(&WebFetch::default(), &call).await;
        assert!(report.failed && report.output.contains("is not one of the public internet"), "{host}: {report:?}");
    }
    assert_eq!(site.asked(), 0);
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"] {
        let report = fetch(json!({"url": format!("http://{host}:{port}/")})).await;
        assert!(report.output.ends_with("hunter2"), "{host}: {report:?}");
    }
    assert!(fetch(json!({"url": format!("http://127.0.0.2:{port}/")})).await.failed, "only what is named");
}

#[tokio::test]
async fn an_answer_that_leads_elsewhere_is_told_and_not_followed() {
    let other = Site::start(|_| ok("text/plain", "hunter2")).await;
    let elsewhere = format!("http://{}/", other.at);
    let site = Site::start(move |path| match path {
        "/other" => to(&elsewhere),
        "/meta" => to("http://169.254.169.254/latest/meta-data/"),
        "/decimal" => to("http://2852039166/"),
        "/mapped" => to("http://[::ffff:169.254.169.254]/"),
        "/named" => to("http://a:b@127.0.0.1/named"),
        "/file" => to("file:///etc/passwd"),
        "/path" => to("/admin"),
        "/up" => to("../"),
        "/bad" => to("http://["),
        _ => ok("text/plain", "hunter2"),
    })
    .await;
    for path in ["/other", "/meta", "/decimal", "/mapped", "/named", "/file", "/path", "/up"] {
        let report = site.fetch(path).await;
        assert!(report.failed && report.output.contains("another address than was judged"), "{path}: {report:?}");
        assert!(!report.output.contains("hunter2"));
    }
    let told = site.fetch("/path").await.output;
    assert!(told.starts_with("302 Found from `S/path`: it leads to `S/admin`,"), "{told}");
    assert!(site.fetch("/bad").await.output.contains("leads to what is no address"));
    assert_eq!(other.asked(), 0);
}

#[tokio::test]
async fn the_same_address_is_followed_a_few_times() {
    let site = Site::start(|path| match path {
        "/a" => to("/a/"),
        "/a/" => to("/a/?signed=1"),
        "/loop" => to("/loop"),
        _ => ok("text/plain", "there"),
    })
    .await;
    assert!(site.fetch("/a").await.output.ends_with("there"));
    let before = site.asked();
    assert_eq!(site.fetch("/loop").await.output, "`S/loop` leads on and on: it was given up after 5 times.");
    assert_eq!(site.asked() - before, 6);
}

#[tokio::test]
async fn what_takes_too_long_or_has_no_end_is_cut() {
    let site = Site::start(|path| match path {
        "/long" => ok("text/plain", "é".repeat(300_000)),
        _ => ok("text/plain", "start"),
    })
    .await;
    let url = format!("http://{}/slow", site.at);
    let call = described("web_fetch", &json!({"url": url}), None);
    let late = report(tool().execute(order(&call, Duration::from_millis(200))).await);
    assert_eq!(late, Report { output: format!("`{url}` was not fetched within 200 ms."), failed: true });
    let endless = site.fetch("/endless").await;
    assert!(endless.output.ends_with("[… the answer goes on: only its first 4194304 bytes were read …]"));
    assert!(endless.output.len() < 110_000);
    let long = fetch(json!({"url": format!("http://{}/long", site.at), "max_bytes": 7})).await;
    assert!(long.output.ends_with("\n\nééé\n[… 599994 more bytes of text left out …]"), "{}", long.output);
    let most = fetch(json!({"url": format!("http://{}/long", site.at), "max_bytes": 10_000_000})).await;
    assert!(most.output.contains(&format!("[… {} more bytes", 600_000 - 262_144)), "{}", most.output.len());
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    for (args, why) in [
        (json!({}), "The argument `url` is missing"),
        (json!({"url": "no address"}), "cannot be understood as an address"),
        (json!({"url": "ftp://a.test/"}), "must start with `https://` or `http://`"),
        (json!({"url": "file:///etc/passwd"}), "must start with `https://` or `http://`"),
        (json!({"url": "https://a:b@127.0.0.1/"}), "a name or password in it is not fetched"),
        (json!({"url": "https://a.test/", "method": "POST"}), "does not know the argument `method`"),
        (json!({"url": "https://a.test/", "max_bytes": 0}), "`max_bytes` must be a whole number"),
    ] {
        let report = fetch(args).await;
        assert!(report.failed && report.output.contains(why), "{report:?}");
    }
    let mut call = described("web_fetch", &json!({"url": "https://a.test/"}), None);
    call.call = described("web_fetch", &json!({"url": "https://b.test/"}), None).call;
    assert!(execute(&tool(), &call).await.output.contains("is not what was judged"));
}
