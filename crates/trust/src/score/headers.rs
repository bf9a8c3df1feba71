//! The check of the security headers.

use serde_json::json;

use super::{Check, CheckId, Status};
use crate::domain::PublicSuffixes;
use crate::headers::HeadersReport;
use crate::site::{CorsSeen, SiteSeen};

/// The Observatory's score from which the check is passed.
pub const HEADERS_PASS_FROM: i32 = 90;
/// The Observatory's score from which it is a warning.
pub const HEADERS_WARN_FROM: i32 = 50;

/// The check, of what was seen of a site. Where its page was not seen, it is unknown: see
/// [`NotScored`](crate::site::NotScored) for why that is never a failure.
#[must_use]
pub fn site_headers(site: &SiteSeen, suffixes: &PublicSuffixes) -> Check {
    let ways = json!({ "https": site.https, "http": site.http });
    match site.headers(suffixes) {
        Err(why) => Check::unknown(CheckId::Headers, why.code()).with_evidence(ways),
        Ok(report) => {
            let check = headers(&report);
            let mut evidence = json!(report);
            evidence["page"] = json!(site.page.as_ref().map(|seen| {
                json!({ "url": seen.page.url, "status": seen.status, "sha256": seen.sha256, "is_cut": seen.is_cut })
            }));
            evidence["ways"] = ways;
            if let CorsSeen::Failed(unseen) = site.cors {
                evidence["preflight"] = json!(unseen);
            }
            check.with_evidence(evidence)
        }
    }
}

/// The check: as many of its points as the Observatory's score has of 100.
#[must_use]
pub fn headers(report: &HeadersReport) -> Check {
    let (status, reason) = match report.score {
        score if score >= HEADERS_PASS_FROM => (Status::Pass, "well_protected"),
        score if score >= HEADERS_WARN_FROM => (Status::Warn, "partly_protected"),
        _ => (Status::Fail, "unprotected"),
    };
    let id = CheckId::Headers;
    let points = id.weight().share(u32::try_from(report.score).unwrap_or(0), 100);
    let check = Check::new(id, status, points, reason);
    let check = check.with_evidence(json!(report));
    match remedy(report) {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    }
}

/// The fields that failed tests ask for, to be pasted into a server's configuration.
fn remedy(report: &HeadersReport) -> Option<String> {
    let field = |test: &str| match test {
        "content-security-policy" => Some(
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        "strict-transport-security" => Some("Strict-Transport-Security: max-age=63072000; includeSubDomains"),
        "x-content-type-options" => Some("X-Content-Type-Options: nosniff"),
        "x-frame-options" => Some("X-Frame-Options: DENY"),
        "referrer-policy" => Some("Referrer-Policy: strict-origin-when-cross-origin"),
        "cross-origin-resource-policy" => Some("Cross-Origin-Resource-Policy: same-origin"),
        "cross-origin-opener-policy" => Some("Cross-Origin-Opener-Policy: same-origin"),
        "cross-origin-embedder-policy" => Some("Cross-Origin-Embedder-Policy: require-corp"),
        _ => None,
    };
    let failed = report.tests.iter().filter(|test| !test.outcome.pass);
    let lines: Vec<&str> = failed.filter_map(|test| field(test.test)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(score: i32) -> (Status, u32) {
        let check = headers(&HeadersReport { score, grade: "B", tests: Vec::new() });
        (check.status, check.points.as_hundredths())
    }

    #[test]
    fn the_points_follow_the_observatory_s_score_up_to_100() {
        assert_eq!(check(135), (Status::Pass, 1600));
        assert_eq!(check(90), (Status::Pass, 1440));
        assert_eq!(check(55), (Status::Warn, 880));
        assert_eq!(check(0), (Status::Fail, 0));
        assert_eq!(check(-1), (Status::Fail, 0));
    }
}
