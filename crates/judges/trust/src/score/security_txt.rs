//! The check of security.txt (RFC 9116), which names a contact for reports of vulnerabilities.

use domain_name::DomainName;
use probe::site::{ProbeFailure, SiteObservation, WellKnownTextResult};
use serde_json::json;
use url::Url;
use verdict::Timestamp;

use super::{Check, CheckId, ModelVersion};

/// Longest time for which a text should hold, in milliseconds: less than a year (section 2.5.5).
const HOLDS_MILLIS: i64 = 330 * 86_400_000;
/// Begin of the signature of a text that is signed in clear (RFC 9580 section 7); no fields follow.
const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";

/// Checks `security.txt` (RFC 9116), as it was observed on a site below `registrable`.
#[must_use]
pub fn security_txt(
    site: &SiteObservation,
    registrable: &DomainName,
    observed_at: Timestamp,
    now: Timestamp,
    model: ModelVersion,
) -> Check {
    let id = CheckId::SecurityTxt;
    let bad = |reason: &'static str| {
        Check::fail(id, reason).with_remedy(remedy(reason, site, registrable, observed_at))
    };
    let (url, content_type, text, is_cut) = match &site.security_txt.end {
        WellKnownTextResult::Answered { status: 200..300, url, content_type, text, is_cut } => {
            (url, content_type, text, *is_cut)
        }
        WellKnownTextResult::Answered { status, .. } => {
            return match status {
                429 => Check::unknown(id, "rate_limited"),
                500.. => Check::unknown(id, "server_error"),
                // The server refuses us, which does not show that the text is missing.
                401 | 403 => Check::unknown(id, "forbidden"),
                _ => bad("absent"),
            };
        }
        // One text may serve several domains: RFC 9116, 5.2 has readers look at where it leads. It is not fetched.
        WellKnownTextResult::LeftSite(url) if model != ModelVersion::V1 && url.scheme() == "https" => {
            return Check::pass(id, "of_another_site").with_evidence(json!({ "url": url }));
        }
        // `trust-score/1` counted it as none.
        WellKnownTextResult::LeftSite(url) => {
            return bad("of_another_site").with_evidence(json!({ "url": url }));
        }
        WellKnownTextResult::Failed(
            ProbeFailure::NoAddress | ProbeFailure::ConnectionRefused | ProbeFailure::TlsFailed,
        ) => {
            return bad("no_https");
        }
        WellKnownTextResult::Failed(unseen) if unseen.is_the_site_s() => return bad(unseen.code()),
        WellKnownTextResult::Failed(unseen) => return Check::unknown(id, unseen.code()),
    };
    let is_text = content_type.as_deref().is_some_and(is_plain_text);
    let (contacts, expires) = (values(text, "contact"), values(text, "expires"));
    let has_contact = contacts.iter().any(|contact| is_contact(contact));
    let ends = expires.first().and_then(|text| read(text));
    let check = match (contacts.as_slice(), expires.as_slice(), ends) {
        _ if !is_text => bad("not_text_plain"),
        ([], ..) | (_, [], _) if is_cut => Check::unknown(id, ProbeFailure::TooLarge.code()),
        ([], ..) => bad("no_contact"),
        _ if !has_contact && is_cut => Check::unknown(id, ProbeFailure::TooLarge.code()),
        _ if !has_contact => bad("invalid_contact"),
        (_, [], _) => bad("no_expires"),
        (_, [_, _, ..], _) => bad("several_expires"),
        (_, _, None) => bad("invalid_expires"),
        (_, _, Some(end)) if end <= now => bad("expired"),
        (_, _, Some(_)) => Check::pass(id, "published"),
    };
    check.with_evidence(json!({ "url": url, "contacts": contacts.len(), "expires": ends }))
}

/// A text to publish; of one whose only fault is its date, a date.
fn remedy(reason: &str, site: &SiteObservation, registrable: &DomainName, observed_at: Timestamp) -> String {
    let expires = format!("Expires: {}T00:00:00Z", observed_at.saturating_add_millis(HOLDS_MILLIS).day());
    match reason {
        "no_expires" | "several_expires" | "invalid_expires" | "expired" => {
            format!("# in place of whatever the text says of it; anew before that\n{expires}")
        }
        _ => format!(
            "# {}, as text/plain; the mailbox has to be there\nContact: mailto:security@{registrable}\n{expires}",
            site.security_txt.asked
        ),
    }
}

/// True if somebody can be reached at it: a URI, and of a page one that is fetched over TLS (section 2.5.3).
fn is_contact(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    match url.scheme() {
        "http" => false,
        "mailto" => url.path().split_once('@').is_some_and(|(own, host)| !own.is_empty() && !host.is_empty()),
        _ => url.has_host() || !url.path().is_empty(),
    }
}

/// True if a `Content-Type` is `text/plain`.
pub(super) fn is_plain_text(value: &str) -> bool {
    value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/plain")
}

/// The values of a field.
fn values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let lines = text.lines().map(str::trim).take_while(|line| *line != SIGNATURE);
    lines
        .map(|line| line.strip_prefix("- ").unwrap_or(line))
        .filter_map(|line| line.split_once(':'))
        .filter(|(own, _)| own.trim_end().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
        .collect()
}

/// A date of RFC 3339.
fn read(text: &str) -> Option<Timestamp> {
    let instant: jiff::Timestamp = text.parse().ok()?;
    Timestamp::from_millis(instant.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Status::{self, Fail, Pass, Unknown};
    use super::super::samples::bare_site;
    use super::*;

    fn check(end: WellKnownTextResult) -> (Status, String) {
        let mut site = bare_site();
        site.security_txt.end = end;
        let now = "2026-11-22T00:00:00.000Z".parse().unwrap();
        let check = security_txt(&site, &site.name, now, now, ModelVersion::V1);
        (check.status, check.reason.into_owned())
    }

    fn text(text: &str) -> WellKnownTextResult {
        WellKnownTextResult::Answered {
            url: "https://example.com/.well-known/security.txt".parse().unwrap(),
            status: 200,
            content_type: Some("text/plain; charset=utf-8".to_owned()),
            text: text.to_owned(),
            is_cut: false,
        }
    }

    fn expected(status: Status, reason: &str) -> (Status, String) {
        (status, reason.to_owned())
    }

    #[test]
    fn a_contact_and_one_date_to_come_are_needed() {
        for (body, status, reason) in [
            ("Contact: mailto:a@example.com\r\nExpires: 2027-01-01T00:00:00Z\r\n", Pass, "published"),
            ("# a comment: x\nEXPIRES : 2027-01-01T01:00:00+01:00\ncontact: tel:+1\n", Pass, "published"),
            (
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n- Contact: tel:+1\nExpires: 2027-01-01T00:00:00z\n\
                 -----BEGIN PGP SIGNATURE-----\nExpires: x\n",
                Pass,
                "published",
            ),
            ("Expires: 2027-01-01T00:00:00Z", Fail, "no_contact"),
            ("Contact:\nExpires: 2027-01-01T00:00:00Z", Fail, "no_contact"),
            // RFC 9116, 2.5.3: a URI, and never one without TLS.
            ("Contact: a\nExpires: 2027-01-01T00:00:00Z", Fail, "invalid_contact"),
            ("Contact: a@example.com\nExpires: 2027-01-01T00:00:00Z", Fail, "invalid_contact"),
            ("Contact: mailto:\nExpires: 2027-01-01T00:00:00Z", Fail, "invalid_contact"),
            ("Contact: http://a.example/\nExpires: 2027-01-01T00:00:00Z", Fail, "invalid_contact"),
            ("Contact: a\nContact: https://a.example/\nExpires: 2027-01-01T00:00:00Z", Pass, "published"),
            ("Contact: tel:+1", Fail, "no_expires"),
            (
                "Contact: tel:+1\nExpires: 2027-01-01T00:00:00Z\nExpires: 2028-01-01T00:00:00Z",
                Fail,
                "several_expires",
            ),
            ("Contact: tel:+1\nExpires: next year", Fail, "invalid_expires"),
            ("Contact: tel:+1\nExpires: 2027-01-01", Fail, "invalid_expires"),
            ("Contact: tel:+1\nExpires: 2026-11-22T00:00:00Z", Fail, "expired"),
            ("", Fail, "no_contact"),
        ] {
            assert_eq!(check(text(body)), expected(status, reason), "{body}");
        }
    }

    #[test]
    fn the_text_to_publish_passes_and_holds_for_less_than_a_year() {
        let now: Timestamp = "2026-11-22T06:30:00.000Z".parse().unwrap();
        let remedy = |end: WellKnownTextResult| {
            let mut site = bare_site();
            site.security_txt.end = end;
            security_txt(&site, &site.name, now, now, ModelVersion::V1).remedy.unwrap()
        };
        let whole = remedy(WellKnownTextResult::Failed(ProbeFailure::ConnectionRefused));
        assert!(
            whole.ends_with("\nContact: mailto:security@example.com\nExpires: 2027-10-18T00:00:00Z"),
            "{whole}"
        );
        assert_eq!(check(text(&whole)), expected(Pass, "published"));
        let date = remedy(text("Contact: tel:+1\nExpires: 2026-01-01T00:00:00Z"));
        assert!(!date.contains("Contact"), "the text has its own: {date}");
        assert_eq!(check(text(&format!("Contact: tel:+1\n{date}"))), expected(Pass, "published"));
    }

    #[test]
    fn what_is_no_text_is_none_and_what_was_cut_is_not_judged_by_its_absence() {
        let with = |kind: Option<&str>, cut| match text("Contact: a") {
            WellKnownTextResult::Answered { url, status, text, .. } => WellKnownTextResult::Answered {
                url,
                status,
                content_type: kind.map(str::to_owned),
                text,
                is_cut: cut,
            },
            WellKnownTextResult::LeftSite(_) | WellKnownTextResult::Failed(_) => unreachable!(),
        };
        assert_eq!(check(with(Some("text/html"), false)), expected(Fail, "not_text_plain"));
        assert_eq!(check(with(None, false)), expected(Fail, "not_text_plain"));
        assert_eq!(check(with(Some("TEXT/PLAIN"), true)), expected(Unknown, "too_large"));
    }

    #[test]
    fn what_was_not_seen_is_unknown_and_what_is_not_there_fails() {
        let status = |status| match text("") {
            WellKnownTextResult::Answered { url, content_type, text, is_cut, .. } => {
                WellKnownTextResult::Answered { url, status, content_type, text, is_cut }
            }
            WellKnownTextResult::LeftSite(_) | WellKnownTextResult::Failed(_) => unreachable!(),
        };
        for (end, outcome, reason) in [
            (status(404), Fail, "absent"),
            (status(403), Unknown, "forbidden"),
            (status(429), Unknown, "rate_limited"),
            (status(503), Unknown, "server_error"),
            (
                WellKnownTextResult::LeftSite("https://other.example/".parse().unwrap()),
                Fail,
                "of_another_site",
            ),
            (WellKnownTextResult::Failed(ProbeFailure::Timeout), Unknown, "timeout"),
            (WellKnownTextResult::Failed(ProbeFailure::DnsFailed), Unknown, "dns_failed"),
            (WellKnownTextResult::Failed(ProbeFailure::Busy), Unknown, "busy"),
            (WellKnownTextResult::Failed(ProbeFailure::TooManyRedirects), Unknown, "too_many_redirects"),
            (WellKnownTextResult::Failed(ProbeFailure::ConnectionRefused), Fail, "no_https"),
            (WellKnownTextResult::Failed(ProbeFailure::InvalidCertificate), Fail, "invalid_certificate"),
            (WellKnownTextResult::Failed(ProbeFailure::RedirectToPrivate), Fail, "redirect_to_private"),
        ] {
            assert_eq!(check(end.clone()), expected(outcome, reason), "{end:?}");
        }
    }
}
