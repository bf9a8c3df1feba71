//! Times as exports write them, to points in time.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::AmbiguousOffset;

use crate::error::{ImportError, Problem};
use crate::lost::{LossCode, Losses};
use crate::options::{DateOrder, Options, Zone};

const EXPECTED: &str = "a date or a time, such as 2026-01-31 16:00:00";
const ZONE_MISSING: &str = "the times have no zone and were taken for UTC; set `zone` to minutes east of UTC or to a name such as \
                            `Europe/Berlin`, since the settlement day depends on it";
const ZONE_AMBIGUOUS: &str =
    "local times that were twice or never, when clocks were changed; the first of two was taken";
const DAY_ONLY: &str = "the rows have days and no times; the order of rows within a day is the file's";
const INFERRED: &str = "the order of day and month was found from dates that allow one order only";

/// A point in time of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) at: Timestamp,
    /// The day as it was written, in its own zone.
    pub(crate) day: Date,
    pub(crate) is_midnight: bool,
}

/// A date whose parts are read, and whose order may not be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateText {
    Known(Date),
    /// The first two numbers, and the year.
    Either(i8, i8, i16),
}

struct Stamp<'a> {
    date: DateText,
    time: Option<Time>,
    zone: Option<Zone>,
    text: &'a str,
}

/// The zone and the order of dates of a file.
#[derive(Debug)]
pub(crate) struct Clock {
    zone: Option<Zone>,
    order: Option<DateOrder>,
}

impl Clock {
    /// Finds the order of dates: that of the options, or else of the first date that allows one only.
    ///
    /// `zone` is what the file says of itself, or `None`. `dates` are all of its dates, with rows and columns.
    pub(crate) fn new<'a>(
        options: &Options,
        zone: Option<Zone>,
        dates: impl Iterator<Item = (u32, &'a str, &'a str)>,
        losses: &mut Losses,
    ) -> Result<Self, ImportError> {
        let zone = options.zone.clone().or(zone);
        if options.date_order.is_some() {
            return Ok(Self { zone, order: options.date_order });
        }
        let mut order = None;
        let mut undecided = None;
        for (row, column, text) in dates {
            let Some(Stamp { date: DateText::Either(one, two, _), .. }) = parse(text) else { continue };
            let this = match (one > 12, two > 12) {
                (true, false) => DateOrder::DayFirst,
                (false, true) => DateOrder::MonthFirst,
                (false, false) if one != two => {
                    undecided.get_or_insert((row, column, text));
                    continue;
                }
                _ => continue,
            };
            if *order.get_or_insert(this) != this {
                return Err(Problem::DateOrderMixed { text: crate::error::shown(text) }.of(row, column));
            }
        }
        match (order, undecided) {
            (None, Some((row, column, text))) => {
                Err(Problem::DateOrder { text: crate::error::shown(text) }.of(row, column))
            }
            (Some(_), _) => {
                losses.count(LossCode::DateOrderInferred, INFERRED);
                Ok(Self { zone, order })
            }
            (None, None) => Ok(Self { zone, order: Some(DateOrder::DayFirst) }),
        }
    }

    /// The point in time of a cell.
    pub(crate) fn moment(
        &self,
        row: u32,
        column: &str,
        text: &str,
        losses: &mut Losses,
    ) -> Result<Moment, ImportError> {
        let wrong = || Problem::cell(text, EXPECTED).of(row, column);
        let stamp = parse(text).ok_or_else(wrong)?;
        let day = self.date(stamp.date).filter(|day| (1900..2100).contains(&day.year())).ok_or_else(wrong)?;
        let Some(time) = stamp.time else {
            losses.count(LossCode::DayOnly, DAY_ONLY);
            let at = Timestamp::from_second(seconds_of(day)).map_err(|_| wrong())?;
            return Ok(Moment { at, day, is_midnight: true });
        };
        let zone = match stamp.zone.or_else(|| self.zone.clone()) {
            Some(zone) => zone,
            None => {
                losses.count(LossCode::ZoneMissing, ZONE_MISSING);
                Zone::utc()
            }
        };
        let ambiguous = zone.time_zone().to_ambiguous_zoned(day.to_datetime(time));
        if !matches!(ambiguous.offset(), AmbiguousOffset::Unambiguous { .. }) {
            losses.count(LossCode::ZoneAmbiguous, ZONE_AMBIGUOUS);
        }
        let at = ambiguous.compatible().map_err(|_| wrong())?.timestamp();
        debug_assert!(!stamp.text.is_empty(), "an empty text is no time");
        Ok(Moment { at, day, is_midnight: time == Time::midnight() })
    }

    fn date(&self, date: DateText) -> Option<Date> {
        match date {
            DateText::Known(date) => Some(date),
            DateText::Either(one, two, year) => match self.order? {
                DateOrder::DayFirst => Date::new(year, two, one).ok(),
                DateOrder::MonthFirst => Date::new(year, one, two).ok(),
            },
        }
    }
}

fn seconds_of(day: Date) -> i64 {
    let epoch = Date::constant(1970, 1, 1);
    i64::from((day - epoch).get_days()) * 86_400
}

/// Reads a date with or without time and zone.
fn parse(text: &str) -> Option<Stamp<'_>> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '-' | '.' | '/')))
        .unwrap_or(text.len());
    let (date, rest) = text.split_at(end);
    let date = date_of(date)?;
    let rest = rest.trim_start_matches([' ', ',', ';', '-', 'T']);
    if rest.is_empty() {
        return Some(Stamp { date, time: None, zone: None, text });
    }
    let end = rest
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, ':' | '.')))
        .unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    let zone = match zone.trim() {
        "" => None,
        "Z" | "z" => Some(Zone::utc()),
        offset => Some(Zone::of_text(offset)?),
    };
    Some(Stamp { date, time: Some(time_of(time)?), zone, text })
}

fn date_of(text: &str) -> Option<DateText> {
    let number = |text: &str, most: usize| {
        let is_good = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i16>().ok().filter(|_| is_good)
    };
    let small = |text: &str| number(text, 2).and_then(|number| i8::try_from(number).ok());
    let known = |year: &str, month: &str, day: &str| {
        Date::new(number(year, 4)?, small(month)?, small(day)?).ok().map(DateText::Known)
    };
    let mut separators = text.chars().filter(|letter| !letter.is_ascii_digit());
    let Some(separator) = separators.next() else {
        // 20260131
        let (year, rest) = text.split_at_checked(4).filter(|_| text.len() == 8)?;
        let (month, day) = rest.split_at(2);
        return known(year, month, day);
    };
    let mut parts = text.split(separator);
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    if one.len() == 4 {
        return known(one, two, three);
    }
    if three.len() != 4 {
        return None;
    }
    if separator == '.' {
        return known(three, two, one);
    }
    Some(DateText::Either(small(one)?, small(two)?, number(three, 4)?))
}

/// Reads `16:00`, `16:00:00`, `16:00:00.25` and `160000`.
fn time_of(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos: i32 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let two = |text: &str| {
        Some(text).filter(|text| (1..=2).contains(&text.len())).and_then(|text| text.parse().ok())
    };
    let (hour, minute, second) = if clock.contains(':') {
        let mut parts = clock.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
        if parts.next().is_some() {
            return None;
        }
        (two(hour)?, two(minute)?, two(second)?)
    } else {
        let padded = match clock.len() {
            4 => format!("{clock}00"),
            6 => clock.to_owned(),
            _ => return None,
        };
        (two(padded.get(..2)?)?, two(padded.get(2..4)?)?, two(padded.get(4..6)?)?)
    };
    Time::new(hour, minute, second, nanos).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, options: &Options) -> Option<String> {
        let mut losses = Losses::default();
        let clock = Clock::new(options, None, [(1, "Time", text)].into_iter(), &mut losses).ok()?;
        clock.moment(1, "Time", text, &mut losses).ok().map(|moment| moment.at.to_string())
    }

    #[test]
    fn times_of_exports_are_read() {
        for (text, at) in [
            ("2026-02-03 18:45:00", "2026-02-03T18:45:00Z"),
            ("2026.02.03 18:45", "2026-02-03T18:45:00Z"),
            ("2026-02-03T18:45:00.25+02:00", "2026-02-03T16:45:00.25Z"),
            ("2026-02-03 00:00:00+00:00", "2026-02-03T00:00:00Z"),
            ("20110811;162000", "2011-08-11T16:20:00Z"),
            ("2024-01-05, 10:03:21", "2024-01-05T10:03:21Z"),
            ("31/01/2026 - 12:09:00", "2026-01-31T12:09:00Z"),
            ("01/31/2026", "2026-01-31T00:00:00Z"),
            ("18.01.2025 15:18:55", "2025-01-18T15:18:55Z"),
            ("2026-02-03 18:03 UTC", "2026-02-03T18:03:00Z"),
            ("20230522", "2023-05-22T00:00:00Z"),
        ] {
            assert_eq!(read(text, &Options::default()).as_deref(), Some(at), "{text}");
        }
        for text in [
            "",
            "2026-02-30",
            "03/02/2026",
            "2026-01-31 25:00",
            "2026-01-31 10:00 EST",
            "=NOW()",
            "31/31/2026",
        ] {
            assert_eq!(read(text, &Options::default()), None, "{text}");
        }
    }

    #[test]
    fn a_named_zone_has_the_summer_time_of_the_day() {
        let options = Options { zone: Zone::named("Europe/Berlin"), ..Options::default() };
        assert!(options.zone.is_some());
        assert_eq!(read("2026-07-01 01:00:00", &options).as_deref(), Some("2026-06-30T23:00:00Z"));
        assert_eq!(read("2026-01-01 01:00:00", &options).as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(read("2026-07-01", &options).as_deref(), Some("2026-07-01T00:00:00Z"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[0-9/.:TZ+ -]{0,30}|\\PC{0,30}") {
            let _ = read(&text, &Options::default());
        }
    }
}
