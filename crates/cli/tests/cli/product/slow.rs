//! Whoever takes their time to say what they want, or says nothing: they are let go, and nobody else is kept waiting.

use super::server::{Server, one_call};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// How long anything may take before a test gives up. Generous: it only decides how long a failure takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// A server that waits a second for headers.
fn impatient(more: &str) -> Server {
    let mut server = Server::not_started(None, one_call(), more);
    server.env.push(("COUNTERSIGN_HEADERS_MS", "1000".into()));
    server.start(None);
    server.make_tokens();
    server
}

fn connected(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// All that comes until the other end closes.
fn to_the_end(stream: &mut TcpStream) -> String {
    let mut all = vec![];
    match stream.read_to_end(&mut all) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("it was not closed: {error}"),
        _ => String::from_utf8_lossy(&all).into_owned(),
    }
}

#[tokio::test]
async fn who_says_nothing_or_half_of_it_is_let_go() {
    let server = impatient("");
    let mut silent = connected(&server);
    let mut slow = connected(&server);
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").unwrap();
    // A byte now and then does not help: it is the whole of the headers that is waited for.
    let drip = slow.try_clone().unwrap();
    let dripping = std::thread::spawn(move || {
        while (&drip).write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    for stream in [&mut silent, &mut slow] {
        let told = to_the_end(stream);
        assert!(!told.contains("200"), "{told}");
    }
    drop(slow);
    dripping.join().unwrap();
    assert_eq!(server.get("/api/me").await.0, 200);
}

/// A piece of the body now and then does not help either.
#[tokio::test]
async fn who_sends_half_of_the_body_is_told_so_and_nothing_is_done() {
    let mut server = Server::not_started(None, one_call(), "");
    server.env.push(("COUNTERSIGN_BODY_MS", "1000".into()));
    server.start(None);
    server.make_tokens();
    let mut slow = connected(&server);
    let head = format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", server.operator);
    let body = r#"{"agent": "worker", "input": ""#;
    let request = format!("POST /api/runs HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: 1000\r\n\r\n{body}");
    slow.write_all(request.as_bytes()).unwrap();
    let drip = slow.try_clone().unwrap();
    let dripping = std::thread::spawn(move || {
        while (&drip).write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let told = to_the_end(&mut slow);
    assert!(told.starts_with("HTTP/1.1 408") && told.contains("TOO_SLOW") && told.contains("1 second"), "{told}");
    drop(slow);
    dripping.join().unwrap();
    assert_eq!(server.get("/api/runs").await.1["items"], serde_json::json!([]));
}

/// Whoever has all connections keeps others out only until they are let go.
#[tokio::test]
async fn who_is_not_let_in_at_once_is_let_in_when_somebody_goes() {
    let server = impatient("server: { max_connections: 3 }");
    let silent: Vec<_> = (0..3).map(|_| connected(&server)).collect();
    let mut last = connected(&server);
    last.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    assert!(to_the_end(&mut last).contains("200 OK"));
    drop(silent);
}

/// A stream is no request that is waited for: it stays open for longer than headers may take.
#[tokio::test]
async fn who_follows_a_stream_is_not_let_go() {
    let server = impatient("");
    let mut reader = super::reader::inbox(&server).await;
    let mut silent = connected(&server);
    to_the_end(&mut silent);
    server.run().await;
    while reader.next().await.unwrap().event != "interaction_request" {}
}
