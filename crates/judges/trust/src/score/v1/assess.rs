//! The assessment of `trust-score/1`: the score's thresholds give the verdict, and a flag takes `TRUSTED` away.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{FlagId, Flags};
use crate::score::hygiene::{CAUTION_FROM, Hygiene, grade};
use crate::score::{Cap, Check, CheckId, Status, TrustVerdict};

/// Minimum score, 0 to 100, of the verdict `TRUSTED`, for a domain without flags.
pub const TRUSTED_FROM: u32 = 80;
/// The checks of this version, in the order of its findings.
pub const CHECKS: [CheckId; 15] = [
    CheckId::Tls,
    CheckId::Dmarc,
    CheckId::Headers,
    CheckId::Dnssec,
    CheckId::Spf,
    CheckId::Expiration,
    CheckId::Caa,
    CheckId::MtaSts,
    CheckId::TlsRpt,
    CheckId::Dane,
    CheckId::Ipv6,
    CheckId::NameServers,
    CheckId::SecurityTxt,
    CheckId::HstsPreload,
    CheckId::Bimi,
];

/// Verdict, score and checks, as findings of `trust-score/1` have them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrustAssessment {
    /// Verdict on the domain.
    pub verdict: TrustVerdict,
    /// Points earned, in percent of those that apply, rounded down and held down by the caps.
    pub score: u32,
    /// Score if all parts that could not be looked at were good: with the `unseen` points of every check.
    pub score_max_possible: u32,
    /// The share of the weights that apply which could be looked at.
    pub coverage: f64,
    /// `A+` to `F`; `null` where the verdict is `INCOMPLETE`.
    pub grade: Option<&'static str>,
    /// Caps on the score.
    pub caps: BTreeSet<Cap>,
    /// Risks apart from hygiene.
    pub flags: Flags,
    /// The checks that could not be made.
    pub unknown: Vec<CheckId>,
    /// Every check, in order.
    pub checks: Vec<Check>,
}

/// Combines the checks, which are those of [`CHECKS`], into an assessment.
#[must_use]
pub fn assess(checks: Vec<Check>, caps: impl IntoIterator<Item = Cap>, flags: Flags) -> TrustAssessment {
    debug_assert!(checks.iter().map(|check| check.id).eq(CHECKS), "every check once, in order");
    let is_in_doubt = !flags.raised.is_empty() || is_age_missing(&checks, &flags);
    let Hygiene { score, score_max_possible, coverage, caps, unknown, checks, is_covered, .. } =
        Hygiene::of(checks, caps);
    let verdict = verdict(is_covered, score, score_max_possible, is_in_doubt);
    let grade = (verdict != TrustVerdict::Incomplete).then(|| grade(score));
    TrustAssessment { verdict, score, score_max_possible, coverage, grade, caps, flags, unknown, checks }
}

/// True if the age could have been known and is not: nobody gains by a registry that does not answer, nor by a
/// platform's name that no registry knows.
fn is_age_missing(checks: &[Check], flags: &Flags) -> bool {
    let has_registry =
        |check: &Check| check.id == CheckId::Expiration && check.status != Status::NotApplicable;
    flags.unchecked.contains(&FlagId::YoungDomain) && (flags.is_tenant || checks.iter().any(has_registry))
}

fn verdict(is_covered: bool, score: u32, score_max_possible: u32, is_in_doubt: bool) -> TrustVerdict {
    if !is_covered {
        TrustVerdict::Incomplete
    } else if score >= TRUSTED_FROM && !is_in_doubt {
        TrustVerdict::Trusted
    } else if score >= CAUTION_FROM {
        TrustVerdict::Caution
    } else if score_max_possible < CAUTION_FROM {
        TrustVerdict::Risky
    } else {
        TrustVerdict::Incomplete
    }
}
