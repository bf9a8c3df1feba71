//! Points in time as receipts write them.

use jiff::tz::Offset;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use thiserror::Error;

/// A point in time in UTC, in whole milliseconds, from 1970 to the end of 9999 less
/// two days. Written as
/// `YYYY-MM-DDTHH:MM:SS.mmmZ` (ISO 8601, RFC 3339) and read from exactly that: one time has one text.
///
/// ```
/// use receipt::time::Timestamp;
///
/// let signed_at: Timestamp = "2026-11-21T02:00:00.250Z".parse()?;
/// assert_eq!(signed_at.as_millis(), 1_795_226_400_250);
/// assert_eq!(signed_at.to_string(), "2026-11-21T02:00:00.250Z");
/// assert!("2026-11-21T02:00:00Z".parse::<Timestamp>().is_err());
/// # Ok::<(), receipt::time::TimestampError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The text or number is not a time in the range and form of [`Timestamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a time is written YYYY-MM-DDTHH:MM:SS.mmmZ, in UTC, from 1970 on")]
pub struct TimestampError;

/// 9999-12-30T21:59:59.999Z: [`jiff`] ends there, so that every offset from UTC has its time.
const MAX_MILLIS: i64 = 253_402_207_199_999;

/// The length of `YYYY-MM-DDTHH:MM:SS.mmmZ`.
const WRITTEN_BYTES: usize = 24;

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z.
    pub const EPOCH: Self = Self(0);
    /// The last time, two days before the end of the year 9999.
    pub const MAX: Self = Self(MAX_MILLIS);

    /// The time this many milliseconds after 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// [`TimestampError`] before 1970 and after [`Timestamp::MAX`].
    pub fn from_millis(millis: i64) -> Result<Self, TimestampError> {
        if (0..=MAX_MILLIS).contains(&millis) { Ok(Self(millis)) } else { Err(TimestampError) }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    pub fn unix_seconds(self) -> u64 {
        u64::try_from(self.0 / 1000).expect("no time is before 1970")
    }

    /// Whole UTC days since 1970-01-01.
    pub fn unix_days(self) -> u32 {
        u32::try_from(self.0 / 86_400_000).expect("no time is before 1970 or after 9999")
    }

    /// The first day of the UTC month, as whole days since 1970-01-01.
    pub fn unix_days_of_month_start(self) -> u32 {
        let day_of_month = u32::try_from(Offset::UTC.to_datetime(self.instant()).day())
            .expect("days of a month count from 1");
        self.unix_days() + 1 - day_of_month
    }

    /// The time this many milliseconds later; a negative number gives an earlier time. A result out of range becomes
    /// [`EPOCH`](Self::EPOCH) or [`MAX`](Self::MAX).
    #[must_use]
    pub fn saturating_add_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis).clamp(0, MAX_MILLIS))
    }

    /// The time from `earlier` to this, in milliseconds; negative if this is before `earlier`.
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    fn instant(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).expect("1970 to MAX is within jiff's range")
    }

    /// The UTC day as `YYYY-MM-DD`.
    pub fn day(self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl From<Timestamp> for std::time::SystemTime {
    /// A time before 1970 becomes the beginning of 1970.
    fn from(at: Timestamp) -> Self {
        let millis = u64::try_from(at.as_millis()).unwrap_or_default();
        Self::UNIX_EPOCH + std::time::Duration::from_millis(millis)
    }
}

impl TryFrom<std::time::SystemTime> for Timestamp {
    type Error = TimestampError;

    /// Cuts off what is finer than a millisecond.
    fn try_from(time: std::time::SystemTime) -> Result<Self, TimestampError> {
        let since = time.duration_since(std::time::UNIX_EPOCH).map_err(|_| TimestampError)?;
        i64::try_from(since.as_millis()).map_err(|_| TimestampError).and_then(Self::from_millis)
    }
}

impl std::str::FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        // jiff reads many forms of a time. The one that it is written in is the one that is read.
        if text.len() != WRITTEN_BYTES {
            return Err(TimestampError);
        }
        let instant: jiff::Timestamp = text.parse().map_err(|_| TimestampError)?;
        let time = Self::from_millis(instant.as_millisecond())?;
        if time.to_string() == text { Ok(time) } else { Err(TimestampError) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.instant())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
