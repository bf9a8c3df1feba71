//! The return of cash in a year, which is taken off the returns.

use std::collections::HashSet;

use receipt::json::{Json, Path};
use serde_json::json;
use verdict::{Field, FieldError, Fields, Raw, Reason};

use super::row::{Row, in_row, path_of};
use super::schema;
use crate::statistics::moments::mean;

/// Maximum number of rates of cash.
const MOST_RATES: usize = 50_000;
/// Bounds of the return of cash in a year.
const RISK_FREE: (f64, f64) = (-0.05, 1.0);
pub(super) const RISK_FREE_RATE: Field<Raw> = Field::raw("risk_free", || {
    let text = schema::text_of(r"-0\.0(?:[0-4][0-9]*|50*)|0(?:\.[0-9]+)?|1(?:\.0+)?");
    let number = json!({"type": "number", "minimum": RISK_FREE.0, "maximum": RISK_FREE.1});
    let rate = json!({"oneOf": [number, text], "description": "The return of cash in a year from that day on."});
    let rates = json!({
        "type": "array", "minItems": 1, "maxItems": MOST_RATES,
        "items": {"type": "object", "required": ["date", "rate"],
            "properties": {"date": schema::day("The day from which the rate holds, each once."), "rate": rate}},
    });
    json!({"oneOf": [number, text, rates]})
})
.describe(
    "The return of cash in a year, as a fraction (0.045), or 0 for results that hold none, as of futures; or a series of rates, each \
     from its day on. It is taken off the returns and the benchmark's before anything is tested. Without it a record with a \
     volatility under 0.1 a year is no REAL_EDGE.",
)
.synonyms("risk_free_rate rf riskfree");

/// The return of cash in a year, from each of these days on.
#[derive(Clone, PartialEq, Debug)]
pub struct CashRates(Vec<(i32, f64)>);

impl CashRates {
    /// Returns the mean rate of these days.
    pub fn mean_on(&self, days: impl Iterator<Item = i32>) -> f64 {
        mean(&days.map(|day| self.on(day)).collect::<Vec<_>>())
    }

    /// Returns the rate of a day: that of the last day not after it, or the first of all.
    pub fn on(&self, day: i32) -> f64 {
        let after = self.0.partition_point(|(from, _)| *from <= day);
        self.0.get(after.saturating_sub(1)).map_or(0.0, |(_, rate)| *rate)
    }
}

/// Reads the return of cash: one rate, or a series of them.
pub(super) fn read_cash(fields: &Fields<'_>) -> Result<Option<CashRates>, FieldError> {
    let name = RISK_FREE_RATE.name;
    let is_rate = |rate: f64| (RISK_FREE.0..=RISK_FREE.1).contains(&rate);
    let detail = "must be from -0.05 to 1, as a fraction of a year";
    let Some(Json::Array(rates)) = fields.value(name) else {
        let rate = Row(fields.clone()).within(name, is_rate, detail)?;
        return Ok(rate.map(|rate| CashRates(vec![(i32::MIN, rate)])));
    };
    if rates.is_empty() || rates.len() > MOST_RATES {
        let detail = format!("must have from 1 to {MOST_RATES} rates");
        return Err(fields.error(name, Reason::OutOfRange, detail));
    }
    let (mut read, mut days) = (Vec::with_capacity(rates.len()), HashSet::new());
    for (index, rate) in rates.iter().enumerate() {
        let Json::Object(members) = rate else {
            let detail = "must be an object with `date` and `rate`".to_owned();
            let path = Path::root();
            return Err(in_row(name, index)(FieldError { path, reason: Reason::WrongType, detail }));
        };
        let row = Row(Fields::root(members));
        let one = || {
            let day = row.day("date")?.ok_or_else(|| row.missing("date"))?;
            let rate = row.within("rate", is_rate, detail)?.ok_or_else(|| row.missing("rate"))?;
            Ok((day, rate))
        };
        let one = one().map_err(in_row(name, index))?;
        if !days.insert(one.0) {
            let (path, detail) = (path_of(name, index, "date"), "must not be given twice".to_owned());
            return Err(FieldError { path, reason: Reason::Duplicate, detail });
        }
        read.push(one);
    }
    read.sort_by_key(|(day, _)| *day);
    Ok(Some(CashRates(read)))
}
