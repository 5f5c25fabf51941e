//! Every command that bash would have executed was reported with the same words, or the line was marked.

use crate::cage::{Cage, Executed};
use crate::lines::{Random, line, may_be_run};
use countersign_policy::command::{Analysis, Simple, Word};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const USUAL: usize = 5_000;
const FULL: usize = 1_000_000;

fn lines_to_run() -> usize {
    let named = std::env::var("COUNTERSIGN_LINES").ok().and_then(|count| count.parse().ok());
    named.unwrap_or(if std::env::var_os("COUNTERSIGN_FULL").is_some() { FULL } else { USUAL })
}

/// A sample that changes with the commit, and is named when it fails.
fn seed() -> u64 {
    let text = std::env::var("COUNTERSIGN_SEED").ok().or_else(|| {
        let head = std::process::Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
        String::from_utf8(head.stdout).ok().filter(|text| !text.trim().is_empty())
    });
    text.map_or(1, |text| text.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte))))
}

#[test]
fn bash_executes_nothing_that_was_neither_reported_nor_marked() {
    let (count, seed) = (lines_to_run(), seed());
    let (understood, executed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let surprises = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (understood, executed, surprises) = (&understood, &executed, &surprises);
            scope.spawn(move || {
                let cage = Cage::enter();
                let mut random = Random::new(seed.wrapping_add(worker));
                for _ in 0..count / 2 {
                    let line = line(&mut random);
                    let analysis = Analysis::of(&line);
                    if analysis.opaque.is_some() || !may_be_run(&line) {
                        continue;
                    }
                    understood.fetch_add(1, Ordering::Relaxed);
                    for status in [0, 1] {
                        let Some(ran) = cage.run(&line, status) else { continue };
                        executed.fetch_add(usize::from(!ran.is_empty()), Ordering::Relaxed);
                        surprises.lock().unwrap().extend(unreported(&line, &analysis, &ran));
                    }
                }
            });
        }
    });
    let (understood, executed, surprises) =
        (understood.into_inner(), executed.into_inner(), surprises.into_inner().unwrap());
    assert!(
        surprises.is_empty(),
        "seed {seed}: {} surprises, such as\n{}",
        surprises.len(),
        surprises.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    // A test in which bash runs nothing, or nothing is understood, would prove nothing.
    assert!(
        understood * 4 > count && executed * 2 > understood,
        "{understood} of {count} lines understood, {executed} runs executed something"
    );
}

/// What bash executed and was not reported.
fn unreported(line: &str, analysis: &Analysis, ran: &Executed) -> Vec<String> {
    let missing = ran.iter().filter(|words| !analysis.commands.iter().any(|command| fits(command, words)));
    missing.map(|words| format!("{line:?} executed {words:?}, reported {:?}", shown(analysis))).collect()
}

fn shown(analysis: &Analysis) -> Vec<Vec<&str>> {
    analysis.commands.iter().map(|command| command.words.iter().map(|word| &*word.text).collect()).collect()
}

/// Whether `command` is what bash executed: literal words the same, others anything.
fn fits(command: &Simple, executed: &[String]) -> bool {
    words_fit(&command.words, executed)
}

fn words_fit(words: &[Word], executed: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return executed.is_empty() };
    if word.is_literal() {
        return executed.first() == Some(&word.text) && words_fit(rest, &executed[1..]);
    }
    (0..=executed.len()).any(|taken| words_fit(rest, &executed[taken..]))
}

#[test]
fn the_cage_tells_what_would_have_run() {
    let told = std::thread::spawn(|| {
        let cage = Cage::enter();
        let run = |line: &str| cage.run(line, 0).unwrap();
        assert_eq!(run("aa 'b c' && dd"), [vec!["aa", "b c"], vec!["dd"]]);
        assert_eq!(run("PATH=/bin ls; export PATH=/bin; /bin/ls"), [vec!["ls"], vec!["export", "PATH=/bin"]]);
        assert_eq!(run("cd /; rm -rf x"), [vec!["cd", "/"], vec!["rm", "-rf", "x"]]);
        assert!(std::fs::write("/tmp/outside-the-cage", "x").is_err(), "nothing is written outside");
        assert!(std::process::Command::new("/bin/ls").status().is_err(), "nothing else is executed");
    });
    told.join().unwrap();
}
