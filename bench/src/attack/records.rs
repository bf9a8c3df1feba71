//! Track records of any length, as short as their rows can be.

use bytes::Bytes;

use super::client::Request;
use crate::questions::Random;

/// The days from 1900-01-01 to the end of 2025: no record of returns by the day has more.
pub const MOST_DAYS: u32 = 46_000;
/// The last day of each record, 2025-12-10: 46,000 days from 1900-01-01 on end there.
const LAST_DAY: i64 = 20_432;

/// A record to be graded, of one agent.
pub fn graded(agent: &str, days: u32, seed: u64) -> Request {
    Request::post_shared("/grade-strategy", &start(agent), rows(days, seed))
}

/// The beginning of a request with a record: its rest is [`rows`].
pub fn start(agent: &str) -> String {
    format!(r#"{{"agent":"{agent}","declared_trials":1,"benchmark":"cash","returns":["#)
}

/// The beginning of a request about copying.
pub fn copied(agent: &str) -> String {
    let costs = r#"{"half_spread":0.0002,"fee":0.0005,"order_size":"1000","adv":"50000000","daily_volatility":0.02,"latency_seconds":3}"#;
    format!(r#"{{"agent":"{agent}","costs":{costs},"benchmark":"cash","returns":["#)
}

/// Returns the rows of `days` daily returns with a small edge, and the end of the request.
pub fn rows(days: u32, seed: u64) -> Bytes {
    let mut random = Random::new(seed);
    let mut rows = String::with_capacity(days as usize * 36 + 2);
    for at in 0..i64::from(days) {
        if at > 0 {
            rows.push(',');
        }
        // Hundredths of a percent: 15 on average, and as much again as one has in a year on either side.
        let swing = (0..4).map(|_| random.below(60) as i64).sum::<i64>() - 118;
        let r = swing + 15;
        let sign = if r < 0 { "-" } else { "" };
        let date = day(LAST_DAY - i64::from(days) + 1 + at);
        rows.push_str(&format!(r#"{{"date":"{date}","r":{sign}0.{:04}}}"#, r.abs()));
    }
    rows.push_str("]}");
    rows.into()
}

/// A day by its number from 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
/// `civil_from_days`): records begin before 1970, where [`receipt::time::Timestamp`] has no times.
fn day(number: i64) -> String {
    let shifted = number + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (number, expected) in
            [(-25_567, "1900-01-01"), (0, "1970-01-01"), (11_016, "2000-02-29"), (LAST_DAY, "2025-12-10")]
        {
            assert_eq!(day(number), expected);
        }
    }

    #[test]
    fn the_longest_record_has_each_day_once_and_begins_no_earlier_than_it_may() {
        let bytes = [start("a").as_bytes(), &rows(MOST_DAYS, 1)].concat();
        let record: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let rows = record["returns"].as_array().unwrap();
        let dates: std::collections::BTreeSet<&str> =
            rows.iter().map(|row| row["date"].as_str().unwrap()).collect();
        assert_eq!(dates.len(), MOST_DAYS as usize);
        assert!(*dates.first().unwrap() >= "1900-01-01" && bytes.len() < 2 << 20);
    }
}
