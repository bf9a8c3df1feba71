//! Fills: purchases and sales, from which positions are made.

use jiff::Timestamp;

use crate::Decimal;

/// The effect of a fill on a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It changes the net position of the instrument.
    #[default]
    Net,
    /// It opens or adds to a position, also where the opposite one is open: a hedging account.
    Open,
    /// It closes a position.
    Close,
    /// It closes the opposite position, and opens its own with the rest.
    Reverse,
}

/// A purchase or sale. All amounts are in the record's currency.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    /// Row of the file.
    pub(crate) row: u32,
    pub(crate) at: Timestamp,
    pub(crate) instrument: String,
    /// Size: above zero for a purchase, below for a sale.
    pub(crate) size: Decimal,
    pub(crate) price: Decimal,
    /// A cost is above zero.
    pub(crate) fee: Decimal,
    /// A fee that was taken from what was bought, in units of it.
    pub(crate) fee_in_kind: Decimal,
    /// Funding, swap or interest that came with the fill: a cost is below zero.
    pub(crate) funding: Decimal,
    /// The profit before fees of what the fill closes, as the platform states it.
    pub(crate) profit: Option<Decimal>,
    /// The same where it holds the fees of the opening too, so that it counts only if the file lacks the opening.
    pub(crate) orphan_profit: Option<Decimal>,
    /// True if the platform says that the fill closes a position.
    pub(crate) is_close: bool,
    /// The net position before the fill, as the platform states it.
    pub(crate) start: Option<Decimal>,
    pub(crate) effect: Effect,
}

impl Fill {
    pub(crate) fn new(row: u32, at: Timestamp, instrument: &str, size: Decimal, price: Decimal) -> Self {
        Self {
            row,
            at,
            instrument: instrument.to_owned(),
            size,
            price,
            fee: Decimal::ZERO,
            fee_in_kind: Decimal::ZERO,
            funding: Decimal::ZERO,
            profit: None,
            orphan_profit: None,
            is_close: false,
            start: None,
            effect: Effect::Net,
        }
    }

    pub(crate) fn is_buy(&self) -> bool {
        self.size.is_positive()
    }
}

/// Sorts fills by time. A file whose times mostly fall from row to row is turned round first, so that fills of one moment keep
/// their order.
pub(crate) fn sort(fills: &mut [Fill]) {
    let steps = || fills.iter().zip(fills.iter().skip(1));
    let falls = steps().filter(|(one, next)| one.at > next.at).count();
    let rises = steps().filter(|(one, next)| one.at < next.at).count();
    if falls > rises {
        fills.reverse();
    }
    fills.sort_by_key(|fill| fill.at);
}
