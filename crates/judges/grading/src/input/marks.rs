//! Daily marks of the account: what it was worth with its open positions, and what was paid in and out.
//!
//! Positions that are held over days are graded by marks, since their closes can be timed (GIPS 2020). A day's return is its profit
//! over the equity of the mark before, with half of the day's cash flow (Dietz 1966).

use receipt::json::Path;
use verdict::{FieldError, Fields, Reason};

use super::row::Row;
use super::time::Instant;
use super::trade::Trade;
use crate::record::SettlementUnit;

/// The least share of the days, from the first mark to the last, that have one: five of seven, less holidays. Of fewer it could be
/// chosen which days are shown.
const LEAST_SHARE: f64 = 0.6;
/// The share of the equity that may come on top of the profits of trades in a year, or go off them: interest, dividends and fees that no trade has.
const OUTSIDE_TRADES: f64 = 0.10;
/// The same for any time, of the equity and of the gross profits: exports round.
const ROUNDING: f64 = 0.01;
const DAYS_A_YEAR: f64 = 365.25;

/// A row of `marks`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mark {
    /// The row's place among those that were sent.
    pub row: usize,
    /// The UTC day at whose end the account was worth that, in days since 1970-01-01.
    pub day: i32,
    /// The account's worth, open positions included, in currency.
    pub equity: f64,
    /// Deposits of that day less withdrawals, in currency.
    pub cash_flow: f64,
    /// The benchmark's return since the mark before, as a fraction; `None` if not given.
    pub b: Option<f64>,
}

impl Mark {
    /// Reads a row of `marks`.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong or missing.
    pub fn read(fields: Fields<'_>) -> Result<Self, FieldError> {
        let row = Row(fields);
        Ok(Self {
            row: 0,
            day: row.day("date")?.ok_or_else(|| row.missing("date"))?,
            equity: row.number("equity")?.ok_or_else(|| row.missing("equity"))?,
            cash_flow: row.number("cash_flow")?.unwrap_or(0.0),
            b: row.number_by_either("b", "benchmark_return")?,
        })
    }
}

/// Returns the units of the days between marks, up to the first on which the account lost all that it had.
pub fn units(marks: &[Mark]) -> Vec<SettlementUnit> {
    let of = |pair: &[Mark]| {
        let (before, mark) = (pair[0], pair[1]);
        let profit = mark.equity - before.equity - mark.cash_flow;
        let invested = invested(pair);
        // Who pays out twice what there was has nothing to measure a profit by.
        let x = if invested > 0.0 { profit / invested } else { f64::NAN };
        SettlementUnit { day: mark.day, x, b: mark.b, max_loss: None }
    };
    held(marks).map(of).collect()
}

/// Returns what each unit's return is measured by, where cash was paid in or out; else an empty list. Cash that is paid in before a
/// loss makes it look small.
pub fn equities(marks: &[Mark]) -> Vec<f64> {
    let has_flows = marks.iter().any(|mark| mark.cash_flow != 0.0);
    if has_flows { held(marks).map(invested).collect() } else { Vec::new() }
}

/// The pairs of marks between which the account had something, up to the day on which it lost all.
fn held(marks: &[Mark]) -> impl Iterator<Item = &[Mark]> {
    marks.windows(2).take_while(|pair| !is_ruin(pair)).filter(|pair| pair[0].equity > 0.0)
}

fn invested(pair: &[Mark]) -> f64 {
    pair[0].equity + 0.5 * pair[1].cash_flow
}

/// True if nothing is left of what there was and what was paid in.
fn is_ruin(pair: &[Mark]) -> bool {
    pair[1].equity <= 0.0 && pair[0].equity + pair[1].cash_flow > 0.0
}

/// Returns true if the account lost all that it had.
pub fn are_ruined(marks: &[Mark]) -> bool {
    marks.windows(2).any(is_ruin)
}

/// Returns the possible losses of the trades that were opened after the last mark, as fractions of its equity, largest first. Those
/// that were open before are in the marks.
pub fn open_losses(marks: &[Mark], trades: &[Trade]) -> Vec<f64> {
    let Some(last) = marks.last().filter(|last| last.equity > 0.0) else { return Vec::new() };
    let is_after = |trade: &&Trade| trade.opened_at.is_none_or(|at| at.day > last.day);
    let open = trades.iter().filter(|trade| !trade.is_settled()).filter(is_after);
    let loss = |trade: &Trade| (-trade.open_pnl.unwrap_or(0.0)).max(trade.max_loss.unwrap_or(0.0)).max(0.0);
    let mut losses: Vec<f64> = open.map(|trade| loss(trade) / last.equity).collect();
    losses.sort_unstable_by(|one, other| other.total_cmp(one));
    losses
}

/// Returns true if the marks are of nearly all days, and no trade closed before the first or after the last.
pub fn cover(marks: &[Mark], settled: &[&Trade]) -> bool {
    let Some((first, last)) = marks.first().zip(marks.last()) else { return false };
    let is_within = |at: Instant| (first.day..=last.day).contains(&at.day);
    let are_all = settled.iter().filter_map(|trade| trade.closed_at).all(is_within);
    let days = f64::from(last.day - first.day);
    // At most 200,000 rows are exact.
    are_all && (marks.len() as f64 - 1.0) >= LEAST_SHARE * days
}

/// Checks that the marks rise and fall by what the trades made, between the first and the last mark without an open position.
///
/// # Errors
/// [`FieldError`] at the last of these marks, if they do not.
pub fn check(marks: &[Mark], trades: &[Trade]) -> Result<(), FieldError> {
    let Some((first, last)) = flat(marks, trades) else { return Ok(()) };
    let is_between = |at: Instant| at.day > first.day && at.day <= last.day;
    // Sums of one order are the same for any order of the rows.
    let mut sorted: Vec<&Trade> = trades.iter().collect();
    sorted.sort_by(|one, other| one.order(other));
    let results = || {
        let closed = sorted.iter().filter(|trade| trade.closed_at.is_some_and(is_between));
        closed.filter_map(|trade| trade.pnl_net)
    };
    let between = || marks.iter().filter(|mark| mark.day > first.day && mark.day <= last.day);
    let paid_in = between().fold(0.0, |sum, mark| sum + mark.cash_flow);
    // Of records that were cut amid positions, the ends are not flat but lack trades.
    if 2 * results().count() < trades.len() {
        return Ok(());
    }
    let expected = first.equity + paid_in + results().fold(0.0, |sum, pnl| sum + pnl);
    let gross = results().fold(0.0, |sum, pnl: f64| sum + pnl.abs());
    let most = between().fold(first.equity.abs(), |most, mark| most.max(mark.equity.abs()));
    let years = f64::from(last.day - first.day) / DAYS_A_YEAR;
    let allowed = most * (OUTSIDE_TRADES * years + ROUNDING) + ROUNDING * gross;
    if (last.equity - expected).abs() <= allowed {
        return Ok(());
    }
    let mut path = Path::root();
    path.push_name("marks");
    path.push_index(last.row);
    path.push_name("equity");
    let detail = format!(
        "must be what the mark of row {}, cash flows and trades make it, within interest and fees of a tenth of it a year: {expected}",
        first.row
    );
    Err(FieldError { path, reason: Reason::Contradictory, detail })
}

/// The first and the last mark at the end of whose day nothing was held.
fn flat<'m>(marks: &'m [Mark], trades: &[Trade]) -> Option<(&'m Mark, &'m Mark)> {
    // Days at whose end something was held, as runs.
    let mut held: Vec<(i32, i32)> = trades
        .iter()
        .filter_map(|trade| {
            let closed = trade.closed_at.filter(|_| trade.is_settled()).map_or(i32::MAX, |at| at.day);
            let opened = trade.opened_at.map_or(closed, |at| at.day);
            (opened < closed).then_some((opened, closed))
        })
        .collect();
    held.sort_unstable();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for (opened, closed) in held {
        match runs.last_mut() {
            Some((_, until)) if opened <= *until => *until = closed.max(*until),
            _ => runs.push((opened, closed)),
        }
    }
    let is_flat = |mark: &&Mark| {
        let before = runs.partition_point(|(opened, _)| *opened <= mark.day);
        before.checked_sub(1).is_none_or(|run| runs[run].1 <= mark.day)
    };
    let (first, last) = (marks.iter().find(is_flat)?, marks.iter().rev().find(is_flat)?);
    (first.day < last.day).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(day: i32, equity: f64, cash_flow: f64) -> Mark {
        Mark { row: usize::try_from(day).unwrap(), day, equity, cash_flow, b: None }
    }

    fn trade(opened: usize, closed: usize, pnl: f64) -> Trade {
        let at = |day: usize| format!("1970-01-{:02}T12:00:00Z", 1 + day);
        let row = format!(
            r#"{{"opened_at": "{}", "closed_at": "{}", "settled": true, "pnl_net": {pnl}}}"#,
            at(opened),
            at(closed)
        );
        let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else {
            panic!()
        };
        Trade::read(Fields::root(&row)).unwrap()
    }

    #[test]
    fn a_day_returns_its_profit_over_what_was_invested() {
        let marks = [mark(0, 100.0, 0.0), mark(1, 110.0, 0.0), mark(2, 165.0, 50.0), mark(3, -1.0, 0.0)];
        let x: Vec<f64> = units(&marks).iter().map(|unit| unit.x).collect();
        assert_eq!(x.len(), 2, "the day of ruin has no return");
        assert!((x[0] - 0.1).abs() < 1e-12 && (x[1] - 5.0 / 135.0).abs() < 1e-12, "{x:?}");
        assert!(are_ruined(&marks) && !are_ruined(&marks[..3]));
        assert!(units(&[mark(0, 100.0, 0.0), mark(1, 1.0, -200.0)])[0].x.is_nan());
    }

    #[test]
    fn marks_must_be_of_nearly_all_days() {
        let trades = [trade(0, 2, 5.0), trade(1, 8, 5.0)];
        let held: Vec<&Trade> = trades.iter().collect();
        let of =
            |days: &[i32]| cover(&days.iter().map(|day| mark(*day, 100.0, 0.0)).collect::<Vec<_>>(), &held);
        assert!(of(&[1, 2, 3, 6, 7, 8, 9]), "without a weekend");
        assert!(!of(&[1, 5, 9]) && !of(&[3, 4, 5, 6, 7, 8]) && !of(&[1, 2, 3, 4, 5, 6, 7]) && !of(&[]));
    }

    #[test]
    fn marks_that_trades_do_not_make_are_refused() {
        let trades = [trade(1, 3, 20.0), trade(2, 5, -5.0), trade(7, 9, 100.0)];
        let marks = |end: f64| -> Vec<Mark> {
            (0..8)
                .map(|day| mark(day, if day < 3 { 100.0 } else { end }, if day == 6 { 10.0 } else { 0.0 }))
                .collect()
        };
        // Day 7 ends with a position; day 6 is the last that does not.
        assert!(check(&marks(125.0), &trades).is_ok() && check(&marks(126.0), &trades).is_ok());
        let error = check(&marks(190.0), &trades).unwrap_err();
        assert_eq!((error.path.dotted().as_str(), error.reason), ("marks.6.equity", Reason::Contradictory));
        assert!(error.detail.ends_with(": 125"), "{}", error.detail);
        assert!(check(&marks(190.0), &[trade(0, 20, 1.0)]).is_ok(), "nothing is flat");
        assert!(check(&marks(190.0), &[&trades[2..]; 4].concat()).is_ok(), "few trades lie between");
    }
}
