//! The bar, made to say which rule decided, as the judge does.

use bench_policy::by_hash::{ByHash, Prepared};
use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Workload};

struct Bar {
    rules: ByHash,
    /// Kept from call to call, as one would.
    found: Vec<usize>,
}

fn main() {
    run::<Bar>();
}

impl Engine for Bar {
    type Prepared = Prepared;

    fn build(workload: &Workload) -> Self {
        Self { rules: ByHash::build(workload), found: Vec::new() }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        ByHash::prepare(call)
    }

    fn judge(&mut self, call: &Self::Prepared) -> Answer {
        self.rules.named(call, &mut self.found)
    }
}
