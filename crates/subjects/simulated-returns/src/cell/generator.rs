//! The generators of records, with the truth about each.

use crate::days::edge::Noise;
use crate::trades::holds::Instruments;

/// A process that makes records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Generator {
    /// Trades: 20 stocks of beta 1, held 1 to 39 days. `edge` is what the stocks earn beside the market.
    Book {
        /// The market's Sharpe ratio a year.
        market: f64,
        /// The Sharpe ratio of the edge a year, after fees.
        edge: f64,
    },
    /// Trades: the index bought and sold every 5 days in the mean.
    Swing {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Trades: one position in 120 slices, with a stop. `won` keeps only positions that won.
    OneBet {
        /// True to keep only positions that won.
        won: bool,
    },
    /// Trades: a fair coin doubled within the day until it wins, and one noise trade a day.
    Doubling,
    /// Trades: a book without drift whose closes are timed so that each day earns the same, but for noise.
    TimedCloses,
    /// Trades: holds of that many days, of which one closes each day; no drift.
    Overlapping {
        /// Trading days.
        hold: usize,
        /// The instruments of the holds.
        instruments: Instruments,
    },
    /// Trades: eight a day, each with a stop.
    DayTrader {
        /// The Sharpe ratio of the edge a year, after fees.
        edge: f64,
    },
    /// Trades: one a day with a stop at 2.5 standard deviations.
    StoppedDaily {
        /// The Sharpe ratio of the edge a year, after fees.
        edge: f64,
    },
    /// Trades: 20 independent bets a day at .96 on events of that true probability.
    Bets {
        /// The events' true probability.
        chance: f64,
    },
    /// Trades: options sold at a fair premium, with a crash of 40 % once in that many years.
    ShortVolatility {
        /// Mean years from crash to crash.
        years: f64,
    },
    /// Trades: a martingale in lots of equal size.
    EqualLots,
    /// Trades: a gross Sharpe ratio of 3, costs of 4, reported without fees.
    FeesLeftOut,
    /// Trades: the profit is a token's whose costs are higher than its edge.
    CopiedMixed,
    /// Trades: a scalper whose edge is gone before a copier's fill.
    CopiedScalper,
    /// Trades: a true edge (Sharpe ratio 3) at that notional over the balance.
    CopiedLevered {
        /// Notional over balance.
        leverage: f64,
    },
    /// Trades: the best of that many leaders without an edge.
    CopiedBest {
        /// Number of leaders.
        leaders: usize,
    },
    /// Days: the index of the day before.
    IndexLate {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Days: the index of the day after.
    IndexEarly {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Days: the index at marks averaged over that many days.
    IndexAveraged {
        /// The market's Sharpe ratio a year.
        market: f64,
        /// Trading days.
        days: usize,
    },
    /// Days: the index, with cash stated as the benchmark.
    IndexAsCash {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Days: the market levered 1.5 times.
    LeveredBeta {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Days: the market at a beta of .5 or 1.5, drawn anew each month.
    SwitchingBeta {
        /// The market's Sharpe ratio a year.
        market: f64,
    },
    /// Days: Treasury bills at 5 % a year.
    TreasuryBills,
    /// Days: market-neutral without skill at 2 % of yearly volatility, with 5 % a year of interest.
    Carry,
    /// Days: the best of that many records of noise.
    BestOf {
        /// Number of records.
        trials: usize,
    },
    /// Days: noise, one day in ten a copy of a winning day.
    WinnersPasted,
    /// Days: noise whose second half copies its first.
    HalfPasted,
    /// Days: noise from its best start to its best end, at least a year.
    BestWindow,
    /// Days: a gross Sharpe ratio of 3, costs of 4, reported before costs.
    BeforeCosts,
    /// Days: an expected return that wanders around 0.
    Wandering,
    /// Days: a Sharpe ratio of 2 or -2, drawn anew each year.
    Regimes,
    /// Days: noise whose sign was known before on a share of the days.
    LookAhead {
        /// Share of days, 0 to 1.
        share: f64,
    },
    /// Days: that Sharpe ratio; 0 breaks even.
    Returns {
        /// The returns around their mean.
        noise: Noise,
        /// The Sharpe ratio a year.
        sharpe: f64,
    },
    /// Days: a true edge among variants that are all given.
    EdgeAmong {
        /// Number of variants, the edge among them.
        variants: usize,
        /// The Sharpe ratio a year.
        sharpe: f64,
    },
}

/// The truth about a generator's records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Label {
    /// Nothing is earned beyond market, cash and luck.
    NoEdge,
    /// A true edge of that Sharpe ratio a year, after fees and beyond market and cash.
    Edge(f64),
    /// A true loss of that Sharpe ratio a year.
    Negative(f64),
    /// The owner has an edge that a copier cannot have or must not risk.
    NotForCopiers,
}

/// The part of the rule that a cell tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The benchmark of the whole hold, leads and lags.
    Benchmark,
    /// The number of bets, and the conduct of their sizes.
    Bets,
    /// The tail that is not seen, and disclosure that is.
    Tail,
    /// Excess over cash.
    Cash,
    /// Trials, copies, cuts.
    Selection,
    /// A loss that is significant.
    Loss,
    /// Fees that are not shown.
    Fees,
    /// Costs, delay and leverage of a copier.
    Copy,
    /// Luck that lasts, and the future seen: known limits.
    Luck,
    /// True edges that must be found.
    Power,
}

impl Generator {
    /// Returns the generator's name in tables; parameters included, so that each has its own random numbers.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Book { market, edge } => format!("book of 20 stocks, market {market}, edge {edge}"),
            Self::Swing { market } => format!("index swing, market {market}"),
            Self::OneBet { won: true } => "one bet in 120 slices, won".to_owned(),
            Self::OneBet { won: false } => "one bet in 120 slices".to_owned(),
            Self::Doubling => "doubling within the day".to_owned(),
            Self::TimedCloses => "timed closes".to_owned(),
            Self::Overlapping { hold, instruments: Instruments::One } => {
                format!("overlapping holds of {hold} days, one instrument")
            }
            Self::Overlapping { hold, instruments: Instruments::Many } => {
                format!("overlapping holds of {hold} days, {hold} instruments")
            }
            Self::DayTrader { edge } => format!("day trader, edge {edge}"),
            Self::StoppedDaily { edge } => format!("one stopped trade a day, edge {edge}"),
            Self::Bets { chance } => format!("20 bets a day at .96, chance {chance}"),
            Self::ShortVolatility { years } => format!("short volatility, crash in {years} years"),
            Self::EqualLots => "martingale in equal lots".to_owned(),
            Self::FeesLeftOut => "fees left out".to_owned(),
            Self::CopiedMixed => "profit in an illiquid token".to_owned(),
            Self::CopiedScalper => "scalper, edge gone".to_owned(),
            Self::CopiedLevered { leverage } => format!("edge at {leverage} times"),
            Self::CopiedBest { leaders } => format!("best of {leaders} leaders"),
            Self::IndexLate { market } => format!("index a day late, market {market}"),
            Self::IndexEarly { market } => format!("index a day early, market {market}"),
            Self::IndexAveraged { market, days } => {
                format!("index averaged over {days} days, market {market}")
            }
            Self::IndexAsCash { market } => format!("index as cash, market {market}"),
            Self::LeveredBeta { market } => format!("levered market {market}"),
            Self::SwitchingBeta { market } => format!("switching beta, market {market}"),
            Self::TreasuryBills => "treasury bills".to_owned(),
            Self::Carry => "market-neutral with interest".to_owned(),
            Self::BestOf { trials } => format!("best of {trials}"),
            Self::WinnersPasted => "winners pasted".to_owned(),
            Self::HalfPasted => "half pasted".to_owned(),
            Self::BestWindow => "best start and end".to_owned(),
            Self::BeforeCosts => "before costs".to_owned(),
            Self::Wandering => "wandering return".to_owned(),
            Self::Regimes => "regimes of a year".to_owned(),
            Self::LookAhead { share } => format!("look-ahead on {share}"),
            Self::Returns { noise, sharpe } => format!("{}, Sharpe {sharpe}", noise.name()),
            Self::EdgeAmong { variants, sharpe } => format!("edge {sharpe} among {variants}"),
        }
    }

    /// Returns true if the records earn interest on cash.
    pub(super) const fn is_interest(self) -> bool {
        matches!(self, Self::TreasuryBills | Self::Carry)
    }

    /// The truth about the records. Fees of a tenth of a basis point are not counted as a loss.
    #[must_use]
    pub fn label(self) -> Label {
        let edge = |sharpe: f64| if sharpe > 0.0 { Label::Edge(sharpe) } else { Label::NoEdge };
        match self {
            Self::Book { edge: sharpe, .. }
            | Self::DayTrader { edge: sharpe }
            | Self::StoppedDaily { edge: sharpe }
            | Self::EdgeAmong { sharpe, .. }
            | Self::Returns { sharpe, .. } => edge(sharpe),
            Self::Bets { chance } => edge(crate::trades::intraday::bets_sharpe(chance)),
            Self::FeesLeftOut | Self::BeforeCosts => Label::Negative(-1.0),
            Self::CopiedMixed | Self::CopiedScalper | Self::CopiedLevered { .. } => Label::NotForCopiers,
            Self::Swing { .. }
            | Self::OneBet { .. }
            | Self::Doubling
            | Self::TimedCloses
            | Self::Overlapping { .. }
            | Self::ShortVolatility { .. }
            | Self::EqualLots
            | Self::CopiedBest { .. }
            | Self::IndexLate { .. }
            | Self::IndexEarly { .. }
            | Self::IndexAveraged { .. }
            | Self::IndexAsCash { .. }
            | Self::LeveredBeta { .. }
            | Self::SwitchingBeta { .. }
            | Self::TreasuryBills
            | Self::Carry
            | Self::BestOf { .. }
            | Self::WinnersPasted
            | Self::HalfPasted
            | Self::BestWindow
            | Self::Wandering
            | Self::Regimes
            | Self::LookAhead { .. } => Label::NoEdge,
        }
    }
}
