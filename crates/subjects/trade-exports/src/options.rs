//! Parameters of an import: what the export does not say and its owner knows.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use serde::{Deserialize, Deserializer};

use crate::{ColumnMap, Decimal};

/// Parameters of an import. As JSON, unknown members are refused.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Name of the file in messages.
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

impl Options {
    /// The multiplier of an instrument, where it is given.
    pub(crate) fn multiplier_of(&self, instrument: &str) -> Option<Decimal> {
        self.multipliers.get(instrument).copied().or(self.multiplier)
    }
}

/// Order of day and month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// 31/01/2026.
    DayFirst,
    /// 01/31/2026.
    MonthFirst,
}

/// A deposit or withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CashFlow {
    /// Its time, with offset.
    pub at: Timestamp,
    /// Its amount in the record's currency.
    pub amount: Decimal,
}

/// Funding of a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Funding {
    /// Its time, with offset.
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
        let value = serde_json::Value::deserialize(from)?;
        let zone = match &value {
            serde_json::Value::Number(minutes) => {
                minutes.as_i64().and_then(|minutes| i32::try_from(minutes).ok()).and_then(Self::minutes)
            }
            serde_json::Value::String(name) => Self::named(name).or_else(|| Self::of_text(name)),
            _ => None,
        };
        zone.ok_or_else(|| {
            serde::de::Error::custom(
                "must be minutes east of UTC, such as -300, or a zone such as \"Europe/Berlin\"",
            )
        })
    }
}
