//! The members of a receipt that are drawn.

use receipt::json::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

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
