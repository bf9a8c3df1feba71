//! Hold times, sizes and turnover, computed from the trades.

use crate::input::{Input, Return, Rows, Trade, settled_days};
use crate::statistics::moments::{correlation, mean};
use crate::statistics::performance::quantile_of_sorted;

/// Sizes whose logarithms spread by less than that, in standard deviations, do not differ: their correlation with
/// anything is that of rounding.
const LEAST_SPREAD: f64 = 0.05;

/// Hold times, sizes and turnover of the trades. `None` stands for a figure that cannot be computed from the rows.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Conduct {
    /// The notional opened divided by the equity, for each settlement unit.
    pub turnover: Option<Vec<f64>>,
    /// Median time from opening to close, in days.
    pub median_hold_days: Option<f64>,
    /// Correlation of the logarithm of a position's size with the loss of the trade before it, -1 to 1.
    pub correlation: Option<f64>,
    /// The largest position divided by the median position.
    pub largest_over_median: Option<f64>,
}

impl Conduct {
    /// Measures the rows. `turnover` is the caller's figure, used if the rows do not give it.
    pub fn of(input: &Input, turnover: Option<f64>) -> Self {
        match &input.rows {
            Rows::Trades(trades) => Self::of_trades(trades, turnover),
            Rows::Returns(returns) => Self::of_returns(returns, turnover),
        }
    }

    /// A period's return is of the whole equity, opened and closed once, unless the caller says otherwise.
    fn of_returns(returns: &[Return], turnover: Option<f64>) -> Self {
        Self { turnover: Some(vec![turnover.unwrap_or(1.0); returns.len()]), ..Self::default() }
    }

    fn of_trades(trades: &[Trade], turnover: Option<f64>) -> Self {
        let days = settled_days(trades);
        let stated: Option<Vec<f64>> = days.iter().map(|day| of_day(day)).collect();
        let positions = positions(trades);
        let sizes: Option<Vec<f64>> = positions.iter().map(|trade| size(trade)).collect();
        let losses: Vec<f64> =
            positions.iter().map(|trade| (-trade.pnl_net.unwrap_or(0.0)).max(0.0)).collect();
        Self {
            turnover: stated.or_else(|| turnover.map(|turnover| vec![turnover; days.len()])),
            median_hold_days: median_hold(&positions),
            correlation: sizes.as_ref().and_then(|sizes| with_prior_loss(sizes, &losses)),
            largest_over_median: sizes.and_then(largest_over_median),
        }
    }
}

/// Returns the notional opened by a day's closes, divided by the equity before the first of them.
fn of_day(day: &[&Trade]) -> Option<f64> {
    let equity = day.first()?.equity_before?;
    let opened = day.iter().try_fold(0.0, |sum, trade| Some(sum + trade.notional()?))?;
    Some(opened / equity).filter(|turnover| turnover.is_finite())
}

/// Settled trades in the order in which their sizes were chosen.
fn positions(trades: &[Trade]) -> Vec<&Trade> {
    let mut positions: Vec<&Trade> = trades.iter().filter(|trade| trade.is_settled()).collect();
    let chosen = |trade: &Trade| trade.opened_at.or(trade.closed_at);
    positions.sort_by(|one, other| chosen(one).cmp(&chosen(other)).then_with(|| one.order(other)));
    positions
}

/// A position's size over equity, so that an account that grows does not look like growing stakes.
fn size(trade: &Trade) -> Option<f64> {
    Some(trade.notional()? / trade.equity_before?).filter(|size| size.is_finite() && *size > 0.0)
}

fn median_hold(positions: &[&Trade]) -> Option<f64> {
    let hold = |trade: &&Trade| Some(trade.closed_at?.in_days() - trade.opened_at?.in_days());
    median(positions.iter().map(hold).collect::<Option<_>>()?)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| quantile_of_sorted(&values, 0.5))
}

fn with_prior_loss(sizes: &[f64], losses: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = sizes.iter().skip(1).map(|size| libm::log(*size)).collect();
    let prior = losses.get(..logs.len())?;
    if logs.len() < 2 {
        return None;
    }
    let middle = mean(&logs);
    let spread =
        libm::sqrt(mean(&logs.iter().map(|log| (log - middle) * (log - middle)).collect::<Vec<_>>()));
    // Nor do sizes follow losses that are all the same.
    if spread < LEAST_SPREAD || prior.windows(2).all(|pair| pair[0] == pair[1]) {
        return Some(0.0);
    }
    Some(correlation(&logs, prior)).filter(|found| found.is_finite())
}

fn largest_over_median(sizes: Vec<f64>) -> Option<f64> {
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    Some(largest / median(sizes)?).filter(|ratio| ratio.is_finite())
}
