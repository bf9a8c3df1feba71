//! Dates in the file formats.

use jiff::civil::Date;

use crate::model::Birth;

/// Parses a date of birth: `10 Dec 1948`, `10 December 1948`, `Dec 1948`, `1948`, an ISO date or its beginning, two of
/// them joined by `to` or a hyphen, or as `between 1946 and 1948`, each with an optional `circa` or `approximately`
/// before it. Any other text gives `None`.
pub(super) fn birth(text: &str) -> Option<Birth> {
    let text = text.trim();
    let about = ["circa ", "c. ", "approximately "].iter().find_map(|word| without_prefix(text, word));
    let dated = about.unwrap_or(text).trim();
    let between = without_prefix(dated, "between ").and_then(|years| years.split_once(" and "));
    let birth = match between.or_else(|| dated.split_once(" to ")).or_else(|| years(dated)) {
        None => one(dated)?,
        Some((first, last)) => Birth::between(one(first)?, one(last)?).ok()?,
    };
    Some(if about.is_some() { birth.circa() } else { birth })
}

/// The text behind a word in capital or in small letters.
fn without_prefix<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// `1979-1982`.
fn years(text: &str) -> Option<(&str, &str)> {
    let (first, last) = text.split_once('-')?;
    let year = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    (year(first) && year(last)).then_some((first, last))
}

fn one(text: &str) -> Option<Birth> {
    let text = text.trim();
    let words: Vec<&str> = text.split(' ').collect();
    match *words {
        [day, month, year] => {
            let date = Date::new(year.parse().ok()?, self::month(month)?, day.parse().ok()?).ok()?;
            Some(Birth::on(date))
        }
        [month, year] => Birth::in_month(year.parse().ok()?, self::month(month)?).ok(),
        _ if text.ends_with('~') || text.contains('/') => None,
        _ => text.parse().ok(),
    }
}

/// `Jan`, `Jan.` or `January`.
fn month(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let name = name.strip_suffix('.').unwrap_or(name);
    let is = |month: &&str| *month == name || (name.len() == 3 && month.starts_with(name));
    i8::try_from(MONTHS.iter().position(is)? + 1).ok()
}

/// `MM/DD/YYYY`, as SDN.XML dates itself.
pub(super) fn month_day_year(text: &str) -> Option<Date> {
    let mut parts = text.trim().split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// `DD/MM/YYYY`, as the EU and the UK date their lists.
pub(super) fn day_month_year(text: &str) -> Option<Date> {
    let mut parts = text.trim().split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// `13-Feb-2026`.
pub(super) fn day_name_year(text: &str) -> Option<Date> {
    one(&text.trim().replace('-', " "))
        .filter(|birth| birth.earliest == birth.latest)
        .map(|birth| birth.earliest)
}

/// A date of birth as the UK writes it: `01/01/1958`, `dd/mm/1945`, `00/04/1984`, `1971`, `04/1984`; what is not known is
/// letters or zeros.
pub(super) fn uk_birth(text: &str) -> Option<Birth> {
    let mut parts = text.trim().rsplit('/');
    let year = parts.next()?.trim().parse().ok()?;
    let number = |part: Option<&str>| part.and_then(|part| part.trim().parse::<i8>().ok()).filter(|n| *n > 0);
    let (month, day) = (number(parts.next()), number(parts.next()));
    match (month, day) {
        _ if parts.next().is_some() => None,
        (None, _) => Birth::in_year(year).ok(),
        (Some(month), None) => Birth::in_month(year, month).ok(),
        (Some(month), Some(day)) => Date::new(year, month, day).ok().map(Birth::on),
    }
}

/// The day of a time as in ISO 8601.
pub(super) fn of_time(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

/// The `YYYY-MM-DD` that a file's name ends with, before its extensions: forms without a date are named so.
pub(super) fn of_file_name(name: &str) -> Option<Date> {
    let stem = name.split('.').next()?;
    let tail = stem.get(stem.len().checked_sub(10)?..)?;
    tail.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{birth, month_day_year, of_file_name};

    #[test]
    fn the_ways_in_which_the_remarks_date_a_birth() {
        let written = [
            ("10 Dec 1948", "1948-12-10"),
            ("1946", "1946"),
            ("Sep 1938", "1938-09"),
            ("circa 1951", "1951~"),
            ("1951 to 1953", "1951/1953"),
            ("01 Jan 1961 to 31 Dec 1962", "1961/1962"),
            ("05 Mar 1961 to 31 Dec 1962", "1961-03-05/1962-12-31"),
            ("Mar 1962 to Feb 1963", "1962-03/1963-02"),
            ("circa 07 Jul 1966", "1966-07-07~"),
            ("circa 1979-1982", "1979/1982~"),
            ("1961-05", "1961-05"),
            ("14 October 1966", "1966-10-14"),
            ("9 Oct. 1966", "1966-10-09"),
            ("May 1966", "1966-05"),
            ("Approximately 1960", "1960~"),
            ("Between 1959 and 1965", "1959/1965"),
            ("approximately between 1959 and Mar 1965", "1959-01/1965-03~"),
        ];
        for (text, expected) in written {
            assert_eq!(birth(text).map(|birth| birth.to_string()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_of_birth_is_left_out() {
        for text in [
            "",
            "unknown",
            "31 Feb 1950",
            "1953 to 1951",
            "in 1950",
            "1950s",
            "13 Foo 1950",
            "1950/1951",
            "1 Ja 1950",
            "1 Janu 1950",
            "between 1950",
        ] {
            assert_eq!(birth(text), None, "{text}");
        }
    }

    #[test]
    fn publication_dates() {
        assert_eq!(month_day_year("08/20/2026"), Some(jiff::civil::date(2026, 8, 20)));
        assert_eq!(month_day_year("20/08/2026"), None);
        assert_eq!(of_file_name("addresses-2026-08-20.jsonl"), Some(jiff::civil::date(2026, 8, 20)));
        assert_eq!(of_file_name("sdn.csv"), None);
        assert_eq!(of_file_name("é026-08-20.csv"), None);
    }
}
