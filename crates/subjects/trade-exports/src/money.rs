//! The one currency of a record.

use crate::Decimal;
use crate::error::{ImportError, Problem, shown};
use crate::lost::{LossCode, Losses};
use crate::options::Options;

const UNKNOWN: &str = "the file does not name the currency of its amounts; set `currency`";
const OTHER_COIN: &str =
    "fees are in another coin and were left out; set `fx_rates` to the coin's value in the record's currency";

/// The currency of a record, which the options or the first row give.
#[derive(Debug)]
pub(crate) struct Money<'a> {
    options: &'a Options,
    currency: Option<String>,
}

impl<'a> Money<'a> {
    pub(crate) fn new(options: &'a Options) -> Self {
        Self { options, currency: options.currency.clone() }
    }

    /// The value of one unit of `currency` in the record's currency. An empty name is that of the record.
    pub(crate) fn rate(&mut self, row: u32, column: &str, currency: &str) -> Result<Decimal, ImportError> {
        let factor = self.options.fx_rate.unwrap_or(Decimal::ONE);
        if currency.is_empty() {
            return Ok(factor);
        }
        let record = self.currency.get_or_insert_with(|| currency.to_owned());
        if record == currency {
            return Ok(Decimal::ONE);
        }
        let rate = self.options.fx_rates.get(currency).copied().or(self.options.fx_rate);
        rate.ok_or_else(|| {
            let problem = Problem::Currencies { currency: shown(record), other: shown(currency) };
            problem.of(row, column)
        })
    }

    /// The record's currency, where it is known yet.
    pub(crate) fn currency(&self) -> Option<&str> {
        self.currency.as_deref()
    }

    /// The multiplier of an instrument, 1 where it is not given.
    pub(crate) fn multiplier(&self, instrument: Option<&str>) -> Decimal {
        let name = instrument.or(self.options.instrument.as_deref()).unwrap_or_default();
        self.options.multiplier_of(name).unwrap_or(Decimal::ONE)
    }

    /// A fee in the record's currency: `None` if it is in a coin without a rate, which is counted.
    pub(crate) fn fee(&self, fee: Decimal, coin: &str, losses: &mut Losses) -> Option<Decimal> {
        let is_own = coin.is_empty() || self.currency.as_deref() == Some(coin);
        let factor = if coin.is_empty() { self.options.fx_rate } else { None };
        let rate =
            if is_own { factor.or(Some(Decimal::ONE)) } else { self.options.fx_rates.get(coin).copied() };
        if fee.is_zero() {
            return Some(fee);
        }
        let fee = rate.and_then(|rate| fee.times(rate));
        if fee.is_none() {
            losses.count(LossCode::FeeInOtherCoin, OTHER_COIN);
        }
        fee
    }

    /// The record's currency, once all rows are read.
    pub(crate) fn named(self, losses: &mut Losses) -> Option<String> {
        if self.currency.is_none() {
            losses.count(LossCode::CurrencyMissing, UNKNOWN);
        }
        self.currency
    }
}
