//! What an export does not say, or says and a request cannot hold.

use schemars::JsonSchema;
use serde::Serialize;

/// A loss: what the request lacks, and what to send or to set instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loss {
    /// The kind of loss.
    pub code: LossCode,
    /// The loss in words, with the remedy.
    pub detail: String,
    /// Number of rows or positions that it concerns.
    pub rows: u32,
}

/// The kinds of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum LossCode {
    /// Times are without a zone, and were taken for UTC.
    ZoneMissing,
    /// Local times that were twice or never, when clocks were changed.
    ZoneAmbiguous,
    /// The file has days and no times.
    DayOnly,
    /// The order of day and month was found from the dates themselves.
    DateOrderInferred,
    /// No equity, so that days have no returns.
    NoEquity,
    /// The equity starts at zero and is what deposits and profits make it.
    EquityFromDeposits,
    /// The equity fell to zero or below.
    EquityNotPositive,
    /// The file does not name the currency of its amounts.
    CurrencyMissing,
    /// The file does not name the instrument.
    InstrumentMissing,
    /// A fee in another coin than the amounts, without a rate.
    FeeInOtherCoin,
    /// Results are before fees, and the file has no fees.
    FeesMissing,
    /// Fees are the difference of the stated profit and that of the prices.
    FeesDerived,
    /// Funding is in another file.
    FundingElsewhere,
    /// Positions that are still open at the end of the file.
    OpenPositions,
    /// Positions that were opened before the file begins.
    OpeningMissing,
    /// Fills are missing between two others.
    FillsMissing,
    /// The file has no times of openings.
    OpeningTimeMissing,
    /// Prices and sizes were left out, since they do not make the stated profits.
    PricesDropped,
    /// Prices are those that amounts in the account's base currency make.
    PricesInBase,
    /// The contract's multiplier was found from profits and prices.
    MultiplierDerived,
    /// Trades that are the same in all members were merged.
    IdenticalMerged,
    /// Rows with an id that an earlier row has were left out.
    DuplicateIds,
    /// Rests too small to trade were left out.
    DustLeft,
    /// Dividends, interest and fees that belong to no trade.
    CashLeftOut,
    /// Exchanges of currencies.
    CurrencyExchangesLeftOut,
    /// Other rows that are no trades.
    RowsLeftOut,
    /// Days without a return.
    EmptyReturns,
    /// Returns beyond half of the equity: they may be percent.
    LargeReturns,
    /// No returns of a benchmark.
    NoBenchmark,
}

/// The losses of one import, each kind once.
#[derive(Debug, Default)]
pub(crate) struct Losses(Vec<Loss>);

impl Losses {
    /// Counts a row of that kind. The detail of the first one is kept.
    pub(crate) fn count(&mut self, code: LossCode, detail: &str) {
        self.add(code, 1, detail);
    }

    /// Counts so many rows of that kind; nothing for zero.
    pub(crate) fn add(&mut self, code: LossCode, rows: usize, detail: &str) {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        if rows == 0 {
            return;
        }
        match self.0.iter_mut().find(|loss| loss.code == code) {
            Some(loss) => loss.rows = loss.rows.saturating_add(rows),
            None => self.0.push(Loss { code, detail: detail.to_owned(), rows }),
        }
    }

    /// The losses, in order of their kinds.
    pub(crate) fn told(mut self) -> Vec<Loss> {
        self.0.sort_by_key(|loss| loss.code);
        self.0
    }
}
