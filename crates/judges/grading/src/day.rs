//! A UTC day, as findings write it.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

const SECONDS_A_DAY: i64 = 86_400;

/// A UTC day, counted from 1970-01-01. Findings write it as a date, `2024-01-31`; the number of days, which older receipts
/// have, is read too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Day(pub i32);

impl Day {
    /// Returns the date, clamped to the range of dates.
    #[must_use]
    pub fn date(self) -> Date {
        let at = Timestamp::from_second(i64::from(self.0) * SECONDS_A_DAY);
        at.map_or(if self.0 < 0 { Date::MIN } else { Date::MAX }, |at| Offset::UTC.to_datetime(at).date())
    }

    /// Returns the day of a date.
    #[must_use]
    pub fn of(date: Date) -> Option<Self> {
        let seconds = Offset::UTC.to_timestamp(date.into()).ok()?.as_second();
        i32::try_from(seconds.div_euclid(SECONDS_A_DAY)).ok().map(Self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date().fmt(f)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Day {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date"})
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DayVisitor)
    }
}

struct DayVisitor;

impl Visitor<'_> for DayVisitor {
    type Value = Day;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date such as 2024-01-31, or a number of days since 1970-01-01")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Day, E> {
        let day = text.parse().ok().and_then(Day::of);
        day.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Day, E> {
        let day = i32::try_from(number).map(Day);
        day.map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Day, E> {
        let day = i32::try_from(number).map(Day);
        day.map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_day_is_written_as_a_date() {
        assert_eq!(serde_json::to_string(&Day(19_753)).unwrap(), r#""2024-01-31""#);
        assert_eq!(serde_json::from_str::<Day>("19753").unwrap(), Day(19_753));
        for text in [r#""2024-02-30""#, r#""""#, "1e300", "null", "99999999999"] {
            assert!(serde_json::from_str::<Day>(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_day_is_read_as_it_was_written_and_as_its_number(day in -700_000_i32..2_900_000) {
            let written = serde_json::to_string(&Day(day)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Day>(&written).unwrap(), Day(day));
            prop_assert_eq!(serde_json::from_str::<Day>(&day.to_string()).unwrap(), Day(day));
        }
    }
}
