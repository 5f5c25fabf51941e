//! What every engine's binary does: `ENGINE FORM SIZE` prints one line of JSON.

use crate::measure::{Measured, memory, processor_time, rate, singles};
use crate::workload::{Answer, Call, Form, Workload};
use bench_report::percentile;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// An engine with rules compiled into it.
pub trait Engine: Sized {
    /// A call as the engine takes it. Making it is not measured.
    type Prepared;

    /// Compiles the rules. Measured as one.
    fn build(workload: &Workload) -> Self;

    fn prepare(&self, call: &Call) -> Self::Prepared;

    fn judge(&mut self, call: &Self::Prepared) -> Answer;
}

/// Slow engines do not get to answer all calls before they are measured.
const CHECK_FOR: Duration = Duration::from_secs(2);

/// Measures the engine on the workload that the command line names.
pub fn run<E: Engine>() {
    let mut words = std::env::args().skip(1);
    let form = words.next().as_deref().and_then(Form::parse).expect("expected `patterns` or `priority`");
    let size = words.next().and_then(|size| size.parse().ok()).expect("expected a number of rules");
    let workload = Workload::new(form, size);
    println!("{}", serde_json::to_string(&measured::<E>(&workload)).expect("figures are JSON"));
}

fn measured<E: Engine>(workload: &Workload) -> Measured {
    let (began, before) = (processor_time(), memory());
    let mut engine = E::build(workload);
    let (build, memory) = (processor_time() - began, memory() - before);
    let calls: Vec<_> = workload.calls.iter().map(|call| (engine.prepare(call), call.expect)).collect();
    let (checked, wrong) = checked(&mut engine, &calls);
    let calls: Vec<_> = calls.into_iter().map(|(call, _)| call).collect();
    let mut judge = |call: &E::Prepared| {
        black_box(engine.judge(black_box(call)));
    };
    let per_second = rate(&calls, &mut judge);
    let singles = singles(&calls, &mut judge);
    let (p50, p99) = (percentile(&singles, 50), percentile(&singles, 99));
    Measured { per_second, p50, p99, samples: singles.len(), build, memory, checked, wrong }
}

/// How many answers were compared, and how many were wrong. Warms up what is made on first use.
fn checked<E: Engine>(engine: &mut E, calls: &[(E::Prepared, Answer)]) -> (usize, usize) {
    let begin = Instant::now();
    let (mut checked, mut wrong) = (0, 0);
    for (call, expect) in calls {
        checked += 1;
        wrong += usize::from(!engine.judge(call).agrees(*expect));
        if begin.elapsed() > CHECK_FOR {
            break;
        }
    }
    (checked, wrong)
}
