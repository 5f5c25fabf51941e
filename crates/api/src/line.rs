//! The lines to whoever is served: small pieces go out at once, and who takes nothing for too long is let go.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long somebody may take nothing of what is sent to them. Who reads a stream comes back, and takes up where they were.
const PATIENCE: Duration = Duration::from_secs(30);

/// A line that breaks when its other end takes nothing for too long.
pub struct Line<S> {
    stream: S,
    /// Runs while something is to be sent and cannot be.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Line<S> {
    /// The line that `stream` is.
    pub const fn new(stream: S) -> Self {
        Self { stream, stalled: None }
    }

    /// What became of a try to send, unless nothing has been taken for too long.
    fn patiently<T>(&mut self, tried: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.stalled = None;
            return tried;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "nothing was taken for too long")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(tried, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.patiently(tried, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.patiently(tried, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_let_go() {
        let (near, _far) = duplex(16);
        let sent = Line::new(near).write_all(&[0; 64]).await;
        assert_eq!(sent.unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_slowly_is_served_to_the_end() {
        let (near, mut far) = duplex(16);
        let reading = tokio::spawn(async move {
            let mut piece = [0; 16];
            for _ in 0..4 {
                tokio::time::sleep(PATIENCE / 2).await;
                far.read_exact(&mut piece).await.unwrap();
            }
        });
        Line::new(near).write_all(&[0; 64]).await.unwrap();
        reading.await.unwrap();
    }
}
