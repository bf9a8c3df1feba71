//! One fact, and the parsing of its members.

use jiff::civil::Date;

use crate::error::FactsError;

/// The most characters of a number that is kept.
pub const MAX_VALUE_CHARS: usize = 64;

/// The most characters of a form's name, such as `10-K/A`.
pub const MAX_FORM_CHARS: usize = 20;

/// The fewest and the most days of an annual period, both ends counted. Years of 52 and 53 weeks have 364 and 371.
pub const ANNUAL_DAYS: std::ops::RangeInclusive<i32> = 350..=380;

/// A value as one filing reported it. Facts are ordered by period, then by filing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// The last day of the period, or the day of a stock.
    pub end: Date,
    /// The first day of the period; `None` for a stock.
    pub start: Option<Date>,
    /// The day of filing.
    pub filed: Date,
    /// The accession number of the filing, such as `0000320193-25-000079`.
    pub accession: String,
    /// The form, such as `10-K/A`.
    pub form: String,
    /// The number, in the very characters of the body.
    pub value: String,
}

/// True for the forms of annual reports: 10-K, 20-F, 40-F, their older and their amended kinds.
pub(crate) fn is_annual_form(form: &str) -> bool {
    ["10-K", "20-F", "40-F"].iter().any(|annual| form.starts_with(annual))
}

/// True for the forms of a transition period, after a change of the fiscal year.
pub(crate) fn is_transition_form(form: &str) -> bool {
    form.starts_with("10-KT")
}

/// The days from the first to the last, both counted.
pub(crate) fn days(start: Date, end: Date) -> i32 {
    (end - start).get_days() + 1
}

/// Reads a day of the form `2025-12-31`.
pub(crate) fn day(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let is_shape = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_shape {
        return None;
    }
    Date::new(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?).ok()
}

pub(crate) fn read_day(member: &'static str, text: &str) -> Result<Date, FactsError> {
    day(text).ok_or_else(|| FactsError::malformed(member, text))
}

/// Reads an accession number: ten digits, two, and six.
pub(crate) fn read_accession(member: &'static str, text: &str) -> Result<String, FactsError> {
    let is_shape = text.len() == 20
        && text.bytes().enumerate().all(|(at, byte)| match at {
            10 | 13 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_shape.then(|| text.to_owned()).ok_or_else(|| FactsError::malformed(member, text))
}

/// Reads the name of a form: printable ASCII.
pub(crate) fn read_form(text: &str) -> Result<String, FactsError> {
    if text.len() > MAX_FORM_CHARS {
        return Err(FactsError::TooLong("form"));
    }
    let is_shape = !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    is_shape.then(|| text.to_owned()).ok_or_else(|| FactsError::malformed("form", text))
}

/// Reads a company's number: an integer, or digits in a string with or without leading zeros. Newer answers have the latter.
pub(crate) fn read_cik(text: &str) -> Result<u64, FactsError> {
    let is_shape = (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let cik = is_shape.then(|| text.parse().ok()).flatten();
    cik.filter(|cik| *cik > 0).ok_or_else(|| FactsError::malformed("cik", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_ten_characters_and_exists() {
        assert!(day("2024-02-29").is_some());
        for text in ["2023-02-29", "2024-2-29", "20240229", "2024-02-29T00", "２024-02-2", "-024-02-29", ""]
        {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn days_count_both_ends() {
        let of = |start: &str, end: &str| days(day(start).unwrap(), day(end).unwrap());
        assert_eq!(of("2006-10-01", "2007-09-29"), 364);
        assert_eq!(of("2024-01-01", "2024-12-31"), 366);
        assert_eq!(of("2024-01-02", "2024-01-01"), 0);
    }
}
