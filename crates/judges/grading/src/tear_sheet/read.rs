//! The members of a receipt that are drawn.

use receipt::json::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::copy_trade::CopyGrowth;
use crate::grade::{CurvePoint, Histogram, Subperiod};
use crate::performance::Performance;

/// The text above the panels, and the hash of the receipt that proves it.
#[derive(Deserialize, Debug)]
pub struct Heading {
    /// Class of the receipt.
    pub class: String,
    /// Name of the agent, as the caller gives it.
    #[serde(default)]
    pub agent: String,
    /// Verdict of the receipt.
    pub verdict: String,
    /// Code of the reason.
    pub reason: String,
    /// Explanation of the verdict, in sentences.
    pub explanation: String,
    /// Names and versions of the rules.
    pub method: Option<String>,
    /// Time of the signature (RFC 3339).
    pub signed_at: String,
    /// Hash of the receipt, in hex.
    pub receipt_hash: String,
}

/// The members of a grade that are drawn.
#[derive(Deserialize, Debug)]
pub struct Drawn {
    /// Number of settlement units.
    pub units: u32,
    /// Number of trials for which the significance is corrected.
    pub trials: u32,
    /// Who says that number; `None` in receipts of the first rules.
    pub trials_source: Option<String>,
    /// The benchmark; `None` in a copier's receipts of the first rules.
    pub benchmark: Option<String>,
    /// Number of resamples of the bootstrap.
    pub resamples: u32,
    /// The equity curve.
    pub curve: Vec<CurvePoint>,
    /// The subperiods with their mean alpha.
    pub subperiods: Vec<Subperiod>,
    /// The histogram of the bootstrap; `None` if the grade has none.
    pub bootstrap: Option<Histogram>,
    /// The figures that people know a record by; receipts of the first rules have none, or a part of them.
    #[serde(default)]
    pub performance: Performance,
    steps: Vec<StepStatistic>,
}

/// A step's statistic.
#[derive(Deserialize, Debug)]
struct StepStatistic {
    id: String,
    statistic: Option<f64>,
}

/// The members of a copier's receipt that are drawn beside the grade of the record after costs.
#[derive(Deserialize, Debug)]
pub struct Copying {
    /// The gates, in their order.
    pub gates: Vec<Gate>,
    /// The cost of a round trip, as fractions of what is traded.
    pub cost: Option<Cost>,
    /// If the trader's own fees were taken off; `None` in receipts of the first rule.
    pub trader_fees: Option<String>,
    /// The cost of a round trip at which nothing is left.
    pub break_even_cost: Option<f64>,
    /// The order at which costs take the whole edge, a decimal in currency.
    pub break_even_size: Option<String>,
    /// The order at which costs take half of the edge, a decimal in currency.
    pub capacity: Option<String>,
    /// Growth before and after costs; receipts of the first rule have none.
    #[serde(default)]
    pub growth: CopyGrowth,
    #[serde(default)]
    missing: Vec<MissingMember>,
}

/// A gate: its statistic, and the bound that it is held to.
#[derive(Deserialize, Debug)]
pub struct Gate {
    /// Name of the gate.
    pub id: String,
    /// `None` where it is not known.
    pub statistic: Option<f64>,
    /// `None` for a gate without a number.
    pub threshold: Option<f64>,
    /// `at_least`, `above`, `at_most`, `below` or `reported`.
    pub bound: String,
    /// True if the gate passes.
    pub passed: bool,
}

/// The cost of a round trip and its parts, as fractions of what is traded.
#[derive(Deserialize, Clone, Copy, Debug)]
pub struct Cost {
    /// Spread and fees, in and out.
    pub spread_and_fees: f64,
    /// Impact, in and out.
    pub impact: f64,
    /// The delay between the trader's fill and the copier's.
    pub delay: f64,
    /// All of them.
    pub total: f64,
}

/// A member that the request lacks.
#[derive(Deserialize, Debug)]
struct MissingMember {
    field: String,
    first: String,
}

impl Copying {
    /// Reads the members from a receipt; `None` where it is no copier's.
    pub fn read(receipt: &Json) -> Option<Self> {
        of(receipt)
    }

    /// Returns true if the caller says from how many traders this one was picked.
    pub fn declares_trials(&self) -> bool {
        self.missing.iter().all(|missing| missing.field != "declared_trials")
    }

    /// Returns true if a cost is not known, so that those that are known are not all that copying costs.
    pub fn lacks_costs(&self) -> bool {
        self.missing.iter().any(|missing| missing.first.starts_with("costs."))
    }
}

impl Heading {
    /// Reads the heading from a receipt; `None` if a member is absent.
    pub fn read(receipt: &Json) -> Option<Self> {
        of(receipt)
    }
}

impl Drawn {
    /// Reads the members from a grade; `None` if there is no curve.
    pub fn read(grade: &Json) -> Option<Self> {
        of(grade).filter(|drawn: &Self| !drawn.curve.is_empty())
    }

    /// Returns the statistic of a step; `None` if the rule ended before that step.
    pub fn statistic(&self, id: &str) -> Option<f64> {
        self.steps.iter().find(|step| step.id == id)?.statistic
    }
}

fn of<T: DeserializeOwned>(json: &Json) -> Option<T> {
    serde_json::from_slice(&json.canonical()).ok()
}
