//! Changing a file: what a call makes of it, shown to whoever is asked and done once that is approved.

mod diff;

use crate::place::{Aim, Existing, LARGEST, Place, Put};
use crate::sandbox::{Waiting, inside};
use countersign_domain::Digest;
use countersign_domain::interaction::{Change, ChangeKind, Preview};
use countersign_runtime::ports::{Order, Report};
use tokio::time::timeout;

/// What a call makes of a file that may be there: what it is to hold, or why it cannot be changed so.
pub type Rewrite = Box<dyn FnOnce(Option<&Existing>) -> Result<Vec<u8>, String> + Send>;

/// Changes the file, unless it is no longer the one that whoever approved it saw.
pub async fn make(order: Order<'_>, aim: Aim, rewrite: Rewrite) -> Result<Report, String> {
    let (seen, key) = (order.seen.cloned(), order.key);
    let work = inside(aim.fence(), move |waiting| changed(&aim, seen.as_ref(), rewrite, key, waiting));
    let late = |_| format!("This took longer than {} ms and was given up.", order.timeout.as_millis());
    let done = timeout(order.timeout, work).await.map_err(late)?;
    let output = done.map_err(|error| format!("The file could not be worked on: {error}"))??;
    Ok(Report { output, failed: false })
}

/// What it would change.
pub async fn preview(aim: Aim, rewrite: Rewrite) -> Option<Preview> {
    inside(aim.fence(), move |_| drawn(&aim, rewrite)).await.ok()
}

/// Where a call leads that changes nothing.
pub async fn preview_of_place(aim: Aim) -> Option<Preview> {
    let fence = aim.fence();
    let drawn = move |_: &Waiting| match aim.place(None) {
        Ok(place) => Preview { path: place.real.to_string_lossy().into_owned(), change: None },
        Err(why) => would_fail(aim.shown(), None, &why),
    };
    inside(fence, drawn).await.ok()
}

fn changed(
    aim: &Aim,
    seen: Option<&Preview>,
    rewrite: Rewrite,
    key: Digest,
    waiting: &Waiting,
) -> Result<String, String> {
    let place = aim.place(seen)?;
    let before = place.existing()?;
    let digest = before.as_ref().map(Existing::digest);
    if seen.and_then(|seen| seen.change.as_ref()).is_some_and(|seen| seen.digest != digest) {
        let shown = &place.shown;
        return Err(format!("`{shown}` changed since this was approved. Nothing was done; propose it anew."));
    }
    let after = rewritten(&place, before.as_ref(), rewrite)?;
    place.put(&Put { bytes: &after, before: before.as_ref(), key }, waiting)?;
    let (shown, now) = (&place.shown, after.len());
    Ok(match before {
        None => format!("`{shown}` was made: {now} bytes."),
        Some(before) => format!("`{shown}` was written: {now} bytes, {} before.", before.bytes.len()),
    })
}

fn rewritten(place: &Place, before: Option<&Existing>, rewrite: Rewrite) -> Result<Vec<u8>, String> {
    let after = rewrite(before)?;
    if after.len() > LARGEST {
        return Err(format!("`{}` would be larger than {LARGEST} bytes. Nothing was done.", place.shown));
    }
    Ok(after)
}

fn drawn(aim: &Aim, rewrite: Rewrite) -> Preview {
    let place = match aim.place(None) {
        Ok(place) => place,
        Err(why) => return would_fail(aim.shown(), None, &why),
    };
    let path = place.real.to_string_lossy().into_owned();
    let before = match place.existing() {
        Ok(before) => before,
        Err(why) => return would_fail(&path, None, &why),
    };
    let digest = before.as_ref().map(Existing::digest);
    let after = match rewritten(&place, before.as_ref(), rewrite) {
        Ok(after) => after,
        Err(why) => return would_fail(&path, digest, &why),
    };
    let (kind, text) = diff::between(before.as_ref().map(|before| before.bytes.as_slice()), &after);
    Preview { path, change: Some(Change { kind, text, digest }) }
}

fn would_fail(path: &str, digest: Option<Digest>, why: &str) -> Preview {
    let text = format!("This would fail: {why}");
    Preview { path: path.to_owned(), change: Some(Change { kind: ChangeKind::Note, text, digest }) }
}
