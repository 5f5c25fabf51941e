//! Whose token it is, looked up no oftener than need be.
//!
//! Whoever shows a token is told by a look into the store that began after they came, or by an earlier one if nobody has written
//! anything to the store since: so one that was revoked, by whichever process, opens nothing from then on. While one look is
//! under way, those who come wait for the next one and share it: the requests of a busy program cost less than a look each.

use crate::ports::{Mark, Store, StoreError, TokenEntry};
use countersign_domain::Digest;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// How long a look counts at the most, whatever the marks say.
const LONGEST: Duration = Duration::from_secs(3);
/// Tokens that are remembered.
const MOST_KNOWN: usize = 10_000;

/// What was seen of tokens, and looks that are under way or about to begin.
#[derive(Default)]
pub(crate) struct Holders {
    known: Mutex<HashMap<Digest, Known>>,
    queues: Mutex<HashMap<Digest, Queue>>,
}

/// What a look saw, and the mark of the store before it.
struct Known {
    entry: TokenEntry,
    mark: Mark,
    since: Instant,
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
        if let Some(mark) = store.mark()
            && let Some(entry) = self.known(hash, mark)
        {
            let now = store.now().await?;
            return Ok(Some(entry).filter(|entry| entry.expires_at.is_none_or(|end| end > now)));
        }
        let shown = self.shown(hash);
        // Of those who share it one looks, and where that one goes away or fails, the next does.
        let found = shown.look.get_or_try_init(async || {
            let _turn = shown.turn.lock().await;
            shown.begins();
            let (mark, since) = (store.mark(), Instant::now());
            let found = store.principal(hash, store.now().await?).await?;
            let known = found.clone().zip(mark).map(|(entry, mark)| Known { entry, mark, since });
            self.learn(hash, known);
            Ok(found)
        });
        found.await.cloned()
    }

    /// What the last look saw, if nobody has written since.
    fn known(&self, hash: Digest, mark: Mark) -> Option<TokenEntry> {
        let known = locked(&self.known);
        let known = known.get(&hash).filter(|known| known.mark == mark && known.since.elapsed() < LONGEST);
        known.map(|known| known.entry.clone())
    }

    fn learn(&self, hash: Digest, seen: Option<Known>) {
        let mut known = locked(&self.known);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        match seen {
            Some(seen) => drop(known.insert(hash, seen)),
            None => drop(known.remove(&hash)),
        }
    }

    /// Has somebody who shows this token share the next look.
    fn shown(&self, hash: Digest) -> Shown<'_> {
        let mut queues = locked(&self.queues);
        let queue = queues.entry(hash).or_default();
        queue.many += 1;
        let (turn, look) = (Arc::clone(&queue.turn), Arc::clone(queue.next.get_or_insert_default()));
        Shown { holders: self, hash, turn, look }
    }
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
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
        if let Some(queue) = locked(&self.holders.queues).get_mut(&self.hash) {
            queue.next.take_if(|next| Arc::ptr_eq(next, &self.look));
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if let Entry::Occupied(mut queue) = locked(&self.holders.queues).entry(self.hash) {
            queue.get_mut().many -= 1;
            if queue.get().many == 0 {
                queue.remove();
            }
        }
    }
}
