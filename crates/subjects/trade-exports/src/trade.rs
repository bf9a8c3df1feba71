//! A row of `trades`.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::Decimal;

/// The least that a profit may differ from what prices, size and fees make it, as the grading has it.
const TOLERANCE: f64 = 0.01;
/// The same, as a share of gross profit and fees.
const RELATIVE_TOLERANCE: f64 = 0.005;

/// Side of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Long,
    Short,
}

impl Side {
    pub(crate) fn of_size(size: Decimal) -> Self {
        if size.is_negative() { Self::Short } else { Self::Long }
    }

    /// The number with the sign of this side.
    pub(crate) fn signed(self, number: Decimal) -> Decimal {
        if self == Self::Short { number.negated() } else { number }
    }

    pub(crate) fn word(self) -> &'static str {
        if self == Self::Short { "short" } else { "long" }
    }
}

/// A position from its opening to its close, or what is still open of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Trade {
    /// The first row of the file that it is made of.
    pub(crate) row: u32,
    pub(crate) id: String,
    pub(crate) instrument: Option<String>,
    pub(crate) side: Option<Side>,
    pub(crate) opened_at: Option<Timestamp>,
    pub(crate) closed_at: Option<Timestamp>,
    pub(crate) is_open: bool,
    /// In contracts or lots, until the multiplier is applied.
    pub(crate) size: Option<Decimal>,
    pub(crate) entry_price: Option<Decimal>,
    pub(crate) exit_price: Option<Decimal>,
    pub(crate) fees: Option<Decimal>,
    pub(crate) pnl_net: Option<Decimal>,
    pub(crate) open_pnl: Option<Decimal>,
    pub(crate) equity_before: Option<Decimal>,
    pub(crate) max_loss: Option<Decimal>,
    pub(crate) benchmark: Option<Decimal>,
}

impl Trade {
    /// The profit before fees that prices and size make, with this multiplier.
    pub(crate) fn gross(&self, multiplier: Decimal) -> Option<Decimal> {
        let change = self.exit_price?.minus(self.entry_price?)?;
        self.side?.signed(change).times(self.size?)?.times(multiplier)
    }

    /// Returns true if the stated profit is what prices, size and fees make it.
    pub(crate) fn agrees(&self, multiplier: Decimal) -> Option<bool> {
        let (gross, net) = (self.gross(multiplier)?.to_f64(), self.pnl_net?.to_f64());
        let fees = self.fees.map_or(0.0, Decimal::to_f64);
        Some((net - (gross - fees)).abs() <= tolerance(gross, fees))
    }

    /// Returns true if unknown fees may explain why the profit is less than what prices make it: one percent of both values.
    pub(crate) fn agrees_with_unknown_fees(&self) -> Option<bool> {
        let (gross, net) = (self.gross(Decimal::ONE)?.to_f64(), self.pnl_net?.to_f64());
        let turnover = self.size?.to_f64() * (self.entry_price?.to_f64() + self.exit_price?.to_f64());
        let fees = gross - net;
        Some(self.fees.is_none() && fees >= -tolerance(gross, 0.0) && fees <= 0.01 * turnover)
    }

    /// The row as JSON. Numbers are decimals in strings, so that none is rounded.
    pub(crate) fn to_json(&self, currency: Option<&str>) -> Value {
        let mut row = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                row.insert(name.to_owned(), value);
            }
        };
        let number = |number: Option<Decimal>| number.map(|number| Value::from(number.to_string()));
        let time = |at: Option<Timestamp>| at.map(|at| Value::from(at.to_string()));
        put("trade_id", Some(self.id.as_str().into()));
        put("instrument", self.instrument.as_deref().map(Value::from));
        put("currency", currency.map(Value::from));
        put("side", self.side.map(|side| side.word().into()));
        put("opened_at", time(self.opened_at));
        put("closed_at", time(self.closed_at.filter(|_| !self.is_open)));
        put("settled", Some((!self.is_open).into()));
        put("size", number(self.size.filter(|size| size.is_positive())));
        put("entry_price", number(self.entry_price.filter(|price| price.is_positive())));
        put("exit_price", number(self.exit_price.filter(|_| !self.is_open)));
        put("fees", number(self.fees));
        put("fee_is_rebate", self.fees.filter(|fees| fees.is_negative()).map(|_| true.into()));
        put("pnl_net", number(self.pnl_net.filter(|_| !self.is_open)));
        put("open_pnl", number(self.open_pnl.filter(|_| self.is_open)));
        put("equity_before", number(self.equity_before));
        put("max_loss", number(self.max_loss));
        put("benchmark_return", number(self.benchmark));
        Value::Object(row)
    }
}

fn tolerance(gross: f64, fees: f64) -> f64 {
    TOLERANCE.max(RELATIVE_TOLERANCE * (gross.abs() + fees.abs()))
}
