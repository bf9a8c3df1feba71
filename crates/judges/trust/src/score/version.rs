//! Versions of the rules.

use serde::{Deserialize, Serialize};

/// A version of the rules. The evidence names it, so that an older receipt is judged again by the rules of its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ModelVersion {
    /// One score, whose thresholds gave the verdict. Evidence without a version has it.
    #[default]
    #[serde(rename = "trust-score/1")]
    V1,
    /// Hygiene and risk apart; the risk gives the verdict.
    #[serde(rename = "trust-score/2")]
    V2,
}
