//! The copier's costs, as fractions of the notional.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use verdict::{Field, FieldError, Fields, Raw};

use crate::input::{Missing, Row, above_zero, bounded, known, share};

/// Y of the square-root law, where the caller measured none: near one in most markets (Tóth et al. 2011).
const IMPACT_COEFFICIENT: f64 = 1.0;
const SECONDS_A_DAY: f64 = 86_400.0;
/// The most that a part of the cost is taken for: a million times what is traded.
const MOST_COST: f64 = 1e6;

/// The costs that the caller states. `None` stands for a cost that is not known.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Costs {
    /// Half of the quoted spread, as a fraction of the price.
    pub half_spread: Option<f64>,
    /// The fee of one side, as a fraction of the notional.
    pub fee: Option<f64>,
    /// Q: the size of the copier's order, in currency.
    pub order_size: Option<f64>,
    /// ADV: the average daily volume, in the currency of `order_size`.
    pub adv: Option<f64>,
    /// Standard deviation of the instrument's daily returns, as a fraction.
    pub daily_volatility: Option<f64>,
    /// Time from the trader's fill to the copier's fill, in seconds.
    pub latency_seconds: Option<f64>,
    /// The measured adverse move of the price within the latency, as a fraction of the price.
    pub measured_drift: Option<f64>,
    /// Y: the coefficient of the square-root impact law, without unit.
    pub impact_coefficient: Option<f64>,
    /// The notional opened in a day divided by the equity, used if the rows do not give it.
    pub turnover: Option<f64>,
}

/// The cost of a round trip, as fractions of what is traded. A part that is not known is nothing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
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

impl Costs {
    /// Reads the member `costs`.
    ///
    /// # Errors
    /// [`FieldError`] for the first of its members that is wrong.
    pub fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        if fields.value(COSTS.name).is_none() {
            return Ok(Self::default());
        }
        let row = Row(fields.object(COSTS.name)?);
        let part = |name| row.within(name, |part| (0.0..=1.0).contains(&part), "must be 0 to 1");
        let amount = |name| row.within(name, |amount| amount > 0.0, "must be above 0");
        let up_to = |name, most: f64| {
            row.within(name, |number| (0.0..=most).contains(&number), &format!("must be 0 to {most}"))
        };
        Ok(Self {
            half_spread: part("half_spread")?,
            fee: part("fee")?,
            order_size: amount("order_size")?,
            adv: amount("adv")?,
            daily_volatility: up_to("daily_volatility", 10.0)?,
            latency_seconds: up_to("latency_seconds", 10.0 * SECONDS_A_DAY)?,
            measured_drift: row.within(
                "measured_drift",
                |drift| (-1.0..=1.0).contains(&drift),
                "must be -1 to 1",
            )?,
            impact_coefficient: up_to("impact_coefficient", 100.0)?,
            turnover: up_to("turnover", 1e6)?,
        })
    }

    /// The inputs that are not there.
    pub(super) fn missing(&self) -> Vec<Missing> {
        let needed = [
            ("half_spread", self.half_spread, "half of the quoted spread over the price"),
            ("fee", self.fee, "the fee of one side over the amount traded"),
            ("order_size", self.order_size, "what the copier trades in one order, in currency"),
            ("adv", self.adv, "the instrument's average daily volume, in the same currency"),
            (
                "daily_volatility",
                self.daily_volatility,
                "the standard deviation of the instrument's daily returns",
            ),
            ("latency_seconds", self.latency_seconds, "the seconds from the trader's fill to the copier's"),
        ];
        let lacking = needed.into_iter().filter(|(_, value, _)| value.is_none());
        lacking
            .map(|(field, _, add)| Missing { field, rows: 1, first: format!("costs.{field}"), add })
            .collect()
    }

    /// The cost of a round trip. A part that is past all measure, or cannot be reckoned, is [`MOST_COST`].
    pub(super) fn of_round_trip(&self) -> CostBreakdown {
        let spread_and_fees = 2.0 * (self.half_spread.unwrap_or(0.0) + self.fee.unwrap_or(0.0));
        let share = self.order_size.zip(self.adv).map_or(0.0, |(size, adv)| size / adv);
        let impact = (2.0 * self.impact_of_all() * libm::sqrt(share)).min(MOST_COST);
        let delay = self.delay();
        CostBreakdown { spread_and_fees, impact, delay, total: spread_and_fees + impact + delay }
    }

    /// The part of ADV at which a round trip costs so much.
    pub(super) fn share_of_adv_at(&self, total: f64) -> f64 {
        let fixed = self.of_round_trip();
        let left = total - fixed.spread_and_fees - fixed.delay;
        if left < 0.0 {
            return 0.0;
        }
        let root = left / (2.0 * self.impact_of_all());
        root * root
    }

    /// The impact of an order as large as the daily volume.
    fn impact_of_all(&self) -> f64 {
        self.impact_coefficient.unwrap_or(IMPACT_COEFFICIENT) * self.daily_volatility.unwrap_or(0.0)
    }

    fn delay(&self) -> f64 {
        let days = self.latency_seconds.unwrap_or(0.0) / SECONDS_A_DAY;
        let expected = 0.5 * self.daily_volatility.unwrap_or(0.0) * libm::sqrt(days);
        expected.max(self.measured_drift.unwrap_or(0.0))
    }
}

/// The costs, which are absent where none is known.
pub(super) const COSTS: Field<Raw> = Field::raw("costs", schema)
    .describe("The copier's costs, as fractions of what is traded. Without them there is no COPY.");

fn schema() -> Value {
    let up_to = |most, whole| bounded(0.0, most, whole);
    json!({
        "type": "object",
        "properties": {
            "half_spread": known(share(), "Half of the quoted spread over the price."),
            "fee": known(share(), "The fee of one side."),
            "order_size": known(above_zero(), "Q: what the copier trades in one order, in currency."),
            "adv": known(above_zero(), "The instrument's average daily volume, in the same currency."),
            "daily_volatility": known(up_to(10.0, "[0-9]"), "The standard deviation of the instrument's daily returns."),
            "latency_seconds": known(up_to(10.0 * SECONDS_A_DAY, "0|[1-9][0-9]{0,4}"), "From the trader's fill to the copier's."),
            "measured_drift": known(bounded(-1.0, 1.0, "-?0"), "How far prices were seen to run away within the latency."),
            "impact_coefficient": known(up_to(100.0, "0|[1-9][0-9]?"), "Y of the square-root law; 1 where it is absent."),
            "turnover": known(up_to(1e6, "0|[1-9][0-9]{0,5}"), "What is opened a day over equity, where the rows do not say; 1 for returns."),
        },
    })
}
