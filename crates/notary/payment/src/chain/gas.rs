//! The budget for gas in a UTC day, in the chain's own coin.
//!
//! A transaction counts with the most that it can cost from when it is prepared, and with what it has cost once its receipt
//! is seen. Payments may use four fifths of a day's gas; the rest is for refunds and for what was broadcast before and must
//! be sent again. Once a payment did not fit, no more are taken that day.
//!
//! The count is kept in this process only: a restart begins a new one.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::{B256, U256};
use lru::LruCache;
use verdict::{Clock, Timestamp};

use crate::SettleError;
use crate::settler::GasToday;

/// The divisor of the reserved part: payments may not use 1/5 of a day's gas.
pub const RESERVED_PART: u64 = 5;
/// Transactions whose cost may still change; the one that was looked at longest ago stays as it was counted last.
const MAX_COUNTED: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");
/// Seconds in a UTC day.
const DAY_SECONDS: u64 = 24 * 3600;
/// Decimal places of the chain's own coin.
const PLACES: usize = 18;

/// The purpose of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// A new payment.
    Payment,
    /// A refund, or a payment that was broadcast before.
    Owed,
}

/// Parses an amount of the chain's own coin, such as `0.05`, into wei.
///
/// # Errors
/// The text is not a decimal number above 0 with at most 18 decimal places.
pub fn parse_coin(text: &str) -> Result<U256, NotCoin> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_decimal = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_decimal(whole) || !is_decimal(part) || part.len() > PLACES {
        return Err(NotCoin);
    }
    let wei: u128 = format!("{whole}{part:0<PLACES$}").parse().map_err(|_| NotCoin)?;
    if wei == 0 { Err(NotCoin) } else { Ok(U256::from(wei)) }
}

/// The text is not an amount of the chain's own coin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("must be a decimal number above 0 of the chain's own coin with at most 18 places, such as 0.05")]
pub struct NotCoin;

/// The gas spent in the current day, and the clock that tells the day.
pub(crate) struct GasBudget {
    clock: Arc<dyn Clock>,
    day: Mutex<Day>,
}

impl std::fmt::Debug for GasBudget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("GasBudget").field("day", &self.day).finish_non_exhaustive()
    }
}

impl GasBudget {
    pub(crate) fn new(per_day: U256, clock: Arc<dyn Clock>) -> Self {
        Self { clock, day: Mutex::new(Day::new(per_day)) }
    }

    /// The count of today, and the time.
    fn today(&self) -> (MutexGuard<'_, Day>, Timestamp) {
        let now = self.clock.now();
        // Nothing in the guarded sections can leave the count half changed.
        let mut day = self.day.lock().unwrap_or_else(PoisonError::into_inner);
        day.turn(now.unix_days());
        (day, now)
    }

    /// Refuses new payments once the day's gas is used up.
    pub(crate) fn check(&self) -> Result<(), SettleError> {
        let (day, now) = self.today();
        if day.is_used_up { Err(used_up(now)) } else { Ok(()) }
    }

    /// Sets aside what a transaction can cost at most, or refuses to.
    pub(crate) fn reserve(&self, most: U256, purpose: Purpose) -> Result<(), SettleError> {
        let (mut day, now) = self.today();
        let was_used_up = day.is_used_up;
        if day.reserve(most, purpose) {
            return Ok(());
        }
        if day.is_used_up && !was_used_up {
            tracing::error!(
                spent_wei = %day.spent, per_day_wei = %day.per_day,
                "the gas of this day is used up: new payments are refused until the UTC day ends"
            );
        }
        Err(used_up(now))
    }

    /// Gives back what was set aside for a transaction that was not made after all.
    pub(crate) fn give_back(&self, most: U256) {
        let mut day = self.today().0;
        day.spent = day.spent.saturating_sub(most);
    }

    /// Notes for which transaction something was set aside; it takes the place of `before`, of which it replaces.
    pub(crate) fn name(&self, transaction: B256, most: U256, before: Option<B256>) {
        let mut day = self.today().0;
        if let Some(counted) = before.and_then(|before| day.counted.pop(&before)) {
            day.spent = day.spent.saturating_sub(counted);
        }
        day.counted.put(transaction, most);
    }

    /// Counts a transaction that is sent, unless it is counted already.
    pub(crate) fn sent(&self, transaction: B256, most: U256) {
        let mut day = self.today().0;
        if !day.counted.contains(&transaction) {
            day.count(transaction, most);
        }
    }

    /// Counts a transaction that is in a block with what it has cost.
    pub(crate) fn landed(&self, transaction: B256, cost: U256) {
        let mut day = self.today().0;
        if day.counted.contains(&transaction) {
            day.count(transaction, cost);
        }
    }

    pub(crate) fn standing(&self) -> GasToday {
        let day = self.today().0;
        GasToday { spent: day.spent, per_day: day.per_day, is_used_up: day.is_used_up }
    }
}

/// The refusal until the UTC day ends.
fn used_up(now: Timestamp) -> SettleError {
    let left = DAY_SECONDS - now.unix_seconds() % DAY_SECONDS;
    SettleError::GasUsedUp { retry_after_s: u32::try_from(left).unwrap_or(u32::MAX) }
}

#[derive(Debug)]
struct Day {
    per_day: U256,
    /// Days since 1970-01-01 UTC.
    number: u32,
    /// Wei.
    spent: U256,
    counted: LruCache<B256, U256>,
    is_used_up: bool,
}

impl Day {
    fn new(per_day: U256) -> Self {
        Self { per_day, number: 0, spent: U256::ZERO, counted: LruCache::new(MAX_COUNTED), is_used_up: false }
    }

    /// Begins a new day. A clock that goes back begins none.
    fn turn(&mut self, number: u32) {
        if number > self.number {
            *self = Self { number, ..Self::new(self.per_day) };
        }
    }

    fn reserve(&mut self, most: U256, purpose: Purpose) -> bool {
        let limit = match purpose {
            Purpose::Payment => self.per_day - self.per_day / U256::from(RESERVED_PART),
            Purpose::Owed => self.per_day,
        };
        let sum = self.spent.saturating_add(most);
        let fits = sum <= limit && !(self.is_used_up && purpose == Purpose::Payment);
        if fits {
            self.spent = sum;
        } else if purpose == Purpose::Payment {
            self.is_used_up = true;
        }
        fits
    }

    fn count(&mut self, transaction: B256, cost: U256) {
        let before = self.counted.put(transaction, cost).unwrap_or_default();
        self.spent = self.spent.saturating_sub(before).saturating_add(cost);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use super::*;

    /// A clock that a test sets, in milliseconds since 1970.
    #[derive(Default)]
    struct Hand(AtomicI64);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(self.0.load(Ordering::Relaxed)).unwrap()
        }

        fn monotonic(&self) -> Duration {
            unreachable!("the day is the clock's")
        }
    }

    /// A budget of 100 wei a day, at noon.
    fn budget() -> (GasBudget, Arc<Hand>) {
        let clock = Arc::new(Hand(AtomicI64::new(1_795_262_400_000)));
        assert_eq!(clock.now().unix_seconds() % DAY_SECONDS, DAY_SECONDS / 2);
        (GasBudget::new(U256::from(100), clock.clone()), clock)
    }

    fn wei(amount: u64) -> U256 {
        U256::from(amount)
    }

    fn hash(number: u8) -> B256 {
        B256::repeat_byte(number)
    }

    #[test]
    fn payments_use_four_fifths_of_a_day_and_what_is_owed_all_of_it() {
        let (budget, clock) = budget();
        budget.reserve(wei(80), Purpose::Payment).unwrap();
        budget.check().unwrap();
        let refused = SettleError::GasUsedUp { retry_after_s: 12 * 3600 };
        assert_eq!(budget.reserve(wei(1), Purpose::Payment), Err(refused.clone()));
        assert_eq!(budget.check(), Err(refused.clone()));
        budget.reserve(wei(20), Purpose::Owed).unwrap();
        assert_eq!(budget.reserve(wei(1), Purpose::Owed), Err(refused));
        assert!(budget.standing().is_used_up);

        clock.0.fetch_add(12 * 3_600_000 - 1000, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(SettleError::GasUsedUp { retry_after_s: 1 }));
        clock.0.fetch_add(1000, Ordering::Relaxed);
        budget.check().unwrap();
        budget.reserve(wei(80), Purpose::Payment).unwrap();
        // A clock that goes back gives nothing anew.
        clock.0.fetch_sub(3_600_000, Ordering::Relaxed);
        assert_eq!(budget.standing(), GasToday { spent: wei(80), per_day: wei(100), is_used_up: false });
    }

    #[test]
    fn a_transaction_counts_with_the_most_and_then_with_what_it_has_cost() {
        let (budget, _) = budget();
        let spent = || budget.standing().spent;
        budget.reserve(wei(50), Purpose::Payment).unwrap();
        budget.name(hash(1), wei(50), None);
        for _ in 0..3 {
            budget.sent(hash(1), wei(50));
            assert_eq!(spent(), wei(50));
        }
        for _ in 0..3 {
            budget.landed(hash(1), wei(20));
            budget.sent(hash(1), wei(50));
            assert_eq!(spent(), wei(20));
        }
        // A transaction that an earlier process prepared counts from when it is sent; an unsent one does not count.
        budget.landed(hash(2), wei(7));
        assert_eq!(spent(), wei(20));
        budget.sent(hash(2), wei(30));
        assert_eq!(spent(), wei(50));
        budget.landed(hash(2), wei(7));
        assert_eq!(spent(), wei(27));
        budget.reserve(wei(5), Purpose::Payment).unwrap();
        budget.give_back(wei(5));
        assert_eq!(spent(), wei(27));
    }

    #[test]
    fn of_a_transaction_and_its_replacement_one_counts() {
        let (budget, _) = budget();
        budget.reserve(wei(30), Purpose::Payment).unwrap();
        budget.name(hash(1), wei(30), None);
        budget.reserve(wei(40), Purpose::Owed).unwrap();
        budget.name(hash(2), wei(40), Some(hash(1)));
        assert_eq!(budget.standing().spent, wei(40));
    }

    #[test]
    fn coin_is_read_exactly_or_not_at_all() {
        assert_eq!(parse_coin("0.05"), Ok(wei(50_000_000_000_000_000)));
        assert_eq!(parse_coin("0.000000000000000001"), Ok(wei(1)));
        assert_eq!(parse_coin("2"), Ok(wei(2_000_000_000_000_000_000)));
        for wrong in
            ["", "0", "0.0", "-1", "+1", "1e3", " 1", "1,5", "0.0000000000000000001", "1.2.3", "one", "."]
        {
            assert_eq!(parse_coin(wrong), Err(NotCoin), "{wrong}");
        }
    }
}
