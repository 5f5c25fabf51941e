//! Loss of power: after it, at whatever moment, all that was acknowledged is there, and nothing is half there.

mod ledger;
mod real;
mod trouble;
mod workload;

use countersign_store::Sqlite;
use countersign_testdisk::{Dice, Disk, Entry, Image, Loss, Platter};
use countersign_testkit::seed;
use ledger::Ledger;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinSet;
use workload::{Bench, empty_the_log};

/// The name of the file on every disk here.
const FILE: &str = "countersign.db";

/// Runs that each writer sees through before the store is closed: enough for the writer to empty the log by itself.
const RUNS: u64 = 8;

/// Runs that each writer sees through after that.
const MORE_RUNS: u64 = 2;

/// Images that are looked at at once.
const AT_ONCE: usize = 4;

/// A moment at which the power went, and what was found afterwards.
struct Finding {
    moment: usize,
    loss: Loss,
    wrong: Vec<String>,
    /// Where the files are kept.
    kept: PathBuf,
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { moment, loss, wrong, kept } = self;
        write!(f, "{loss:?} at {moment}, kept in {}: {wrong:#?}", kept.display())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loss_of_power_loses_nothing_that_was_acknowledged() {
    let images = if std::env::var_os("COUNTERSIGN_FULL").is_some() { 2_000 } else { 300 };
    let seed = seed();
    let folder = tempfile::tempdir().unwrap();
    let (record, ledger) = worked(folder.path(), Disk::over(folder.path()).unwrap(), seed).await;
    let findings = findings(&record, &ledger, seed, images).await;
    assert!(findings.is_empty(), "with COUNTERSIGN_SEED={seed:012x}, {} of {images}: {findings:#?}", findings.len());
}

/// The harness finds what is lost where a disk says that it has flushed and has not: all files, or only the log, which is
/// what happens where commits are not flushed at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_forgets_is_found_out() {
    for forgotten in ["", "-wal"] {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::that_forgets(folder.path(), forgotten).unwrap();
        let (record, ledger) = worked(folder.path(), disk, 7).await;
        let findings = findings(&record, &ledger, 7, 60).await;
        let lost =
            findings.iter().filter(|finding| finding.wrong.iter().any(|wrong| wrong.contains("was acknowledged")));
        assert!(lost.count() > 10, "`{forgotten}`: {findings:#?}");
        for finding in findings {
            std::fs::remove_dir_all(finding.kept).unwrap();
        }
    }
}

/// A disk on which a store has worked, was closed, opened, and worked again while another emptied its log.
async fn worked(folder: &Path, disk: Disk, seed: u64) -> (Vec<Entry>, Arc<Ledger>) {
    let path = folder.join(FILE);
    let mut bench = Bench::over(folder, disk);
    bench.busy(seed, RUNS, |_| {}).await;
    bench = bench.reopened(&path).await;
    let emptied = path.clone();
    bench.busy(seed.wrapping_add(1_000), MORE_RUNS, move |dice| empty_the_log(&emptied, dice)).await;
    let Bench { disk, ledger, .. } = bench.reopened(&path).await;
    closed(&disk).await;
    assert_eq!(ledger.wrong_at(&path, usize::MAX).await, Vec::<String>::new(), "before any loss");
    (disk.record(), ledger)
}

/// Waits for the writer and the readers to close their files.
async fn closed(disk: &Disk) {
    for _ in 0..1_000 {
        if disk.open_files() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the store was never closed");
}

/// What so many images show, spread evenly over the flushes of `record`.
async fn findings(record: &[Entry], ledger: &Arc<Ledger>, seed: u64, images: usize) -> Vec<Finding> {
    let mut dice = Dice::new(seed);
    let mut platter = Platter::new(record, seed);
    let mut moments: Vec<usize> = (0..images).map(|n| moment(record, n, images, &mut dice)).collect();
    moments.sort_unstable();
    let (mut looks, mut findings) = (JoinSet::new(), vec![]);
    for moment in moments {
        platter.turn_to(moment);
        let loss =
            [Loss::Nothing, Loss::Everything, Loss::Everything, Loss::Latter, Loss::Torn, Loss::Torn][dice.below(6)];
        let (image, ledger, stale) = (platter.image(loss), Arc::clone(ledger), dice.any());
        looks.spawn(async move { look(&image, &ledger, moment, loss, stale).await });
        if looks.len() >= AT_ONCE {
            findings.extend(looks.join_next().await.and_then(Result::unwrap));
        }
    }
    while let Some(found) = looks.join_next().await {
        findings.extend(found.unwrap());
    }
    findings
}

/// The `n`th of so many moments: just before or after a flush, or anywhere between it and the next one.
fn moment(record: &[Entry], n: usize, of: usize, dice: &mut Dice) -> usize {
    let flush = |entry: &Entry| matches!(entry, Entry::Synced { .. } | Entry::FolderSynced { .. });
    let flushes: Vec<usize> = record.iter().enumerate().filter(|(_, entry)| flush(entry)).map(|(i, _)| i).collect();
    let Some(at) = flushes.get(n * flushes.len() / of).copied() else { return dice.below(record.len() + 1) };
    let next = flushes.iter().copied().find(|flush| *flush > at).unwrap_or(record.len());
    match dice.below(4) {
        0 => at,
        1 => at + 1,
        _ => at + 1 + dice.below(next - at),
    }
}

/// Opens what is left, as the program does when the power is back.
async fn look(image: &Image, ledger: &Ledger, moment: usize, loss: Loss, stale: u64) -> Option<Finding> {
    let folder = TempDir::with_prefix("power-").unwrap();
    image.write_to(folder.path()).unwrap();
    if stale.is_multiple_of(3) {
        // The index of the log was in memory: anything may be left of it.
        let mut dice = Dice::new(stale);
        let bytes: Vec<u8> = (0..32_768).map(|_| dice.any().to_le_bytes()[0]).collect();
        std::fs::write(folder.path().join(format!("{FILE}-shm")), bytes).unwrap();
    }
    // For speed: it flushes nothing.
    let disk = Disk::over(folder.path()).unwrap();
    let path = folder.path().join(FILE);
    let mut wrong = ledger.wrong_at(&path, moment).await;
    if wrong.is_empty() && !ledger::works_on(&Sqlite::open(&path).unwrap()).await {
        wrong.push("it does not work on".to_owned());
    }
    drop(disk);
    (!wrong.is_empty()).then(|| Finding { moment, loss, wrong, kept: folder.keep() })
}
