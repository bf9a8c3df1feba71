//! The check of the security headers.

use domain_name::DomainName;
use http_headers::HeadersReport;
use probe::site::{PreflightResult, ProbeFailure, SiteObservation};
use serde_json::json;
use url::Url;

use super::{Check, CheckId, ModelVersion, Points, Status};

/// Minimum score of MDN's HTTP Observatory with which the check passes.
pub const HEADERS_PASS_FROM: i32 = 90;
/// Minimum score of MDN's HTTP Observatory with which the check is a warning; a lower score fails.
pub const HEADERS_WARN_FROM: i32 = 50;

/// The field of HSTS (RFC 6797) that remedies give.
pub(super) const HSTS_FIELD: &str = "Strict-Transport-Security: max-age=63072000; includeSubDomains";

/// Checks the security headers of a site of the owner of `registrable`, below the name `registered`.
///
/// The check is unknown if the page was not observed; [`UnscoredReason`](probe::site::UnscoredReason) explains why that
/// is never a failure. It is also unknown if the redirects end at a page of another owner, whose headers say nothing
/// about this owner. It does not apply to an interface that serves no page at its root.
#[must_use]
pub fn site_headers(
    site: &SiteObservation,
    registered: &DomainName,
    registrable: &DomainName,
    model: ModelVersion,
) -> Check {
    let ways = json!({ "https": site.https, "http": site.http });
    if model != ModelVersion::V1 {
        if site.https.failure() == Some(ProbeFailure::NoAddress) {
            return Check::not_applicable(CheckId::Headers, "no_address").with_evidence(ways);
        }
        if is_no_page(site, registrable) {
            return Check::not_applicable(CheckId::Headers, "no_page").with_evidence(ways);
        }
    }
    match site.headers(registered) {
        Err(why) => Check::unknown(CheckId::Headers, why.code()).with_evidence(ways),
        Ok(report) => {
            let check = match &site.page {
                Some(seen) if !is_within(&seen.page.url, registrable) => {
                    Check::unknown(CheckId::Headers, "page_of_another_site")
                }
                _ => bounded(headers(&report), site, registered),
            };
            let mut evidence = json!(report);
            evidence["page"] = json!(site.page.as_ref().map(|seen| {
                json!({ "url": seen.page.url, "status": seen.status, "sha256": seen.sha256, "is_cut": seen.is_cut })
            }));
            evidence["ways"] = ways;
            if let PreflightResult::Failed(unseen) = site.cors {
                evidence["preflight"] = json!(unseen);
            }
            check.with_evidence(evidence)
        }
    }
}

/// True if the root has no page for a browser, which the fields protect: an answer of another type than HTML, or one that
/// refuses or does not know the root, over HTTPS with HSTS.
fn is_no_page(site: &SiteObservation, registrable: &DomainName) -> bool {
    const NO_PAGE: [u16; 5] = [401, 403, 404, 405, 410];
    let Some(seen) = &site.page else { return false };
    let kind = seen.page.fields.get("content-type").unwrap_or_default().trim().to_ascii_lowercase();
    let is_html =
        kind.is_empty() || ["text/html", "application/xhtml"].iter().any(|html| kind.starts_with(html));
    seen.page.url.scheme() == "https"
        && is_within(&seen.page.url, registrable)
        && site.hsts().is_some()
        && (!is_html || NO_PAGE.contains(&seen.status))
}

/// Scores a headers report: the share of the check's points is the Observatory's score out of 100.
#[must_use]
pub fn headers(report: &HeadersReport) -> Check {
    let (status, reason) = match report.score {
        score if score >= HEADERS_PASS_FROM => (Status::Pass, "well_protected"),
        score if score >= HEADERS_WARN_FROM => (Status::Warn, "partly_protected"),
        _ => (Status::Fail, "unprotected"),
    };
    let check = Check::new(CheckId::Headers, status, points(report), reason);
    let check = check.with_evidence(json!(report));
    match remedy(report) {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    }
}

/// Returns true if a URL's host is this name or below it.
#[must_use]
pub fn is_within(url: &Url, name: &DomainName) -> bool {
    url.host_str()
        .and_then(|host| host.strip_suffix(name.as_str()))
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Counts parts that were not seen as unseen: points that the answer to another origin could cost are not earned, and
/// points that the preload list could earn are not lost.
fn bounded(check: Check, site: &SiteObservation, registered: &DomainName) -> Check {
    let best = site.headers_at_best(registered).map_or(check.points, |report| points(&report));
    let check = match site.headers_at_worst(registered) {
        None => check,
        Some(report) => {
            let status = if check.status == Status::Pass { Status::Warn } else { check.status };
            Check { status, points: points(&report), reason: "preflight_unseen".into(), ..check }
        }
    };
    let unseen = best.less(check.points);
    check.with_unseen(unseen)
}

/// Share of the check's points that the Observatory's score has of 100.
fn points(report: &HeadersReport) -> Points {
    CheckId::Headers.weight().share(u32::try_from(report.score).unwrap_or(0), 100)
}

/// The fields that failed tests ask for, to be pasted into a server's configuration.
fn remedy(report: &HeadersReport) -> Option<String> {
    let field = |test: &str| match test {
        "content-security-policy" => Some(
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        "strict-transport-security" => Some(HSTS_FIELD),
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
    use super::super::samples::bare_site;
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

    #[test]
    fn a_preflight_that_was_not_seen_earns_nothing_of_what_it_could_cost() {
        let found = |cors: PreflightResult, fields: &[(&str, &str)]| {
            let mut site = bare_site();
            (site.cors, site.preloaded) = (cors, Some(Vec::new()));
            site.page.as_mut().unwrap().page.fields = fields.iter().copied().collect();
            let check = site_headers(&site, &site.name, &site.name, ModelVersion::V1);
            (check.status, check.reason, check.points.as_hundredths(), check.unseen.as_hundredths())
        };
        let good = &[
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
            ("strict-transport-security", "max-age=63072000"),
            ("x-content-type-options", "nosniff"),
        ];
        let timed_out = || PreflightResult::Failed(ProbeFailure::Timeout);
        assert_eq!(found(PreflightResult::NotAsked, good), (Status::Pass, "well_protected".into(), 1600, 0));
        // From 100 on, 50 less and no bonuses: half of the 16 points.
        assert_eq!(found(timed_out(), good), (Status::Warn, "preflight_unseen".into(), 800, 800));
        let (status, _, earned, unseen) = found(timed_out(), &[]);
        let (plain, _, points, none) = found(PreflightResult::NotAsked, &[]);
        assert_eq!((status, earned + unseen, none), (plain, points, 0));
        // Nobody gets through to a host that refuses.
        let refused = found(PreflightResult::Failed(ProbeFailure::ConnectionRefused), good);
        assert_eq!(refused, (Status::Pass, "well_protected".into(), 1600, 0));
    }

    #[test]
    fn a_page_of_another_site_earns_nothing() {
        let ended = |url: &str, name: &str| {
            let mut site = bare_site();
            site.page.as_mut().unwrap().page.url = url.parse().unwrap();
            let name = DomainName::parse(name).unwrap();
            let check = site_headers(&site, &name, &name, ModelVersion::V1);
            (check.status, check.points == Points::ZERO, check.unseen == check.max)
        };
        let unknown = (Status::Unknown, true, true);
        assert_ne!(ended("https://www.example.com/", "example.com"), unknown);
        assert_ne!(ended("https://example.com/", "example.com"), unknown);
        for url in ["https://bank.example/", "https://anexample.com/", "https://example.com.bank.example/"] {
            assert_eq!(ended(url, "example.com"), unknown, "{url}");
        }
        assert_eq!(ended("https://other.github.io/", "tenant.github.io"), unknown);
    }

    #[test]
    fn without_a_preload_list_what_it_could_earn_is_unseen() {
        let found = |preloaded: Option<Vec<String>>| {
            let mut site = bare_site();
            site.preloaded = preloaded;
            let check = site_headers(&site, &site.name, &site.name, ModelVersion::V1);
            (check.points.as_hundredths(), check.unseen.as_hundredths())
        };
        // A page without a field: HSTS alone takes 20 of 100, and nothing of a name on the list.
        let absent = found(Some(Vec::new()));
        let listed = found(Some(vec!["example.com".to_owned()]));
        assert_eq!((absent.1, listed.1, listed.0 - absent.0), (0, 0, 320));
        assert_eq!(found(None), (absent.0, 320));
    }

    #[test]
    fn an_interface_without_a_page_needs_no_fields_of_pages_but_hsts() {
        let reason = |status, kind: &str, hsts: &str| {
            let mut site = bare_site();
            let seen = site.page.as_mut().unwrap();
            seen.status = status;
            seen.page.fields =
                [("content-type", kind), ("strict-transport-security", hsts)].into_iter().collect();
            if hsts.is_empty() {
                seen.page.fields = [("content-type", kind)].into_iter().collect();
            }
            site.https.end = probe::site::RedirectEnd::Answered(status);
            let check = site_headers(&site, &site.name, &site.name, ModelVersion::V2);
            (check.status == Status::NotApplicable, check.reason.into_owned())
        };
        let no_page = (true, "no_page".to_owned());
        let year = "max-age=31536000";
        assert_eq!(reason(404, "application/json", year), no_page);
        assert_eq!(reason(200, "application/json; charset=utf-8", year), no_page);
        assert_eq!(reason(403, "text/html", year), no_page);
        assert!(!reason(200, "text/html", year).0 && !reason(200, "Text/HTML", year).0);
        assert!(!reason(404, "application/json", "").0, "without HSTS it gains nothing");
        assert!(!reason(500, "text/html", year).0);
    }
}
