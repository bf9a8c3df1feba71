//! Growth a year before and after the copier's costs, with and without what cash paid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::performance::{growth, six_places, total_growth};
use crate::record::TrackRecord;

/// Compound growth a year, as fractions with six decimal places, at the trader's leverage. A figure that cannot be computed is
/// absent.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CopyGrowth {
    /// Of the record as it is: before the copier's costs, with what cash paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<f64>,
    /// Of the record in excess of cash; absent where no `risk_free` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_in_excess: Option<f64>,
    /// After the copier's costs, with what cash paid; absent where a cost is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<f64>,
    /// After the copier's costs, in excess of cash; absent where a cost is not known, or no `risk_free` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_in_excess: Option<f64>,
    /// The return of cash in a year that was taken off, as a fraction; absent where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_free: Option<f64>,
}

impl CopyGrowth {
    /// Returns true if it has no figure.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Computes the growth of a record, and of what is left of it after costs if all of them are known.
    pub(super) fn of(record: &TrackRecord, copied: Option<&TrackRecord>, risk_free: Option<f64>) -> Self {
        let (record, record_in_excess) = with_and_in_excess(record);
        let (copy, copy_in_excess) = copied.map(with_and_in_excess).unwrap_or_default();
        let risk_free = risk_free.and_then(six_places);
        Self { record, record_in_excess, copy, copy_in_excess, risk_free }
    }
}

/// Returns the growth with cash, and in excess of it where cash was taken off.
fn with_and_in_excess(record: &TrackRecord) -> (Option<f64>, Option<f64>) {
    if record.cash.is_empty() { (growth(record), None) } else { (total_growth(record), growth(record)) }
}
