//! The record that is graded: its settlement units, in order of day, and the reservations of the reader of the input.

use crate::grade::GradeReason;
use crate::statistics::moments::mean;

/// A UTC day on which something closed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SettlementUnit {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The net return: the day's summed profit over the equity before its first close.
    pub x: f64,
    /// The benchmark's return over the same unit.
    pub b: Option<f64>,
    /// The most that the unit could have lost, a positive fraction of equity.
    pub max_loss: Option<f64>,
}

/// The benchmark that the units are measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Benchmark {
    /// Every unit has a benchmark's return.
    Series,
    /// The caller's signed word that there is no market exposure: the benchmark is zero.
    Cash,
    /// Some units have a benchmark's return. Never an edge.
    Partial,
    /// None has. Never an edge.
    Absent,
}

/// A reason why the input alone rules out a good verdict, in the order in which [`GradeReason`] names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reservation {
    /// The rule is not asked: the verdict is `INSUFFICIENT_DATA` for this reason.
    Insufficient(GradeReason),
    /// The rule is asked; where it finds an edge, the verdict is `INSUFFICIENT_DATA` for this reason.
    NeverRealEdge(GradeReason),
}

/// The reservations of the reader of the input. The first of a kind gives the reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reservations(pub Vec<Reservation>);

impl Reservations {
    /// The reason that forces `INSUFFICIENT_DATA`.
    #[must_use]
    pub fn insufficient(&self) -> Option<GradeReason> {
        self.0.iter().find_map(|reservation| match reservation {
            Reservation::Insufficient(reason) => Some(*reason),
            Reservation::NeverRealEdge(_) => None,
        })
    }

    /// The reason that forbids `REAL_EDGE`.
    #[must_use]
    pub fn never_real_edge(&self) -> Option<GradeReason> {
        self.0.iter().find_map(|reservation| match reservation {
            Reservation::Insufficient(_) => None,
            Reservation::NeverRealEdge(reason) => Some(*reason),
        })
    }
}

/// A track record.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackRecord {
    /// In order of day, one a day.
    pub units: Vec<SettlementUnit>,
    /// The number of strategies that were tried, as the caller declares.
    pub declared_trials: Option<u32>,
    /// Units in a year.
    pub periods_per_year: f64,
    /// The benchmark that the units are measured against.
    pub benchmark: Benchmark,
    /// The reservations of the reader of the input.
    pub reservations: Reservations,
    /// The possible loss of each trade that is still open, the greatest first, as fractions of the equity.
    pub open_losses: Vec<f64>,
    /// The equity that each unit's return was taken of, where the profits before it do not make it; else empty.
    pub unreconciled_equity: Vec<f64>,
    /// The return series of all variants that were tried, each as long as `units`.
    pub alternatives: Vec<Vec<f64>>,
}

impl TrackRecord {
    /// The record as if its open losses had been taken: the greatest on the last day, the next on the day before.
    #[must_use]
    pub fn with_losses_taken(&self) -> Self {
        let mut taken = Self { open_losses: Vec::new(), ..self.clone() };
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

    /// The record with equities that no day's profit has a part in: the same on all days, and that of the first day
    /// plus the profit earned since, if that is above zero. None where the profits make the equity.
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
        let mut other = Self { unreconciled_equity: Vec::new(), ..self.clone() };
        let units = other.units.iter_mut().zip(&self.unreconciled_equity).zip(equity);
        units.for_each(|((unit, stated), equity)| unit.x *= stated / equity);
        other
    }
}
