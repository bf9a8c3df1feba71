//! How often the rule is wrong, and how often it sees an edge, on records whose truth is known.
//!
//! A record follows from its cell, the study's seed and its number alone, so a study gives the same
//! table on any machine and at any number of threads.

mod process;
mod random;

use rayon::prelude::*;

use crate::grade::Verdict;
use crate::record::{Benchmark, Record, Reservations, Unit};
use crate::rule::{Asked, Variant, rule};

pub use process::Process;
use random::Random;

/// Units in a simulated year.
const YEAR: f64 = 252.0;

/// A cell of the study: one kind of record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cell {
    /// What made the records.
    pub process: Process,
    /// Their length in units.
    pub units: usize,
    /// The true Sharpe ratio a year: of the edge, or of what only looks like one.
    pub sharpe: f64,
    /// The trials that they declare.
    pub declared: Option<u32>,
    /// Whether they give the greatest possible loss of a unit.
    pub max_loss: bool,
}

/// What the rule made of a cell's records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// `REAL_EDGE`.
    pub real_edge: u32,
    /// `REGIME_LUCK`.
    pub regime_luck: u32,
    /// `NEGATIVE_EV`.
    pub negative_ev: u32,
    /// `INSUFFICIENT_DATA`.
    pub insufficient_data: u32,
}

impl Counts {
    /// All records.
    #[must_use]
    pub fn records(&self) -> u32 {
        self.real_edge + self.regime_luck + self.negative_ev + self.insufficient_data
    }

    fn add(mut self, verdict: Verdict) -> Self {
        *match verdict {
            Verdict::RealEdge => &mut self.real_edge,
            Verdict::RegimeLuck => &mut self.regime_luck,
            Verdict::NegativeEv => &mut self.negative_ev,
            Verdict::InsufficientData => &mut self.insufficient_data,
        } += 1;
        self
    }
}

/// How a study is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Study {
    /// Records in each cell.
    pub records: u32,
    /// Which records: those of another seed are others.
    pub seed: u32,
    /// How the rule is asked.
    pub asked: Asked,
}

impl Study {
    /// Of so many records a cell, with 1,999 resamples, which a study of rates can do with.
    #[must_use]
    pub fn new(records: u32) -> Self {
        Self { records, seed: 0, asked: Asked { resamples: 1_999, ..Asked::default() } }
    }

    /// The same of the rule that the one in force was made from.
    #[must_use]
    pub fn of_original(self) -> Self {
        Self { asked: Asked { variant: Variant::Original, ..self.asked }, ..self }
    }

    /// A record's number among those of all seeds.
    fn number(&self, number: u32) -> u64 {
        u64::from(self.seed) << 32 | u64::from(number)
    }

    /// What the rule makes of one cell's records.
    #[must_use]
    pub fn cell(&self, cell: &Cell) -> Counts {
        let verdicts: Vec<Verdict> = (0..self.records)
            .into_par_iter()
            .map(|number| rule(&simulate(cell, self.number(number)), self.asked).verdict)
            .collect();
        verdicts.into_iter().fold(Counts::default(), Counts::add)
    }
}

/// A record of that cell.
#[must_use]
pub fn simulate(cell: &Cell, number: u64) -> Record {
    // What the record says of itself does not change what it is: cells that differ in that alone share their records.
    let name = format!("{}/{}/{}", cell.process.name(), cell.units, cell.sharpe);
    let made = cell.process.simulate(cell.units, cell.sharpe, &mut Random::new(&name, number));
    let max_loss = cell.max_loss.then_some(made.stake);
    // Five days of seven: Monday, 1970-01-05, is the first.
    let day = |at: usize| i32::try_from(at / 5 * 7 + at % 5 + 4).unwrap_or(i32::MAX);
    let rows = made.x.into_iter().zip(made.b).enumerate();
    Record {
        units: rows.map(|(at, (x, b))| Unit { day: day(at), x, b: Some(b), max_loss }).collect(),
        declared_trials: cell.declared,
        periods_per_year: YEAR,
        benchmark: Benchmark::Series,
        reservations: Reservations::default(),
        open_loss: 0.0,
        alternatives: Vec::new(),
    }
}

/// The cells of the published study.
#[must_use]
pub fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for process in Process::NULLS {
        for units in [60, 120, 250, 756, 2_000] {
            for declared in [Some(1), None] {
                cells.push(Cell { process, units, sharpe: 0.0, declared, max_loss: false });
            }
        }
    }
    for units in [60, 120, 250, 756, 2_000] {
        let process = Process::LeftSkewed;
        cells.push(Cell { process, units, sharpe: 0.0, declared: Some(1), max_loss: true });
    }
    for (process, declared) in [
        (Process::LeveredBenchmark, Some(1)),
        (Process::LeveredBenchmark, None),
        (Process::BestOfTen, Some(10)),
        (Process::BestOfTen, None),
        (Process::OneQuarter, Some(1)),
        (Process::OneQuarter, None),
        (Process::Flip, Some(1)),
        (Process::Flip, None),
    ] {
        for units in [120, 250, 756] {
            cells.push(Cell { process, units, sharpe: 2.0, declared, max_loss: false });
        }
    }
    for process in Process::EDGES {
        for sharpe in [1.0, 2.0, 3.0] {
            for units in [250, 756, 1_260] {
                for declared in [Some(1), None] {
                    for max_loss in [true, false] {
                        cells.push(Cell { process, units, sharpe, declared, max_loss });
                    }
                }
            }
        }
    }
    cells
}

/// The study as lines of Markdown: one a cell, rates in percent, then the rates that the rule is held to.
pub fn table(study: &Study, cells: &[Cell], mut line: impl FnMut(String)) {
    line("| process | units | Sharpe | declared | max_loss | records | real edge | regime luck | negative | insufficient |".to_owned());
    line("|---|---|---|---|---|---|---|---|---|---|".to_owned());
    let mut found = Vec::new();
    for cell in cells {
        let counts = study.cell(cell);
        let rate = |of: u32| format!("{:.2}", percent(of, counts.records()));
        line(format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cell.process.name(),
            cell.units,
            cell.sharpe,
            cell.declared.map_or_else(|| "-".to_owned(), |n| n.to_string()),
            if cell.max_loss { "yes" } else { "no" },
            counts.records(),
            rate(counts.real_edge),
            rate(counts.regime_luck),
            rate(counts.negative_ev),
            rate(counts.insufficient_data),
        ));
        found.push((*cell, counts));
    }
    line(String::new());
    for summary in summaries(&found) {
        line(summary);
    }
}

fn percent(part: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * f64::from(part) / f64::from(all) }
}

/// A rate over some cells: its name, the cells that it is over, and the verdict that is counted.
type Rate = (&'static str, fn(&Cell) -> bool, fn(&Counts) -> u32);

fn summaries(found: &[(Cell, Counts)]) -> Vec<String> {
    let real: fn(&Counts) -> u32 = |counts| counts.real_edge;
    let is_null = |cell: &Cell| cell.sharpe == 0.0;
    let rates: [Rate; 12] = [
        ("false REAL_EDGE, zero edge", |cell| cell.sharpe == 0.0, real),
        ("false REAL_EDGE, levered benchmark", |cell| cell.process == Process::LeveredBenchmark, real),
        (
            "false REAL_EDGE, declared selection",
            |cell| cell.process == Process::BestOfTen && cell.declared.is_some(),
            real,
        ),
        (
            "false REAL_EDGE, undeclared selection",
            |cell| cell.process == Process::BestOfTen && cell.declared.is_none(),
            real,
        ),
        (
            "false REAL_EDGE, temporal luck",
            |cell| matches!(cell.process, Process::OneQuarter | Process::Flip),
            real,
        ),
        ("power, Sharpe 2, one trial declared, max_loss", |cell| is_power(cell, 2.0, true, true), real),
        ("power, Sharpe 2, one trial declared", |cell| is_power(cell, 2.0, true, false), real),
        ("power, Sharpe 2, undeclared, max_loss", |cell| is_power(cell, 2.0, false, true), real),
        ("power, Sharpe 2, undeclared", |cell| is_power(cell, 2.0, false, false), real),
        ("power, Sharpe 3, one trial declared, max_loss", |cell| is_power(cell, 3.0, true, true), real),
        ("power, Sharpe 3, one trial declared", |cell| is_power(cell, 3.0, true, false), real),
        (
            "NEGATIVE_EV, Sharpe 2 or more, 250 units",
            |cell| Process::EDGES.contains(&cell.process) && cell.sharpe >= 2.0 && cell.units == 250,
            |counts| counts.negative_ev,
        ),
    ];
    let mut lines: Vec<String> = rates
        .iter()
        .map(|(name, is_of, counted)| {
            let of = found.iter().filter(|(cell, _)| is_of(cell));
            let (part, all) =
                of.fold((0, 0), |(part, all), (_, counts)| (part + counted(counts), all + counts.records()));
            format!("- {name}: {:.2}% of {all}", percent(part, all))
        })
        .collect();
    let worst = found.iter().filter(|(cell, _)| is_null(cell)).max_by(|a, b| {
        percent(a.1.real_edge, a.1.records()).total_cmp(&percent(b.1.real_edge, b.1.records()))
    });
    if let Some((cell, counts)) = worst {
        let rate = percent(counts.real_edge, counts.records());
        let name = cell.process.name();
        lines.push(format!("- worst cell of zero edge: {rate:.2}% ({name}, {} units)", cell.units));
    }
    lines
}

/// Three years of an edge in Student's t or with clusters of variance.
fn is_power(cell: &Cell, sharpe: f64, declared: bool, max_loss: bool) -> bool {
    matches!(cell.process, Process::StudentT5 | Process::GarchWithBenchmark)
        && cell.units == 756
        && cell.sharpe.total_cmp(&sharpe).is_eq()
        && cell.declared.is_some() == declared
        && cell.max_loss == max_loss
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::moments::Moments;

    #[test]
    fn a_study_is_the_same_at_any_number_of_threads() {
        let cell = Cell { process: Process::Garch, units: 90, sharpe: 3.0, declared: None, max_loss: false };
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| Study::new(20).cell(&cell))
        };
        assert_eq!(made(1), made(2));
        assert_eq!(made(1).records(), 20);
    }

    #[test]
    fn processes_have_the_edge_and_the_spread_that_they_are_said_to_have() {
        for process in Process::NULLS {
            let cell = Cell { process, units: 40_000, sharpe: 0.0, declared: None, max_loss: false };
            let x: Vec<f64> = simulate(&cell, 0).units.iter().map(|unit| unit.x).collect();
            let moments = Moments::of(&x);
            assert!(moments.sharpe().abs() < 4.0 / 200.0, "{process:?}: {moments:?}");
        }
        for process in [Process::StudentT5, Process::LeftSkewed, Process::Garch, Process::Autoregressive] {
            let cell = Cell { process, units: 40_000, sharpe: 2.0, declared: None, max_loss: false };
            let x: Vec<f64> = simulate(&cell, 0).units.iter().map(|unit| unit.x).collect();
            let moments = Moments::of(&x);
            assert!((moments.sd / 0.01 - 1.0).abs() < 0.15, "{process:?}: {moments:?}");
            assert!((moments.sharpe() * YEAR.sqrt() - 2.0).abs() < 0.5, "{process:?}: {moments:?}");
        }
    }
}
