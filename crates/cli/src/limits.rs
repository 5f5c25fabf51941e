//! The limits of an agent's runs, as the configuration says them.

use crate::config::{LimitsConfig, PriceConfig};
use countersign_domain::run::{CostLimit, Limits};
use countersign_policy::{Place, Problem};

/// The most turns that a run can be given: a run is folded from its events whenever somebody takes it up.
const MOST: u32 = 1_000;

/// The limits that `config` says, for a model of this price.
pub fn limits(config: &LimitsConfig, price: Option<PriceConfig>, agent: &Place) -> Result<Limits, Problem> {
    let of = |key: &str| agent.key("limits").key(key);
    let wrong = |key: &str, what: &str| of(key).problem(format!("it must be {what}"));
    if config.turns.is_some_and(|turns| turns == 0 || turns > MOST) {
        return Err(wrong("turns", &format!("a number from 1 to {MOST}")));
    }
    if config.tokens == Some(0) {
        return Err(wrong("tokens", "more than nothing"));
    }
    let time = config.time.map(|time| u64::try_from(time.as_millis()).ok().filter(|time| *time > 0));
    let time_ms = match time {
        Some(None) => return Err(wrong("time", "longer than nothing, as in `10m`")),
        time => time.flatten(),
    };
    let cost = match (config.cost, price) {
        (None, _) => None,
        (Some(_), None) => {
            let what = "it needs to know what the model costs: give that a `price: { input: …, output: … }`";
            return Err(of("cost").problem(what));
        }
        (Some(most), Some(PriceConfig { input, output })) => {
            let of =
                |amount: f64| millionths(amount).ok_or_else(|| wrong("cost", "an amount of money, and its prices too"));
            Some(CostLimit { most: of(most)?, input: of(input)?, output: of(output)? })
        }
    };
    Ok(Limits { turns: config.turns, tokens: config.tokens, time_ms, cost })
}

/// An amount of money in millionths.
fn millionths(amount: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within bounds")]
    (0.0..=1e9).contains(&amount).then(|| (amount * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(config: Value, price: Option<PriceConfig>) -> Result<Limits, String> {
        let agent = Place::section("agents").key("a");
        limits(&serde_json::from_value(config).unwrap(), price, &agent).map_err(|problem| problem.to_string())
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        let price = Some(PriceConfig { input: 2.5, output: 10.0 });
        let all = read(json!({"turns": 3, "tokens": 9, "time": "2s", "cost": 0.5}), price).unwrap();
        let cost = CostLimit { most: 500_000, input: 2_500_000, output: 10_000_000 };
        assert_eq!(all, Limits { turns: Some(3), tokens: Some(9), time_ms: Some(2_000), cost: Some(cost) });
        for (config, key) in [
            (json!({"turns": 0}), "turns"),
            (json!({"turns": 1001}), "turns"),
            (json!({"tokens": 0}), "tokens"),
            (json!({"time": "0s"}), "time"),
            (json!({"cost": -1}), "cost"),
        ] {
            let told = read(config, price).unwrap_err();
            assert!(told.contains(&format!("agents.a.limits.{key}: ")), "{told}");
        }
        assert!(read(json!({"cost": 1}), None).unwrap_err().contains("price"));
    }
}
