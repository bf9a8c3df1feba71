//! Days, and times of RFC 3339.

use jiff::civil::Date;
use jiff::tz::Offset;
use verdict::Timestamp;

const SECONDS_A_DAY: i64 = 86_400;
const NANOS_A_SECOND: u64 = 1_000_000_000;
/// 1900-01-01. It bounds how many units a record can have.
const FIRST_DAY: i32 = -25_567;

/// A point in time, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Nanoseconds since the beginning of that day.
    pub nanos: u64,
}

impl Instant {
    /// Parses a time of RFC 3339 with an offset and at most 9 decimal places of a second; `None` for any other text. A
    /// leap second counts as the last nanosecond of its UTC day.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked(10)?;
        let (time, rest) = time.split_at_checked(9)?;
        let ([b'T' | b't', h, hh, b':', m, mm, b':', s, ss], rest) = (time.as_bytes(), rest.as_bytes())
        else {
            return None;
        };
        let (hour, minute, second) = (two(*h, *hh, 23)?, two(*m, *mm, 59)?, two(*s, *ss, 60)?);
        let (nanos, offset) = fraction(rest)?;
        let is_leap = second == 60;
        let of_day = hour * 3_600 + minute * 60 + second.min(59) - offset_seconds(offset)?;
        let seconds = i64::from(parse_day(date)?) * SECONDS_A_DAY + of_day;
        let second_of_day = seconds.rem_euclid(SECONDS_A_DAY);
        if is_leap && second_of_day != SECONDS_A_DAY - 1 {
            return None;
        }
        let nanos = if is_leap { NANOS_A_SECOND - 1 } else { nanos };
        Some(Self {
            day: i32::try_from(seconds.div_euclid(SECONDS_A_DAY)).ok()?,
            nanos: u64::try_from(second_of_day).ok()? * NANOS_A_SECOND + nanos,
        })
    }

    /// Returns the time in days since 1970-01-01, with fraction.
    pub fn in_days(self) -> f64 {
        const NANOS_A_DAY: f64 = 86_400e9;
        // A day has fewer nanoseconds than a double has integers.
        f64::from(self.day) + self.nanos as f64 / NANOS_A_DAY
    }
}

impl From<Timestamp> for Instant {
    fn from(at: Timestamp) -> Self {
        let millis = at.as_millis();
        let day = i32::try_from(millis.div_euclid(86_400_000)).expect("the year is at most 9999");
        Self { day, nanos: millis.rem_euclid(86_400_000).unsigned_abs() * 1_000_000 }
    }
}

/// Parses a day, `YYYY-MM-DD`, to days since 1970-01-01; `None` for any other text.
pub fn parse_day(text: &str) -> Option<i32> {
    let [a, b, c, d, b'-', m, mm, b'-', e, ee] = text.as_bytes() else { return None };
    let year = two(*a, *b, 99)? * 100 + two(*c, *d, 99)?;
    let (month, day) = (two(*m, *mm, 12)?, two(*e, *ee, 31)?);
    let date =
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let seconds = Offset::UTC.to_timestamp(date.into()).ok()?.as_second();
    i32::try_from(seconds.div_euclid(SECONDS_A_DAY)).ok().filter(|day| *day >= FIRST_DAY)
}

/// Two digits, at most so much.
fn two(tens: u8, ones: u8, most: i64) -> Option<i64> {
    let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
    let value = i64::from(tens.wrapping_sub(b'0')) * 10 + i64::from(ones.wrapping_sub(b'0'));
    (is_number && value <= most).then_some(value)
}

/// The nanoseconds after the full second, and what follows them.
fn fraction(rest: &[u8]) -> Option<(u64, &[u8])> {
    let Some(places) = rest.strip_prefix(b".") else { return Some((0, rest)) };
    let count = places.iter().take_while(|place| place.is_ascii_digit()).count();
    let (digits, offset) = places.split_at(count);
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
    let nanos = padded.fold(0, |nanos, digit| nanos * 10 + u64::from(digit - b'0'));
    (1..=9).contains(&count).then_some((nanos, offset))
}

fn offset_seconds(offset: &[u8]) -> Option<i64> {
    match offset {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h, hh, b':', m, mm] => {
            let seconds = two(*h, *hh, 23)? * 3_600 + two(*m, *mm, 59)? * 60;
            Some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Option<Instant> {
        Instant::parse(text)
    }

    #[test]
    fn a_time_is_the_same_with_any_offset() {
        let utc = parse("2026-01-31T23:30:00.25Z");
        assert!(utc.is_some());
        for text in
            ["2026-02-01T00:30:00.25+01:00", "2026-01-31T18:00:00.250-05:30", "2026-01-31t23:30:00.25z"]
        {
            assert_eq!(parse(text), utc, "{text}");
        }
        assert_eq!(parse("2026-02-01T00:30:00+01:00").map(|at| at.day), parse_day("2026-01-31"));
    }

    #[test]
    fn a_leap_second_is_the_end_of_its_day() {
        let leap = parse("2016-12-31T23:59:60Z");
        assert_eq!(leap, parse("2016-12-31T18:59:60.5-05:00"));
        assert!(parse("2016-12-31T23:59:59.5Z") < leap && leap < parse("2017-01-01T00:00:00Z"));
        assert_eq!(leap.map(|at| at.day), parse_day("2016-12-31"));
        assert_eq!(parse("2016-12-31T22:59:60Z"), None);
    }

    #[test]
    fn what_is_no_time_of_rfc_3339_with_an_offset_is_refused() {
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T10:00:00",
            "2026-01-31 10:00:00Z",
            "2026-01-31T10:00Z",
            "2026-02-30T10:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T10:60:00Z",
            "2026-01-31T10:00:61Z",
            "2026-01-31T10:00:00+0100",
            "2026-01-31T10:00:00+24:00",
            "2026-01-31T10:00:00.Z",
            "2026-01-31T10:00:00.0000000001Z",
            "1899-12-31T23:59:59Z",
            "2026-01-31T10:00:00Zé",
            "é026-01-31T10:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_counted_from_1970() {
        assert_eq!(parse_day("1970-01-01"), Some(0));
        assert_eq!(parse_day("1900-01-01"), Some(FIRST_DAY));
        assert_eq!(parse_day("2000-02-29"), Some(11_016));
        for text in ["2001-02-29", "1899-12-31", "2026-1-31", "2026-00-01", "+026-01-01", "2026-01-011"] {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn times_are_read_as_jiff_reads_them(seconds in -2_000_000_000_i64..4_000_000_000, nanos in 0..1_000_000_000_i32) {
            let instant = jiff::Timestamp::new(seconds, 0).unwrap() + jiff::SignedDuration::from_nanos(nanos.into());
            let read = parse(&instant.to_string()).unwrap();
            let total = i128::from(read.day) * 86_400_000_000_000 + i128::from(read.nanos);
            prop_assert_eq!(total, instant.as_nanosecond());
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,40}") {
            let _ = (parse(&text), parse_day(&text));
        }
    }
}
