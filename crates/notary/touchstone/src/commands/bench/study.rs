//! A study: cells of records whose truth is known, and the verdicts that the rule gives on them.
//!
//! A record follows from its cell, the study's seed and its number alone, so a study gives the same table on any machine
//! and at any number of threads.

use grading::rule::rule;
use grading::{Benchmark, GradeVerdict, PossibleLosses, Reservations, SettlementUnit, TrackRecord};
use rayon::prelude::*;
use simulated_returns::{Process, YEAR};

/// A cell of the study: one kind of record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StudyCell {
    /// The process that made the records.
    pub process: Process,
    /// Their length in units.
    pub units: usize,
    /// The true Sharpe ratio a year: of the edge, or of what only looks like one.
    pub sharpe: f64,
    /// The trials that they declare.
    pub declared: Option<u32>,
}

/// The number of records of a cell that got each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StudyCounts {
    /// `REAL_EDGE`.
    pub real_edge: u32,
    /// `REGIME_LUCK`.
    pub regime_luck: u32,
    /// `NEGATIVE_EV`.
    pub negative_ev: u32,
    /// `INSUFFICIENT_DATA`.
    pub insufficient_data: u32,
}

impl StudyCounts {
    /// All records.
    pub fn records(&self) -> u32 {
        self.real_edge + self.regime_luck + self.negative_ev + self.insufficient_data
    }

    fn add(mut self, verdict: GradeVerdict) -> Self {
        *match verdict {
            GradeVerdict::RealEdge => &mut self.real_edge,
            GradeVerdict::RegimeLuck => &mut self.regime_luck,
            GradeVerdict::NegativeEv => &mut self.negative_ev,
            GradeVerdict::InsufficientData => &mut self.insufficient_data,
        } += 1;
        self
    }
}

/// The options of a study.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Study {
    /// Records in each cell.
    pub records: u32,
    /// Which records: those of another seed are others.
    pub seed: u32,
}

impl Study {
    /// A record's number among those of all seeds.
    pub fn number(&self, number: u32) -> u64 {
        u64::from(self.seed) << 32 | u64::from(number)
    }

    /// Grades one cell's records as those of callers are, and counts the verdicts.
    pub fn cell(&self, cell: &StudyCell) -> StudyCounts {
        let verdicts: Vec<GradeVerdict> = (0..self.records)
            .into_par_iter()
            .map(|number| rule(&record(cell, self.number(number))).verdict)
            .collect();
        verdicts.into_iter().fold(StudyCounts::default(), StudyCounts::add)
    }
}

/// A record of that cell.
fn record(cell: &StudyCell, number: u64) -> TrackRecord {
    // A record's statements about itself do not change its returns: cells that differ in these alone share their
    // records.
    let made = simulated_returns::simulate(cell.process, cell.units, cell.sharpe, number);
    // Nobody truthfully says that less could be lost than was lost.
    let worst = made.x.iter().fold(0.0_f64, |worst, x| worst.max(-x));
    let max_loss = Some(made.stake.max(worst));
    // Five days of seven: Monday, 1970-01-05, is the first.
    let day = |at: usize| i32::try_from(at / 5 * 7 + at % 5 + 4).unwrap_or(i32::MAX);
    let rows = made.x.into_iter().zip(made.b).enumerate();
    TrackRecord {
        units: rows.map(|(at, (x, b))| SettlementUnit { day: day(at), x, b: Some(b), max_loss }).collect(),
        declared_trials: cell.declared,
        periods_per_year: YEAR,
        benchmark: Benchmark::Series,
        reservations: Reservations::default(),
        open_losses: Vec::new(),
        unreconciled_equity: Vec::new(),
        alternatives: Vec::new(),
        lacks_risk_free: false,
        possible: PossibleLosses::default(),
        cash: Vec::new(),
    }
}

/// The cells of the published study. All give the greatest possible loss of a unit, without which no record is an edge.
pub fn cells() -> Vec<StudyCell> {
    let mut cells = Vec::new();
    let mut add = |process, sharpe, declared, lengths: &[usize]| {
        cells.extend(lengths.iter().map(|units| StudyCell { process, units: *units, sharpe, declared }));
    };
    for process in Process::NULLS {
        for declared in [Some(1), None] {
            add(process, 0.0, declared, &[60, 120, 250, 756, 2_000]);
        }
    }
    for (process, trials) in [
        (Process::LeveredBenchmark, 1),
        (Process::BestOfTen, 10),
        (Process::OneQuarter, 1),
        (Process::Flip, 1),
    ] {
        for declared in [Some(trials), None] {
            add(process, 2.0, declared, &[120, 250, 756]);
        }
    }
    for process in Process::EDGES {
        for sharpe in [1.0, 2.0, 3.0] {
            for declared in [Some(1), None] {
                add(process, sharpe, declared, &[250, 756, 1_260]);
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_the_same_at_any_number_of_threads() {
        let cell = StudyCell { process: Process::Garch, units: 90, sharpe: 3.0, declared: None };
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| Study { records: 20, seed: 0 }.cell(&cell))
        };
        assert_eq!(made(1), made(2));
        assert_eq!(made(1).records(), 20);
    }
}
