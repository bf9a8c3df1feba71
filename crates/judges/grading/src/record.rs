//! The record that is graded: its settlement units, in order of day, and the reservations of the reader of the input.

use crate::grade::GradeReason;
use crate::statistics::moments::mean;

/// A settlement unit: a UTC day on which a trade closed or a return is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SettlementUnit {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The net return: the day's summed profit divided by the equity before its first close.
    pub x: f64,
    /// The benchmark's return over the same unit, as a fraction; `None` if not given.
    pub b: Option<f64>,
    /// The maximum possible loss of the unit, a positive fraction of the equity; `None` if not given. Of positions that were
    /// seen to lose apart from one another, as many losses as fell on one unit at most, and one more.
    pub max_loss: Option<f64>,
}

/// The benchmark that the units are measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Benchmark {
    /// Every unit has a benchmark's return.
    Series,
    /// The caller declares that there is no market exposure: the benchmark's return is zero.
    Cash,
    /// Some units have a benchmark's return. The verdict is never `REAL_EDGE`.
    Partial,
    /// No unit has a benchmark's return. The verdict is never `REAL_EDGE`.
    Absent,
}

/// A reason why the input alone rules out a good verdict, in the order in which [`GradeReason`] names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reservation {
    /// The rule does not run: the verdict is `INSUFFICIENT_DATA` for this reason.
    Insufficient(GradeReason),
    /// The rule runs; instead of `REAL_EDGE`, the verdict is `INSUFFICIENT_DATA` for this reason.
    NeverRealEdge(GradeReason),
    /// The results of the units are not those of the positions: as [`NeverRealEdge`](Self::NeverRealEdge), and a loss is
    /// not significant either.
    NoResult(GradeReason),
    /// The account lost all of its equity: the verdict is `NEGATIVE_EV`.
    Ruined,
}

/// The reservations that the reader of the input has. The first of a kind gives the reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reservations(pub Vec<Reservation>);

impl Reservations {
    /// Returns the reason that forces `INSUFFICIENT_DATA`; `None` if there is none.
    #[must_use]
    pub fn insufficient(&self) -> Option<GradeReason> {
        self.0.iter().find_map(|reservation| match reservation {
            Reservation::Insufficient(reason) => Some(*reason),
            _ => None,
        })
    }

    /// Returns true if the account lost all of its equity.
    #[must_use]
    pub fn is_ruined(&self) -> bool {
        self.0.contains(&Reservation::Ruined)
    }

    /// Returns the reason that rules out that a loss is significant; `None` if there is none.
    #[must_use]
    pub fn never_negative(&self) -> Option<GradeReason> {
        self.0.iter().find_map(|reservation| match reservation {
            Reservation::NoResult(reason) => Some(*reason),
            _ => None,
        })
    }

    /// Returns the reason that rules out `REAL_EDGE`; `None` if there is none.
    #[must_use]
    pub fn never_real_edge(&self) -> Option<GradeReason> {
        self.0.iter().find_map(|reservation| match reservation {
            Reservation::NeverRealEdge(reason) | Reservation::NoResult(reason) => Some(*reason),
            _ => None,
        })
    }
}

/// The share by which a loss may exceed the greatest that was said to be possible: exports round.
const ROUNDING: f64 = 0.005;

/// Returns true if the loss is more than was said to be possible.
pub(crate) fn exceeds(lost: f64, possible: f64) -> bool {
    lost > possible * (1.0 + ROUNDING)
}

/// The losses that were possible, as far as they are known, apart from the greatest of each unit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PossibleLosses {
    /// The number of positions that lost at least half of the most that any could lose, where positions were seen to lose
    /// apart from one another; `None` where the units count.
    pub deep: Option<usize>,
    /// The most that a unit could lose if all of its positions lost together, as a fraction of the equity; `None` if not
    /// given.
    pub together: Option<f64>,
    /// The greatest notional that was held at one time, as a fraction of the equity; `None` if not known.
    pub notional: Option<f64>,
}

/// A track record in settlement units, with the declarations that the rule uses.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackRecord {
    /// The settlement units in order of day, at most one for a day.
    pub units: Vec<SettlementUnit>,
    /// The number of strategies that were tried, as the caller declares it; `None` if not declared.
    pub declared_trials: Option<u32>,
    /// Number of units in a year.
    pub periods_per_year: f64,
    /// The benchmark that the units are measured against.
    pub benchmark: Benchmark,
    /// The reservations that the reader of the input has.
    pub reservations: Reservations,
    /// The possible loss of each open trade, as a fraction of the equity, largest first.
    pub open_losses: Vec<f64>,
    /// The equity of each unit's return, if it does not follow from the profits before it; else empty.
    pub unreconciled_equity: Vec<f64>,
    /// The return series of all variants that were tried, each as long as `units`.
    pub alternatives: Vec<Vec<f64>>,
    /// True if the return of cash is not known, so that it may be a part of the returns.
    pub lacks_risk_free: bool,
    /// The losses that were possible, as far as they are known.
    pub possible: PossibleLosses,
    /// The return of cash that was taken off each unit; empty if none was.
    pub cash: Vec<f64>,
}

const DAYS_A_YEAR: f64 = 365.25;

impl TrackRecord {
    /// Returns the record with its open losses taken: the largest on the last day, the next on the day before.
    #[must_use]
    pub fn with_losses_taken(&self) -> Self {
        let mut taken = Self { open_losses: Vec::new(), lacks_risk_free: false, ..self.clone() };
        let days = taken.units.len().max(1);
        for (at, loss) in self.open_losses.iter().enumerate() {
            if let Some(unit) = taken.units.iter_mut().nth_back(at % days) {
                unit.x -= loss;
                // That day could lose both.
                unit.max_loss = unit.max_loss.map(|most| most + loss);
            }
        }
        taken
    }

    /// Returns the record in excess of cash (Sharpe 1994) that pays that rate a year on a day: for the days since the unit before, and
    /// for one day over the first.
    #[must_use]
    pub fn less_cash(&self, rate: impl Fn(i32) -> f64) -> Self {
        let mut less = self.clone();
        let days = |at: usize| {
            at.checked_sub(1).map_or(1, |before| self.units[at].day.saturating_sub(self.units[before].day))
        };
        // What cash costs is no gain of those who hold it.
        let cash = |at: usize| rate(self.units[at].day).max(0.0) * f64::from(days(at)) / DAYS_A_YEAR;
        less.cash = (0..less.units.len()).map(cash).collect();
        for (at, cash) in less.cash.clone().into_iter().enumerate() {
            let unit = &mut less.units[at];
            unit.x -= cash;
            unit.b = unit.b.map(|b| b - cash);
            // What could be lost is lost besides what cash would have paid.
            unit.max_loss = unit.max_loss.map(|most| most + cash);
            for variant in &mut less.alternatives {
                if let Some(x) = variant.get_mut(at) {
                    *x -= cash;
                }
            }
        }
        less
    }

    /// Returns the record with the return of cash that was taken off it; `None` if none was.
    #[must_use]
    pub fn with_cash(&self) -> Option<Self> {
        let with = Self { cash: Vec::new(), lacks_risk_free: false, ..self.clone() };
        (!self.cash.is_empty()).then(|| with.plus(&self.cash))
    }

    fn plus(mut self, cash: &[f64]) -> Self {
        for (at, cash) in cash.iter().enumerate() {
            if let Some(unit) = self.units.get_mut(at) {
                unit.x += cash;
                unit.b = unit.b.map(|b| b + cash);
                unit.max_loss = unit.max_loss.map(|most| most - cash);
            }
            self.alternatives.iter_mut().filter_map(|variant| variant.get_mut(at)).for_each(|x| *x += cash);
        }
        self
    }

    /// Returns the record with equities that do not depend on a day's profit: a constant equity, and the first day's
    /// equity plus the profit since, if that is above zero. Empty if the stated equity follows from the profits.
    #[must_use]
    pub fn with_other_equities(&self) -> Vec<Self> {
        let stated = &self.unreconciled_equity;
        let Some(first) = stated.first() else { return Vec::new() };
        let constant = vec![mean(stated); stated.len()];
        let mut next = *first;
        let earned = self.units.iter().zip(stated).map(|(unit, equity)| {
            let before = next;
            next += unit.x * equity;
            before
        });
        let equities = [constant, earned.collect()];
        equities
            .iter()
            .filter(|equity| equity.iter().all(|left| *left > 0.0))
            .map(|e| self.of_equity(e))
            .collect()
    }

    /// The record as if its profits had been made with this equity.
    fn of_equity(&self, equity: &[f64]) -> Self {
        let mut other = Self { unreconciled_equity: Vec::new(), lacks_risk_free: false, ..self.clone() };
        let units = other.units.iter_mut().zip(&self.unreconciled_equity).zip(equity);
        units.for_each(|((unit, stated), equity)| unit.x *= stated / equity);
        other
    }
}
