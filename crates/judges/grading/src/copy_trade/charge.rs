//! The copier's cost of a round trip, by instrument.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::activity::Activity;
use super::costs::{Costs, InstrumentCosts, SECONDS_A_DAY};

/// Y of the square-root law, where the caller measured none: near one in most markets (Tóth et al. 2011).
const IMPACT_COEFFICIENT: f64 = 1.0;
/// The most that a part of the cost is taken for: a million times what is traded.
const MOST_COST: f64 = 1e6;

/// The cost of a round trip, as fractions of what is traded: the mean over instruments, by what is traded of each. A part that is
/// not known is nothing.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct CostBreakdown {
    /// Spread and fees, in and out.
    pub spread_and_fees: f64,
    /// Impact, in and out.
    pub impact: f64,
    /// The cost of the delay between the trader's fill and the copier's.
    pub delay: f64,
    /// The sum of all parts.
    pub total: f64,
}

/// The cost of one instrument's round trip.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Charge {
    /// Spread, fees and delay.
    spread_and_fees: f64,
    delay: f64,
    /// The impact of an order of one unit of currency: that of Q is this times the root of Q.
    impact_of_one: f64,
    /// ADV in currency.
    pub adv: Option<f64>,
}

impl Charge {
    fn of(costs: &InstrumentCosts, latency_seconds: Option<f64>) -> Self {
        let volatility = costs.daily_volatility.unwrap_or(0.0);
        let days = latency_seconds.unwrap_or(0.0) / SECONDS_A_DAY;
        let expected = 0.5 * volatility * libm::sqrt(days);
        let coefficient = costs.impact_coefficient.unwrap_or(IMPACT_COEFFICIENT);
        let impact_of_one = costs.adv.map_or(0.0, |adv| 2.0 * coefficient * volatility / libm::sqrt(adv));
        Self {
            spread_and_fees: 2.0 * (costs.half_spread.unwrap_or(0.0) + costs.fee.unwrap_or(0.0)),
            delay: expected.max(costs.measured_drift.unwrap_or(0.0)),
            impact_of_one: impact_of_one.min(MOST_COST),
            adv: costs.adv,
        }
    }

    /// The cost with an order of that size. A part that is past all measure is [`MOST_COST`].
    fn with_order(&self, order_size: f64) -> CostBreakdown {
        let Self { spread_and_fees, delay, .. } = *self;
        let impact = (self.impact_of_one * libm::sqrt(order_size)).min(MOST_COST);
        CostBreakdown { spread_and_fees, impact, delay, total: spread_and_fees + impact + delay }
    }
}

/// The charges of all instruments.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Charges {
    by_instrument: BTreeMap<Box<str>, Charge>,
    /// Of each part the worst that is stated for any instrument.
    worst: Charge,
    order_size: f64,
}

impl Charges {
    /// Computes the charges. An instrument that is not named, or lacks a part, is charged the worst of that part stated for any.
    pub fn of(costs: &Costs) -> Self {
        let latency = costs.latency_seconds;
        let worst = worst(costs);
        let charge = |own: &InstrumentCosts| Charge::of(&completed(own, &worst, latency), latency);
        Self {
            by_instrument: costs
                .by_instrument
                .iter()
                .map(|(name, own)| (name.clone(), charge(own)))
                .collect(),
            worst: Charge::of(&worst, latency),
            order_size: costs.order_size.unwrap_or(0.0),
        }
    }

    fn charge(&self, instrument: Option<&str>) -> &Charge {
        instrument.and_then(|name| self.by_instrument.get(name)).unwrap_or(&self.worst)
    }

    /// The cost of an instrument's round trip over its notional.
    pub fn cost(&self, instrument: Option<&str>) -> f64 {
        self.charge(instrument).with_order(self.order_size).total
    }

    /// The same without impact, and the impact of an order of one unit of currency.
    pub fn fixed_and_impact(&self, instrument: Option<&str>) -> (f64, f64) {
        let charge = self.charge(instrument);
        (charge.spread_and_fees + charge.delay, charge.impact_of_one)
    }

    /// The least ADV of what is traded; that of all instruments where nothing is.
    pub fn least_adv(&self, activity: &Activity) -> Option<f64> {
        let advs = activity.opened().map(|(name, _)| self.charge(name).adv);
        advs.reduce(|least, adv| Some(least?.min(adv?))).unwrap_or(self.worst.adv)
    }

    /// The mean cost of a round trip, by what is traded of each instrument.
    pub fn mean(&self, activity: &Activity) -> CostBreakdown {
        let parts = activity.opened().map(|(name, opened)| {
            let weight = opened.iter().fold(0.0, |sum, (_, turnover)| sum + turnover);
            (self.charge(name).with_order(self.order_size), weight)
        });
        let parts: Vec<(CostBreakdown, f64)> = parts.collect();
        let weights = parts.iter().fold(0.0, |sum, (_, weight)| sum + weight);
        match parts.as_slice() {
            [(only, _)] => *only,
            several if weights > 0.0 && weights.is_finite() => {
                let mean = |part: fn(&CostBreakdown) -> f64| {
                    several.iter().fold(0.0, |sum, (cost, weight)| sum + part(cost) * (weight / weights))
                };
                let (spread_and_fees, impact) = (mean(|cost| cost.spread_and_fees), mean(|cost| cost.impact));
                let delay = mean(|cost| cost.delay);
                CostBreakdown { spread_and_fees, impact, delay, total: spread_and_fees + impact + delay }
            }
            _ => self.worst.with_order(self.order_size),
        }
    }
}

/// Of each part the worst that is stated for any instrument. The drift is that at the latency.
fn worst(costs: &Costs) -> InstrumentCosts {
    let greatest =
        |part: fn(&InstrumentCosts) -> Option<f64>| costs.stated().filter_map(part).reduce(f64::max);
    let drifts = costs.stated().filter_map(|own| own.drift(costs.latency_seconds));
    InstrumentCosts {
        half_spread: greatest(|own| own.half_spread),
        fee: greatest(|own| own.fee),
        adv: costs.stated().filter_map(|own| own.adv).reduce(f64::min),
        daily_volatility: greatest(|own| own.daily_volatility),
        impact_coefficient: greatest(|own| own.impact_coefficient),
        measured_drift: drifts.reduce(f64::max),
        delay_curve: None,
    }
}

/// The costs of an instrument, with the worst in place of a part that it lacks.
fn completed(own: &InstrumentCosts, worst: &InstrumentCosts, latency: Option<f64>) -> InstrumentCosts {
    InstrumentCosts {
        half_spread: own.half_spread.or(worst.half_spread),
        fee: own.fee.or(worst.fee),
        adv: own.adv.or(worst.adv),
        daily_volatility: own.daily_volatility.or(worst.daily_volatility),
        impact_coefficient: own.impact_coefficient.or(worst.impact_coefficient),
        measured_drift: own.drift(latency).or(worst.measured_drift),
        delay_curve: None,
    }
}
