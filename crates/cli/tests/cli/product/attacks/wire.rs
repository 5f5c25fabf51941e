//! Requests that no decent client sends: bytes out, bytes in.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an answer may take. It only decides how long a failure takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// An answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// By name in small letters; those that came several times, line by line.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// How many answers there were.
    pub count: usize,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// Sends `request` to `address` and reads until nothing more comes. Nothing, where the connection ended without an answer.
pub async fn send(address: &str, request: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The other side may have heard enough before all is sent.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 16 * 1024];
    // A connection that is kept open although it was not asked for ends here.
    while let Ok(Ok(read @ 1..)) = timeout(PATIENCE, stream.read(&mut piece)).await {
        bytes.extend_from_slice(&piece[..read]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().unwrap();
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let all = headers.entry(name.to_ascii_lowercase()).or_default();
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(value.trim());
    }
    let count = text.matches("HTTP/1.").count();
    Some(Answer { status, headers, body: body.to_owned(), count })
}
