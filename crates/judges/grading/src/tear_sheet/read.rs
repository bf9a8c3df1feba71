//! The members of a receipt that are drawn.

use receipt::json::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::grade::{CurvePoint, Histogram, Subperiod};

/// The text above the panels, and the hash of the receipt that proves it.
#[derive(Deserialize, Debug)]
pub struct Heading {
    pub class: String,
    pub agent: String,
    pub verdict: String,
    pub reason: String,
    pub explanation: String,
    pub signed_at: String,
    pub receipt_hash: String,
}

/// The members of a grade that are drawn.
#[derive(Deserialize, Debug)]
pub struct Drawn {
    pub units: u32,
    pub trials: u32,
    pub resamples: u32,
    pub curve: Vec<CurvePoint>,
    pub subperiods: Vec<Subperiod>,
    pub bootstrap: Option<Histogram>,
    steps: Vec<StepStatistic>,
}

/// A step's statistic.
#[derive(Deserialize, Debug)]
struct StepStatistic {
    id: String,
    statistic: Option<f64>,
}

impl Heading {
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
