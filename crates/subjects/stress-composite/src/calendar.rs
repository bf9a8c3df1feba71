//! The days on which US markets are open.

use jiff::civil::{Date, Weekday, date};

/// Days on which the markets were closed for a reason of their own.
const CLOSED: [Date; 9] = [
    date(1994, 4, 27),
    date(2001, 9, 11),
    date(2001, 9, 12),
    date(2001, 9, 13),
    date(2001, 9, 14),
    date(2012, 10, 29),
    date(2012, 10, 30),
    date(2018, 12, 5),
    date(2025, 1, 9),
];

/// The first year with Juneteenth among the holidays.
const JUNETEENTH: i16 = 2022;
/// The first year with the day of Martin Luther King among the holidays of the exchanges.
const KING: i16 = 1998;

/// True for a day from Monday to Friday that is no holiday of the US exchanges.
#[must_use]
pub fn is_business_day(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
        && !CLOSED.contains(&day)
        && !is_holiday(day)
}

/// The number of business days after one day up to and with another; 0 if that is earlier.
#[must_use]
pub fn business_days_between(from: Date, to: Date) -> usize {
    let mut day = from;
    let mut count = 0;
    while day < to {
        let Ok(next) = day.tomorrow() else { break };
        day = next;
        count += usize::from(is_business_day(day));
    }
    count
}

fn is_holiday(day: Date) -> bool {
    let (year, month) = (day.year(), day.month());
    let is_nth = |weekday, nth: i8| day.weekday() == weekday && (day.day() - 1) / 7 + 1 == nth;
    let is_last_monday = day.weekday() == Weekday::Monday && day.day() + 7 > day.days_in_month();
    match month {
        1 => is_observed(day, 1, 1) || (year >= KING && is_nth(Weekday::Monday, 3)),
        2 => is_nth(Weekday::Monday, 3),
        3 | 4 => good_friday(year) == Some(day),
        5 => is_last_monday,
        6 => year >= JUNETEENTH && is_observed(day, 6, 19),
        7 => is_observed(day, 7, 4),
        9 => is_nth(Weekday::Monday, 1),
        11 => is_nth(Weekday::Thursday, 4),
        12 => is_observed(day, 12, 25),
        _ => false,
    }
}

/// A fixed holiday: on the Friday before a Saturday, and on the Monday after a Sunday. New Year's Day on a Saturday is not kept on
/// the last day of the year.
fn is_observed(day: Date, month: i8, of_month: i8) -> bool {
    let Ok(holiday) = Date::new(day.year(), month, of_month) else { return false };
    let observed = match holiday.weekday() {
        Weekday::Saturday if month == 1 => return false,
        Weekday::Saturday => holiday.yesterday(),
        Weekday::Sunday => holiday.tomorrow(),
        _ => Ok(holiday),
    };
    observed.is_ok_and(|observed| observed == day)
}

/// The Friday before Easter of the Gregorian calendar (Meeus, Jones, Butcher).
fn good_friday(year: i16) -> Option<Date> {
    let year_of = i32::from(year);
    let (a, b, c) = (year_of % 19, year_of / 100, year_of % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 19 * l) / 433;
    let month = (h + l - 7 * m + 90) / 25;
    let day = (h + l - 7 * m + 33 * month + 19) % 32;
    let easter = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    easter.yesterday().ok()?.yesterday().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holidays_and_weekends_are_closed() {
        for closed in [
            date(2024, 1, 1),
            date(2024, 1, 15),
            date(2024, 2, 19),
            date(2024, 3, 29),
            date(2024, 5, 27),
            date(2024, 6, 19),
            date(2024, 7, 4),
            date(2024, 9, 2),
            date(2024, 11, 28),
            date(2024, 12, 25),
            date(2021, 12, 24),
            date(2022, 12, 26),
            date(2023, 1, 2),
            date(2001, 9, 12),
            date(2026, 4, 3),
            date(2024, 6, 15),
        ] {
            assert!(!is_business_day(closed), "{closed}");
        }
        for open in
            [date(2021, 12, 31), date(2021, 6, 18), date(2024, 12, 24), date(1997, 1, 20), date(2024, 10, 14)]
        {
            assert!(is_business_day(open), "{open}");
        }
    }

    #[test]
    fn business_days_are_counted_after_the_first_day() {
        assert_eq!(business_days_between(date(2024, 3, 28), date(2024, 4, 1)), 1);
        assert_eq!(business_days_between(date(2024, 4, 1), date(2024, 4, 8)), 5);
        assert_eq!(business_days_between(date(2024, 4, 8), date(2024, 4, 1)), 0);
        assert_eq!(business_days_between(date(2024, 4, 1), date(2024, 4, 1)), 0);
    }
}
