//! A trade as its row has it.

use std::cmp::Ordering;

use verdict::{FieldError, Fields, Reason};

use super::commitment::Commitment;
use super::row::Row;
use super::time::Instant;

/// The least that a profit may differ from what prices, size and fees make it: a cent, since exports round to cents.
const TOLERANCE: f64 = 0.01;
/// The same, of the gross profit and the fees together: half a percent, since exports round average prices.
const RELATIVE_TOLERANCE: f64 = 0.005;

/// All sides, by name.
pub const SIDES: &[(&str, Side)] =
    &[("long", Side::Long), ("short", Side::Short), ("yes", Side::Yes), ("no", Side::No)];

/// The side of the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// A long position: bought first.
    Long,
    /// A short position: sold first.
    Short,
    /// In a binary market, a position that the event happens.
    Yes,
    /// In a binary market, a position that the event does not happen.
    No,
}

/// A row of `trades`. `None` stands for an absent member, which a later step may report as missing.
#[derive(Clone, PartialEq, Debug)]
pub struct Trade {
    /// The caller's id of the trade.
    pub trade_id: Option<Box<str>>,
    /// Name of the instrument.
    pub instrument: Option<Box<str>>,
    /// Currency of the amounts.
    pub currency: Option<Box<str>>,
    /// Side of the position.
    pub side: Option<Side>,
    /// Time of the opening.
    pub opened_at: Option<Instant>,
    /// Time of the close.
    pub closed_at: Option<Instant>,
    /// True if the result of the trade is final.
    pub settled: Option<bool>,
    /// Size of the position, in units of the instrument.
    pub size: Option<f64>,
    /// Price at the opening, in currency.
    pub entry_price: Option<f64>,
    /// Price at the close, in currency.
    pub exit_price: Option<f64>,
    /// Fees of the trade, in currency.
    pub fees: Option<f64>,
    /// The profit after fees, in currency. It is absent only if the trade is stated as not settled.
    pub pnl_net: Option<f64>,
    /// The profit so far of a trade that is not settled, in currency.
    pub open_pnl: Option<f64>,
    /// Equity of the account before the close, in currency; not above zero for an account that is ruined.
    pub equity_before: Option<f64>,
    /// The maximum possible loss, in currency.
    pub max_loss: Option<f64>,
    /// Return of the benchmark from the opening to the close, as a fraction.
    pub benchmark_return: Option<f64>,
    /// The price of one share of a binary market's side, above 0 and at most 1.
    pub price: Option<f64>,
    /// The payout of one share at the outcome, 0 to 1.
    pub outcome: Option<f64>,
    /// The price of all shares of the trade, in currency.
    pub stake: Option<f64>,
    /// The commitment to the trade before it opened. No sum and no comparison of trades uses it.
    pub commitment: Option<Box<Commitment>>,
}

impl Trade {
    /// Reads a row of `trades`.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong, a row without a result, or a result that contradicts the
    /// other members.
    pub fn read(fields: Fields<'_>) -> Result<Self, FieldError> {
        let row = Row(fields);
        let of_equity = "must be a positive amount of currency";
        let rebate = row.flag("fee_is_rebate")?.unwrap_or(false);
        let fee_detail = "must not be negative, unless `fee_is_rebate` is true";
        let mut trade = Self {
            trade_id: row.text("trade_id")?.map(Box::from),
            instrument: row.text("instrument")?.map(Box::from),
            currency: row.text("currency")?.map(Box::from),
            side: side(&row)?,
            opened_at: row.instant("opened_at")?,
            closed_at: row.instant("closed_at")?,
            settled: row.flag("settled")?,
            size: row.positive("size")?,
            entry_price: row.positive("entry_price")?,
            exit_price: row.within("exit_price", |price| price >= 0.0, "must not be negative")?,
            fees: row.within("fees", |fees| rebate || fees >= 0.0, fee_detail)?,
            pnl_net: row.number_by_either("pnl_net", "pnl")?,
            open_pnl: row.number("open_pnl")?,
            equity_before: row.number("equity_before")?,
            max_loss: row.within("max_loss", |loss| loss > 0.0, of_equity)?,
            benchmark_return: row.number_by_either("benchmark_return", "b")?,
            price: row.within(
                "price",
                |price| price > 0.0 && price <= 1.0,
                "must be above 0 and at most 1",
            )?,
            outcome: row.within("outcome", |paid| (0.0..=1.0).contains(&paid), "must be 0 to 1")?,
            stake: row.positive("stake")?,
            commitment: Commitment::read(&row)?.map(Box::new),
        };
        trade.complete(&row)?;
        Ok(trade)
    }

    /// Fills in what a binary market's price, outcome and stake say, and holds the result against what it is made of.
    fn complete(&mut self, row: &Row<'_>) -> Result<(), FieldError> {
        if self.opened_at.zip(self.closed_at).is_some_and(|(opened, closed)| closed < opened) {
            return Err(row.error("closed_at", Reason::Contradictory, "must not be before `opened_at`"));
        }
        if self.max_loss.is_none() {
            self.max_loss = self.bet().map(|stake| stake + self.fees.unwrap_or(0.0).max(0.0));
        }
        if !self.is_settled() {
            return self.check_open(row);
        }
        let Some(pnl) = self.pnl_net.or(self.binary().filter(|pnl| pnl.is_finite())) else {
            return Err(row.missing("pnl_net"));
        };
        self.pnl_net = Some(pnl);
        let contradicts = |expected: &Expected| !expected.admits(pnl);
        if let Some(expected) = self.expected().into_iter().flatten().find(contradicts) {
            let detail = format!("must be what {} make it: {}", expected.of, expected.pnl);
            return Err(row.error(result_of(row), Reason::Contradictory, detail));
        }
        Ok(())
    }

    /// Checks that a trade that is not settled has no result, because a loss that is stated as open would count for
    /// less.
    fn check_open(&self, row: &Row<'_>) -> Result<(), FieldError> {
        let detail = "must not be there where `settled` is false";
        for (name, result) in [("exit_price", self.exit_price), ("outcome", self.outcome)] {
            if result.is_some() {
                return Err(row.error(name, Reason::Contradictory, detail));
            }
        }
        match self.pnl_net {
            Some(pnl) if self.open_pnl != Some(pnl) => {
                let detail = "must be `open_pnl`, where `settled` is false";
                Err(row.error(result_of(row), Reason::Contradictory, detail))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the trade is settled, so that its result counts. A row that does not state it returns true, and
    /// the member is reported as missing later.
    pub fn is_settled(&self) -> bool {
        self.settled != Some(false)
    }

    /// Returns the notional value of the position at its opening, in currency; `None` if a member is absent.
    pub fn notional(&self) -> Option<f64> {
        self.bet().or_else(|| Some(self.size? * self.entry_price?))
    }

    /// Returns the notional over the equity; `None` if a member is absent, or they are past all measure.
    pub fn leverage(&self) -> Option<f64> {
        Some(self.notional()? / self.equity_before?).filter(|leverage| leverage.is_finite())
    }

    /// Returns the times of opening and close; the close for both where there is no opening.
    pub fn hold(&self) -> Option<(Instant, Instant)> {
        let closed = self.closed_at?;
        Some((self.opened_at.unwrap_or(closed), closed))
    }

    /// Returns true if prices make the result, so that size and fees were held against it.
    pub fn is_priced(&self) -> bool {
        self.expected().iter().any(Option::is_some)
    }

    /// The stake of a bet, which is what its price or its side tells of. Elsewhere a stake says nothing.
    fn bet(&self) -> Option<f64> {
        let is_bet = self.price.is_some() || matches!(self.side, Some(Side::Yes | Side::No));
        self.stake.filter(|_| is_bet)
    }

    /// The profit of a bet: each share cost `price`, and paid `outcome`.
    fn binary(&self) -> Option<f64> {
        Some(self.stake? * (self.outcome? / self.price? - 1.0) - self.fees.unwrap_or(0.0))
    }

    /// Returns the expected result, by each of the two computations for which the row has the members.
    fn expected(&self) -> [Option<Expected>; 2] {
        let fees = self.fees.unwrap_or(0.0);
        let has_fees = self.fees.is_some();
        let of_bet =
            self.binary().map(|pnl| Expected { pnl, fees, has_fees, of: "stake, price, outcome and fees" });
        let of_prices = self.gross().map(|gross| Expected {
            pnl: gross - fees,
            fees,
            has_fees,
            of: "side, prices, size and fees",
        });
        [of_bet, of_prices]
    }

    /// The result before fees, by the prices or a bet's outcome.
    pub fn before_fees(&self) -> Option<f64> {
        let bet = self.binary().map(|pnl| pnl + self.fees.unwrap_or(0.0));
        bet.or_else(|| self.gross())
    }

    /// The profit before fees, by the prices.
    pub fn gross(&self) -> Option<f64> {
        let sign = if self.side? == Side::Short { -1.0 } else { 1.0 };
        Some(sign * (self.exit_price? - self.entry_price?) * self.size?)
    }

    /// Compares two trades by close and then by every other member, the order in which sums run. Trades that are equal
    /// in it are interchangeable.
    pub fn order(&self, other: &Self) -> Ordering {
        let times = |trade: &Self| (trade.closed_at, trade.opened_at);
        let numbers = self.numbers().into_iter().zip(other.numbers());
        times(self)
            .cmp(&times(other))
            .then_with(|| self.instrument.cmp(&other.instrument))
            .then_with(|| self.side.cmp(&other.side))
            .then_with(|| {
                numbers.map(|(one, other)| order_of(one, other)).fold(Ordering::Equal, Ordering::then)
            })
            .then_with(|| self.trade_id.cmp(&other.trade_id))
    }

    /// Returns the members by which duplicates with different `trade_id` are detected: times, instrument, side and
    /// numbers. `None` if the closing time is absent, since the others are too few to tell trades apart.
    pub fn content(&self) -> Option<impl std::hash::Hash + Eq + use<'_>> {
        let times = (self.opened_at, self.closed_at?);
        let bits = self.numbers().map(|number| number.map(f64::to_bits));
        Some((times, self.instrument.as_deref(), self.side, bits))
    }

    fn numbers(&self) -> [Option<f64>; 12] {
        [
            self.pnl_net,
            self.equity_before,
            self.size,
            self.entry_price,
            self.exit_price,
            self.fees,
            self.max_loss,
            self.benchmark_return,
            self.price,
            self.outcome,
            self.stake,
            self.open_pnl,
        ]
    }
}

/// The name under which the row has its result.
fn result_of(row: &Row<'_>) -> &'static str {
    if row.0.value("pnl_net").is_some() { "pnl_net" } else { "pnl" }
}

/// An expected result, with its fees.
struct Expected {
    pnl: f64,
    fees: f64,
    has_fees: bool,
    of: &'static str,
}

impl Expected {
    /// Returns true if `pnl` agrees with the expected result. If no fees are given, there may have been some: then
    /// the result may be any amount less.
    fn admits(&self, pnl: f64) -> bool {
        let parts = (self.pnl + self.fees).abs() + self.fees.abs();
        let excess = pnl - self.pnl;
        let shown = if self.has_fees { excess.abs() } else { excess };
        shown <= TOLERANCE.max(RELATIVE_TOLERANCE * parts)
    }
}

fn order_of(one: Option<f64>, other: Option<f64>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => one.is_some().cmp(&other.is_some()),
    }
}

fn side(row: &Row<'_>) -> Result<Option<Side>, FieldError> {
    let Some(text) = row.text("side")? else { return Ok(None) };
    let side = SIDES.iter().find(|(word, _)| *word == text).map(|&(_, side)| side);
    side.map(Some)
        .ok_or_else(|| row.error("side", Reason::UnknownValue, "must be one of `long`, `short`, `yes`, `no`"))
}
