//! Points in exact hundredths.

use std::borrow::Cow;
use std::iter::Sum;
use std::ops::Add;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Points in hundredths, serialized as a number of points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Points(u32);

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);

    /// Builds points from a number of hundredths.
    #[must_use]
    pub const fn hundredths(hundredths: u32) -> Self {
        Self(hundredths)
    }

    /// Builds points from a whole number.
    #[must_use]
    pub const fn whole(points: u32) -> Self {
        Self(points.saturating_mul(100))
    }

    /// Returns the number of hundredths.
    #[must_use]
    pub const fn as_hundredths(self) -> u32 {
        self.0
    }

    /// Subtracts `other`; zero if `other` is larger.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns `self` times `part` / `whole`, rounded down; at most `self`.
    #[must_use]
    pub fn share(self, part: u32, whole: u32) -> Self {
        let share = u64::from(self.0) * u64::from(part.min(whole)) / u64::from(whole.max(1));
        Self(u32::try_from(share).unwrap_or(self.0))
    }

    /// Returns the percentage of `whole`, rounded down; 0 if `whole` is zero.
    #[must_use]
    pub fn percent_of(self, whole: Self) -> u32 {
        let percent = u64::from(self.0) * 100 / u64::from(whole.0.max(1));
        u32::try_from(percent).unwrap_or(u32::MAX)
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

impl JsonSchema for Points {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Points".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
}
