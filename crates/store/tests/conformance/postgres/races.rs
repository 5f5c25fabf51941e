//! Races between processes: each has connections of its own.

use super::{fresh, open};
use crate::fixture::{Tale, answered, at};
use countersign_domain::interaction::Decision;
use countersign_runtime::ports::{Save, Store, Take};
use std::time::Duration;

/// Who answers wants to take the run, and a worker elsewhere looks for work: one of them gets it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_taken_or_claimed() {
    let (database, here) = fresh().await;
    let there = open(&database.url()).await;
    let (mut taken, mut claimed) = (0, 0);
    for _ in 0..200 {
        // Both questions are answered at once; after the first the run has something to do.
        let (tale, asked) = Tale::waiting(&here, at(0), 2).await;
        let (first, run) = tale.next(answered(asked[0], Decision::Approve, "bob"), at(1));
        here.save(first).await.unwrap();
        let (second, _) = Tale { run, claim: None }.next(answered(asked[1], Decision::Approve, "bob"), at(2));
        let minute = Duration::from_mins(1);
        let second = Save { take: Some(Take { lease: minute, fence: None }), ..second };
        let (saved, found) = tokio::join!(here.save(second), there.claim(minute, &[], 1));
        let (saved, found) = (saved.unwrap(), found.unwrap());
        assert_eq!(saved.iter().chain(&found).count(), 1, "{saved:?} {found:?}");
        taken += saved.iter().count();
        claimed += found.len();
        let claim = saved.into_iter().chain(found).next().unwrap();
        assert_eq!((claim.run, claim.fence), (tale.run.id, 1));
        there.renew(claim, minute).await.unwrap();
        let mut last = Tale { run: here.load(claim.run).await.unwrap().unwrap(), claim: Some(claim) };
        last.then(&here, crate::fixture::failed(), at(3)).await.unwrap();
    }
    assert!(taken > 0 && claimed > 0, "{taken} taken, {claimed} claimed: no race");
}
