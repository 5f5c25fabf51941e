//! What the record costs, and how quickly it is verified and exported.
//!
//!     record [FILE] [ENTRIES]
//!
//! FILE is docs/reference/benchmarks.md unless told, ENTRIES a million.

mod rates;
mod tale;

use bench_report::{machine, median, thousands, times, write};
use countersign_api::audit::{Export, Filter, Format};
use countersign_domain::audit::checkpoint::Checkpoint;
use countersign_domain::audit::verify::Checkpoints;
use countersign_domain::audit::{Entry, Payload, SignerKey, Stream};
use countersign_domain::run::Event;
use countersign_runtime::audit::verify;
use countersign_runtime::ports::{Save, SignedTree, Store};
use countersign_store::Sqlite;
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::sync::Arc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Savers at once.
const CLIENTS: usize = 32;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let page = words.next().unwrap_or_else(|| "docs/reference/benchmarks.md".into());
    let entries: usize = words.next().map_or(Ok(1_000_000), |word| word.parse())?;
    let folder = tempfile::tempdir_in(".")?;
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&folder.path().join("countersign.db"))?);
    let (saving, saved) = fill(&store, entries).await?;
    let began = processor_time();
    let mut placed = 0;
    loop {
        let longer = store.place(1_000).await?.size();
        if longer == placed {
            break;
        }
        placed = longer;
    }
    let placing = (processor_time() - began) / saved as f64;
    let key = SignerKey::new("bench", [7; 32])?;
    let tree = store.tree().await?;
    let note = Checkpoint::new("bench", tree.size(), tree.root())?.sign(&key)?;
    store.keep_checkpoint(SignedTree { size: tree.size(), note }, store.now().await?).await?;
    let began = processor_time();
    let report = verify(&*store, Checkpoints::new(vec![key.verifier()]), |_| {}).await?;
    let verifying = (processor_time() - began) / saved as f64;
    if report.wrong > 0 || report.verified.entries != saved as u64 {
        return Err(format!("the log is not whole: {report:?}").into());
    }
    let mut exports = vec![];
    for (name, format) in [("jsonl", Format::Jsonl), ("csv", Format::Csv), ("json", Format::Json)] {
        let (began, mut export, mut bytes) = (processor_time(), Export::new(format, Filter::default()), 0);
        while let Some(part) = export.part(&*store).await? {
            bytes += part.len();
        }
        exports.push((name, saved as f64 / (processor_time() - began), bytes));
    }
    let hashing = hashing()?;
    let rates: Vec<_> = std::iter::once(rates::sqlite(folder.path()).await?).chain(rates::postgres().await?).collect();
    let figures = Figures { rates, saved, saving, placing, hashing, verifying, exports, memory: memory() };
    write(Path::new(&page), "bench-record", &figures.report(&machine()))?;
    println!("wrote {page}");
    Ok(())
}

struct Figures {
    rates: Vec<rates::Rates>,
    saved: usize,
    /// Seconds of the processor for each entry.
    saving: f64,
    placing: f64,
    hashing: f64,
    verifying: f64,
    exports: Vec<(&'static str, f64, usize)>,
    memory: f64,
}

impl Figures {
    fn report(&self, machine: &str) -> String {
        let micro = |seconds: f64| format!("{:.2} µs", seconds * 1e6);
        let met = |met: bool| if met { "" } else { " (missed)" };
        let adds = self.hashing + self.placing;
        let share = adds / (self.saving + self.placing);
        let hashing = self.hashing / self.saving;
        let million = self.verifying * 1e6;
        let slowest = self.exports.iter().map(|(_, rate, _)| *rate).fold(f64::INFINITY, f64::min);
        let mut out = format!(
            "## The record (`make bench-record`)\n\n{machine}.\n\nA log of {} entries on SQLite, from runs of one call that is \
             asked about, approved and executed. Processor time of the whole process; `bench/record/README.md` says how.\n\n",
            thousands(self.saved as f64)
        );
        out += "| what | aim | measured |\n|---|---|---|\n";
        out += &format!(
            "| of the processor's time to save an entry, what parting, hashing and placing it takes | at most 0.25 | {}{} |\n",
            times(share),
            met(share <= 0.25)
        );
        for rates in &self.rates {
            // What computing leaves takes of the processor comes on top of what giving places takes of the rate.
            let cost = 1.0 - (1.0 - rates.cost()) * (1.0 - hashing);
            out += &format!(
                "| of the rate of 32 savers on {}, what the record takes ({} of {} entries a second, and {} for hashing) | at \
                 most 0.25 | {}{} |\n",
                rates.engine,
                thousands(rates.with),
                thousands(rates.without),
                times(hashing),
                times(cost),
                met(cost <= 0.25)
            );
        }
        out += &format!(
            "| a million entries verified | at most 10 s of one core | {:.1} s{} |\n",
            million,
            met(million <= 10.0)
        );
        out += &format!(
            "| entries exported a second of one core, the slowest format | at least 100,000 | {}{} |\n\n",
            thousands(slowest),
            met(slowest >= 100_000.0)
        );
        out += &format!(
            "For each entry: saving {}, of which parting and hashing {}; placing {}; verifying {}. The process had {:.0} MiB \
             when it was done.\n\n| format | entries a second | MiB |\n|---|---|---|\n",
            micro(self.saving),
            micro(self.hashing),
            micro(self.placing),
            micro(self.verifying),
            self.memory
        );
        for (name, rate, bytes) in &self.exports {
            out += &format!("| {name} | {} | {} |\n", thousands(*rate), thousands(*bytes as f64 / f64::from(1 << 20)));
        }
        out
    }
}

/// Saves runs until there are so many entries, and says what saving one took.
async fn fill(store: &Arc<dyn Store>, entries: usize) -> Result<(f64, usize), Failure> {
    let now = store.now().await?;
    let of_one: usize = tale::steps(now)?.iter().map(|step| step.events.len()).sum();
    let runs = entries.div_ceil(of_one).div_ceil(CLIENTS);
    let began = processor_time();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..CLIENTS {
        let store = Arc::clone(store);
        clients.spawn(async move {
            for _ in 0..runs {
                for step in tale::steps(now)? {
                    store.save(Save::of(step, now)).await?;
                }
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(done) = clients.join_next().await {
        done??;
    }
    let saved = runs * CLIENTS * of_one;
    Ok(((processor_time() - began) / saved as f64, saved))
}

/// What parting and hashing an entry takes: the median of many rounds.
fn hashing() -> Result<f64, Failure> {
    let now: Timestamp = "2026-01-01T00:00:00Z".parse()?;
    let steps = tale::steps(now)?;
    let events: Vec<Event> = steps.iter().flat_map(|step| step.events.clone()).collect();
    let run = steps.first().map(|step| step.run.id).ok_or("a run has steps")?;
    let mut rounds = vec![];
    for _ in 0..200 {
        let copies = events.clone();
        let texts: Vec<String> = events.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let began = processor_time();
        for ((seq, mut event), data) in (1..).zip(copies).zip(texts) {
            let texts = event.take_texts();
            let payload = if texts.is_empty() {
                Payload::None
            } else {
                Payload::Kept { salt: [1; 16], texts: serde_json::to_string(&texts)? }
            };
            let kind = event.word().to_owned();
            let entry = Entry { of: Stream::Run(run), seq, at: now, step: Some(1), kind, data, payload };
            std::hint::black_box(entry.leaf());
        }
        rounds.push((processor_time() - began) / events.len() as f64);
    }
    Ok(median(rounds))
}

fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// What this process has in memory, in MiB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(f64::NAN) / 1024.0
}
