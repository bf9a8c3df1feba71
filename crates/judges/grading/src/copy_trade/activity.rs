//! The activity of a record: the notional that it opened by settlement day and instrument, its holds, fees and exposure.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::missing::MATERIAL;
use crate::conduct::Conduct;
use crate::input::{Input, Rows, Trade, greatest_at_once, settled_days};
use crate::statistics::performance::quantile_of_sorted;

/// The median hold, in days, below which the adverse move within the latency has to be measured: an hour (Perold 1988; Almgren
/// and Chriss 2001), less the millisecond that a time in days may lose.
const SHORT_HOLD_DAYS: f64 = 3_599.999 / 86_400.0;

/// The trades of one instrument.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Traded {
    /// The settlement unit, by position, and the notional that a trade opened over the equity of its day.
    pub turnover: Vec<(usize, f64)>,
    /// The profit over the equity of each trade's day, summed.
    pub profit: f64,
}

impl Traded {
    /// The notional opened over equity, summed.
    pub(super) fn total(&self) -> f64 {
        self.turnover.iter().fold(0.0, |sum, (_, turnover)| sum + turnover)
    }
}

/// If the trader's own fees are known, which a copier does not pay besides its own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraderFees {
    /// They were taken off before the copier's were added: every trade has `fees` that its prices confirm.
    TakenOff,
    /// They were taken off where prices confirm them. Elsewhere the copier is charged both the trader's fees and its own.
    Partly,
    /// They are not known, so that the copier is charged both the trader's fees and its own.
    #[default]
    NotKnown,
}

impl TraderFees {
    fn of(settled: &[&Trade]) -> Self {
        let confirmed = settled.iter().filter(|trade| trade.is_priced() && trade.fees.is_some()).count();
        match confirmed {
            0 => Self::NotKnown,
            confirmed if confirmed == settled.len() => Self::TakenOff,
            _ => Self::Partly,
        }
    }
}

/// The activity of a record. `None` stands for a figure that cannot be computed from the rows.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Activity {
    /// The trades of each instrument, those without a name under `None`.
    pub instruments: BTreeMap<Option<Box<str>>, Traded>,
    /// The caller's turnover by unit, where the rows do not give that of each of several instruments.
    unassigned: Vec<(usize, f64)>,
    /// True if the turnover is known, from the rows or from the caller.
    pub knows_turnover: bool,
    /// True if the turnover of each instrument is known from the rows.
    pub knows_instruments: bool,
    /// If the trader's own fees are known.
    pub trader_fees: TraderFees,
    /// The trader's own fees of each unit over its equity, as far as prices confirm them.
    pub fees: Vec<f64>,
    /// Median time from opening to close, in days.
    pub median_hold_days: Option<f64>,
    /// True if holds of less than an hour are the median or make more than a tenth of the profit. Where holds are not known there is
    /// no `COPY` in any case.
    pub is_short_held: bool,
    /// The greatest notional that was open at one time over the equity.
    pub notional_over_equity: Option<f64>,
    /// The greatest loss that could have been made at one time over the equity, where each row says its own.
    pub max_loss: Option<f64>,
    /// How sizes were chosen.
    pub conduct: Conduct,
}

impl Activity {
    /// Measures the rows. `turnover` is the caller's figure, used if the rows do not give it.
    pub fn of(input: &Input, turnover: Option<f64>) -> Self {
        match &input.rows {
            Rows::Trades(trades) => Self::of_trades(trades, turnover),
            // A period's return is of the whole equity, opened and closed once, unless the caller says otherwise.
            Rows::Returns(returns) => Self {
                unassigned: uniform(turnover.unwrap_or(1.0), returns.len()),
                knows_turnover: true,
                knows_instruments: true,
                max_loss: returns
                    .iter()
                    .try_fold(0.0, |most: f64, row| Some(most.max(row.max_loss?)))
                    .filter(|_| !returns.is_empty()),
                ..Self::default()
            },
        }
    }

    fn of_trades(trades: &[Trade], turnover: Option<f64>) -> Self {
        let days = settled_days(trades);
        let settled: Vec<&Trade> = days.iter().flatten().copied().collect();
        let stated = traded(&days);
        let knows_instruments = stated.is_some();
        let unassigned = match (&stated, turnover) {
            (None, Some(turnover)) => uniform(turnover, days.len()),
            _ => Vec::new(),
        };
        let knows_turnover = knows_instruments || turnover.is_some();
        let named = || settled.iter().map(|trade| (trade.instrument.clone(), Traded::default())).collect();
        let opened = |trade: &Trade| trade.opened_at.is_some();
        let at_once = |amount: fn(&Trade) -> Option<f64>| {
            let amounts = settled.iter().map(|trade| (*trade, amount(trade).filter(|_| opened(trade))));
            greatest_at_once(amounts).filter(|_| !settled.is_empty())
        };
        let (median_hold_days, is_short_held) = holds(&settled);
        Self {
            instruments: stated.unwrap_or_else(named),
            unassigned,
            knows_turnover,
            knows_instruments,
            trader_fees: TraderFees::of(&settled),
            fees: days.iter().map(|day| fees(day)).collect(),
            median_hold_days,
            is_short_held,
            notional_over_equity: at_once(Trade::leverage),
            max_loss: at_once(|trade| Some(trade.max_loss? / trade.equity_before?)),
            conduct: Conduct::of(&settled),
        }
    }

    /// What was opened of each instrument, by unit. What is not known to be of one is of none.
    pub fn opened(&self) -> impl Iterator<Item = (Option<&str>, &[(usize, f64)])> {
        let of_instruments = self.instruments.iter();
        let of_instruments =
            of_instruments.map(|(name, traded)| (name.as_deref(), traded.turnover.as_slice()));
        let only = self.only().unwrap_or(None);
        of_instruments
            .chain(std::iter::once((only, self.unassigned.as_slice())))
            .filter(|(_, opened)| !opened.is_empty())
    }

    /// The instrument that all trades are of, if there is one alone.
    fn only(&self) -> Option<Option<&str>> {
        let mut names = self.instruments.keys();
        names.next().filter(|_| names.next().is_none()).map(Option::as_deref)
    }

    /// The notional opened in a unit over equity, for each of so many units.
    pub fn turnover(&self, units: usize) -> Vec<f64> {
        self.charged(units, |_| 1.0)
    }

    /// The sum of what each trade of a unit costs, over equity, for each of so many units. `cost` is that of an instrument, over
    /// the notional.
    pub fn charged(&self, units: usize, cost: impl Fn(Option<&str>) -> f64) -> Vec<f64> {
        let mut charged = vec![0.0; units];
        for (name, opened) in self.opened() {
            let cost = cost(name);
            for (unit, turnover) in opened {
                if let Some(sum) = charged.get_mut(*unit) {
                    *sum += turnover * cost;
                }
            }
        }
        charged
    }
}

/// The same turnover on each of so many days.
fn uniform(turnover: f64, days: usize) -> Vec<(usize, f64)> {
    (0..days).map(|day| (day, turnover)).collect()
}

/// The trades by instrument; `None` if a trade's notional or a day's equity is not known, or past all measure.
fn traded(days: &[Vec<&Trade>]) -> Option<BTreeMap<Option<Box<str>>, Traded>> {
    let mut instruments: BTreeMap<Option<Box<str>>, Traded> = BTreeMap::new();
    for (unit, day) in days.iter().enumerate() {
        let equity = day.first()?.equity_before?;
        for trade in day {
            let turnover = trade.notional()? / equity;
            let of = instruments.entry(trade.instrument.clone()).or_default();
            of.turnover.push((unit, turnover));
            of.profit += trade.pnl_net? / equity;
        }
    }
    instruments.values().all(|traded| traded.total().is_finite()).then_some(instruments)
}

/// The fees of a day's trades over its equity, as far as prices confirm them: fees alone would let a caller raise the results.
fn fees(day: &[&Trade]) -> f64 {
    let Some(equity) = day.first().and_then(|first| first.equity_before) else { return 0.0 };
    // Rounding of a result is no fee.
    let between = |trade: &&&Trade| Some(trade.fees?.min(trade.before_fees()? - trade.pnl_net?));
    let confirmed = day.iter().filter(|trade| trade.is_priced()).filter_map(|trade| between(&trade));
    confirmed.fold(0.0, |sum, fees| sum + fees) / equity
}

/// The median hold in days, and true if trades held for less than an hour are the median or make more than a tenth of the profit.
fn holds(settled: &[&Trade]) -> (Option<f64>, bool) {
    let hold = |trade: &&Trade| Some(trade.closed_at?.in_days() - trade.opened_at?.in_days());
    let Some(holds) = settled.iter().map(hold).collect::<Option<Vec<f64>>>() else { return (None, false) };
    let profit = |trade: &Trade| trade.pnl_net.unwrap_or(0.0) / trade.equity_before.unwrap_or(f64::NAN);
    let (mut short, mut all) = (0.0, 0.0);
    for (trade, hold) in settled.iter().zip(&holds) {
        let profit = profit(trade);
        all += profit;
        short += if *hold < SHORT_HOLD_DAYS { profit } else { 0.0 };
    }
    let mut sorted = holds;
    sorted.sort_by(f64::total_cmp);
    let median = (!sorted.is_empty()).then(|| quantile_of_sorted(&sorted, 0.5));
    // A profit that is no number counts as one of short holds.
    let is_small = short <= 0.0 || short <= MATERIAL * all;
    (median, !(is_small && median.is_some_and(|median| median >= SHORT_HOLD_DAYS)))
}
