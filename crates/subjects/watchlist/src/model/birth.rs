//! A date of birth, with the precision of the list.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A date of birth, known to lie between two days.
///
/// The text form follows EDTF (ISO 8601-2): a day `1961-05-03`, a month `1961-05`, a year `1961`, an interval
/// `1961/1963`, with `~` at the end if the list states "circa".
///
/// ```
/// use watchlist::Birth;
///
/// let birth: Birth = "1961~".parse()?;
/// assert_eq!(birth.earliest.to_string(), "1961-01-01");
/// assert_eq!(birth.latest.to_string(), "1961-12-31");
/// assert!(birth.circa);
/// assert_eq!(birth.to_string(), "1961~");
/// # Ok::<(), watchlist::BirthError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Birth {
    /// First possible day.
    pub earliest: Date,
    /// Last possible day.
    pub latest: Date,
    /// True if the list states "circa": the day may be some years before or after.
    pub circa: bool,
}

/// The text is not a date of birth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a date of birth is YYYY, YYYY-MM, YYYY-MM-DD or two of them joined by a slash, with ~ for circa")]
pub struct BirthError;

impl Birth {
    /// The first year of a date of birth that is compared. An earlier one is of another calendar (1345 of the Iranian one is 1966)
    /// or an error; compared with a date of the Gregorian calendar it would clear a listed party.
    pub const FIRST_YEAR: i16 = 1800;

    /// Builds a birth on exactly this day.
    pub fn on(day: Date) -> Self {
        Self { earliest: day, latest: day, circa: false }
    }

    /// Builds a birth in this year.
    ///
    /// # Errors
    /// [`BirthError`] if the year is outside 1 to 9999.
    pub fn in_year(year: i16) -> Result<Self, BirthError> {
        Self::in_month(year, 1).and_then(|first| Self::between(first, Self::in_month(year, 12)?))
    }

    /// Builds a birth in this month.
    ///
    /// # Errors
    /// [`BirthError`] if there is no such month.
    pub fn in_month(year: i16, month: i8) -> Result<Self, BirthError> {
        if year < 1 {
            return Err(BirthError);
        }
        let first = Date::new(year, month, 1).map_err(|_| BirthError)?;
        Ok(Self { earliest: first, latest: first.last_of_month(), circa: false })
    }

    /// Builds a birth from the earliest day of `first` to the latest day of `second`.
    ///
    /// # Errors
    /// [`BirthError`] if the second ends before the first begins.
    pub fn between(first: Self, last: Self) -> Result<Self, BirthError> {
        let circa = first.circa || last.circa;
        let birth = Self { earliest: first.earliest, latest: last.latest, circa };
        if birth.earliest <= birth.latest { Ok(birth) } else { Err(BirthError) }
    }

    /// Marks the dates as an approximation (`circa`).
    #[must_use]
    pub fn circa(self) -> Self {
        Self { circa: true, ..self }
    }
}

impl fmt::Display for Birth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.earliest, self.latest);
        let whole_months = first.day() == 1 && last == last.last_of_month();
        let whole_years = whole_months && first.month() == 1 && last.month() == 12;
        if first == last {
            write!(f, "{first}")?;
        } else if whole_years {
            write!(f, "{:04}", first.year())?;
            if first.year() != last.year() {
                write!(f, "/{:04}", last.year())?;
            }
        } else if whole_months {
            write!(f, "{:04}-{:02}", first.year(), first.month())?;
            if (first.year(), first.month()) != (last.year(), last.month()) {
                write!(f, "/{:04}-{:02}", last.year(), last.month())?;
            }
        } else {
            write!(f, "{first}/{last}")?;
        }
        if self.circa { f.write_str("~") } else { Ok(()) }
    }
}

impl FromStr for Birth {
    type Err = BirthError;

    fn from_str(text: &str) -> Result<Self, BirthError> {
        let (text, circa) = text.strip_suffix('~').map_or((text, false), |text| (text, true));
        let birth = match text.split_once('/') {
            None => part(text)?,
            Some((first, last)) => Self::between(part(first)?, part(last)?)?,
        };
        Ok(Self { circa, ..birth })
    }
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
fn part(text: &str) -> Result<Birth, BirthError> {
    let shape = |byte: u8| if byte.is_ascii_digit() { 'd' } else { char::from(byte) };
    let number = |at: std::ops::Range<usize>| text[at].parse::<i16>().map_err(|_| BirthError);
    let month = || number(5..7).and_then(|month| i8::try_from(month).map_err(|_| BirthError));
    match text.bytes().map(shape).collect::<String>().as_str() {
        "dddd" => Birth::in_year(number(0..4)?),
        "dddd-dd" => Birth::in_month(number(0..4)?, month()?),
        "dddd-dd-dd" => text.parse().map(Birth::on).map_err(|_| BirthError),
        _ => Err(BirthError),
    }
}

impl Serialize for Birth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Birth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Birth;
    use jiff::civil::date;
    use proptest::prelude::{any, proptest};

    proptest! {
        #[test]
        fn a_written_date_is_read_as_it_was(
            first in (1_i16..=9999, 1_i8..=12, 1_i8..=28),
            last in (1_i16..=9999, 1_i8..=12, 1_i8..=28),
            shape in 0..4,
            circa in any::<bool>(),
        ) {
            let (one, other) = (date(first.0, first.1, first.2), date(last.0, last.1, last.2));
            let (one, other) = (one.min(other), one.max(other));
            let birth = match shape {
                0 => Ok(Birth::on(one)),
                1 => Birth::in_year(first.0),
                2 => Birth::in_month(first.0, first.1),
                _ => Birth::between(Birth::on(one), Birth::on(other)),
            };
            let birth = Birth { circa, ..birth.unwrap() };
            assert_eq!(birth.to_string().parse(), Ok(birth));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9/~ é-]{0,24}") {
            let _ = text.parse::<Birth>();
        }
    }
}
