//! Whose token it is, looked up once for all who show it at the same time.
//!
//! Nothing is remembered: whoever shows a token is told by a look into the store that began after they came, so one that was
//! revoked, by whichever process, opens nothing from then on. While one look is under way, those who come wait for the next
//! one and share it: the requests of a busy program cost less than a look each.

use crate::ports::{Store, StoreError, TokenEntry};
use countersign_domain::Digest;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

/// Looks that are under way or about to begin.
#[derive(Default)]
pub(crate) struct Holders {
    queues: Mutex<HashMap<Digest, Queue>>,
}

/// Those who show the same token.
#[derive(Default)]
struct Queue {
    many: usize,
    /// Held by whoever looks.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// The look that has not begun: who comes now shares it.
    next: Option<Arc<Look>>,
}

type Look = OnceCell<Option<TokenEntry>>;

impl Holders {
    /// Whose token or session with this hash it is, if it still holds. Not for links: of those who share a look each would
    /// have used it.
    pub(crate) async fn holder(&self, store: &dyn Store, hash: Digest) -> Result<Option<TokenEntry>, StoreError> {
        let shown = self.shown(hash);
        // Of those who share it one looks, and where that one goes away or fails, the next does.
        let found = shown.look.get_or_try_init(async || {
            let _turn = shown.turn.lock().await;
            shown.begins();
            store.principal(hash, store.now().await?).await
        });
        found.await.cloned()
    }

    /// Has somebody who shows this token share the next look.
    fn shown(&self, hash: Digest) -> Shown<'_> {
        let mut queues = self.lock();
        let queue = queues.entry(hash).or_default();
        queue.many += 1;
        let (turn, look) = (Arc::clone(&queue.turn), Arc::clone(queue.next.get_or_insert_default()));
        Shown { holders: self, hash, turn, look }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who shows a token, until they were told or went away.
struct Shown<'a> {
    holders: &'a Holders,
    hash: Digest,
    turn: Arc<tokio::sync::Mutex<()>>,
    look: Arc<Look>,
}

impl Shown<'_> {
    /// From now on nobody joins this look: they may have come after it.
    fn begins(&self) {
        if let Some(queue) = self.holders.lock().get_mut(&self.hash) {
            queue.next.take_if(|next| Arc::ptr_eq(next, &self.look));
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if let Entry::Occupied(mut queue) = self.holders.lock().entry(self.hash) {
            queue.get_mut().many -= 1;
            if queue.get().many == 0 {
                queue.remove();
            }
        }
    }
}
