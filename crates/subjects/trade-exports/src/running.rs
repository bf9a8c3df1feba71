//! A position while it is open.

use jiff::Timestamp;

use crate::Decimal;
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::pair::share;
use crate::trade::{Side, Trade};

const DUST: &str = "rests of positions below the share `dust` counted as none, and as worth nothing";

/// A position while it is open.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) row: u32,
    pub(crate) side: Side,
    pub(crate) held: Decimal,
    instrument: String,
    /// True if the opening, or a part of it, is not in the file.
    is_incomplete: bool,
    opened_at: Timestamp,
    last_at: Timestamp,
    greatest: Decimal,
    /// Sizes, values (price times size) and fees of what was opened and of what was closed.
    opened: Sums,
    closed: Sums,
    funding: Decimal,
    profit: Option<Decimal>,
    /// Units of the underlying in a contract, 1 where it is not given.
    multiplier: Decimal,
}

/// Sums over fills of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    size: Decimal,
    value: Decimal,
    fees: Decimal,
}

impl Sums {
    fn add(&mut self, size: Decimal, price: Decimal, fees: Decimal) -> Option<()> {
        self.size = self.size.plus(size)?;
        self.value = self.value.plus(price.times(size)?)?;
        self.fees = self.fees.plus(fees)?;
        Some(())
    }
}

impl Running {
    /// A position that the fill opens.
    pub(crate) fn new(fill: &Fill, multiplier: Decimal) -> Self {
        Self {
            row: fill.row,
            side: Side::of_size(fill.size),
            held: Decimal::ZERO,
            instrument: fill.instrument.clone(),
            is_incomplete: false,
            opened_at: fill.at,
            last_at: fill.at,
            greatest: Decimal::ZERO,
            opened: Sums::default(),
            closed: Sums::default(),
            funding: Decimal::ZERO,
            profit: None,
            multiplier,
        }
    }

    /// A position that was opened before the first fill that the file has of it.
    pub(crate) fn unknown(fill: &Fill, start: Decimal, multiplier: Decimal) -> Self {
        Self {
            side: Side::of_size(start),
            held: start.abs(),
            greatest: start.abs(),
            is_incomplete: true,
            ..Self::new(fill, multiplier)
        }
    }

    /// The size held, below zero for a short position.
    pub(crate) fn signed(&self) -> Decimal {
        self.side.signed(self.held)
    }

    pub(crate) fn add(&mut self, fill: &Fill, size: Decimal, fee: Decimal) -> Option<()> {
        self.opened.add(size, fill.price, fee)?;
        self.held = self.held.plus(size)?.minus(fill.fee_in_kind)?;
        self.greatest = self.greatest.max(self.held);
        self.last_at = fill.at;
        if size == fill.size.abs() {
            self.funding = self.funding.plus(fill.funding)?;
        }
        Some(())
    }

    pub(crate) fn close(&mut self, fill: &Fill, size: Decimal, fee: Decimal) -> Option<()> {
        self.closed.add(size, fill.price, fee)?;
        self.held = self.held.minus(size)?;
        self.last_at = fill.at;
        self.funding = self.funding.plus(fill.funding)?;
        if let Some(profit) = fill.profit {
            self.profit = Some(self.profit.unwrap_or_default().plus(profit)?);
        }
        Some(())
    }

    /// True if nothing, or less than the share that counts as nothing, is held.
    pub(crate) fn is_flat(&self, dust: Option<Decimal>, losses: &mut Losses) -> bool {
        if !self.held.is_positive() {
            return true;
        }
        let is_dust = dust.and_then(|share| self.greatest.times(share)).is_some_and(|rest| self.held <= rest);
        if is_dust {
            losses.count(LossCode::DustLeft, DUST);
        }
        is_dust
    }

    fn trade(&self) -> Trade {
        Trade {
            row: self.row,
            id: format!("row-{}", self.row),
            instrument: Some(self.instrument.clone()),
            side: Some(self.side),
            opened_at: Some(self.opened_at).filter(|_| !self.is_incomplete),
            ..Trade::default()
        }
    }

    /// The settled trade of the part that was closed, with its share of the opening.
    fn settled(&self, opened: Sums) -> Option<Trade> {
        let mut trade = Trade { closed_at: Some(self.last_at), ..self.trade() };
        let fees = opened.fees.plus(self.closed.fees)?.minus(self.funding)?;
        trade.fees = Some(fees);
        if self.is_incomplete {
            trade.pnl_net = Some(self.profit?.minus(fees)?);
            return Some(trade);
        }
        let by_prices = self.side.signed(self.closed.value.minus(opened.value)?).times(self.multiplier)?;
        trade.pnl_net = Some(self.profit.unwrap_or(by_prices).minus(fees)?);
        trade.size = Some(opened.size);
        trade.entry_price = opened.value.over(opened.size);
        trade.exit_price = self.closed.value.over(self.closed.size);
        if self.profit.is_none() && self.closed.size < opened.size {
            // A part was taken as a fee in kind, or is dust: it counts as a fee at the price of the close.
            let lost =
                opened.size.minus(self.closed.size)?.times(trade.exit_price?)?.times(self.multiplier)?;
            trade.fees = fees.plus(self.side.signed(lost));
        }
        Some(trade)
    }

    /// The trade of a position that is flat: none where neither its opening nor its profit is known.
    pub(crate) fn finished(self) -> Option<Vec<Trade>> {
        if self.is_incomplete && self.profit.is_none() {
            return Some(Vec::new());
        }
        self.settled(self.opened).map(|trade| vec![trade])
    }

    /// The trade of a position whose next fills are missing; `None` if no profit of it is known.
    pub(crate) fn broken_off(mut self) -> Option<Trade> {
        self.is_incomplete = true;
        self.profit?;
        self.settled(self.opened)
    }

    /// The trades of a position at the end of the file: what was closed of it, and what is open.
    pub(crate) fn still_open(self) -> Option<Vec<Trade>> {
        let mut trades = Vec::new();
        let mut rest = Trade { is_open: true, size: Some(self.held), ..self.trade() };
        rest.id.push_str("-open");
        if self.closed.size.is_zero() {
            rest.fees = Some(self.opened.fees).filter(|_| !self.is_incomplete);
            rest.entry_price = self.opened.value.over(self.opened.size).filter(|_| !self.is_incomplete);
        } else if self.is_incomplete {
            if self.profit.is_some() {
                trades.push(self.settled(self.opened)?);
            }
        } else {
            // The part of the opening that was closed; a fee in kind stays with the rest.
            let part = self.closed.size.min(self.opened.size);
            let opened = Sums {
                size: part,
                value: share(self.opened.value, part, self.opened.size)?,
                fees: share(self.opened.fees, part, self.opened.size)?,
            };
            trades.push(self.settled(opened)?);
            rest.fees = self.opened.fees.minus(opened.fees);
            rest.entry_price = self.opened.value.over(self.opened.size);
        }
        trades.push(rest);
        Some(trades)
    }
}
