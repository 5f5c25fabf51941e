//! Disks that are full, read-only or broken: whoever asks is told, nothing is lost or half there, and when the trouble is
//! over work goes on by itself.

use super::ledger::works_on;
use super::workload::{Bench, empty_the_log};
use super::{FILE, closed, findings};
use crate::fixture::{Tale, answered, asked, end_of_questions, said};
use countersign_domain::interaction::Decision;
use countersign_domain::run::Input;
use countersign_runtime::ports::{Store, StoreError};
use countersign_testdisk::{Dice, Disk, Trouble};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const TROUBLES: [Trouble; 3] = [Trouble::Full, Trouble::ReadOnly, Trouble::Broken];

/// The disk fails at the first change of each save, then at the second, and so on, until the save is done; once until it is
/// mended, and once for this change only. Meanwhile one can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trouble_at_every_change_loses_nothing_and_passes() {
    for trouble in TROUBLES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let bench = Bench::over(folder.path(), Disk::over(folder.path()).unwrap());
        let mut told = 0;
        for n in 0..4 {
            let mut tale = bench.begin().await;
            let call = tale.proposal(0, json!({"text": "x".repeat(n * 700)}));
            let mut save = async |input: &dyn Fn(usize) -> Input| {
                told += troubled(&bench, &mut tale, input, trouble).await;
                tale.run.open_interactions().first().map(|open| open.id)
            };
            save(&|_| said(vec![call.clone()])).await;
            save(&|_| asked(&call, end_of_questions())).await;
            let open = save(&|_| Input::Slept).await.unwrap();
            // What was lost is not what is tried next.
            let decisions = [Decision::Reject, Decision::Approve];
            save(&|attempt| answered(open, decisions[attempt % 2], "bob")).await;
            save(&|_| Input::Resumed).await;
        }
        // A save is one write and one flush, and a disk that is full flushes all the same.
        let changes = if trouble == Trouble::Broken { 2 } else { 1 };
        assert!(told >= 4 * 5 * 2 * changes, "{trouble:?} was told only {told} times");
        assert!(works_on(&bench.store).await);
        end(bench, &path, trouble).await;
    }
}

/// Now there is trouble and now there is not, while several write and the log is emptied.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trouble_that_comes_and_goes_under_load_loses_nothing() {
    for trouble in TROUBLES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let bench = Bench::over(folder.path(), Disk::over(folder.path()).unwrap());
        let (disk, emptied) = (Arc::clone(&bench.disk), path.clone());
        let saboteur = move |dice: &mut Dice| {
            disk.fails(trouble, dice.below(30)..);
            if dice.chance(50) {
                empty_the_log(&emptied, dice);
            }
            std::thread::sleep(Duration::from_millis(dice.any() % 20));
            disk.recovers();
        };
        bench.busy(11, 3, saboteur).await;
        assert!(works_on(&bench.store).await);
        end(bench, &path, trouble).await;
    }
}

/// All that was acknowledged is there when the store is closed, and would be after a loss of power.
async fn end(bench: Bench, path: &Path, trouble: Trouble) {
    let Bench { store, disk, ledger } = bench;
    drop(store);
    closed(&disk).await;
    assert_eq!(ledger.wrong_at(path, usize::MAX).await, Vec::<String>::new(), "{trouble:?}");
    let found = findings(&disk.record(), &ledger, 7, 20).await;
    assert!(found.is_empty(), "{trouble:?}, and then a loss of power: {found:#?}");
}

/// Saves what comes of `input` with a trouble at each change in turn, and says how often somebody was told.
async fn troubled(bench: &Bench, tale: &mut Tale, input: &dyn Fn(usize) -> Input, trouble: Trouble) -> usize {
    let mut told = 0;
    loop {
        let (first, change) = (bench.disk.changes(), told / 2);
        match told % 2 {
            0 => bench.disk.fails(trouble, change..),
            _ => bench.disk.fails(trouble, change..=change),
        }
        let saved = bench.then(tale, &[input(told)]).await;
        let read = bench.store.load(tale.run.id).await;
        assert!(matches!(&read, Ok(Some(run)) if *run == tale.run), "{trouble:?} keeps from reading: {read:?}");
        let met = bench.disk.changes() - first > change;
        bench.disk.recovers();
        let Err(error) = saved else { return told };
        assert!(met, "it failed without trouble: {error}");
        expect(trouble, &error);
        told += 1;
    }
}

fn expect(trouble: Trouble, error: &StoreError) {
    let as_expected = match trouble {
        Trouble::Full => matches!(error, StoreError::Full(_)),
        // `SQLite` and the system know of no more than a failed write.
        Trouble::ReadOnly | Trouble::Broken => matches!(error, StoreError::Unavailable(_)),
    };
    assert!(as_expected, "{trouble:?}: {error:?}");
}
