//! HTTP/1.1 on a socket, by hand: as little as will do, because whoever sends requests shares the processors.

use crate::Failure;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept.
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Wire {
    pub async fn to(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request, and waits for all of its answer: the status and the whole text.
    pub async fn answer(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Failure> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let end = loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the server hung up".into());
            }
            if let Some(end) = end(&self.buffer)? {
                break end;
            }
        };
        while self.buffer.len() < end {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the server hung up".into());
            }
        }
        let status = std::str::from_utf8(self.buffer.get(9..12).unwrap_or_default())?.parse()?;
        Ok((status, &self.buffer))
    }

    pub fn into_stream(self) -> TcpStream {
        self.stream
    }
}

/// Where the answer ends, once its head is there.
fn end(buffer: &[u8]) -> Result<Option<usize>, Failure> {
    let Some(head) = find(buffer, b"\r\n\r\n") else { return Ok(None) };
    let named = b"content-length: ";
    let at = find(buffer, named).filter(|at| *at < head).ok_or("an answer that does not say how long it is")?;
    let digits = buffer.iter().skip(at + named.len()).take_while(|byte| byte.is_ascii_digit());
    Ok(Some(head + 4 + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'))))
}

/// Where `part` stands in `text`.
pub fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// A request that sends JSON.
pub fn post(address: SocketAddr, path: &str, token: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A request for a stream.
pub fn get(address: SocketAddr, path: &str, token: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\naccept: text/event-stream\r\n\r\n"
    )
    .into_bytes()
}
