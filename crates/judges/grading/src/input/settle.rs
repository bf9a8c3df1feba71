//! Rows to settlement units: one for each UTC day on which something closed.

use receipt::json::Path;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Cost, FieldError};

use super::marks::Mark;
use super::read::{Declared, Input, Rows, check_alternatives};
use super::returns::Return;
use super::trade::Trade;
use super::{equity, fees, marks, open, positions, repeats, stakes};
use crate::conduct::Conduct;
use crate::grade::GradeReason;
use crate::graded_before;
use crate::record::{Benchmark, PossibleLosses, Reservation, Reservations, SettlementUnit, TrackRecord};
use crate::statistics::performance::quantile;

/// The least that a benchmark's return lies from their median on half of the days, of one that moves at all: a hundredth
/// of a basis point.
const LEAST_MOVE: f64 = 1e-6;
const DAYS_A_YEAR: f64 = 365.25;
/// The share by which the stated number of units in a year may differ from that of the dates.
const MOST_AWAY: f64 = 0.15;

/// The record that is graded, with counts of its rows and the members that they lack.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// The record that is graded. It has no units if a member is missing.
    pub record: TrackRecord,
    /// The number of rows, by kind.
    pub rows: RowCounts,
    /// The members that the rows lack.
    pub missing: Vec<Missing>,
    /// SHA-256 of the first days and returns, by which the ledger counts how often a record was graded; `None` for a
    /// record that is too short.
    pub beginning: Option<[u8; 32]>,
}

/// The processor time of one core that grading takes, in microseconds, by estimate: in any case, for each settlement unit
/// (the resamples of the bootstrap), for each variant (the halvings of the cross-validation) and for each of its returns.
const BASE_MICROS: u64 = 5_000;
const UNIT_MICROS: u64 = 45;
const VARIANT_MICROS: u64 = 800;
const RETURN_MICROS: u64 = 2;
/// The processor time of reading the receipt of a commitment.
const COMMITMENT_MICROS: u64 = 20;

impl Settled {
    /// Returns the estimated processor time of grading, and of reading so many receipts of commitments: units times resamples, times the number of passes of the rule.
    #[must_use]
    pub fn cost(&self, commitments: usize) -> Cost {
        let TrackRecord { units, alternatives, open_losses, unreconciled_equity, .. } = &self.record;
        let losses_taken = u64::from(!open_losses.is_empty());
        let other_equities = 2 * u64::from(!unreconciled_equity.is_empty());
        let cash = 2 * u64::from(self.record.lacks_risk_free || !self.record.cash.is_empty());
        let looks = (1 + losses_taken + cash) * (1 + other_equities);
        let returns: usize = alternatives.iter().map(Vec::len).sum();
        let of_variants = alternatives.len() as u64 * VARIANT_MICROS + returns as u64 * RETURN_MICROS;
        let of_receipts = commitments as u64 * COMMITMENT_MICROS;
        Cost::micros(BASE_MICROS + of_receipts + looks * (units.len() as u64 * UNIT_MICROS + of_variants))
    }
}

/// The number of rows of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Counted")]
pub struct RowCounts {
    /// All.
    pub given: u32,
    /// Those that were graded.
    pub settled: u32,
    /// Trades that are not settled, which were left out.
    pub unsettled: u32,
}

/// A member that a step needs and rows lack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Missing {
    /// The name of the missing member.
    pub field: &'static str,
    /// The number of rows that lack the member.
    pub rows: u32,
    /// The path of the first row that lacks the member.
    pub first: String,
    /// The instruction to the caller: the member to add.
    pub add: &'static str,
}

/// The use of each member that may be missing.
const NEEDED: &[(&str, &str)] = &[
    ("settled", "true for a trade whose result is final, false for one that is still open"),
    ("closed_at", "the time of the close with its offset from UTC, which decides the settlement day"),
    ("date", "the UTC day of the return, as 2026-01-31"),
    ("currency", "the currency of the amounts, which the other trades name"),
    ("equity_before", "the account's equity before the day's first close, in the trades' currency"),
    ("size", "the size of each trade of a day with several, which weighs their benchmark returns"),
    (
        "entry_price",
        "the entry price of each trade of a day with several, which weighs their benchmark returns",
    ),
];

/// Which rows lack what.
#[derive(Default)]
struct Lacking(Vec<(&'static str, Vec<usize>)>);

impl Lacking {
    fn note(&mut self, field: &'static str, rows: Vec<usize>) {
        if !rows.is_empty() {
            self.0.push((field, rows));
        }
    }

    fn told(&self, array: &str) -> Vec<Missing> {
        let order = |field: &str| NEEDED.iter().position(|(name, _)| *name == field);
        let mut told: Vec<Missing> = self.0.iter().map(|(field, rows)| missing(array, field, rows)).collect();
        told.sort_by_key(|missing| order(missing.field));
        told
    }
}

fn missing(array: &str, field: &'static str, rows: &[usize]) -> Missing {
    let mut path = Path::root();
    path.push_name(array);
    path.push_index(rows.iter().copied().min().unwrap_or(0));
    path.push_name(field);
    let add = NEEDED.iter().find(|(name, _)| *name == field).map_or("", |(_, add)| add);
    Missing { field, rows: count(rows.len()), first: path.dotted(), add }
}

fn count(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

/// Gathers the rows into settlement units.
///
/// # Errors
/// [`FieldError`] if a variant does not have a return for each unit.
pub fn settle(input: &Input) -> Result<Settled, FieldError> {
    let Gathered {
        mut units,
        rows,
        mut reservations,
        missing,
        has_benchmark,
        open_losses,
        unreconciled_equity,
        mut possible,
    } = match &input.rows {
        Rows::Trades(trades) if !input.marks.is_empty() => of_marks(&input.marks, trades),
        Rows::Trades(trades) => of_trades(trades),
        Rows::Returns(returns) => of_returns(returns),
    };
    if missing.is_empty() {
        check_alternatives(&input.alternatives, units.len())?;
    } else {
        reservations.insert(0, Reservation::Insufficient(GradeReason::FieldsMissing));
    }
    if units.iter().any(|unit| !is_finite(unit)) {
        reservations.push(Reservation::Insufficient(GradeReason::OutOfRange));
    }
    if units.iter().any(|unit| unit.x <= -1.0) {
        reservations.push(Reservation::Ruined);
    }
    if !(missing.is_empty() && units.iter().all(is_finite)) {
        units.clear();
    }
    let by_dates = periods_per_year(&units);
    let agrees = |stated: &f64| (stated / by_dates - 1.0).abs() <= MOST_AWAY;
    let periods_per_year = input.periods_per_year.filter(agrees).unwrap_or(by_dates);
    possible.notional = input.greatest_notional.into_iter().chain(possible.notional).reduce(f64::max);
    let alternatives = if units.is_empty() { Vec::new() } else { input.alternatives.clone() };
    let unreconciled_equity = if units.is_empty() { Vec::new() } else { unreconciled_equity };
    let record = TrackRecord {
        declared_trials: input.declared_trials,
        periods_per_year,
        benchmark: benchmark(&units, has_benchmark, input.benchmark),
        reservations: Reservations(reservations),
        open_losses,
        unreconciled_equity,
        alternatives,
        units,
        lacks_risk_free: input.risk_free.is_none(),
        possible,
        cash: Vec::new(),
    };
    // Before cash is taken off: another rate makes no other record.
    let beginning = graded_before::beginning(&record.units);
    let record = match &input.risk_free {
        Some(rates) => record.less_cash(|day| rates.on(day)),
        None => record,
    };
    Ok(Settled { record, rows, missing, beginning })
}

/// The result of reading the rows of one form.
struct Gathered {
    units: Vec<SettlementUnit>,
    rows: RowCounts,
    reservations: Vec<Reservation>,
    missing: Vec<Missing>,
    has_benchmark: bool,
    open_losses: Vec<f64>,
    unreconciled_equity: Vec<f64>,
    possible: PossibleLosses,
}

fn is_finite(unit: &SettlementUnit) -> bool {
    let is_good = |number: Option<f64>| number.is_none_or(f64::is_finite);
    unit.x.is_finite() && is_good(unit.b) && is_good(unit.max_loss)
}

/// Units over the years from the first to the last, both days included.
fn periods_per_year(units: &[SettlementUnit]) -> f64 {
    let days = units.first().zip(units.last()).map_or(1, |(first, last)| last.day - first.day + 1);
    // Whole numbers of days and units are exact in doubles.
    (units.len().max(1) as f64) / (f64::from(days) / DAYS_A_YEAR)
}

/// A benchmark that is there is used, whatever the caller says: nobody declares it away. One that does not move is none.
fn benchmark(units: &[SettlementUnit], has_benchmark: bool, declared: Option<Declared>) -> Benchmark {
    let series: Option<Vec<f64>> = units.iter().map(|unit| unit.b).collect();
    match series {
        Some(series) if has_benchmark && (series.is_empty() || moves(&series)) => Benchmark::Series,
        None if has_benchmark => Benchmark::Partial,
        _ if declared == Some(Declared::Cash) => Benchmark::Cash,
        _ => Benchmark::Absent,
    }
}

/// Returns true if the series differs from its median by a minimum on at least half of the days. A series that is
/// zero on all days but one explains nothing; one that is zero on weekends may.
fn moves(series: &[f64]) -> bool {
    let middle = quantile(series, 0.5);
    let moves: Vec<f64> = series.iter().map(|b| (b - middle).abs()).collect();
    quantile(&moves, 0.5) >= LEAST_MOVE
}

fn of_returns(returns: &[Return]) -> Gathered {
    let mut lacking = Lacking::default();
    lacking.note("date", rows_where(returns, |row| row.day.is_none()));
    let unit =
        |row: &Return| Some(SettlementUnit { day: row.day?, x: row.r, b: row.b, max_loss: row.max_loss });
    let mut units: Vec<SettlementUnit> = returns.iter().filter_map(unit).collect();
    units.sort_unstable_by_key(|unit| unit.day);
    let rows = RowCounts { given: count(returns.len()), settled: count(returns.len()), unsettled: 0 };
    let repeated = repeats::are_repeated(&returns.iter().map(|row| row.r).collect::<Vec<_>>());
    let reservations = repeated.then_some(Reservation::Insufficient(GradeReason::ReturnsRepeated));
    Gathered {
        units,
        rows,
        reservations: reservations.into_iter().collect(),
        missing: lacking.told("returns"),
        has_benchmark: returns.iter().any(|row| row.b.is_some()),
        open_losses: Vec::new(),
        unreconciled_equity: Vec::new(),
        possible: PossibleLosses::default(),
    }
}

fn of_trades(trades: &[Trade]) -> Gathered {
    let mut lacking = Lacking::default();
    lacking.note("settled", rows_where(trades, |trade| trade.settled.is_none()));
    lacking.note("closed_at", rows_where(trades, |trade| trade.is_settled() && trade.closed_at.is_none()));
    if trades.iter().any(|trade| trade.currency.is_some()) {
        lacking.note("currency", rows_where(trades, |trade| trade.currency.is_none()));
    }
    let mut settled: Vec<(usize, &Trade)> =
        trades.iter().enumerate().filter(|(_, trade)| trade.is_settled()).collect();
    settled.sort_by(|(_, one), (_, other)| one.order(other));
    let days: Vec<&[(usize, &Trade)]> =
        settled.chunk_by(|(_, one), (_, other)| day_of(one) == day_of(other)).collect();
    let (mut no_equity, mut no_size, mut no_price) = (Vec::new(), Vec::new(), Vec::new());
    for day in &days {
        let (index, first) = day[0];
        if first.equity_before.is_none() {
            no_equity.push(index);
        }
        let unweighed = || day.iter().filter(|(_, trade)| trade.notional().is_none());
        if needs_weights(day) {
            no_size.extend(unweighed().filter(|(_, trade)| trade.size.is_none()).map(|(index, _)| index));
            no_price
                .extend(unweighed().filter(|(_, trade)| trade.entry_price.is_none()).map(|(index, _)| index));
        }
    }
    let is_ruined = |day: &&[(usize, &Trade)]| day[0].1.equity_before.is_some_and(|equity| equity <= 0.0);
    let solvent = days.iter().position(is_ruined).unwrap_or(days.len());
    let (days, is_ruined) = (&days[..solvent], solvent < days.len());
    let (losses, possible) = stakes::possible_losses(days);
    let units: Vec<SettlementUnit> =
        days.iter().zip(losses).filter_map(|(day, max_loss)| unit(day, max_loss)).collect();
    lacking.note("equity_before", no_equity);
    lacking.note("size", no_size);
    lacking.note("entry_price", no_price);
    let rows = RowCounts {
        given: count(trades.len()),
        settled: count(settled.len()),
        unsettled: count(trades.len() - settled.len()),
    };
    let has_benchmark = settled.iter().any(|(_, trade)| trade.benchmark_return.is_some());
    let mut reservations = reservations(trades, &settled);
    if is_ruined {
        reservations.push(Reservation::Ruined);
    }
    Gathered {
        units,
        rows,
        reservations,
        missing: lacking.told("trades"),
        has_benchmark,
        open_losses: open::losses(trades, days),
        unreconciled_equity: equity::unreconciled(days),
        possible,
    }
}

/// The units of marks, in place of those of the closes; the trades say what was held.
fn of_marks(marks: &[Mark], trades: &[Trade]) -> Gathered {
    let of_trades = of_trades(trades);
    let settled: Vec<&Trade> = trades.iter().filter(|trade| trade.is_settled()).collect();
    let mut units = marks::units(marks);
    let (most, possible) = stakes::possible_of_marks(marks, &settled);
    units.iter_mut().for_each(|unit| unit.max_loss = most);
    let mut reservations = open::reserved(trades);
    reservations.extend(positions::of_marks(&settled));
    reservations.extend(of_conduct(&settled));
    if !marks::cover(marks, &settled) {
        reservations.push(Reservation::NeverRealEdge(GradeReason::MarksMissing));
    }
    if marks::are_ruined(marks) {
        reservations.push(Reservation::Ruined);
    }
    // The account's marks have the equity, and weigh the benchmark by themselves.
    let of_closes = ["equity_before", "size", "entry_price"];
    Gathered {
        has_benchmark: marks.iter().any(|mark| mark.b.is_some()),
        missing: of_trades
            .missing
            .into_iter()
            .filter(|missing| !of_closes.contains(&missing.field))
            .collect(),
        rows: of_trades.rows,
        units,
        reservations,
        open_losses: marks::open_losses(marks, trades),
        unreconciled_equity: marks::equities(marks),
        possible,
    }
}

/// Returns why the input alone rules an edge out: trades that are still open, how the positions were held, and how
/// their sizes were chosen.
fn reservations(trades: &[Trade], settled: &[(usize, &Trade)]) -> Vec<Reservation> {
    let mut reservations = open::reserved(trades);
    let settled: Vec<&Trade> = settled.iter().map(|(_, trade)| *trade).collect();
    reservations.extend(positions::reserved(&settled));
    if fees::are_unseen(&settled) {
        reservations.push(Reservation::NeverRealEdge(GradeReason::FeesUnseen));
    }
    reservations.extend(of_conduct(&settled));
    reservations
}

fn of_conduct(settled: &[&Trade]) -> Option<Reservation> {
    Conduct::of(settled).is_martingale().then_some(Reservation::NeverRealEdge(GradeReason::Martingale))
}

fn rows_where<T>(rows: &[T], lacks: impl Fn(&T) -> bool) -> Vec<usize> {
    rows.iter().enumerate().filter(|(_, row)| lacks(row)).map(|(index, _)| index).collect()
}

fn day_of(trade: &Trade) -> Option<i32> {
    trade.closed_at.map(|at| at.day)
}

/// Groups the settled trades by the day of their close, in order.
pub fn settled_days(trades: &[Trade]) -> Vec<Vec<&Trade>> {
    let mut settled: Vec<&Trade> = trades.iter().filter(|trade| trade.is_settled()).collect();
    settled.sort_by(|one, other| one.order(other));
    settled.chunk_by(|one, other| day_of(one) == day_of(other)).map(<[_]>::to_vec).collect()
}

/// A mean of equal values needs no weights.
fn needs_weights(day: &[(usize, &Trade)]) -> bool {
    let first = day[0].1.benchmark_return;
    day.iter().all(|(_, trade)| trade.benchmark_return.is_some())
        && day.iter().any(|(_, trade)| trade.benchmark_return != first)
}

/// The day's summed profit over the equity before its first close, and the mean of the benchmark's returns.
fn unit(day: &[(usize, &Trade)], max_loss: Option<f64>) -> Option<SettlementUnit> {
    let (_, first) = day.first()?;
    let equity = first.equity_before?;
    let profit = day.iter().fold(0.0, |sum, (_, trade)| sum + trade.pnl_net.unwrap_or(0.0));
    Some(SettlementUnit { day: day_of(first)?, x: profit / equity, b: mean_benchmark(day), max_loss })
}

/// Weighed by what each trade was worth when it was opened.
fn mean_benchmark(day: &[(usize, &Trade)]) -> Option<f64> {
    let first = day.first()?.1.benchmark_return?;
    if day.iter().any(|(_, trade)| trade.benchmark_return.is_none()) {
        return None;
    }
    if !needs_weights(day) {
        return Some(first);
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    for (_, trade) in day {
        let weight = trade.notional()?;
        sum += weight * trade.benchmark_return?;
        weights += weight;
    }
    Some(sum / weights)
}
