//! Points in time as receipts write them.

use jiff::civil::DateTime;
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

/// The text or number is not such a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a time is written YYYY-MM-DDTHH:MM:SS.mmmZ, in UTC, from 1970 on")]
pub struct TimestampError;

/// 9999-12-30T21:59:59.999Z: [`jiff`] ends there, so that every offset from UTC has its time.
const MAX_MILLIS: i64 = 253_402_207_199_999;

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z.
    pub const EPOCH: Self = Self(0);
    /// The last time.
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
        let day_of_month = u32::try_from(self.civil().day()).expect("days of a month count from 1");
        self.unix_days() + 1 - day_of_month
    }

    /// The time this many milliseconds later, or earlier where that is negative; held within the range.
    #[must_use]
    pub fn saturating_add_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis).clamp(0, MAX_MILLIS))
    }

    /// How many milliseconds this is after `earlier`; negative where it is before.
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    fn civil(self) -> DateTime {
        let instant = jiff::Timestamp::from_millisecond(self.0).expect("1970 to MAX is within jiff's range");
        Offset::UTC.to_datetime(instant)
    }

    /// The UTC day, `YYYY-MM-DD`.
    pub fn day(self) -> String {
        self.to_string()[..10].to_owned()
    }

    fn text(self) -> [u8; 24] {
        let civil = self.civil();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |range: std::ops::Range<usize>, mut value: i64| {
            for digit in text[range].iter_mut().rev() {
                *digit = b'0' + u8::try_from(value % 10).expect("a digit");
                value /= 10;
            }
        };
        put(0..4, civil.year().into());
        put(5..7, civil.month().into());
        put(8..10, civil.day().into());
        put(11..13, civil.hour().into());
        put(14..16, civil.minute().into());
        put(17..19, civil.second().into());
        put(20..23, civil.millisecond().into());
        text
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
        let bytes: &[u8; 24] = text.as_bytes().try_into().map_err(|_| TimestampError)?;
        let shape = b"dddd-dd-ddTdd:dd:dd.dddZ";
        let fits =
            |(byte, shape): (&u8, &u8)| if *shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
        if !bytes.iter().zip(shape).all(fits) {
            return Err(TimestampError);
        }
        let number = |range: std::ops::Range<usize>| {
            bytes[range].iter().fold(0_i16, |value, digit| value * 10 + i16::from(digit - b'0'))
        };
        let small = |range| i8::try_from(number(range)).expect("two digits");
        let nanoseconds = i32::from(number(20..23)) * 1_000_000;
        let civil = DateTime::new(
            number(0..4),
            small(5..7),
            small(8..10),
            small(11..13),
            small(14..16),
            small(17..19),
            nanoseconds,
        );
        let instant = civil.and_then(|civil| Offset::UTC.to_timestamp(civil)).map_err(|_| TimestampError)?;
        Self::from_millis(instant.as_millisecond())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).expect("digits and punctuation are ASCII"))
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
