//! The scoring model as `GET /trust-score/model` publishes it.
//!
//! It is made of the very constants that score, so that it cannot say anything else.
//!
//! ```
//! let model = trust::model::model();
//! assert_eq!(model.method, trust::model::METHOD);
//! assert_eq!(model.purposes.len(), 3);
//! ```

mod words;

use std::collections::{BTreeMap, BTreeSet};

use brand_names::{BRAND_TOP_LEVELS, Brand, OPEN_COUNTRIES, brands};
use http_headers::TestKind;
use mail_records::spf::{EVERYBODY_PERCENT, OPEN_THRESHOLD, RANDOM_SENDERS};
use schemars::JsonSchema;
use serde::Serialize;

use crate::score::{
    CAUTION_FROM, Cap, CheckId, FAIL_DAYS, GRADES, HEADERS_PASS_FROM, HEADERS_WARN_FROM, HSTS_SECONDS,
    LIFETIMES, LONG_LIVED_DAYS, MIN_COVERAGE_PERCENT, MIN_EC_BITS, MIN_PROOFS, MIN_RSA_BITS, MIN_SCT_LOGS,
    MIN_SCT_LOGS_LONG_LIVED, OLD_DAYS, Partial, Points, ProofId, Purpose, RiskId, Status, TLS_URGENT_DAYS,
    TLS_URGENT_PART, TLS_WARN_DAYS, TLS_WARN_PART, TRANSFER_DAYS, TlsFault, TrustVerdict, UNCHANGED_DAYS,
    WARN_DAYS, YOUNG_DAYS,
};

/// Name and version of the rules in this crate and of the lists that are compiled in.
pub const METHOD: &str = "trust-score/2";

/// SHA-256, in hex, of [`METHOD`] and of the lists that are compiled in: the public suffix list, the confusable letters
/// (UTS 39) and the brands.
///
/// A look uses these lists, and its evidence stores their results, so a replay does not depend on them.
pub const DATA_SHA256: &str = "96cd8e8e784ed8c037e518fdc08736185bceb5e911daca155cdaa2f046814b75";

/// The rules by which a domain is judged.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Model {
    /// Their name and version, as every receipt repeats it.
    pub method: &'static str,
    /// The SHA-256 over that and the lists that came with the rules: the public suffix list, the letters that look alike
    /// (UTS 39) and the brands.
    pub data_sha256: &'static str,
    /// The checks, and the points of which each earns a share.
    pub checks: Vec<Weight>,
    /// The weights of the checks for each purpose.
    pub purposes: Vec<PurposeWeights>,
    /// Meaning of each status for the score.
    pub statuses: Vec<Rule<Status>>,
    /// Caps on the score.
    pub caps: Vec<Limit>,
    /// The share of the weights that must have been looked at for any verdict but `INCOMPLETE`.
    pub min_coverage: f64,
    /// The score below which hygiene is a reason for `CAUTION`.
    pub poor_hygiene_below: u32,
    /// The verdicts; the first that holds is given.
    pub verdicts: Vec<Rule<TrustVerdict>>,
    /// The grades, best first.
    pub grades: Vec<GradeThreshold>,
    /// The reasons against a domain, each with its verdict.
    pub risks: Vec<Rule<RiskId>>,
    /// The signs of continuity.
    pub continuity: Vec<Rule<ProofId>>,
    /// The days that risks and signs of continuity are judged by.
    pub days: RiskDays,
    /// Number of signs of continuity that `TRUSTED` needs.
    pub min_proofs: usize,
    /// Brands that names are compared with.
    pub brands: Vec<&'static str>,
    /// Brands whose names others bear as well: they count beside words of lure alone, and the very name in top-level
    /// domains with much abuse.
    pub brand_words: Vec<&'static str>,
    /// Brands on whose names others build honestly: combinations count with words of lure.
    pub built_on_brands: Vec<&'static str>,
    /// Brands that have sites of their own under most countries.
    pub global_brands: Vec<&'static str>,
    /// Brands for each category.
    pub brand_categories: BTreeMap<&'static str, Vec<&'static str>>,
    /// Words of lure: `strong` ones beside any brand, `strict` ones beside the most common words too, `weak` ones run
    /// together with a distinctive one, and those of a category beside its brands.
    pub lure_words: BTreeMap<&'static str, Vec<&'static str>>,
    /// Words one letter away from a brand's name that are not taken for it.
    pub other_words: Vec<&'static str>,
    /// Top-level domains with much abuse.
    pub abused_top_levels: Vec<&'static str>,
    /// Countries whose top-level domains are sold as those of no country.
    pub open_countries: &'static [&'static str],
    /// The top-level domains, beside those of countries, where the very name is taken for the brand's own.
    pub brand_top_levels: &'static [&'static str],
    /// The brands' own registrable names, as far as they are known.
    pub brand_domains: Vec<&'static str>,
    /// Rule for an SPF record that is open to everybody.
    pub spf: SpfRule,
    /// The days that an expiration is judged by.
    pub expiration: ExpirationRule,
    /// Rule for a certificate and for the server that shows it.
    pub tls: TlsRule,
    /// The rules of the security headers.
    pub headers: HeadersRule,
}

/// A check and its weight.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Weight {
    /// The check.
    pub id: CheckId,
    /// The points of which it earns a share, before the weights of a purpose.
    pub max: Points,
    /// True if there are domains for which it leaves the denominator.
    pub may_not_apply: bool,
    /// Reasons that earn some of the points; all are earned by a pass.
    pub partials: Vec<Partial>,
}

/// The weights of a purpose.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PurposeWeights {
    /// The purpose.
    pub id: Purpose,
    /// The weight of each check in points; 100 in all.
    pub weights: BTreeMap<CheckId, Points>,
}

/// The days that risks and signs of continuity are judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RiskDays {
    /// A registration of fewer days is young.
    pub young: i64,
    /// A look-alike of fewer days is `RISKY`; a registration again of fewer days is a reason for `CAUTION`.
    pub old: i64,
    /// A transfer of fewer days ago is a reason for `CAUTION`.
    pub transfer: i64,
    /// Days for which our own looks must have seen the same.
    pub unchanged: i64,
}

/// Rule for a certificate and for the server that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TlsRule {
    /// The most days of validity left below which a certificate is a warning.
    pub warn_days: i64,
    /// A warning below one in this many parts of the lifetime, where that is less.
    pub warn_part: i64,
    /// The most days of validity left below which it is a graver warning.
    pub urgent_days: i64,
    /// A graver warning below one in this many parts of the lifetime, where that is less.
    pub urgent_part: i64,
    /// The longest lifetimes of publicly trusted certificates, in days, by the date of issue, the latest first.
    pub lifetimes: Vec<Lifetime>,
    /// Least bits of an RSA key.
    pub min_rsa_bits: usize,
    /// Least bits of an elliptic curve.
    pub min_ec_bits: usize,
    /// Number of certificate transparency logs that a publicly trusted certificate must be in.
    pub min_sct_logs: usize,
    /// The same for a certificate with a lifetime of more than `long_lived_days`.
    pub min_sct_logs_long_lived: usize,
    /// Lifetime in days above which the higher number holds.
    pub long_lived_days: i64,
    /// Least `max-age` of HSTS in seconds.
    pub min_hsts_seconds: u64,
    /// Points that each fault takes.
    pub deductions: Vec<Deduction>,
}

/// The longest lifetime of certificates issued from a date on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Lifetime {
    /// The date, RFC 3339 in UTC.
    pub issued_from: &'static str,
    /// The longest lifetime in days.
    pub days: i64,
}

/// A fault that takes some of the points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Deduction {
    /// Stable code of the fault.
    pub reason: &'static str,
    /// Points that it takes.
    pub points: Points,
    /// True if a part was only not seen: the points are unseen, not lost.
    pub unseen: bool,
}

/// Rule for an SPF record that is open to everybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SpfRule {
    /// Share of all IPv4 addresses, or of the allocated IPv6 addresses, in percent, from which a record counts as open.
    pub everybody_percent: u32,
    /// Number of random senders of each family that are checked where macros make a name for each sender.
    #[serde(rename = "strangers")]
    pub random_senders: usize,
    /// Number of random senders of a family that must pass before the record counts as open.
    #[serde(rename = "strangers_enough")]
    pub open_threshold: usize,
}

/// A value and what it means.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Rule")]
pub struct Rule<T> {
    /// The value.
    pub id: T,
    /// Meaning of the value.
    pub rule: String,
}

/// A cap and the most that it leaves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Limit {
    /// The cap.
    pub id: Cap,
    /// The most that the score can be.
    pub limit: u32,
}

/// A grade and the least score that has it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct GradeThreshold {
    /// Name of the grade.
    pub grade: &'static str,
    /// Least score that has the grade.
    pub from: i32,
}

/// The days that an expiration is judged by.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ExpirationRule {
    /// Fewer days than this are a warning.
    pub warn_days: i64,
    /// Fewer days than this are a failure.
    pub fail_days: i64,
}

/// The rules of the security headers: those of MDN's HTTP Observatory.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct HeadersRule {
    /// The Observatory's score, in percent of the check's points, starts here.
    pub start: i32,
    /// The score without bonuses from which these count.
    pub bonus_from: i32,
    /// The score from which the check is passed.
    pub pass_from: i32,
    /// The score from which it is a warning.
    pub warn_from: i32,
    /// The Observatory's grades, best first.
    pub grades: Vec<GradeThreshold>,
    /// Tests of the Observatory, with all their results.
    pub tests: &'static [TestKind],
}

/// The labels of some brands, in their order.
fn labels(is_wanted: impl Fn(&Brand) -> bool) -> Vec<&'static str> {
    brands().iter().filter(|brand| is_wanted(brand)).map(|brand| brand.label).collect()
}

/// Words in their order, each once.
fn sorted(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    words.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Builds the model from the constants that score.
#[must_use]
pub fn model() -> Model {
    let published = |id: CheckId| Weight {
        id,
        max: id.weight(),
        may_not_apply: id.may_not_apply(),
        partials: id.partials().into(),
    };
    Model {
        method: METHOD,
        data_sha256: DATA_SHA256,
        checks: CheckId::ALL.map(published).into(),
        purposes: Purpose::ALL
            .map(|id| PurposeWeights {
                id,
                weights: CheckId::ALL.into_iter().map(|check| (check, id.weight(check))).collect(),
            })
            .into(),
        statuses: words::statuses(),
        caps: Cap::ALL.map(|id| Limit { id, limit: id.limit() }).into(),
        min_coverage: f64::from(MIN_COVERAGE_PERCENT) / 100.0,
        poor_hygiene_below: CAUTION_FROM,
        verdicts: words::verdicts(),
        grades: GRADES
            .iter()
            .map(|&(from, grade)| GradeThreshold { grade, from: from.cast_signed() })
            .collect(),
        risks: RiskId::ALL.map(|id| Rule { id, rule: id.rule().to_owned() }).into(),
        continuity: ProofId::ALL.map(|id| Rule { id, rule: id.rule().to_owned() }).into(),
        days: RiskDays {
            young: YOUNG_DAYS,
            old: OLD_DAYS,
            transfer: TRANSFER_DAYS,
            unchanged: UNCHANGED_DAYS,
        },
        min_proofs: MIN_PROOFS,
        brands: labels(|_| true),
        brand_words: labels(|brand| brand.is_word),
        built_on_brands: labels(|brand| brand.is_built_on),
        global_brands: labels(|brand| brand.is_global),
        brand_categories: brand_names::Category::ALL
            .map(|category| (category.name(), labels(|brand| brand.category == category)))
            .into(),
        lure_words: brand_names::lure_words().into_iter().collect(),
        other_words: sorted(brand_names::other_words().iter().copied()),
        abused_top_levels: sorted(brand_names::abused_top_levels().iter().copied()),
        open_countries: OPEN_COUNTRIES,
        brand_top_levels: BRAND_TOP_LEVELS,
        brand_domains: sorted(brands().iter().flat_map(|brand| brand.own.iter().map(String::as_str))),
        spf: SpfRule {
            everybody_percent: EVERYBODY_PERCENT,
            random_senders: RANDOM_SENDERS,
            open_threshold: OPEN_THRESHOLD,
        },
        expiration: ExpirationRule { warn_days: WARN_DAYS, fail_days: FAIL_DAYS },
        tls: TlsRule {
            warn_days: TLS_WARN_DAYS,
            warn_part: TLS_WARN_PART,
            urgent_days: TLS_URGENT_DAYS,
            urgent_part: TLS_URGENT_PART,
            lifetimes: LIFETIMES.map(|(issued_from, days)| Lifetime { issued_from, days }).into(),
            min_rsa_bits: MIN_RSA_BITS,
            min_ec_bits: MIN_EC_BITS,
            min_sct_logs: MIN_SCT_LOGS,
            min_sct_logs_long_lived: MIN_SCT_LOGS_LONG_LIVED,
            long_lived_days: LONG_LIVED_DAYS,
            min_hsts_seconds: HSTS_SECONDS,
            deductions: TlsFault::ALL
                .map(|fault| Deduction {
                    reason: fault.code(),
                    points: fault.deduction(),
                    unseen: fault.is_unseen(),
                })
                .into(),
        },
        headers: HeadersRule {
            start: http_headers::START,
            bonus_from: http_headers::BONUS_FROM,
            pass_from: HEADERS_PASS_FROM,
            warn_from: HEADERS_WARN_FROM,
            grades: http_headers::GRADES
                .iter()
                .map(|&(from, grade)| GradeThreshold { grade, from })
                .collect(),
            tests: http_headers::TESTS,
        },
    }
}

#[cfg(test)]
mod tests;
