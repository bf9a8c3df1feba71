//! Dates as registries write them.

use jiff::civil::Date;
use jiff::tz::Offset;
use receipt::Timestamp;

/// The longest text that can be a date, and the most words of one.
const MAX_DATE_BYTES: usize = 64;
const MAX_WORDS: usize = 12;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Words that may stand within a date and say nothing of it: days of the week are known by their first letters.
const FILLERS: &[&str] = &["st", "nd", "rd", "th", "t", "utc", "gmt", "of", "on"];
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The order of day and month that a registry is known to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateOrder {
    /// The day comes first, as in `31/12/2020`.
    DayFirst,
    /// The month comes first, as in `12/31/2020`.
    MonthFirst,
}

/// Reads a date. An instant in the form of RFC 3339 keeps its time of day; every other form gives the start of the day
/// in UTC. `None` where the text has no date that can be read in one way: with `order` unknown, `03/04/2020` has two
/// readings.
pub(super) fn read(text: &str, order: Option<DateOrder>) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_DATE_BYTES {
        return None;
    }
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let date = civil(text, order)?;
        Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()
    })?;
    Timestamp::from_millis(instant.as_millisecond()).ok()
}

/// Reads a date with an unknown order of day and month.
pub(crate) fn read_date(text: &str) -> Option<Timestamp> {
    read(text, None)
}

/// A part of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A number, and its count of digits.
    Number(i32, usize),
    Month(i8),
}

fn civil(text: &str, order: Option<DateOrder>) -> Option<Date> {
    let parts = parts(text)?;
    let day = |number: i32| i8::try_from(number).ok();
    let date = |year: i32, month: i8, number: i32| {
        // No registration is older than the domain name system (RFC 882, 1983).
        let year = i16::try_from(year).ok().filter(|year| (1983..=2999).contains(year))?;
        Date::new(year, month, day(number)?).ok()
    };
    match *parts.as_slice() {
        [Part::Number(all, 8), ..] => date(all / 10_000, day(all / 100 % 100)?, all % 100),
        [Part::Number(year, 4), Part::Number(month, 1..=2), Part::Number(number, 1..=2), ..] => {
            date(year, day(month)?, number)
        }
        [Part::Number(year, 4), Part::Month(month), Part::Number(number, 1..=2), ..]
        | [Part::Number(number, 1..=2), Part::Month(month), Part::Number(year, 4), ..]
        | [Part::Month(month), Part::Number(number, 1..=2), Part::Number(year, 4), ..] => {
            date(year, month, number)
        }
        [Part::Number(first, 1..=2), Part::Number(second, 1..=2), Part::Number(year, 4), ..] => {
            let day_first = || date(year, day(second)?, first);
            let month_first = || date(year, day(first)?, second);
            match order {
                Some(DateOrder::DayFirst) => day_first(),
                Some(DateOrder::MonthFirst) => month_first(),
                None => match (day_first(), month_first()) {
                    (Some(date), None) | (None, Some(date)) => Some(date),
                    (Some(one), Some(other)) => (one == other).then_some(one),
                    (None, None) => None,
                },
            }
        }
        _ => None,
    }
}

/// The numbers and months of a text up to the three of a date, without the time of day. A word that is no part of a date
/// ends it.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for word in words(text).into_iter().take(MAX_WORDS) {
        if word.contains(':') {
            continue;
        }
        let lower = word.to_ascii_lowercase();
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            if word.len() > 8 {
                return None;
            }
            parts.push(Part::Number(word.parse().ok()?, word.len()));
        } else if let Some(month) = starts(&lower, &MONTHS) {
            parts.push(Part::Month(i8::try_from(month + 1).ok()?));
        } else if !FILLERS.contains(&&*lower) && starts(&lower, WEEKDAYS).is_none() {
            break;
        }
        if parts.len() == 3 || matches!(parts.as_slice(), [Part::Number(_, 8)]) {
            break;
        }
    }
    Some(parts)
}

/// The index of the name that the word is or shortens to three letters or more.
fn starts(word: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| word.len() >= 3 && name.starts_with(word))
}

/// The runs of digits and of letters; a time of day, which has a colon, is one word.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for chunk in text.split(|character: char| {
        character.is_whitespace() || matches!(character, '-' | '/' | '.' | ',' | '(' | ')' | '#' | '+')
    }) {
        // `2020-01-02T03:04:05` and `20200102T030405`: the date ends at the T.
        let mut rest = chunk;
        while let Some(first) = rest.chars().next() {
            let is_digit = first.is_ascii_digit();
            let end = if rest.contains(':') && is_digit && !rest.contains(['T', 't']) {
                rest.len()
            } else {
                let same = |character: &char| character.is_ascii_digit() == is_digit;
                rest.chars().take_while(same).map(char::len_utf8).sum()
            };
            words.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(text: &str, order: Option<DateOrder>) -> Option<String> {
        read(text, order).map(|at| at.to_string()[..10].to_owned())
    }

    #[test]
    fn every_registry_s_date_is_read() {
        for text in [
            "2009-12-31T05:06:07Z",
            "2009-12-31T05:06:07.0Z",
            "2009-12-31T05:06:07",
            "2009-12-31 05:06:07",
            "2009-12-31 05:06:07+02",
            "2009-12-31 05:06:07 CLST",
            "2009-12-31 05:06:07 (UTC+8)",
            "2009-12-31 13:01:43 (GMT+0:00)",
            "2009-12-31",
            "2009/12/31",
            "2009/12/31 05:06:07 (JST)",
            "2009. 12. 31.",
            "2009.12.31 12:00:00",
            "2009-Dec-31.",
            "20091231",
            "20091231 #12345",
            "20091231 12:00:00",
            "31-Dec-2009",
            "31-DEC-2009 00:00:00",
            "31 December 2009",
            "31st December 2009 at 00:00:00.000",
            "31.12.2009 12:31:19",
            "31/12/2009",
            "12/31/2009",
            "December 31 2009",
            "December 31, 2009",
            "Thu Dec 31 2009",
            "Thu, Dec 31, 2009",
        ] {
            assert_eq!(day(text, None).as_deref(), Some("2009-12-31"), "{text}");
        }
    }

    #[test]
    fn what_has_two_readings_is_read_only_where_the_order_is_known() {
        assert_eq!(day("03/04/2020", None), None);
        assert_eq!(day("03/04/2020", Some(DateOrder::DayFirst)).as_deref(), Some("2020-04-03"));
        assert_eq!(day("03/04/2020", Some(DateOrder::MonthFirst)).as_deref(), Some("2020-03-04"));
        assert_eq!(day("4.3.2020", None), None);
        assert_eq!(day("04-04-2020", None).as_deref(), Some("2020-04-04"));
        assert_eq!(day("31/12/2020", Some(DateOrder::MonthFirst)), None, "against the known order");
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "before Aug-1996",
            "before 01-Aug-1996",
            "Aug 1996",
            "2020",
            "2020-13-01",
            "2020-02-30",
            "31/31/2020",
            "01/02/20",
            "20-01-02",
            "0000-01-01",
            "1970-01-01",
            "1982-12-31",
            "99999999",
            "123456789012",
            "12:30:00",
            "9999999999-01-01",
            "not 2020-01-01",
            &"2".repeat(100),
        ] {
            assert_eq!(day(text, None), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,70}", digits in "[0-9TZ:/. +a-z-]{0,40}") {
            let _date = read(&text, None);
            let _date = read(&digits, Some(DateOrder::DayFirst));
        }

        #[test]
        fn a_date_is_read_in_every_form(year in 1985_i16..2100, month in 1_i8..=12, number in 1_i8..=28) {
            let name = MONTHS[usize::try_from(month).unwrap() - 1];
            let expected = format!("{year:04}-{month:02}-{number:02}");
            for text in [
                expected.clone(),
                format!("{year}{month:02}{number:02}"),
                format!("{number}-{}-{year}", &name[..3]),
                format!("{name} {number}, {year}"),
            ] {
                prop_assert_eq!(day(&text, None), Some(expected.clone()), "{}", text);
            }
        }
    }
}
