//! Which traces are kept: `OTEL_TRACES_SAMPLER`.

use super::context::{Context, TraceId};

/// Who is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// Of traces that begin here, one in how many; from none to all.
    share: f64,
    /// Whether those that began elsewhere are kept as it was decided there.
    by_parent: bool,
}

/// The names of samplers.
pub const NAMES: [&str; 6] = [
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
];

impl Sampler {
    /// The sampler of this name, which keeps this share where it keeps one.
    pub fn named(name: &str, share: f64) -> Option<Self> {
        let (by_parent, rest) = match name.strip_prefix("parentbased_") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let share = match rest {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => share,
            _ => return None,
        };
        Some(Self { share, by_parent })
    }

    /// Whether a trace is kept. The same trace is kept or not by all who keep the same share.
    pub fn keeps(&self, trace: TraceId, parent: Option<Context>) -> bool {
        if let Some(parent) = parent.filter(|_| self.by_parent) {
            return parent.sampled;
        }
        if self.share >= 1.0 {
            return true;
        }
        let low = trace.0.last_chunk::<8>().copied().unwrap_or_default();
        let place = u64::from_be_bytes(low) >> 11;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let place = place as f64 / (1_u64 << 53) as f64;
        place < self.share
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::SpanId;
    use super::*;

    #[test]
    fn a_share_is_kept_and_a_parents_word_counts() {
        let trace = |last: u64| TraceId((u128::from(last) | 1 << 64).to_be_bytes());
        let (low, high) = (trace(u64::MAX / 10), trace(u64::MAX / 10 * 9));
        let said = |sampled| Some(Context { trace: low, span: SpanId([1; 8]), sampled });
        let half = Sampler::named("traceidratio", 0.5).unwrap();
        assert_eq!((half.keeps(low, None), half.keeps(high, None)), (true, false));
        assert!(half.keeps(low, said(false)));
        let half = Sampler::named("parentbased_traceidratio", 0.5).unwrap();
        assert_eq!((half.keeps(low, said(false)), half.keeps(high, said(true))), (false, true));
        assert_eq!((half.keeps(low, None), half.keeps(high, None)), (true, false));
        assert!(!Sampler::named("always_off", 1.0).unwrap().keeps(low, said(true)));
        assert!(Sampler::named("always_on", 0.0).unwrap().keeps(high, said(false)));
        assert!(NAMES.iter().all(|name| Sampler::named(name, 1.0).is_some()));
        assert_eq!(Sampler::named("sometimes", 1.0), None);
    }
}
