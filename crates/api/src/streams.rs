//! How many streams one principal may have open at a time. Each holds a connection, and a place in the server's memory.

use crate::Problem;
use axum::http::StatusCode;
use countersign_domain::Principal;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many streams one principal may have open, unless the configuration says otherwise.
pub const MOST_STREAMS: u32 = 100;

/// By kind and name, however many tokens they have.
type Whose = (&'static str, String);

/// The streams that are open.
#[derive(Debug)]
pub struct Streams {
    most: u32,
    open: Mutex<HashMap<Whose, u32>>,
}

impl Streams {
    /// None is.
    pub fn new(most: u32) -> Self {
        Self { most: most.max(1), open: Mutex::default() }
    }

    /// One more for `who`, for as long as what is returned is held; refused if they have too many.
    pub fn open(self: &Arc<Self>, who: &Principal) -> Result<OpenStream, Problem> {
        let whose = (who.kind.word(), who.name.clone());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let many = open.entry(whose.clone()).or_default();
        if *many >= self.most {
            let detail = format!("{} streams are open already: close one, or come back later", self.most);
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_STREAMS", detail).after_seconds(5));
        }
        *many += 1;
        Ok(OpenStream { all: Arc::clone(self), whose })
    }
}

/// A stream that is open.
#[derive(Debug)]
pub struct OpenStream {
    all: Arc<Streams>,
    whose: Whose,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(many) = open.get_mut(&self.whose) {
            *many = many.saturating_sub(1);
            if *many == 0 {
                open.remove(&self.whose);
            }
        }
    }
}
