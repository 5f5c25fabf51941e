//! Every command that bash would have executed was reported with the same words, or the line was marked.

use crate::batch::MOST_RUNS;
use crate::cage::{Cage, Executed, MOST_COMMANDS, Run, caged};
use crate::lines::{Random, line, may_be_run};
use countersign_policy::command::{Analysis, Simple, Word};
use std::num::NonZero;
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
#[expect(clippy::print_stdout, reason = "what a campaign was worth is read in its output")]
fn bash_executes_nothing_that_was_neither_reported_nor_marked() {
    let (count, seed) = (lines_to_run(), seed());
    let campaign = Campaign::default();
    let workers = std::thread::available_parallelism().map_or(2, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| caged(|cage| campaign.work(cage, seed, count)));
        }
    });
    let surprises = campaign.surprises.into_inner().unwrap();
    let tally = campaign.tally.into_inner().unwrap();
    println!("seed {seed}: {count} lines, {tally:?}");
    assert!(
        surprises.is_empty(),
        "seed {seed}: {} surprises, such as\n{}",
        surprises.len(),
        surprises.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    // A test in which bash runs nothing, or nothing is understood, would prove nothing.
    assert!(tally.understood * 4 > count && tally.executed * 2 > tally.understood, "of {count} lines {tally:?}");
}

#[derive(Default)]
struct Campaign {
    next: AtomicUsize,
    surprises: Mutex<Vec<String>>,
    tally: Mutex<Tally>,
}

/// How many lines were what.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    understood: usize,
    marked: usize,
    /// Marked by nobody, but not for the cage.
    left_out: usize,
    /// Executed something, with at least one of the two statuses.
    executed: usize,
    /// Did not end in time.
    endless: usize,
}

/// Two runs a line.
const LINES_AT_ONCE: usize = MOST_RUNS / 2;

impl Campaign {
    fn work(&self, cage: &Cage, seed: u64, count: usize) {
        loop {
            let first = self.next.fetch_add(LINES_AT_ONCE, Ordering::Relaxed);
            if first >= count {
                return;
            }
            let last = count.min(first + LINES_AT_ONCE);
            self.compare(cage, (first..last).map(|number| line(&mut Random::of(seed, number))).collect());
        }
    }

    fn compare(&self, cage: &Cage, lines: Vec<String>) {
        let all = lines.len();
        let mut analysed: Vec<(String, Analysis)> =
            lines.into_iter().map(|line| (line.clone(), Analysis::of(&line))).collect();
        analysed.retain(|(_, analysis)| analysis.opaque.is_none());
        let understood = analysed.len();
        analysed.retain(|(line, _)| may_be_run(line));
        let runs: Vec<Vec<Run>> = analysed.iter().map(|(line, _)| ways(line)).collect();
        let mut told = cage.run_all(&runs.concat()).into_iter();
        let told = runs.iter().map(|runs| {
            let together: Vec<_> = told.by_ref().take(runs.len()).collect();
            let own = runs.iter().any(|run| needs_its_own(&run.0));
            if own { runs.iter().map(|run| cage.run(&run.0, run.1)).collect() } else { together }
        });
        let pairs: Vec<_> = analysed.iter().zip(told).collect();
        {
            let mut tally = self.tally.lock().unwrap();
            tally.understood += understood;
            tally.marked += all - understood;
            tally.left_out += understood - analysed.len();
            tally.endless += pairs.iter().filter(|(_, told)| told.contains(&None)).count();
            tally.executed += pairs.iter().filter(|(_, told)| told.iter().flatten().any(|ran| !ran.is_empty())).count();
        }
        for ((line, analysis), told) in pairs {
            let surprises = told.iter().flatten().flat_map(|ran| unreported(line, analysis, ran));
            self.surprises.lock().unwrap().extend(surprises);
        }
    }
}

/// Whether a line needs a bash of its own: after an expansion that fails, that one goes on with the next line, and one that runs
/// many does not.
fn needs_its_own(line: &str) -> bool {
    line.contains('\n') && (line.contains("$((") || line.contains("${"))
}

/// The line with commands that succeed and, if it looks at how they end, with commands that fail.
fn ways(line: &str) -> Vec<Run> {
    let joined = line.replace("\\\n", "");
    let looks = ["&&", "||", "if", "while", "until"].iter().any(|sign| joined.contains(sign));
    (0..=u8::from(looks)).map(|status| (line.to_owned(), status)).collect()
}

/// What is told of a line does not depend on whether it had a bash of its own.
#[test]
fn many_lines_in_one_bash_are_told_as_each_in_its_own() {
    let (count, seed) = (lines_to_run() / 50, seed());
    let differences = caged(|cage| {
        let lines: Vec<String> = (0..count)
            .map(|number| line(&mut Random::of(seed, number)))
            .filter(|line| Analysis::of(line).opaque.is_none() && may_be_run(line))
            // The numbers of processes cannot be the same, and whether a file that is read has been written by then is chance.
            .filter(|line| !["$$", "${$}", "$!", "${!}", "< f"].iter().any(|part| line.contains(part)))
            .filter(|line| !needs_its_own(line))
            .collect();
        let runs: Vec<Run> = lines.iter().flat_map(|line| ways(line)).collect();
        let together = runs.chunks(MOST_RUNS).flat_map(|runs| cage.run_all(runs));
        // Who is first in a pipeline, and who loses its reader, is chance: a difference must show more than once.
        let alone = |run: &Run, together: &Executed| {
            let mut tries = (0..3).map(|_| cage.run(&run.0, run.1));
            let last = tries.next()?;
            let differs = |alone: &Option<Executed>| alone.as_ref().is_some_and(|alone| !same(alone, together));
            (differs(&last) && tries.all(|alone| differs(&alone))).then_some(last)
        };
        let pairs = runs.iter().zip(together).filter_map(|(run, together)| Some((run, together?)));
        pairs
            .filter_map(|(run, together)| Some(format!("{run:?}: {together:?}, alone {:?}", alone(run, &together)?)))
            .collect::<Vec<_>>()
    });
    assert!(differences.is_empty(), "seed {seed}: {}", differences.join("\n"));
}

/// The same word, whichever numbers the descriptors in it have.
fn without_descriptors(word: &str) -> String {
    let mut parts = word.split("/dev/fd/");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, after| {
        before + "/dev/fd/" + after.trim_start_matches(|digit: char| digit.is_ascii_digit())
    })
}

/// Whether the same was executed; of loops without end only how they begin is told. The number of a descriptor, and
/// whether a glob finds the one file there may be, depends on which of two processes is first.
fn same(one: &Executed, other: &Executed) -> bool {
    let timeless = |word: &String| match &**word {
        "f" | "?" | "*" => "f".to_owned(),
        word => without_descriptors(word),
    };
    let sorted = |ran: &Executed| {
        let mut ran: Executed = ran.iter().map(|words| words.iter().map(timeless).collect()).collect();
        ran.sort();
        // What was being told of when it was stopped is missing.
        if ran.len() > MOST_COMMANDS / 2 {
            ran.dedup();
        }
        ran
    };
    sorted(one) == sorted(other)
}

/// A line that disturbs its shell, or the one that started it, changes nothing for those after it.
#[test]
fn no_line_disturbs_the_next() {
    caged(|cage| {
        let disturbing = [
            "exit 3",
            "kill -9 $PPID",
            "kill 0",
            "trap aa EXIT",
            "true() { aa; }; true",
            "alias bb=aa",
            "shopt -s extglob",
            "exec 1>&-",
            "while true; do :; done & ",
            "while true; do aa; done",
            "set -e; false",
            "FUNCNEST=0; PATH=x",
            "x=1; f() { f; }; f",
            "aa > f; cd x",
            "printf() { :; }; aa",
            "enable -n printf",
            "enable printf",
            "unset -f command_not_found_handle; aa",
            ") aa",
            "'",
            "<<E",
            "readonly x; x=2",
            "aa | while true; do :; done",
        ];
        let after = "bb $x ?; printf x";
        let runs: Vec<Run> =
            disturbing.iter().flat_map(|line| [((*line).to_owned(), 0), (after.to_owned(), 0)]).collect();
        let told = cage.run_all(&runs);
        for (line, told) in disturbing.iter().zip(told.chunks(2)) {
            assert_eq!(told[1], Some(vec![vec!["bb".to_owned(), "?".to_owned()]]), "after {line}");
        }
    });
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
    caged(|cage| {
        let run = |line: &str| cage.run(line, 0).unwrap();
        assert_eq!(run("aa 'b c' && dd"), [vec!["aa", "b c"], vec!["dd"]]);
        assert_eq!(run("PATH=/bin ls; export PATH=/bin; /bin/ls"), [vec!["ls"], vec!["export", "PATH=/bin"]]);
        assert_eq!(run("cd /; rm -rf x"), [vec!["cd", "/"], vec!["rm", "-rf", "x"]]);
        assert!(std::fs::write("/tmp/outside-the-cage", "x").is_err(), "nothing is written outside");
        assert!(std::process::Command::new("/bin/ls").status().is_err(), "nothing else is executed");
        assert!(std::net::TcpListener::bind("127.0.0.1:0").is_err(), "no network is reached");
    });
}
