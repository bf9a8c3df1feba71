//! The grade: its verdict, its steps and the data for the panels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::day::Day;
use crate::record::{Benchmark, TrackRecord};

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "Verdict")]
pub enum GradeVerdict {
    /// The record shows an edge over its benchmark that luck, selection and a single regime do not explain.
    RealEdge,
    /// It is profitable, and its benchmark, selection or one stretch of time explains that.
    RegimeLuck,
    /// It loses by more than chance explains, or it lost everything.
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
    /// The median position is held for over a day, and there are no marks of nearly all days that show what it was worth meanwhile.
    MarksMissing,
    /// Sizes grow after losses, or positions while they lose: such a record looks good until the loss that ends it.
    Martingale,
    /// The returns are so steady that the interest on cash could make them, and `risk_free` is not given.
    RiskFreeMissing,
    /// With the losses of the trades that are not settled it is no edge any more.
    OpenLoss,
    /// The profits do not make the equity, and with one that no day's profit has a part in it is no edge any more.
    EquityUnreconciled,
    /// Under 60 units.
    TooFewUnits,
    /// An effective sample size under 30.
    TooFewIndependentUnits,
    /// The units hardly differ.
    NoVariation,
    /// Returns are repeated that no market repeats.
    ReturnsRepeated,
    /// Nearly every result is what the prices make it before fees, and no fees are given.
    FeesUnseen,
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
    /// It is not said how many strategies were tried, and as many as are assumed then explain it.
    TrialsUndeclared,
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

/// The benchmark that the units were measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BenchmarkUsed {
    /// A benchmark's returns, for every unit.
    Series,
    /// Nothing: the caller states that there is no market exposure.
    Cash,
    /// A benchmark's returns, which a part of the units lacks.
    Partial,
    /// Nothing: none was given.
    Absent,
}

impl From<Benchmark> for BenchmarkUsed {
    fn from(benchmark: Benchmark) -> Self {
        match benchmark {
            Benchmark::Series => Self::Series,
            Benchmark::Cash => Self::Cash,
            Benchmark::Partial => Self::Partial,
            Benchmark::Absent => Self::Absent,
        }
    }
}

/// Where the number of trials comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialsSource {
    /// The caller declares it.
    Declared,
    /// The caller gives as many variants.
    Variants,
    /// The rule assumes it, since the caller declares none.
    Assumed,
}

impl TrialsSource {
    /// Returns the source of the number of trials that the p-values of a record were corrected for.
    #[must_use]
    pub fn of(record: &TrackRecord, trials: u32) -> Self {
        match record.declared_trials {
            Some(declared) if declared.max(1) == trials => Self::Declared,
            _ if u32::try_from(record.alternatives.len()) == Ok(trials) => Self::Variants,
            _ => Self::Assumed,
        }
    }
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

/// A point of the equity curve. Its numbers are written with six significant digits, which is finer than an image shows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// The UTC day.
    #[serde(alias = "day")]
    pub date: Day,
    /// The equity after that unit, 1 at the start.
    #[serde(serialize_with = "six_digits")]
    pub equity: f64,
    /// The drawdown: the distance of the equity below its highest value so far, 0 to -1.
    #[serde(serialize_with = "six_digits")]
    pub drawdown: f64,
    /// The equity of the benchmark after that unit, 1 at the start; absent where some unit has no benchmark's return.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_digits_if_some")]
    pub benchmark: Option<f64>,
}

/// Writes a number with six significant digits.
fn six_digits<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // What is written in decimal is read as the nearest double; a number that is not finite stays so.
    format!("{number:.5e}").parse().unwrap_or(*number).serialize(serializer)
}

fn six_digits_if_some<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => six_digits(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// One of the four equal subperiods.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Subperiod {
    /// The first day of the subperiod.
    pub from: Day,
    /// The last day of the subperiod.
    pub to: Day,
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
    /// The p-value of the record itself among all of them, by Romano and Wolf's stepwise test.
    pub romano_wolf_p: f64,
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
    /// The greatest number of trials for which the profit is still significant; absent where it is not for one.
    pub holds_for_trials: Option<u32>,
    /// The loss, as a fraction of the equity, that would take the profit if it came once in three times the length of the
    /// record; absent where there is no profit.
    pub loss_that_takes_profit: Option<f64>,
    /// Who says that number.
    pub trials_source: TrialsSource,
    /// The benchmark that the units were measured against.
    pub benchmark: BenchmarkUsed,
    /// Units that were graded.
    pub units: u32,
    /// At most 320 points of the equity curve, the first and the last among them.
    pub curve: Vec<CurvePoint>,
    /// The four subperiods.
    pub subperiods: Vec<Subperiod>,
    /// The bootstrap's distribution.
    pub bootstrap: Option<Histogram>,
    /// The variants that were tried.
    pub alternatives: Option<Alternatives>,
}
