//! Limits: how far a run may go before it is ended.

use super::event::Failure;
use super::{Run, Usage};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How far a run may go. It keeps those that it started with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Turns of the model; [`MOST_TURNS`] if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Tokens, read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Milliseconds, while the run waits for nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// What it may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostLimit>,
}

/// What a run may cost, and what tokens cost, in millionths of whatever the prices are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostLimit {
    /// What it may cost at the most.
    pub most: u64,
    /// What a million tokens cost that the model reads.
    pub input: u64,
    /// What a million tokens cost that it writes.
    pub output: u64,
}

/// Turns after which a run is taken for one that goes round in circles, unless its agent was given another number.
pub const MOST_TURNS: u32 = 50;

impl Limits {
    /// Whether there is nothing but what always holds.
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

impl CostLimit {
    /// What these tokens cost, in millionths.
    pub fn of(&self, usage: Usage) -> u64 {
        let one = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let all = one(usage.input_tokens, self.input).saturating_add(one(usage.output_tokens, self.output));
        u64::try_from(all / 1_000_000).unwrap_or(u64::MAX)
    }
}

impl Run {
    /// The limit that it has come to, if it has. Looked at before the model is asked.
    pub(super) fn limit(&self) -> Option<Failure> {
        let Limits { turns, tokens, cost, .. } = self.started.limits;
        let turns = turns.unwrap_or(MOST_TURNS);
        let used = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        let reached = |code: &str, message: String| Some(Failure { code: code.to_owned(), message });
        if self.steps.len() >= turns as usize {
            return reached("LIMIT_TURNS", format!("the agent is not done after {turns} turns"));
        }
        if let Some(most) = tokens.filter(|most| used >= *most) {
            return reached("LIMIT_TOKENS", format!("the agent is not done after {used} tokens; {most} are allowed"));
        }
        if self.time_left() == Some(Duration::ZERO) {
            return Some(self.out_of_time());
        }
        let cost = cost.filter(|cost| cost.of(self.usage) >= cost.most)?;
        let (spent, most) = (money(cost.of(self.usage)), money(cost.most));
        reached("LIMIT_COST", format!("the agent is not done after a cost of {spent}; {most} is allowed"))
    }

    /// How long it may still work, where that is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let most = Duration::from_millis(self.started.limits.time_ms?);
        Some(most.saturating_sub(self.worked))
    }

    /// Why it ends when its time is over.
    pub fn out_of_time(&self) -> Failure {
        let most = Duration::from_millis(self.started.limits.time_ms.unwrap_or_default());
        let message = format!("the agent is not done after {most:?}, in which it waited for nobody");
        Failure { code: "LIMIT_TIME".into(), message }
    }
}

/// Millionths, as people write them.
fn money(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    let short = text.trim_end_matches('0');
    short.strip_suffix('.').unwrap_or(short).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_as_people_do() {
        for (millionths, expected) in [(0, "0"), (1, "0.000001"), (500_000, "0.5"), (12_340_000, "12.34")] {
            assert_eq!(money(millionths), expected);
        }
    }

    #[test]
    fn tokens_cost_what_a_million_of_them_does_and_never_overflow() {
        let cost = CostLimit { most: 1, input: 2_500_000, output: 10_000_000 };
        let usage = Usage { input_tokens: 1_000, output_tokens: 100 };
        assert_eq!(cost.of(usage), 3_500);
        let much = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX };
        assert_eq!(CostLimit { input: u64::MAX, output: u64::MAX, ..cost }.of(much), u64::MAX);
    }
}
