//! Members of a request that a `COPY` needs and that are missing.

use super::activity::Activity;
use super::costs::{Costs, InstrumentCosts};
use crate::input::Missing;

/// The most of profit and of turnover that instruments without costs of their own may make, where several are traded; and the most
/// of the profit that trades held for less than an hour may make without a measured drift.
pub(super) const MATERIAL: f64 = 0.1;

/// The figures of cost that are not there.
pub(super) fn missing(costs: &Costs, activity: &Activity) -> Vec<Missing> {
    let any = |part: fn(&InstrumentCosts) -> Option<f64>| costs.stated().find_map(part);
    let needed = [
        ("half_spread", any(|own| own.half_spread), "half of the quoted spread over the price"),
        ("fee", any(|own| own.fee), "the fee of one side over the amount traded"),
        ("order_size", costs.order_size, "what all copiers together trade in one order, in currency"),
        ("adv", any(|own| own.adv), "the instrument's average daily volume, in the same currency"),
        (
            "daily_volatility",
            any(|own| own.daily_volatility),
            "the standard deviation of the instrument's daily returns",
        ),
        ("latency_seconds", costs.latency_seconds, "the seconds from the trader's fill to the copier's"),
    ];
    let lacking = needed.into_iter().filter(|(_, value, _)| value.is_none());
    let mut missing: Vec<Missing> = lacking.map(|(field, _, add)| of_costs(field, 1, add)).collect();
    if activity.is_short_held && !knows_drift(costs) {
        missing.push(of_costs(
            "measured_drift",
            1,
            "the adverse move of the price within the latency, or `delay_curve`, since trades are held for less than an hour",
        ));
    }
    let unnamed = unnamed(costs, activity);
    if unnamed > 0 {
        missing.push(of_costs(
            "by_instrument",
            unnamed,
            "the costs of each instrument that makes a part of the profit or the turnover, by its name",
        ));
    }
    if !activity.knows_turnover {
        missing.push(of_costs(
            "turnover",
            1,
            "what is opened a day over equity, or `size` and `entry_price` in every trade",
        ));
    }
    missing
}

/// The number of trials, which a leader of a list has.
pub(super) fn no_trials() -> Missing {
    Missing {
        field: "declared_trials",
        rows: 1,
        first: "declared_trials".to_owned(),
        add: "how many traders this one was picked from: the size of the leaderboard",
    }
}

fn of_costs(field: &'static str, rows: u32, add: &'static str) -> Missing {
    Missing { field, rows, first: format!("costs.{field}"), add }
}

fn knows_drift(costs: &Costs) -> bool {
    costs.stated().any(|own| own.drift(costs.latency_seconds).is_some())
}

/// Returns the number of instruments without costs of their own, if several are traded and those make more than a tenth of profit or
/// turnover; else 0. One set of costs is no word on instruments that cost more than others.
fn unnamed(costs: &Costs, activity: &Activity) -> u32 {
    if activity.instruments.len() < 2 {
        return 0;
    }
    let is_named = |name: &Option<Box<str>>| {
        let own = name.as_ref().and_then(|name| costs.by_instrument.get(name));
        own.is_some_and(|own| states_enough(own, costs, activity))
    };
    let (mut profit, mut turnover) = (Share::default(), Share::default());
    let mut count = 0;
    for (name, traded) in &activity.instruments {
        let is_named = is_named(name);
        count += u32::from(!is_named);
        profit.add(traded.profit.max(0.0), is_named);
        turnover.add(traded.total(), is_named);
    }
    let is_material = !activity.knows_instruments || profit.is_material() || turnover.is_material();
    if is_material { count } else { 0 }
}

/// An instrument has costs of its own if those that differ most among instruments are stated. Fees may be those of all.
fn states_enough(own: &InstrumentCosts, costs: &Costs, activity: &Activity) -> bool {
    let has_drift = !activity.is_short_held || own.drift(costs.latency_seconds).is_some();
    own.half_spread.is_some() && own.adv.is_some() && own.daily_volatility.is_some() && has_drift
}

/// A sum, and the part of it that is without costs of its own.
#[derive(Clone, Copy, Default)]
struct Share {
    all: f64,
    unnamed: f64,
}

impl Share {
    fn add(&mut self, amount: f64, is_named: bool) {
        self.all += amount;
        self.unnamed += if is_named { 0.0 } else { amount };
    }

    fn is_material(&self) -> bool {
        self.unnamed > MATERIAL * self.all
    }
}
