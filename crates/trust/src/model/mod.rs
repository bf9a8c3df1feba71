//! The model, published: `GET /trust-score/model`.
//!
//! It is made of the very constants that score, so that it cannot say anything else.
//!
//! ```
//! let model = trust::model::model();
//! assert_eq!(model.method, trust::model::METHOD);
//! assert_eq!(model.bonus.max, trust::score::Points::whole(6));
//! ```

use schemars::JsonSchema;
use serde::Serialize;

use crate::headers::{self, TestKind};
use crate::score::{
    BRANDS, CAUTION_FROM, Cap, CheckId, FAIL_DAYS, FlagId, GRADES, HEADERS_PASS_FROM, HEADERS_WARN_FROM,
    MIN_COVERAGE_PERCENT, MIN_DISTANCE_LETTERS, MIN_EC_BITS, MIN_RSA_BITS, MIN_SCT_LOGS, Partial, Points,
    Status, TLS_URGENT_DAYS, TLS_WARN_DAYS, TRUSTED_FROM, TlsFault, TrustVerdict, WARN_DAYS, YOUNG_DAYS,
};

/// The name and version of the rules in this crate.
pub const METHOD: &str = "trust-score/1";

/// The rules by which a domain is scored.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Model {
    /// Their name and version, as every receipt repeats it.
    pub method: &'static str,
    /// The checks and their weights.
    pub checks: Vec<Weight>,
    /// The bonus group.
    pub bonus: Bonus,
    /// What each status means for the score.
    pub statuses: Vec<Rule<Status>>,
    /// What holds a score down.
    pub caps: Vec<Limit>,
    /// The share of the weights that must have been looked at for any verdict but `INCOMPLETE`.
    pub min_coverage: f64,
    /// The verdicts; the first that holds is given.
    pub verdicts: Vec<Rule<TrustVerdict>>,
    /// The grades, best first.
    pub grades: Vec<Grade>,
    /// Risks apart from hygiene.
    pub flags: Vec<Rule<FlagId>>,
    /// The names that look-alikes are looked for of.
    pub brands: &'static [&'static str],
    /// The days that an expiration is judged by.
    pub expiration: ExpirationRule,
    /// What is asked of a certificate and of the server that shows it.
    pub tls: TlsRule,
    /// The rules of the security headers.
    pub headers: HeadersRule,
}

/// A check and its weight.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Weight {
    /// The check.
    pub id: CheckId,
    /// The most points that it earns.
    pub max: Points,
    /// Whether it belongs to the bonus group.
    pub bonus: bool,
    /// Whether there are domains for which it leaves the denominator.
    pub may_not_apply: bool,
    /// What earns some of the points; all are earned by a pass.
    pub partials: Vec<Partial>,
}

/// What is asked of a certificate and of the server that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TlsRule {
    /// A certificate that holds for fewer days is a warning.
    pub warn_days: i64,
    /// One that holds for fewer days is a graver one.
    pub urgent_days: i64,
    /// The least bits of an RSA key.
    pub min_rsa_bits: usize,
    /// The least bits of an elliptic curve.
    pub min_ec_bits: usize,
    /// The certificate transparency logs that must have a publicly trusted certificate.
    pub min_sct_logs: usize,
    /// What each fault takes of the points.
    pub deductions: Vec<Partial>,
}

/// The bonus group.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Bonus {
    /// The most points that the group earns.
    pub max: Points,
    /// The checks of the group.
    pub checks: Vec<CheckId>,
}

/// A value and what it means.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Rule<T> {
    /// The value.
    pub id: T,
    /// What it means.
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
pub struct Grade {
    /// The grade.
    pub grade: &'static str,
    /// The least score.
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
    pub grades: Vec<Grade>,
    /// Its tests, with all their results.
    pub tests: &'static [TestKind],
}

/// The model.
#[must_use]
pub fn model() -> Model {
    let published = |id: CheckId| Weight {
        id,
        max: id.weight(),
        bonus: id.is_bonus(),
        may_not_apply: id.may_not_apply(),
        partials: id.partials().into(),
    };
    let bonus: Vec<CheckId> = CheckId::ALL.into_iter().filter(|id| id.is_bonus()).collect();
    Model {
        method: METHOD,
        checks: CheckId::ALL.map(published).into(),
        bonus: Bonus { max: bonus.iter().map(|id| id.weight()).sum(), checks: bonus },
        statuses: statuses(),
        caps: Cap::ALL.map(|id| Limit { id, limit: id.limit() }).into(),
        min_coverage: f64::from(MIN_COVERAGE_PERCENT) / 100.0,
        verdicts: verdicts(),
        grades: GRADES.iter().map(|&(from, grade)| Grade { grade, from: from.cast_signed() }).collect(),
        flags: flags(),
        brands: BRANDS,
        expiration: ExpirationRule { warn_days: WARN_DAYS, fail_days: FAIL_DAYS },
        tls: TlsRule {
            warn_days: TLS_WARN_DAYS,
            urgent_days: TLS_URGENT_DAYS,
            min_rsa_bits: MIN_RSA_BITS,
            min_ec_bits: MIN_EC_BITS,
            min_sct_logs: MIN_SCT_LOGS,
            deductions: TlsFault::ALL
                .map(|fault| Partial { reason: fault.code(), points: fault.deduction() })
                .into(),
        },
        headers: HeadersRule {
            start: headers::START,
            bonus_from: headers::BONUS_FROM,
            pass_from: HEADERS_PASS_FROM,
            warn_from: HEADERS_WARN_FROM,
            grades: headers::GRADES.iter().map(|&(from, grade)| Grade { grade, from }).collect(),
            tests: headers::TESTS,
        },
    }
}

fn rule<T>(id: T, rule: impl Into<String>) -> Rule<T> {
    Rule { id, rule: rule.into() }
}

fn statuses() -> Vec<Rule<Status>> {
    vec![
        rule(Status::Pass, "As it should be: it earns its points."),
        rule(Status::Warn, "Not as good as it should be: it earns some of its points."),
        rule(Status::Fail, "Bad or not there: it earns none, or the few that its reason leaves."),
        rule(
            Status::Unknown,
            "Could not be looked at: it earns nothing, stays in the denominator, and is listed.",
        ),
        rule(Status::NotApplicable, "Makes no sense for this domain: it leaves the denominator."),
    ]
}

fn verdicts() -> Vec<Rule<TrustVerdict>> {
    let otherwise = format!(
        "The coverage is below {MIN_COVERAGE_PERCENT} percent, or the score is below {CAUTION_FROM} while what is \
         unknown could lift it to {CAUTION_FROM} or more."
    );
    vec![
        rule(TrustVerdict::Incomplete, otherwise),
        rule(
            TrustVerdict::Trusted,
            format!(
                "The score is at least {TRUSTED_FROM}, no flag is raised, and the age is known where there is a registry that could tell it."
            ),
        ),
        rule(TrustVerdict::Caution, format!("The score is at least {CAUTION_FROM}.")),
        rule(
            TrustVerdict::Risky,
            format!("The score is below {CAUTION_FROM}, and would be so if all that is unknown were good."),
        ),
    ]
}

fn flags() -> Vec<Rule<FlagId>> {
    let look_alike = format!(
        "The registrable name's first label has the skeleton (UTS 39) of a well-known brand's, or is one letter away \
         from one of at least {MIN_DISTANCE_LETTERS} letters."
    );
    vec![
        rule(FlagId::YoungDomain, format!("The domain was registered less than {YOUNG_DAYS} days ago.")),
        rule(FlagId::LookAlike, look_alike),
        rule(FlagId::FeedHit, "The domain stands on a feed of bad domains."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_status_verdict_cap_and_flag_is_published_once() {
        let model = model();
        let checks: Vec<CheckId> = model.checks.iter().map(|weight| weight.id).collect();
        assert_eq!(checks, CheckId::ALL);
        assert_eq!(model.checks.iter().map(|weight| weight.max).sum::<Points>(), Points::whole(100));
        let verdicts: Vec<TrustVerdict> = model.verdicts.iter().map(|rule| rule.id).collect();
        let expected =
            [TrustVerdict::Incomplete, TrustVerdict::Trusted, TrustVerdict::Caution, TrustVerdict::Risky];
        assert_eq!(verdicts, expected);
        assert_eq!(model.flags.iter().map(|rule| rule.id).collect::<Vec<_>>(), FlagId::ALL);
        assert_eq!(model.caps.iter().map(|cap| cap.id).collect::<Vec<_>>(), Cap::ALL);
        assert_eq!(model.statuses.len(), 5);
    }

    #[test]
    fn the_weights_are_those_that_the_documentation_gives() {
        let json = serde_json::to_value(model()).unwrap();
        let weights: Vec<(String, f64)> = json["checks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|check| (check["id"].as_str().unwrap().to_owned(), check["max"].as_f64().unwrap()))
            .take(7)
            .collect();
        let expected = [
            ("tls", 22.0),
            ("dmarc", 16.0),
            ("headers", 16.0),
            ("dnssec", 12.0),
            ("spf", 10.0),
            ("expiration", 10.0),
            ("caa", 8.0),
        ];
        assert_eq!(weights, expected.map(|(id, max)| (id.to_owned(), max)));
        assert_eq!(json["bonus"]["max"], 6.0);
        assert_eq!(json["method"], "trust-score/1");
    }
}
