//! What must hold whatever the policy: a second judge agrees, denials only ever tighten, people cannot be got around.
//!
//! Each promise is put to ten thousand random cases, or to fifty thousand new ones with `COUNTERSIGN_FULL=1`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::match_same_arms,
    reason = "a test fails by panicking, and its name says what it shows"
)]

mod again;
mod agreement;
mod conditions;
mod generate;
mod hard_cases;
mod matching;
mod oracle;
mod people;
mod remembering;
mod tightening;

use proptest::test_runner::{Config, RngSeed};

/// The settings for a promise that is put to one case at a time.
fn cases() -> Config {
    config(1)
}

/// The settings for a promise about policies, each of which is asked several questions.
fn policies() -> Config {
    config(generate::QUESTIONS)
}

fn config(questions: usize) -> Config {
    let cases = if std::env::var_os("COUNTERSIGN_FULL").is_some() { 50_000 } else { 10_000 };
    let cases = cases / u32::try_from(questions).unwrap();
    // A case that fails becomes a test with a name; seeds are not kept.
    // The usual sample is always the same one; the full run draws fresh ones.
    let rng_seed = if std::env::var_os("COUNTERSIGN_FULL").is_some() { RngSeed::Random } else { RngSeed::Fixed(7) };
    Config { cases, failure_persistence: None, max_shrink_iters: 10_000, rng_seed, ..Config::default() }
}
