//! Changes of prices, and the prices in force.

/// A price of a class, and its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceEntry {
    /// The time from which the price is in force, in milliseconds since 1970-01-01 UTC.
    pub since: i64,
    /// The price, in atomic units.
    pub amount: u64,
}

/// The new entry of the history for a price that is in force `now`; `None` where the price has not changed. The times
/// of the history never decrease, even if the clock does.
pub fn change(last: Option<PriceEntry>, now: i64, amount: u64) -> Option<PriceEntry> {
    match last {
        Some(last) if last.amount == amount => None,
        Some(last) => Some(PriceEntry { since: now.max(last.since + 1), amount }),
        None => Some(PriceEntry { since: now, amount }),
    }
}

/// The prices that were in force at `since` (milliseconds since 1970) or later, the newest first, each once. Reads no more
/// of the history than it needs.
pub fn in_force<E>(
    newest_first: impl IntoIterator<Item = Result<PriceEntry, E>>,
    since: i64,
) -> Result<Vec<u64>, E> {
    let mut prices = Vec::new();
    for entry in newest_first {
        let entry = entry?;
        if !prices.contains(&entry.amount) {
            prices.push(entry.amount);
        }
        // The one before ended when this one began.
        if entry.since < since {
            break;
        }
    }
    Ok(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(since: i64, amount: u64) -> PriceEntry {
        PriceEntry { since, amount }
    }

    #[test]
    fn a_price_is_noted_when_it_differs_and_after_the_last_one_whatever_the_clock_says() {
        assert_eq!(change(None, 5, 10), Some(entry(5, 10)));
        assert_eq!(change(Some(entry(5, 10)), 9, 10), None);
        assert_eq!(change(Some(entry(5, 10)), 9, 11), Some(entry(9, 11)));
        assert_eq!(change(Some(entry(5, 10)), 3, 11), Some(entry(6, 11)));
    }

    #[test]
    fn a_price_is_in_force_until_the_next_one() {
        let history = [entry(30, 3), entry(20, 2), entry(10, 3), entry(0, 1)];
        let since = |since| in_force(history.map(Ok::<_, ()>), since).unwrap();
        assert_eq!(since(31), [3]);
        assert_eq!(since(30), [3, 2]);
        assert_eq!(since(15), [3, 2]);
        assert_eq!(since(0), [3, 2, 1]);
        assert_eq!(in_force([Ok(entry(5, 1)), Err("not read")], 9), Ok(vec![1]));
        assert_eq!(in_force([Ok(entry(9, 1)), Err("read")], 9), Err("read"));
    }
}
