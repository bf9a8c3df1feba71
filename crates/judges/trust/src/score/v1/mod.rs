//! The rule `trust-score/1`, which receipts of before `trust-score/2` are judged again by.
//!
//! Its checks are those of today, with the few differences that [`ModelVersion`](super::ModelVersion) tells apart.

mod assess;
mod flags;

pub use assess::{CHECKS, TRUSTED_FROM, TrustAssessment, assess};
pub use flags::{Flag, FlagId, Flags, YOUNG_DAYS};

#[cfg(test)]
mod tests;
