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

use crate::alternatives;
use crate::bootstrap::{Resample, Seed, Stationary};
use crate::grade::{Alternatives, Grade, GradeReason, GradeVerdict};
use crate::record::{Benchmark, TrackRecord};
use crate::statistics::block::best_lengths;
use crate::statistics::count;
use crate::statistics::moments::{centred, sum};
use alpha::Alpha;
pub(crate) use draw::{BINS, POINTS};
use sample::Sample;
use sheet::StatisticSheet;

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
/// Number of trials that is assumed for a record that declares none.
pub const UNDECLARED_TRIALS: u32 = 5;
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
        units,
        curve: if drawn { draw::curve(record) } else { Vec::new() },
        subperiods: Vec::new(),
        bootstrap: None,
        alternatives: assessment.alternatives,
    };
    if let Some(alpha) = assessment.alpha.take() {
        grade.subperiods = draw::subperiods(record, &alpha);
        // The panels do not depend on the step at which the rule stopped.
        let boot = assessment.boot.take().unwrap_or_else(|| Boot::of(&alpha, assessment.seed));
        grade.block_length = Some(boot.block);
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

    /// The number of resamples whose ratio is not below the observed one. A resample without a spread counts as one.
    fn as_good(&self) -> usize {
        let worse = self.ratios.iter().filter(|ratio| **ratio < self.observed).count();
        self.ratios.len() - worse
    }

    /// Their share.
    fn p(&self) -> f64 {
        (1.0 + count(self.as_good())) / (count(self.ratios.len()) + 1.0)
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
        let sheet = &mut self.sheet;
        sufficient::enough(&sample, sheet)?;
        let alpha = Alpha::of(&sample);
        self.alpha = Some(alpha.clone());
        loss::profit(&sample, sheet)?;
        let tail_known = tail::tail(&sample, sheet)?;
        let significant = selection::Significance::of(&alpha, self.trials, sheet);
        if !significant.holds() {
            let declared = self.record.declared_trials.is_some() || tried(self.record) >= UNDECLARED_TRIALS;
            return Err(selection::explained(&sample, &alpha, &significant, declared, sheet));
        }
        holds::holds(&sample, &alpha, sheet)?;
        self.bootstrap(&alpha)?;
        self.variants(&sample)?;
        self.reserved(&sample, tail_known)?;
        equity::equity(self.record, self.trials, &mut self.sheet)?;
        self.open_losses()?;
        self.without_cash(&sample)
    }

    /// The bootstrap's p-value, corrected for the trials as the others are. If no resample is as good and the
    /// correction for the trials still fails, the number of resamples is too small, and not the record.
    fn bootstrap(&mut self, alpha: &Alpha) -> Result<(), GradeRuling> {
        let boot = Boot::of(alpha, self.seed);
        let (p, block, beats_all) = (boot.p(), boot.block, boot.as_good() == 0);
        self.boot = Some(boot);
        self.sheet.reported("bootstrap.block_length", block, "Politis and White 2004; Patton et al. 2009");
        let source = "Politis and Romano 1994";
        let level = alpha.level;
        let p_of_trials = selection::of_trials(p, self.trials);
        let holds = self.sheet.at_most("bootstrap.p", p, level, source)
            & self.sheet.at_most("bootstrap.p_of_trials", p_of_trials, level, source);
        match (holds, beats_all) {
            (true, _) => Ok(()),
            (false, true) => Err(GradeRuling::insufficient(GradeReason::TrialsBeyondResamples)),
            (false, false) => Err(GradeRuling::luck(GradeReason::Bootstrap)),
        }
    }

    /// Tests the variants that were tried.
    fn variants(&mut self, sample: &Sample) -> Result<(), GradeRuling> {
        if self.record.alternatives.is_empty() {
            return Ok(());
        }
        let found =
            alternatives::compare(&sample.x, sample.b.as_deref(), &self.record.alternatives, self.seed)
                .ok_or(GradeRuling::insufficient(GradeReason::AlternativesMismatch))?;
        self.alternatives = Some(found);
        self.sheet.reported("alternatives.reality_check_p", found.reality_check_p, "White 2000");
        if let Some(pbo) = found.pbo {
            self.sheet.reported("alternatives.pbo", pbo, "Bailey, Borwein, Lopez de Prado and Zhu 2017");
        }
        if self.sheet.at_most("alternatives.spa_p", found.spa_p, 0.05, "Hansen 2005") {
            Ok(())
        } else {
            Err(GradeRuling::luck(GradeReason::AlternativesExplain))
        }
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
        let mut less = self.record.less_cash(ASSUMED_CASH);
        less.lacks_risk_free = false;
        let holds = rule(&less).verdict == GradeVerdict::RealEdge;
        if holds { Ok(()) } else { Err(GradeRuling::insufficient(GradeReason::RiskFreeMissing)) }
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

/// The number of variants given.
fn tried(record: &TrackRecord) -> u32 {
    u32::try_from(record.alternatives.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
