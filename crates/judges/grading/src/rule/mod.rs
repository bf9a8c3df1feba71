//! The rule: from a record's units to a verdict, step by step, each step a function in a file of its own.
//!
//! A step that does not pass ends the rule with its verdict and reason. The steps of `holds` are all looked at, so
//! that a caller sees all that is wrong; the first that does not pass gives the reason.
//!
//! # Invariants
//!
//! - A step passes only on statistics that exist for the record.

mod alpha;
mod draw;
mod equity;
mod holds;
mod loss;
mod sample;
mod selection;
mod sheet;
mod sufficient;
mod tail;
mod window;

use std::collections::HashSet;

use crate::alternatives;
use crate::bootstrap::{Resample, Seed, Stationary};
use crate::grade::{Alternatives, Grade, GradeReason, GradeVerdict, TrialsSource};
use crate::record::{Benchmark, TrackRecord};
use crate::statistics::block::best_lengths;
use crate::statistics::moments::{centred, sum};
use crate::statistics::{count, pareto};
use alpha::Alpha;
pub(crate) use draw::{BINS, POINTS};
use sample::Sample;
use selection::DIMSON;
use sheet::StatisticSheet;
pub(crate) use tail::RARE;

/// Name and version of the rule.
pub const RULE: &str = "grade-strategy/3";
/// Number of resamples of the bootstrap.
pub const RESAMPLES: usize = 9_999;
/// The p-value at or below which a result is significant.
pub const LEVEL: f64 = 0.01;
/// The p-value at or below which a left-skewed record is significant. The lucky records of small gains and few large
/// losses lack the losses that widen the standard error, so they look significant too often (Johnson 1978, JASA
/// 73(363)).
pub const LEVEL_LEFT_SKEWED: f64 = 0.003;
/// Skewness below which a record counts as left-skewed.
pub const LEFT_SKEWED: f64 = -0.5;
/// Skewness below which a record without stated maximum losses counts as left-skewed, since only its returns show
/// losses.
pub const LEFT_SKEWED_UNKNOWN: f64 = -0.25;
/// Number of trials that is assumed for a record that declares none: those of a leaderboard, of which the best is shown.
pub const UNDECLARED_TRIALS: u32 = 1_000;
/// The level over all variants, where all are given, in levels of one record: the other steps find part of the luck.
const FAMILY_LEVELS: f64 = 2.0;
/// The most trials that [`Grade::holds_for_trials`] names.
const MOST_TRIALS: f64 = 1e9;
/// Minimum yearly Sharpe ratio of a material edge.
pub const MATERIAL_SHARPE: f64 = 1.0;
/// The volatility a year below which the interest on cash could be taken for an edge: it makes half a Sharpe ratio at
/// [`ASSUMED_CASH`].
pub const STEADY: f64 = 0.10;
/// The return of cash in a year that is assumed of a steady record that does not say it.
pub const ASSUMED_CASH: f64 = 0.05;
/// The standard normal's 95th percentile.
pub(crate) const ONE_SIDED_95: f64 = 1.644_853_626_951_472_2;

/// The ruling on a record: the verdict and its reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GradeRuling {
    /// The verdict.
    pub verdict: GradeVerdict,
    /// The reason of the verdict.
    pub reason: GradeReason,
}

impl GradeRuling {
    const fn insufficient(reason: GradeReason) -> Self {
        Self { verdict: GradeVerdict::InsufficientData, reason }
    }

    const fn luck(reason: GradeReason) -> Self {
        Self { verdict: GradeVerdict::RegimeLuck, reason }
    }

    const fn negative(reason: GradeReason) -> Self {
        Self { verdict: GradeVerdict::NegativeEv, reason }
    }
}

/// Grades a record: the ruling, the statistics of each step, and the data of the panels.
#[must_use]
pub fn grade(record: &TrackRecord) -> Grade {
    let mut assessment = RecordAssessment::new(record);
    let ruling = assessment.rule();
    let units = u32::try_from(record.units.len()).unwrap_or(u32::MAX);
    let drawn = assessment.sample.is_some();
    let mut grade = Grade {
        verdict: ruling.verdict,
        reason: ruling.reason,
        steps: Vec::new(),
        seed: assessment.seed.hex(),
        resamples: u32::try_from(RESAMPLES).unwrap_or(u32::MAX),
        block_length: None,
        trials: assessment.trials,
        holds_for_trials: None,
        loss_that_takes_profit: None,
        trials_source: TrialsSource::of(record, assessment.trials),
        benchmark: record.benchmark.into(),
        units,
        curve: if drawn { draw::curve(record) } else { Vec::new() },
        subperiods: Vec::new(),
        bootstrap: None,
        alternatives: assessment.alternatives,
    };
    if let Some(alpha) = assessment.alpha.take() {
        grade.subperiods = draw::subperiods(record, &alpha);
        let x: Vec<f64> = record.units.iter().map(|unit| unit.x).collect();
        grade.loss_that_takes_profit = tail::loss_that_takes_profit(&x);
        // The panels do not depend on the step at which the rule stopped.
        let boot = assessment.boot.take().unwrap_or_else(|| Boot::of(&alpha, assessment.seed));
        grade.block_length = Some(boot.block);
        let p = alpha.p().max(boot.p());
        grade.holds_for_trials = selection::most_trials(p, alpha.level).filter(|_| !alpha.p().is_nan());
        grade.bootstrap = draw::histogram(&boot);
    }
    grade.steps = assessment.sheet.into_steps();
    grade
}

/// Rules on a record, without the data for its panels.
#[must_use]
pub fn rule(record: &TrackRecord) -> GradeRuling {
    RecordAssessment::new(record).rule()
}

/// The assessment of a record, as far as the rule has come.
struct RecordAssessment<'r> {
    record: &'r TrackRecord,
    seed: Seed,
    trials: u32,
    /// The number of trials that the p-values are corrected for: with what the choice of start and end counts for, and without
    /// the variants that are tested together.
    counted: u32,
    sheet: StatisticSheet,
    sample: Option<Sample>,
    alpha: Option<Alpha>,
    boot: Option<Boot>,
    alternatives: Option<Alternatives>,
}

/// The bootstrap of an alpha.
struct Boot {
    block: f64,
    observed: f64,
    ratios: Vec<f64>,
}

impl Boot {
    /// Centred, so that there is no edge: the statistic is the mean over the standard deviation, the mean block that of
    /// Politis and White, held between 1 and the root of n.
    fn of(alpha: &Alpha, seed: Seed) -> Self {
        let longest = libm::sqrt(count(alpha.series.len())).max(1.0);
        let block = best_lengths(&alpha.series).map_or(longest, |best| best.stationary.clamp(1.0, longest));
        let drawn =
            Stationary::new(alpha.series.len(), block).moments(&centred(&alpha.series), RESAMPLES, seed);
        let ratio = |resample: &Resample| resample.mean / resample.sd;
        Self { block, observed: alpha.moments.sharpe(), ratios: drawn.iter().map(ratio).collect() }
    }

    /// The probability of a ratio as good as the observed one. A resample without a spread counts as one that is.
    fn p(&self) -> f64 {
        pareto::tail_probability(&self.ratios, self.observed)
    }
}

impl<'r> RecordAssessment<'r> {
    fn new(record: &'r TrackRecord) -> Self {
        let declared = match (record.declared_trials, tried(record)) {
            // Fewer variants than that say nothing of how many more were tried.
            (None, tried) => tried.max(UNDECLARED_TRIALS),
            (Some(declared), tried) => declared.max(tried),
        };
        Self {
            record,
            seed: Seed::of(record, RULE),
            trials: declared.max(1),
            counted: declared.max(1),
            sheet: StatisticSheet::default(),
            sample: None,
            alpha: None,
            boot: None,
            alternatives: None,
        }
    }

    fn rule(&mut self) -> GradeRuling {
        match self.steps() {
            Err(ruling) => ruling,
            Ok(()) => GradeRuling { verdict: GradeVerdict::RealEdge, reason: GradeReason::AllStepsPassed },
        }
    }

    /// The steps, up to the first that does not pass.
    fn steps(&mut self) -> Result<(), GradeRuling> {
        let read = Sample::read(self.record);
        self.sample.clone_from(&read);
        if let Some(reason) = self.record.reservations.insufficient() {
            return Err(GradeRuling::insufficient(reason));
        }
        let sample = read.ok_or(GradeRuling::insufficient(GradeReason::OutOfRange))?;
        if self.record.reservations.is_ruined() {
            return Err(GradeRuling::negative(GradeReason::Ruin));
        }
        sufficient::enough(&sample, &mut self.sheet)?;
        let alpha = Alpha::of(&sample);
        self.alpha = Some(alpha.clone());
        loss::profit(&sample, self.record.reservations.never_negative(), &mut self.sheet)?;
        let tail_known = tail::tail(&sample, &mut self.sheet)?;
        let family = self.variants(&sample)?;
        self.counted = self.count_trials(&sample, family.is_some());
        let significant = selection::Significance::of(&alpha, self.counted, &mut self.sheet);
        if !significant.holds() {
            let declared = self.is_declared();
            return Err(selection::explained(&sample, &alpha, &significant, declared, &mut self.sheet));
        }
        self.beats_variants(&alpha, family)?;
        holds::holds(&sample, &alpha, &mut self.sheet)?;
        self.bootstrap(&alpha)?;
        self.reserved(&sample, tail_known)?;
        equity::equity(self.record, self.counted, &mut self.sheet)?;
        self.open_losses()?;
        self.without_cash(&sample)?;
        self.with_cash(&alpha)
    }

    /// Tests the bootstrap's p-value, corrected for the trials as the others are.
    fn bootstrap(&mut self, alpha: &Alpha) -> Result<(), GradeRuling> {
        let boot = Boot::of(alpha, self.seed);
        let (p, block) = (boot.p(), boot.block);
        self.boot = Some(boot);
        self.sheet.reported("bootstrap.block_length", block, "Politis and White 2004; Patton et al. 2009");
        let source = "Politis and Romano 1994; Knijnenburg et al. 2009";
        let level = alpha.level;
        let p_of_trials = selection::of_trials(p, self.counted);
        let is_one = self.sheet.at_most("bootstrap.p", p, level, source);
        let holds = is_one & self.sheet.at_most("bootstrap.p_of_trials", p_of_trials, level, source);
        match (holds, is_one && !self.is_declared()) {
            (true, _) => Ok(()),
            (false, true) => Err(GradeRuling::insufficient(GradeReason::TrialsUndeclared)),
            (false, false) => Err(GradeRuling::luck(GradeReason::Bootstrap)),
        }
    }

    /// True if the caller says how many strategies were tried.
    fn is_declared(&self) -> bool {
        self.record.declared_trials.is_some()
    }

    /// The number of trials to correct for. The variants that are all given are tested together instead.
    fn count_trials(&mut self, sample: &Sample, all_given: bool) -> u32 {
        let windows = window::trials(&sample.x, &mut self.sheet);
        match (all_given, self.is_declared()) {
            (true, _) => windows,
            (false, true) => self.trials.saturating_mul(windows),
            // A choice among as many as are assumed is a choice of start and end too.
            (false, false) => self.trials,
        }
    }

    /// Compares the record with the variants that were tried. Returns the p-value over all of them, if all that were tried are
    /// given.
    fn variants(&mut self, sample: &Sample) -> Result<Option<f64>, GradeRuling> {
        if self.record.alternatives.is_empty() {
            return Ok(None);
        }
        let found =
            alternatives::compare(&sample.x, sample.b.as_deref(), &self.record.alternatives, self.seed)
                .ok_or(GradeRuling::insufficient(GradeReason::AlternativesMismatch))?;
        self.alternatives = Some(found);
        let all_given = self.record.declared_trials.is_some_and(|declared| declared <= tried(self.record));
        Ok(all_given.then_some(found.romano_wolf_p))
    }

    /// Tests that the best of the variants is better than luck, and that the record itself is where all of them are given.
    fn beats_variants(&mut self, alpha: &Alpha, family: Option<f64>) -> Result<(), GradeRuling> {
        let Some(found) = self.alternatives else { return Ok(()) };
        self.sheet.reported("alternatives.reality_check_p", found.reality_check_p, "White 2000");
        if let Some(pbo) = found.pbo {
            self.sheet.reported("alternatives.pbo", pbo, "Bailey, Borwein, Lopez de Prado and Zhu 2017");
        }
        let mut holds = self.sheet.at_most("alternatives.spa_p", found.spa_p, 0.05, "Hansen 2005");
        if let Some(p) = family {
            let level = FAMILY_LEVELS * alpha.level;
            holds &= self.sheet.at_most("alternatives.romano_wolf_p", p, level, "Romano and Wolf 2016");
        }
        if holds { Ok(()) } else { Err(GradeRuling::luck(GradeReason::AlternativesExplain)) }
    }

    /// Returns an error if a reservation forbids the good verdict, whatever the statistics say.
    fn reserved(&mut self, sample: &Sample, tail_known: bool) -> Result<(), GradeRuling> {
        let covered = match self.record.benchmark {
            Benchmark::Series | Benchmark::Cash => None,
            Benchmark::Partial => Some(GradeReason::BenchmarkCoverage),
            Benchmark::Absent => Some(GradeReason::BenchmarkAbsent),
        };
        let ruined = (sample.least <= -1.0).then_some(GradeReason::Ruin);
        let unknown = (!tail_known).then_some(GradeReason::TailUnknown);
        let reason = self.record.reservations.never_real_edge().or(ruined).or(covered).or(unknown);
        reason.map_or(Ok(()), |reason| Err(GradeRuling::insufficient(reason)))
    }

    /// Tests that a steady record is an edge also in excess of cash, where it does not say what cash paid: the interest could be all
    /// that it earns.
    fn without_cash(&mut self, sample: &Sample) -> Result<(), GradeRuling> {
        let volatility = sample.moments.sd * sample.year;
        if !self.record.lacks_risk_free || volatility >= STEADY {
            return Ok(());
        }
        self.sheet.reported("cash.assumed", ASSUMED_CASH, "the rule's own");
        let mut less = self.record.less_cash(|_| ASSUMED_CASH);
        less.lacks_risk_free = false;
        let holds = rule(&less).verdict == GradeVerdict::RealEdge;
        if holds { Ok(()) } else { Err(GradeRuling::insufficient(GradeReason::RiskFreeMissing)) }
    }

    /// Tests that a record that moves by more than its benchmark is an edge also with the return of cash that was taken off it. What is
    /// taken off leaves less of the benchmark's return, times its slope, to explain it: rightly where the account had to borrow,
    /// and not of futures.
    fn with_cash(&mut self, alpha: &Alpha) -> Result<(), GradeRuling> {
        let Some(with) = self.record.with_cash().filter(|_| alpha.beta > 1.0) else { return Ok(()) };
        self.sheet.reported("cash.slope", alpha.beta, DIMSON);
        let holds = rule(&with).verdict == GradeVerdict::RealEdge;
        if holds { Ok(()) } else { Err(GradeRuling::luck(GradeReason::BenchmarkExplains)) }
    }

    /// Tests that the record is an edge also with the possible losses of open trades. An open trade that gains does
    /// not count.
    fn open_losses(&mut self) -> Result<(), GradeRuling> {
        let loss = sum(&self.record.open_losses);
        if loss == 0.0 {
            return Ok(());
        }
        self.sheet.reported("open.loss", loss, "the rule's own");
        let taken = rule(&self.record.with_losses_taken());
        let holds = taken.verdict == GradeVerdict::RealEdge;
        if holds { Ok(()) } else { Err(GradeRuling::insufficient(GradeReason::OpenLoss)) }
    }
}

/// The number of variants given that vary, and that differ from one another.
fn tried(record: &TrackRecord) -> u32 {
    let varies = |variant: &&Vec<f64>| variant.windows(2).any(|pair| pair[0] != pair[1]);
    let bits = |variant: &Vec<f64>| variant.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let distinct: HashSet<Vec<u64>> = record.alternatives.iter().filter(varies).map(bits).collect();
    u32::try_from(distinct.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
