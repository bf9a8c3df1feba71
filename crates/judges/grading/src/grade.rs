//! The grade: its verdict, its steps and the data for the panels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "Verdict")]
pub enum GradeVerdict {
    /// The record shows an edge over its benchmark that luck, selection and a single regime do not explain.
    RealEdge,
    /// It is profitable, and its benchmark, selection or one stretch of time explains that.
    RegimeLuck,
    /// It loses, or an edge worth having is ruled out.
    NegativeEv,
    /// It does not say.
    InsufficientData,
}

/// The reason of the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "Reason")]
pub enum GradeReason {
    /// Every step passed.
    AllStepsPassed,
    /// The input lacks what a step needs.
    FieldsMissing,
    /// Over 20% of the trades are not settled.
    UnsettledShare,
    /// A trade that is not settled has no open profit or loss.
    OpenPnlMissing,
    /// A trade does not say when it was opened, so that positions cannot be told from closes.
    HoldsUnknown,
    /// Under 30 positions, from flat to flat.
    TooFewPositions,
    /// The median position is held for over a day, and closes alone do not show what it was worth meanwhile.
    MarksMissing,
    /// The returns are so steady that the interest on cash could make them, and `risk_free` is not given.
    RiskFreeMissing,
    /// With the losses of the trades that are not settled it is no edge any more.
    OpenLoss,
    /// The profits do not make the equity, and with one that no day's profit has a part in it is no edge any more.
    EquityUnreconciled,
    /// Under 60 units.
    TooFewUnits,
    /// Under 30 units that are as good as independent.
    TooFewIndependentUnits,
    /// The units hardly differ.
    NoVariation,
    /// A number too large or too small to reckon with.
    OutOfRange,
    /// The mean is below zero by more than chance.
    LossSignificant,
    /// The mean is not above zero, and no more can be said.
    LossUnderpowered,
    /// The greatest losses that the stakes allow would take the profit, and have not been seen.
    HiddenTail,
    /// The greatest possible loss was not given, and what was seen does not stand in for it.
    TailUnknown,
    /// A unit lost all of the equity, or more.
    Ruin,
    /// The benchmark explains the profit.
    BenchmarkExplains,
    /// The number of trials explains it.
    SelectionExplains,
    /// An edge worth having is ruled out.
    MaterialEdgeExcluded,
    /// Too few units to tell an edge from luck.
    Underpowered,
    /// The profit does not stand in enough of the four subperiods.
    Subperiods,
    /// The profit does not stand without the best subperiod.
    BestSubperiod,
    /// The profit does not stand in the last third.
    LastThird,
    /// The mean shifted, and the profit does not stand after that.
    MeanShift,
    /// The profit does not stand in one half of the benchmark's returns.
    BenchmarkHalves,
    /// A few units make the profit.
    Concentration,
    /// The bootstrap does not find it.
    Bootstrap,
    /// No resample does as well, and so many trials would take more of them than are drawn.
    TrialsBeyondResamples,
    /// The benchmark covers a part of the units.
    BenchmarkCoverage,
    /// There is no benchmark.
    BenchmarkAbsent,
    /// Taken with the variants that were tried, the best one is not better than luck.
    AlternativesExplain,
    /// A variant's series is not as long as the record.
    AlternativesMismatch,
}

/// The comparison with the threshold under which a statistic passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At or above it.
    AtLeast,
    /// Above it.
    Above,
    /// At or below it.
    AtMost,
    /// Below it.
    Below,
    /// Reported, and decides nothing by itself.
    Reported,
}

/// One statistic of the rule, with its threshold.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// The name of the step.
    pub id: &'static str,
    /// The value of the statistic; absent if it does not exist for this record.
    pub statistic: Option<f64>,
    /// The threshold that the statistic is compared with.
    pub threshold: Option<f64>,
    /// The comparison under which the step passes.
    pub bound: Bound,
    /// True if the step passes.
    pub passed: bool,
    /// The source of the statistic.
    pub source: &'static str,
}

/// A point of the equity curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The equity after that unit, 1 at the start.
    pub equity: f64,
    /// The drawdown: the distance of the equity below its highest value so far, 0 to -1.
    pub drawdown: f64,
}

/// One of the four equal subperiods.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Subperiod {
    /// The first day of the subperiod, in days since 1970-01-01.
    pub from: i32,
    /// The last day of the subperiod, in days since 1970-01-01.
    pub to: i32,
    /// The mean alpha of its units.
    pub mean: f64,
    /// That mean in Newey-West standard errors; absent where it has none.
    pub t: Option<f64>,
}

/// The bootstrap's distribution of the Sharpe ratio under no edge, in bins of equal width.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// The lower edge of the first bin.
    pub from: f64,
    /// The upper edge of the last.
    pub to: f64,
    /// Resamples in each bin.
    pub counts: Vec<u32>,
    /// The observed Sharpe ratio.
    pub observed: f64,
}

/// The result of the test over all variants of the record together.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Alternatives {
    /// The number of variants.
    pub count: u32,
    /// The p-value of White's reality check.
    pub reality_check_p: f64,
    /// The consistent p-value of Hansen's test for superior predictive ability.
    pub spa_p: f64,
    /// The probability of backtest overfitting, by combinatorially symmetric cross-validation.
    pub pbo: Option<f64>,
}

/// The grade of a record.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Grade {
    /// The verdict.
    pub verdict: GradeVerdict,
    /// The reason of the verdict.
    pub reason: GradeReason,
    /// Every statistic that the rule came to, in its order.
    pub steps: Vec<Step>,
    /// The seed of the bootstrap, hex: SHA-256 of the sorted units, the declared trials and the rule's version.
    pub seed: String,
    /// Resamples of the bootstrap.
    pub resamples: u32,
    /// The mean length of its blocks; absent where the record is too short for one.
    pub block_length: Option<f64>,
    /// The number of trials that the p-values were corrected for.
    pub trials: u32,
    /// Units that were graded.
    pub units: u32,
    /// At most 500 points of the equity curve, the first and the last among them.
    pub curve: Vec<CurvePoint>,
    /// The four subperiods.
    pub subperiods: Vec<Subperiod>,
    /// The bootstrap's distribution.
    pub bootstrap: Option<Histogram>,
    /// The variants that were tried.
    pub alternatives: Option<Alternatives>,
}
