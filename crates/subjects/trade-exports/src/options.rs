//! Parameters of an import: what the export does not say and its owner knows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::error::shown_in;
use crate::{ColumnMap, Decimal};

/// Parameters of an import. As JSON, unknown members are refused.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Name of the file in messages; no member of the JSON.
    #[serde(skip)]
    pub file: String,
    /// Zone of the times that have none. It also overrides the zone that a file names for all its times.
    pub zone: Option<Zone>,
    /// Order of day and month in dates such as `03/02/2026`.
    pub date_order: Option<DateOrder>,
    /// Currency of the record. Amounts in others need a rate in `fx_rates`.
    pub currency: Option<String>,
    /// Name of the instrument, where the file has none.
    pub instrument: Option<String>,
    /// Units of the underlying in one contract or lot: the value of a price change of 1.
    pub multiplier: Option<Decimal>,
    /// The same by instrument, which overrides `multiplier`.
    pub multipliers: BTreeMap<String, Decimal>,
    /// Value of one unit of the prices' currency in the record's currency. Profits that the platform states are in the
    /// record's currency already, and are not changed by it.
    pub fx_rate: Option<Decimal>,
    /// Value of one unit of a currency or coin in the record's currency, by its name.
    pub fx_rates: BTreeMap<String, Decimal>,
    /// Equity of the account before the first row, in the record's currency.
    pub initial_equity: Option<Decimal>,
    /// Deposits (above zero) and withdrawals (below) that the file lacks.
    pub cash_flows: Vec<CashFlow>,
    /// Funding that was received (above zero) and paid (below), from another file.
    pub funding: Vec<Funding>,
    /// Rest of a position that counts as none, as a share of its greatest size: 0.01 for one percent.
    pub dust: Option<Decimal>,
    /// Columns of the format `generic`, or of `returns` with other names.
    pub columns: Option<ColumnMap>,
}

/// The most characters of a name that a message shows.
const NAME_CHARS: usize = 60;
/// The most characters of a reason that a message shows.
const REASON_CHARS: usize = 400;

/// An option that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the option `{option}` is wrong: {detail}")]
pub struct OptionError {
    /// Its name.
    pub option: String,
    /// The element, from 0, where the option is a list.
    pub index: Option<usize>,
    /// What is wrong with it.
    pub detail: String,
}

impl Options {
    /// Reads the members of a JSON object.
    ///
    /// # Errors
    /// The first member that is unknown or wrong, and the element of a list.
    pub fn from_members(members: Map<String, Value>) -> Result<Self, OptionError> {
        let read = |members: &Value| Self::deserialize(members).map_err(|error| error.to_string());
        let all = Value::Object(members);
        let whole = match read(&all) {
            Ok(options) => return Ok(options),
            Err(whole) => whole,
        };
        let alone =
            |name: &str, value: Value| read(&Value::Object(Map::from_iter([(name.to_owned(), value)])));
        let wrong = |option: &str, index, detail: &str| OptionError {
            option: shown_in(option, NAME_CHARS),
            index,
            detail: shown_in(detail, REASON_CHARS),
        };
        for (name, value) in all.as_object().into_iter().flatten() {
            let Err(detail) = alone(name, value.clone()) else { continue };
            for (index, element) in value.as_array().into_iter().flatten().enumerate() {
                if let Err(detail) = alone(name, Value::Array(vec![element.clone()])) {
                    return Err(wrong(name, Some(index), &detail));
                }
            }
            return Err(wrong(name, None, &detail));
        }
        Err(wrong("", None, &whole))
    }

    /// The multiplier of an instrument, where it is given.
    pub(crate) fn multiplier_of(&self, instrument: &str) -> Option<Decimal> {
        self.multipliers.get(instrument).copied().or(self.multiplier)
    }
}

/// Order of day and month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// 31/01/2026.
    DayFirst,
    /// 01/31/2026.
    MonthFirst,
}

/// A deposit or withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CashFlow {
    /// Its time, with offset.
    #[schemars(schema_with = "time")]
    pub at: Timestamp,
    /// Its amount in the record's currency.
    pub amount: Decimal,
}

/// Funding of a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Funding {
    /// Its time, with offset.
    #[schemars(schema_with = "time")]
    pub at: Timestamp,
    /// Its amount in the record's currency, below zero where it was paid.
    pub amount: Decimal,
    /// The instrument, as the export names it.
    pub instrument: String,
}

/// A time zone: an offset from UTC, or one of the IANA database that is part of this program.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of so many minutes east of UTC; `None` beyond 18 hours.
    #[must_use]
    pub fn minutes(minutes: i32) -> Option<Self> {
        let offset = minutes.checked_mul(60).filter(|seconds| seconds.abs() <= 18 * 3_600)?;
        Offset::from_seconds(offset).ok().map(|offset| Self(TimeZone::fixed(offset)))
    }

    /// The zone of that name, such as `Europe/Berlin`; `None` if the database lacks it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TimeZoneDatabase::bundled().get(name).ok().map(Self)
    }

    pub(crate) fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    pub(crate) fn time_zone(&self) -> &TimeZone {
        &self.0
    }

    /// Reads an offset as exports write it: `UTC+8`, `UTC-5:30`, `UTC`, `+08:00`.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let rest = text.strip_prefix("UTC").or_else(|| text.strip_prefix("GMT")).unwrap_or(text);
        if rest.is_empty() {
            return Some(Self::utc()).filter(|_| !text.is_empty());
        }
        let (sign, rest) = match (rest.strip_prefix('+'), rest.strip_prefix(['-', '−'])) {
            (Some(rest), _) => (1, rest),
            (_, Some(rest)) => (-1, rest),
            _ => return None,
        };
        let (hours, minutes) = match rest.split_once(':') {
            Some(parts) => parts,
            None if rest.len() == 4 => rest.split_at_checked(2)?,
            None => (rest, "0"),
        };
        let number = |text: &str| text.parse::<u16>().ok().map(i32::from).filter(|_| !text.starts_with('+'));
        Self::minutes(
            sign * (number(hours)?.checked_mul(60)? + number(minutes).filter(|minutes| *minutes < 60)?),
        )
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let zone = match &value {
            Value::Number(minutes) => {
                minutes.as_i64().and_then(|minutes| i32::try_from(minutes).ok()).and_then(Self::minutes)
            }
            Value::String(name) => Self::named(name).or_else(|| Self::of_text(name)),
            _ => None,
        };
        zone.ok_or_else(|| {
            serde::de::Error::custom(
                "must be minutes east of UTC, such as -300, or a zone such as \"Europe/Berlin\"",
            )
        })
    }
}

impl JsonSchema for Zone {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Zone".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"oneOf": [
            {"type": "integer", "minimum": -1_080, "maximum": 1_080, "description": "Minutes east of UTC."},
            {"type": "string", "description": "A zone such as `Europe/Berlin`, or an offset such as `UTC+8`."},
        ]})
    }
}

/// The schema of a time with its offset (RFC 3339).
fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "date-time"})
}
