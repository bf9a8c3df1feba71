//! The shapes of simulated records: rows of trades or of days, and what their owner states about them.

/// The first day of a record: Monday, 2019-01-07, in days since 1970-01-01.
pub const FIRST_DAY: i32 = 17_903;

/// A simulated record with the statements of its owner.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The results.
    pub rows: Rows,
    /// The number of strategies that the owner says were tried; `None` where nothing is said.
    pub declared_trials: Option<u32>,
    /// True if the owner states that there is no market exposure, in place of a benchmark.
    pub cash_is_benchmark: bool,
    /// What cash pays in a year, as a fraction. A day pays 1 / 252 of it.
    pub risk_free: f64,
    /// The returns of all variants that were tried, the record's own among them; empty where none are given.
    pub alternatives: Vec<Vec<f64>>,
    /// What a copier would pay; trade records only.
    pub costs: Option<CopyCosts>,
}

/// The rows of a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Rows {
    /// One row a trading day, in order.
    Days(Vec<Day>),
    /// Closed trades in the order of their closes, and daily marks.
    Trades {
        /// The closed trades.
        trades: Vec<Trade>,
        /// The account's equity at the close of each day, open positions included. Empty for records whose trades all
        /// close on the day on which they opened.
        marks: Vec<Mark>,
    },
}

/// A day's return.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Day {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The return, as a fraction of the equity.
    pub r: f64,
    /// The benchmark's return that the owner states for the day, as a fraction; `None` for cash.
    pub b: Option<f64>,
    /// The greatest possible loss, as a fraction of the equity; never less than the day's loss.
    pub max_loss: Option<f64>,
}

/// The direction of a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Gains as the price rises.
    Long,
    /// Gains as the price falls.
    Short,
}

impl Side {
    /// 1 for a long trade, -1 for a short one.
    #[must_use]
    pub const fn sign(self) -> f64 {
        match self {
            Self::Long => 1.0,
            Self::Short => -1.0,
        }
    }
}

/// A closed trade. `pnl_net` is sign × (`exit_price` - `entry_price`) × `size` - `fees`, but for rounding.
#[derive(Clone, PartialEq, Debug)]
pub struct Trade {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub opened_at: i64,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub closed_at: i64,
    /// The instrument's name.
    pub instrument: String,
    /// The direction.
    pub side: Side,
    /// The number of pieces.
    pub size: f64,
    /// Currency for a piece.
    pub entry_price: f64,
    /// Currency for a piece.
    pub exit_price: f64,
    /// Commissions of both sides, in currency.
    pub fees: f64,
    /// The profit after fees, in currency.
    pub pnl_net: f64,
    /// The account's balance before the close, in currency: the start's plus all profits since, without open positions.
    pub equity_before: f64,
    /// The benchmark's return from `opened_at` to `closed_at`, as a fraction.
    pub benchmark_of_hold: f64,
    /// The benchmark's return over the day of the close alone, as a fraction.
    pub benchmark_of_close_day: f64,
    /// The greatest possible loss, fees included, in currency; never less than the loss.
    pub max_loss: Option<f64>,
    /// True for a bet on an event that happened, false for one that did not; `None` for a trade that is no bet. A bet's
    /// price is its entry price, its stake entry price × size.
    pub outcome: Option<bool>,
}

impl Trade {
    /// The trade's worth at its opening, in currency.
    #[must_use]
    pub fn notional(&self) -> f64 {
        self.size * self.entry_price
    }
}

/// The account at the close of a day.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mark {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Balance and open positions at the prices of the day's close, in currency. No cash flows in or out.
    pub equity: f64,
    /// The benchmark's return over the day, as a fraction.
    pub benchmark: f64,
}

/// What a copier pays for a trade in one instrument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// Half of the quoted spread, as a fraction of the price.
    pub half_spread: f64,
    /// The fee of one side, as a fraction of the notional.
    pub fee: f64,
    /// The copier's order, in currency.
    pub order_size: f64,
    /// Average daily volume, in currency.
    pub adv: f64,
    /// Standard deviation of the instrument's daily returns, as a fraction.
    pub daily_volatility: f64,
    /// Time from the trader's fill to the copier's fill, in seconds.
    pub latency_seconds: f64,
}

/// A copier's costs.
#[derive(Clone, PartialEq, Debug)]
pub struct CopyCosts {
    /// The costs of the instruments that `by_instrument` does not name.
    pub general: Costs,
    /// The costs of single instruments, where they differ.
    pub by_instrument: Vec<(String, Costs)>,
    /// The move of the price against the copier within the latency, as a fraction of the price.
    pub measured_drift: f64,
}
