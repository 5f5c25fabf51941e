//! Measures by this thread's processor time, so that other work on the machine counts as little as possible.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What was measured of one engine on one workload in one process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Judgements in a second of processor time.
    pub per_second: f64,
    /// Of single judgements, in nanoseconds.
    pub p50: f64,
    pub p99: f64,
    pub samples: usize,
    /// Processor time of reading and compiling the rules, in seconds.
    pub build: f64,
    /// Memory by which the process grew meanwhile, in MiB.
    pub memory: f64,
    pub checked: usize,
    pub wrong: usize,
}

/// Long enough for a stable figure, short enough for all engines.
const RATE_FOR: f64 = 0.3;
const SINGLES_FOR: Duration = Duration::from_millis(400);
const BATCH: Duration = Duration::from_micros(100);

/// Processor time of this thread, in seconds.
pub fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Resident memory of this process, in MiB.
pub fn memory() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.and_then(|all| all.split_whitespace().nth(1)?.parse::<f64>().ok());
    resident.unwrap_or_default() * rustix::param::page_size() as f64 / f64::from(1 << 20)
}

/// Judgements a second over whole rounds of `calls`, or over as many as there was time for.
pub fn rate<C>(calls: &[C], mut judge: impl FnMut(&C)) -> f64 {
    let begin = processor_time();
    let (mut done, mut spent) = (0_usize, 0.0);
    while spent < RATE_FOR {
        // Reading the clock takes long, so it is read seldom where judgements are quick.
        let quick = done > 0 && spent / (done as f64) < 1e-5;
        for call in calls.iter().cycle().skip(done % calls.len()).take(if quick { calls.len() } else { 1 }) {
            judge(call);
            done += 1;
        }
        spent = processor_time() - begin;
    }
    done as f64 / spent
}

/// The time of single judgements, in nanoseconds, ascending.
///
/// The processor clock takes longer to read than a quick judgement takes, so those are timed by the wall clock in
/// batches, and a batch counts only if its time was processor time: nothing else ran in between.
pub fn singles<C>(calls: &[C], mut judge: impl FnMut(&C)) -> Vec<f64> {
    let own = clock_reading();
    let (mut kept, mut batch) = (Vec::new(), Vec::new());
    let mut calls = calls.iter().cycle();
    let begin = Instant::now();
    while begin.elapsed() < SINGLES_FOR {
        batch.clear();
        let (processor, wall) = (processor_time(), Instant::now());
        for call in calls.by_ref() {
            let before = Instant::now();
            judge(call);
            batch.push((before.elapsed().as_nanos() as f64 - own).max(0.0));
            if wall.elapsed() > BATCH {
                break;
            }
        }
        let (wall, processor) = (wall.elapsed().as_secs_f64(), processor_time() - processor);
        match &*batch {
            // A quick one that is alone was interrupted.
            [_] if processor > BATCH.as_secs_f64() => kept.push(processor * 1e9),
            [_] => {}
            _ if wall < processor * 1.02 => kept.extend(&batch),
            _ => {}
        }
    }
    kept.sort_by(f64::total_cmp);
    kept
}

/// What reading the wall clock itself takes, in nanoseconds.
fn clock_reading() -> f64 {
    let mut empty: Vec<_> = (0..10_001).map(|_| black_box(Instant::now()).elapsed().as_nanos() as f64).collect();
    empty.sort_by(f64::total_cmp);
    empty[empty.len() / 2]
}
