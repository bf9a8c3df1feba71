//! The copier's costs as the caller states them: fractions of the notional, for all instruments and for single ones.

use std::collections::BTreeMap;

use receipt::json::Json;
use serde_json::{Value, json};
use verdict::{Field, FieldError, Fields, Raw, Reason};

use super::delay_curve::{self, DelayCurve};
use crate::input::row::TEXT_CHARS;
use crate::input::{Row, above_zero, bounded, known, share};

/// Maximum number of instruments with costs of their own.
pub const MOST_INSTRUMENTS: usize = 256;
pub(super) const SECONDS_A_DAY: f64 = 86_400.0;
/// Longest latency, in seconds: ten days.
pub(super) const LONGEST_LATENCY: f64 = 10.0 * SECONDS_A_DAY;
/// The greatest multiple of the trader's leverage that a copier may state.
const MOST_MULTIPLE: f64 = 1_000.0;

/// The costs of one instrument. `None` stands for a cost that is not known.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct InstrumentCosts {
    /// Half of the quoted spread, as a fraction of the price.
    pub half_spread: Option<f64>,
    /// The fee of one side, as a fraction of the notional.
    pub fee: Option<f64>,
    /// ADV: the average daily volume, in the currency of `order_size`.
    pub adv: Option<f64>,
    /// Standard deviation of the instrument's daily returns, as a fraction.
    pub daily_volatility: Option<f64>,
    /// Y: the coefficient of the square-root impact law, without unit.
    pub impact_coefficient: Option<f64>,
    /// The measured adverse move of the price within the latency, as a fraction of the price.
    pub measured_drift: Option<f64>,
    /// The measured adverse move of the price by latency.
    pub delay_curve: Option<DelayCurve>,
}

impl InstrumentCosts {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let row = Row(fields.clone());
        let part = |name| row.within(name, |part| (0.0..=1.0).contains(&part), "must be 0 to 1");
        Ok(Self {
            half_spread: part("half_spread")?,
            fee: part("fee")?,
            adv: row.positive("adv")?,
            daily_volatility: up_to(&row, "daily_volatility", 10.0)?,
            impact_coefficient: up_to(&row, "impact_coefficient", 100.0)?,
            measured_drift: row.within(
                "measured_drift",
                |drift| (-1.0..=1.0).contains(&drift),
                "must be -1 to 1",
            )?,
            delay_curve: DelayCurve::read(fields)?,
        })
    }

    /// The adverse move within that latency: the greater of the drift and the curve, where both are given. A curve that does not
    /// reach the latency says nothing.
    pub fn drift(&self, latency_seconds: Option<f64>) -> Option<f64> {
        let on_curve = self.delay_curve.as_ref().map(|curve| curve.at(latency_seconds?));
        match (self.measured_drift, on_curve) {
            (drift, None) => drift,
            (None, Some(drift)) => drift,
            (Some(drift), Some(on_curve)) => Some(drift.max(on_curve?)),
        }
    }
}

/// The costs that the caller states. `None` stands for a figure that is not known.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Costs {
    /// The costs of all instruments.
    pub general: InstrumentCosts,
    /// The costs of single instruments, by name. A part that one lacks is the worst of that part stated for any.
    pub by_instrument: BTreeMap<Box<str>, InstrumentCosts>,
    /// Q: the size of the order of all copiers together, in currency.
    pub order_size: Option<f64>,
    /// Time from the trader's fill to the copier's fill, in seconds.
    pub latency_seconds: Option<f64>,
    /// The notional opened in a day divided by the equity, used if the rows do not give it.
    pub turnover: Option<f64>,
    /// The copier's notional over equity, in multiples of the trader's. 1 if absent.
    pub leverage_multiple: Option<f64>,
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
        let fields = fields.object(COSTS.name)?;
        let row = Row(fields.clone());
        Ok(Self {
            general: InstrumentCosts::read(&fields)?,
            by_instrument: read_instruments(&fields)?,
            order_size: row.positive("order_size")?,
            latency_seconds: up_to(&row, "latency_seconds", LONGEST_LATENCY)?,
            turnover: up_to(&row, "turnover", 1e6)?,
            leverage_multiple: row.within(
                "leverage_multiple",
                |multiple| multiple > 0.0 && multiple <= MOST_MULTIPLE,
                "must be above 0 and at most 1000",
            )?,
        })
    }

    /// All that is stated for any instrument, the costs of all instruments first.
    pub(super) fn stated(&self) -> impl Iterator<Item = &InstrumentCosts> {
        std::iter::once(&self.general).chain(self.by_instrument.values())
    }

    /// The copier's notional over equity, in multiples of the trader's.
    pub(super) fn multiple(&self) -> f64 {
        self.leverage_multiple.unwrap_or(1.0)
    }
}

fn read_instruments(fields: &Fields<'_>) -> Result<BTreeMap<Box<str>, InstrumentCosts>, FieldError> {
    const NAME: &str = "by_instrument";
    let members = match fields.value(NAME) {
        None | Some(Json::Null) => return Ok(BTreeMap::new()),
        Some(value) => value.as_object().map(|object| object.iter().map(|(name, _)| name)),
    };
    let of_all = fields.object(NAME)?;
    let names: Vec<&str> = members.into_iter().flatten().collect();
    if names.len() > MOST_INSTRUMENTS {
        return Err(fields.error(NAME, Reason::OutOfRange, "must have at most 256 instruments"));
    }
    let read = |name: &str| {
        if !(1..=TEXT_CHARS).contains(&name.chars().count()) {
            return Err(fields.error(NAME, Reason::OutOfRange, "must have names of 1 to 128 characters"));
        }
        Ok((Box::from(name), InstrumentCosts::read(&of_all.object(name)?)?))
    };
    names.into_iter().map(read).collect()
}

fn up_to(row: &Row<'_>, name: &str, most: f64) -> Result<Option<f64>, FieldError> {
    row.within(name, |number| (0.0..=most).contains(&number), &format!("must be 0 to {most}"))
}

/// The costs, which are absent where none is known.
pub(super) const COSTS: Field<Raw> = Field::raw("costs", schema).describe(
    "The copier's costs, as fractions of what is traded. Those of `by_instrument` are of one instrument each; an instrument that is \
     not named there, or lacks a part, is charged the worst of that part stated for any. Without them there is no COPY.",
);

fn schema() -> Value {
    let up_to = |most, whole| bounded(0.0, most, whole);
    let mut all = instrument_schema();
    let instrument = json!({ "type": "object", "properties": instrument_schema() });
    let own = json!({
        "by_instrument": {
            "type": ["object", "null"],
            "description": "The costs of single instruments, by the name that the trades have. Where trades are of several \
                            instruments, those that are not named here may make at most a tenth of profit and turnover.",
            "maxProperties": MOST_INSTRUMENTS,
            "propertyNames": { "minLength": 1, "maxLength": TEXT_CHARS },
            "additionalProperties": instrument,
        },
        "order_size": known(above_zero(), "Q: what all copiers together trade in one order, in currency."),
        "latency_seconds": known(up_to(LONGEST_LATENCY, "0|[1-9][0-9]{0,4}"), "From the trader's fill to the copier's."),
        "turnover": known(up_to(1e6, "0|[1-9][0-9]{0,5}"), "What is opened a day over equity, where the rows do not say; 1 for returns."),
        "leverage_multiple": known(above_zero(), "The copier's notional over equity in multiples of the trader's, at most 1000; 1 where it is absent."),
    });
    if let (Some(all), Value::Object(own)) = (all.as_object_mut(), own) {
        all.extend(own);
    }
    json!({ "type": "object", "properties": all })
}

fn instrument_schema() -> Value {
    json!({
        "half_spread": known(share(), "Half of the quoted spread over the price."),
        "fee": known(share(), "The fee of one side."),
        "adv": known(above_zero(), "The instrument's average daily volume, in the currency of `order_size`."),
        "daily_volatility": known(bounded(0.0, 10.0, "[0-9]"), "The standard deviation of the instrument's daily returns."),
        "impact_coefficient": known(bounded(0.0, 100.0, "0|[1-9][0-9]?"), "Y of the square-root law; 1 where it is absent."),
        "measured_drift": known(
            bounded(-1.0, 1.0, "-?0"),
            "How far prices were seen to run away within the latency. Needed, or `delay_curve`, where trades are held for less than an hour.",
        ),
        "delay_curve": delay_curve::schema(),
    })
}
