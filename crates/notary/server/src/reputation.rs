//! The reputation bonus: callers who have paid get more free calls.

use verdict::Usd;

/// The rule, as `/catalog` publishes it.
pub const RULE: &str = "min(10, floor(log2(1 + USD settled in the last 90 days)))";

/// The most free calls that the bonus adds to a day.
pub const MOST: u32 = 10;

/// Number of days that count, including the day of the call.
pub const DAYS: u32 = 90;

/// Returns the first of the days that count. `today` is the last one; days are counted since 1970-01-01 UTC.
#[must_use]
pub fn first_day(today: u32) -> u32 {
    today.saturating_sub(DAYS - 1)
}

/// Returns the additional free calls of a day for the amount that an agent has settled in the last 90 days.
#[must_use]
pub fn bonus(settled: Usd) -> u32 {
    // floor(log2(1 + usd)) is floor(log2(1 + whole dollars)): 1 + usd reaches a power of two, a whole
    // number, only when its whole part does.
    let whole_dollars = settled.atomic() / 1_000_000;
    (1 + whole_dollars).ilog2().min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_and_the_89_days_before_it_count() {
        assert_eq!((first_day(20_000)..=20_000).count(), DAYS as usize);
        assert_eq!(first_day(5), 0);
    }

    #[test]
    fn the_bonus_grows_with_the_logarithm_and_stops_at_ten() {
        let of = |dollars: &str| bonus(dollars.parse().unwrap());
        assert_eq!([of("0"), of("0.999999"), of("1"), of("2.999999"), of("3"), of("7")], [0, 0, 1, 1, 2, 3]);
        assert_eq!([of("1022"), of("1023"), of("1000000")], [9, 10, 10]);
    }
}
