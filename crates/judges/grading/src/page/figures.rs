//! The figures that people know a record by, in words and units.

use crate::copy_trade::CopyGrowth;
use crate::performance::{Drawdown, Performance};
use crate::tear_sheet::{chance, percent, short};

/// A figure with its name.
#[derive(Clone)]
pub struct FigureLine {
    /// The name of the figure.
    pub name: &'static str,
    /// The figure with its unit.
    pub figure: String,
}

/// Returns the figures that a receipt has.
pub fn figures(of: &Performance) -> Vec<FigureLine> {
    let share = |share: Option<f64>| share.map(percent);
    let plain = |number: Option<f64>| number.map(short);
    let lines = [
        ("in excess of cash at", of.risk_free.map(|rate| format!("{} a year", percent(rate)))),
        ("Sharpe ratio a year", sharpe(of)),
        ("chance that it is above zero", of.probabilistic_sharpe.map(chance)),
        ("chance that it is above the best of the trials", of.deflated_sharpe.map(chance)),
        ("further days until it is shown", of.more_units.map(|more| more.to_string())),
        ("growth a year, as it is", share(of.total_growth)),
        (growth_name(of), share(of.growth)),
        ("volatility a year", share(of.volatility)),
        ("Sortino ratio", plain(of.sortino)),
        ("Calmar ratio", plain(of.calmar)),
        ("greatest drawdown", share(of.max_drawdown)),
        ("one day in twenty is below", share(of.value_at_risk)),
        ("mean of these days", share(of.expected_shortfall)),
        ("days with a gain", share(of.win_rate)),
        ("gains over losses", plain(of.profit_factor)),
        ("time with an open trade", share(of.exposure)),
        ("leverage, median and greatest", leverage(of)),
    ];
    lines.into_iter().filter_map(|(name, figure)| Some(FigureLine { name, figure: figure? })).collect()
}

/// The name of the growth: it is in excess of cash where that of the returns as they are stands beside it.
const fn growth_name(of: &Performance) -> &'static str {
    if of.total_growth.is_some() { "growth a year in excess of cash" } else { "growth a year" }
}

/// Returns the growth of a trader and of its copier.
pub fn growth_of_copying(of: &CopyGrowth) -> Vec<FigureLine> {
    let lines = [
        ("growth a year of the record, as it is", of.record),
        ("growth a year of the record, in excess of cash", of.record_in_excess),
        ("growth a year after costs", of.copy),
        ("growth a year after costs, in excess of cash", of.copy_in_excess),
    ];
    let lines = lines.into_iter();
    lines.filter_map(|(name, growth)| Some(FigureLine { name, figure: percent(growth?) })).collect()
}

fn sharpe(of: &Performance) -> Option<String> {
    let ratio = short(of.sharpe?);
    Some(match of.sharpe_low.zip(of.sharpe_high) {
        Some((low, high)) => format!("{ratio} (95 %: {} to {})", short(low), short(high)),
        None => ratio,
    })
}

fn leverage(of: &Performance) -> Option<String> {
    Some(format!("{} and {} of the equity", percent(of.leverage_median?), percent(of.leverage_max?)))
}

/// Returns the record in two sentences with its numbers; `None` where it has too few of them.
pub fn summary(of: &Performance) -> Option<String> {
    let in_excess = percent(of.growth?);
    let growth = of.total_growth.map_or_else(
        || format!("{in_excess} a year"),
        |total| format!("{} a year ({in_excess} in excess of cash)", percent(total)),
    );
    let growth = format!(
        "In numbers: growth of {growth} at a volatility of {}, a Sharpe ratio of {}.",
        percent(of.volatility?),
        sharpe(of)?
    );
    Some(match of.drawdowns.first() {
        Some(fall) => format!("{growth} {}", deepest(fall)),
        None => growth,
    })
}

fn deepest(fall: &Drawdown) -> String {
    let Drawdown { from, trough, to, depth } = fall;
    let after = to.map_or_else(|| ", and has not recovered".to_owned(), |to| format!(", recovered on {to}"));
    format!("The deepest drawdown is {}, from {from} to {trough}{after}.", percent(*depth))
}
