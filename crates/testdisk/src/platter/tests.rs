use super::*;
use std::sync::Arc;

const FILE: FileId = FileId(0);

fn made() -> Entry {
    Entry::Made { file: FILE, name: "a".into() }
}

fn wrote(at: usize, byte: u8, length: usize) -> Entry {
    Entry::Wrote { file: FILE, at, bytes: Arc::from(vec![byte; length]) }
}

fn image(record: &[Entry], loss: Loss, seed: u64) -> Option<Vec<u8>> {
    let mut platter = Platter::new(record, seed);
    platter.turn_to(record.len());
    platter.image(loss).files.remove("a")
}

#[test]
fn what_was_flushed_is_there_whatever_is_lost() {
    let record = [
        made(),
        wrote(0, 1, 1_000),
        Entry::Synced { file: FILE, covers: 2 },
        Entry::FolderSynced { covers: 3 },
        wrote(0, 2, 100),
    ];
    for seed in 0..50 {
        for loss in Loss::ALL {
            let bytes = image(&record, loss, seed).unwrap();
            assert_eq!(bytes.len(), 1_000);
            assert!(bytes[100..].iter().all(|byte| *byte == 1), "{loss:?}");
        }
    }
    assert_eq!(image(&record, Loss::Everything, 0).unwrap(), [1; 1_000]);
    assert_eq!(image(&record, Loss::Nothing, 0).unwrap()[..100], [2; 100]);
}

#[test]
fn a_name_is_there_for_good_only_after_its_folder_was_flushed() {
    let mut record = vec![made(), wrote(0, 1, 10), Entry::Synced { file: FILE, covers: 2 }];
    assert_eq!(image(&record, Loss::Everything, 0), None);
    let outcomes: Vec<_> = (0..50).map(|seed| image(&record, Loss::Torn, seed).is_some()).collect();
    assert!(outcomes.contains(&true) && outcomes.contains(&false));
    record.push(Entry::FolderSynced { covers: 3 });
    assert_eq!(image(&record, Loss::Everything, 0), Some(vec![1; 10]));
    record.push(Entry::Removed { name: "a".into() });
    assert_eq!(image(&record, Loss::Everything, 0), Some(vec![1; 10]));
    assert_eq!(image(&record, Loss::Nothing, 0), None);
}

#[test]
fn a_flush_covers_what_was_written_before_it_began() {
    let record = [
        made(),
        Entry::FolderSynced { covers: 1 },
        wrote(0, 1, 10),
        wrote(0, 2, 10),
        Entry::Synced { file: FILE, covers: 3 },
    ];
    assert_eq!(image(&record, Loss::Everything, 0), Some(vec![1; 10]));
}

#[test]
fn a_torn_write_is_cut_between_sectors() {
    let record = [made(), Entry::FolderSynced { covers: 1 }, wrote(100, 7, 2_000)];
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut bytes = image(&record, Loss::Torn, seed).unwrap();
        bytes.resize(2_100, 0);
        for (sector, part) in bytes.chunks(SECTOR).enumerate() {
            let part = if sector == 0 { &part[100..] } else { part };
            assert!(part.iter().all(|byte| byte == &part[0]), "sector {sector} is torn");
        }
        seen.insert(bytes.chunks(SECTOR).map(|part| part.last().copied()).collect::<Vec<_>>());
    }
    assert!(seen.len() > 20, "only {} ways to tear five sectors", seen.len());
}

#[test]
fn what_is_latter_is_lost_in_order() {
    let record = [made(), Entry::FolderSynced { covers: 1 }, wrote(0, 1, 1), wrote(1, 2, 1), wrote(2, 3, 1)];
    let seen: std::collections::BTreeSet<_> = (0..100).filter_map(|seed| image(&record, Loss::Latter, seed)).collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [vec![], vec![1], vec![1, 2], vec![1, 2, 3]]);
}

#[test]
fn no_later_flush_brings_back_what_a_failed_one_lost() {
    let mut record =
        vec![made(), Entry::FolderSynced { covers: 1 }, wrote(0, 1, 512), Entry::SyncFailed { file: FILE }];
    record.extend([wrote(512, 2, 512), Entry::Synced { file: FILE, covers: 5 }]);
    let first: Vec<_> = (0..50).map(|seed| image(&record, Loss::Nothing, seed).unwrap()[0]).collect();
    assert!(first.contains(&0) && first.contains(&1));
}
