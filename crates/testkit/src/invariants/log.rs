//! The log: every event has one place in it or waits for one, and what it says can be believed.

use super::Rows;
use countersign_domain::audit::SignerKey;
use countersign_domain::audit::checkpoint::Unopened;
use countersign_domain::audit::note::Unverified;
use countersign_domain::audit::verify::{Checkpoints, Finding, Wrong};
use countersign_runtime::audit::verify;
use countersign_runtime::ports::{Store, StoreError};
use std::time::Duration;

/// How often it is looked at: events may be given their places meanwhile.
const LOOKS: u32 = 20;

/// Whoever signs the logs of tests that have nobody else for it.
///
/// # Panics
///
/// Never: the name is a name.
pub fn signer() -> SignerKey {
    #[expect(clippy::expect_used, reason = "the name is a name")]
    SignerKey::new("test", [7; 32]).expect("a name")
}

/// All that is wrong with it. Whether it was signed by somebody else is not asked.
pub async fn broken(store: &dyn Store, rows: &Rows) -> Result<Vec<String>, StoreError> {
    let mut broken = vec![];
    for _ in 0..LOOKS {
        broken = look(store, rows).await?;
        if broken.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(broken)
}

async fn look(store: &dyn Store, rows: &Rows) -> Result<Vec<String>, StoreError> {
    let report = verify(store, Checkpoints::new(vec![signer().verifier()]), |_| {}).await?;
    let is_about_signer = |finding: &&Finding| match &finding.wrong {
        Wrong::Unsigned => true,
        Wrong::Checkpoint { why, .. } => matches!(why, Unopened::Unverified(Unverified::Unknown { .. })),
        _ => false,
    };
    let mut broken: Vec<String> =
        report.findings.iter().filter(|finding| !is_about_signer(finding)).map(ToString::to_string).collect();
    let tree = store.tree().await?;
    if (tree.size(), tree.root()) != (report.verified.entries, report.verified.root) {
        broken.push("the tree is not that of the entries".to_owned());
    }
    let (placed, waiting, events) = (report.verified.entries, report.waiting, rows.events);
    if placed + waiting != events {
        broken.push(format!("of {events} events {placed} have a place in the log and {waiting} wait for one"));
    }
    Ok(broken)
}
