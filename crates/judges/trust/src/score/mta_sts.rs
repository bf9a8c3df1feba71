//! The check of MTA-STS (RFC 8461): other mail servers must use TLS to deliver here.

mod remedy;

use dns::{Answer, Mx, Name};
use probe::site::{ProbeFailure, SiteObservation, WellKnownTextResult};
use serde_json::json;
use verdict::Timestamp;

use self::remedy::Advice;
use super::security_txt::is_plain_text;
use super::{Check, CheckId, Partial, Points};

/// The longest that a policy may be kept, in seconds (section 3.2).
const MAX_AGE: u64 = 31_557_600;

/// Mode of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MtaStsMode {
    Enforce,
    Testing,
    None,
}

/// A policy.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MtaStsPolicy {
    mode: MtaStsMode,
    patterns: Vec<String>,
    max_age: u64,
}

const TESTING: Partial = Partial { reason: "testing", points: Points::hundredths(50) };

/// Reasons that earn some of the points.
pub(crate) const MTA_STS_PARTIALS: &[Partial] = &[TESTING];

/// Checks MTA-STS (RFC 8461): the TXT records at `_mta-sts`, the mail exchangers, and the policy that was fetched.
#[must_use]
pub fn mta_sts(
    site: &SiteObservation,
    texts: &Answer<Vec<u8>>,
    exchangers: &Answer<Mx>,
    name: &Name,
    takes_mail: bool,
    observed_at: Timestamp,
) -> Check {
    let id = CheckId::MtaSts;
    if !takes_mail {
        return Check::not_applicable(id, "no_mail");
    }
    let advice = Advice { name, exchangers, at: observed_at };
    let unlisted = |reason: &'static str| {
        let has_policy = matches!(&site.mta_sts.end, WellKnownTextResult::Answered { status: 200, text, .. }
            if MtaStsPolicy::parse(text).is_some_and(|policy| policy.mode != MtaStsMode::None));
        Check::fail(id, reason).with_remedy(advice.record(has_policy))
    };
    let bad = |reason: &'static str| Check::fail(id, reason).with_remedy(advice.file(MtaStsMode::Testing));
    let records = match texts.clone().records() {
        Ok(records) => records,
        Err(failure) => return Check::unknown(id, failure.code()),
    };
    // Section 3.1: other TXT records are ignored, and several policy records count as none.
    let own: Vec<&Vec<u8>> = records.iter().filter(|record| record.starts_with(b"v=STSv1;")).collect();
    match own.as_slice() {
        [] => return unlisted("no_record"),
        [record] if !has_id(record) => return unlisted("invalid_record"),
        [_] => {}
        _ => return unlisted("several_records"),
    }
    let (text, is_text) = match &site.mta_sts.end {
        WellKnownTextResult::Answered { is_cut: true, .. } => {
            return Check::unknown(id, ProbeFailure::TooLarge.code());
        }
        WellKnownTextResult::Answered { status: 200, text, content_type, .. } => {
            (text, content_type.as_deref().is_some_and(is_plain_text))
        }
        WellKnownTextResult::Answered { status: 429, .. } => return Check::unknown(id, "rate_limited"),
        WellKnownTextResult::Answered { status: 500.., .. } => return Check::unknown(id, "server_error"),
        WellKnownTextResult::Answered { .. } => return bad("no_policy"),
        // Section 3.3: redirects are not followed.
        WellKnownTextResult::Failed(ProbeFailure::TooManyRedirects) | WellKnownTextResult::LeftSite(_) => {
            return bad("redirected");
        }
        WellKnownTextResult::Failed(unseen) if unseen.is_absence() || *unseen == ProbeFailure::TlsFailed => {
            return bad("no_policy");
        }
        WellKnownTextResult::Failed(unseen) if unseen.is_the_site_s() => {
            return Check::fail(id, unseen.code()).with_remedy(advice.server());
        }
        WellKnownTextResult::Failed(unseen) => return Check::unknown(id, unseen.code()),
    };
    let Some(policy) = MtaStsPolicy::parse(text) else { return bad("invalid_policy") };
    let uncovered = policy.uncovered(exchangers, name);
    let check = match policy.mode {
        MtaStsMode::None => bad("not_enforced"),
        // Section 3.2: senders that check the media type do not accept it.
        _ if !is_text => bad("not_text_plain"),
        MtaStsMode::Testing => Check::partly(id, TESTING).with_remedy(advice.file(MtaStsMode::Enforce)),
        MtaStsMode::Enforce => match (exchangers.failure(), &uncovered) {
            (Some(failure), _) => Check::unknown(id, failure.code()),
            (None, Some(_)) => {
                Check::fail(id, "exchanger_not_covered").with_remedy(advice.file(MtaStsMode::Enforce))
            }
            (None, None) => Check::pass(id, "enforced"),
        },
    };
    let (mode, max_age) = (policy.mode.word(), policy.max_age);
    check.with_evidence(
        json!({ "mode": mode, "max_age": max_age, "mx": policy.patterns, "not_covered": uncovered }),
    )
}

/// True if a record has an `id` of 1 to 32 letters and digits. Of several the first counts (section 3.2).
fn has_id(record: &[u8]) -> bool {
    let Ok(record) = std::str::from_utf8(record) else { return false };
    let mut fields = record.split(';').filter_map(|field| field.split_once('='));
    let id = fields.find(|(field, _)| field.trim() == "id").map(|(_, value)| value.trim());
    id.is_some_and(|id| (1..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

impl MtaStsMode {
    fn word(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Testing => "testing",
            Self::None => "none",
        }
    }
}

impl MtaStsPolicy {
    /// Reads a policy (section 3.2). Of a field that is given several times the first counts, but for `mx`.
    fn parse(text: &str) -> Option<Self> {
        let lines = || text.lines().filter_map(|line| line.split_once(':'));
        let fields = || lines().map(|(field, value)| (field.trim(), value.trim()));
        let get = |name: &str| fields().find(|(field, _)| *field == name).map(|(_, value)| value);
        if get("version")? != "STSv1" {
            return None;
        }
        let mode = match get("mode")? {
            "enforce" => MtaStsMode::Enforce,
            "testing" => MtaStsMode::Testing,
            "none" => MtaStsMode::None,
            _ => return None,
        };
        let max_age = get("max_age").filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))?;
        let max_age = max_age.parse().ok().filter(|seconds| *seconds <= MAX_AGE)?;
        let patterns: Vec<String> = fields()
            .filter(|(field, _)| *field == "mx")
            .map(|(_, value)| value.trim_end_matches('.').to_ascii_lowercase())
            .collect();
        let has_hosts = !patterns.is_empty() && patterns.iter().all(|pattern| !pattern.is_empty());
        (mode == MtaStsMode::None || has_hosts).then_some(Self { mode, patterns, max_age })
    }

    /// The first mail exchanger that no pattern covers; the name itself stands for none (RFC 5321 section 5.1).
    fn uncovered(&self, exchangers: &Answer<Mx>, name: &Name) -> Option<Name> {
        let hosts: Vec<&Name> = match exchangers {
            Answer::Found { records, .. } => records.iter().filter_map(|mx| mx.exchange.host()).collect(),
            Answer::NoData | Answer::NxDomain => vec![name],
            Answer::Failed(_) => Vec::new(),
        };
        hosts.into_iter().find(|host| !self.covers(&host.to_string())).cloned()
    }

    /// Section 4.1: a wildcard stands for one whole label, the first.
    fn covers(&self, host: &str) -> bool {
        self.patterns.iter().any(|pattern| match pattern.strip_prefix("*.") {
            Some(parent) => host.split_once('.').is_some_and(|(_, own)| own == parent),
            None => host == pattern,
        })
    }
}

#[cfg(test)]
mod tests {
    use dns::{Exchange, Failure};

    use super::super::Status::{self, Fail, NotApplicable, Pass, Unknown, Warn};
    use super::super::samples::{bare_site, found};
    use super::*;

    const POLICY: &str =
        "version: STSv1\r\nmode: enforce\r\nmx: mx1.example.com\r\nmx: *.mail.example\r\nmax_age: 86400\r\n";

    fn mx(hosts: &[&str]) -> Answer<Mx> {
        let host = |host: &&str| Exchange::Host(Name::parse(host).unwrap());
        found(hosts.iter().map(|name| Mx { preference: 10, exchange: host(name) }).collect())
    }

    fn policy(status: u16, kind: &str, text: &str) -> WellKnownTextResult {
        WellKnownTextResult::Answered {
            url: "https://mta-sts.example.com/.well-known/mta-sts.txt".parse().unwrap(),
            status,
            content_type: Some(kind.to_owned()),
            text: text.to_owned(),
            is_cut: false,
        }
    }

    fn check(texts: &Answer<Vec<u8>>, exchangers: &Answer<Mx>, end: WellKnownTextResult) -> (Status, String) {
        let mut site = bare_site();
        site.mta_sts.end = end;
        let name = Name::parse("example.com").unwrap();
        let check = mta_sts(&site, texts, exchangers, &name, true, Timestamp::EPOCH);
        (check.status, check.reason.into_owned())
    }

    fn expected(status: Status, reason: &str) -> (Status, String) {
        (status, reason.to_owned())
    }

    fn record() -> Answer<Vec<u8>> {
        found(vec![b"v=STSv1; id=20260101".to_vec(), b"another".to_vec()])
    }

    #[test]
    fn a_policy_is_read_with_its_bounds() {
        for (from, to) in [
            ("STSv1", "STSv2"),
            ("version: STSv1\r\n", ""),
            ("enforce", "enforced"),
            ("mode: enforce\r\n", ""),
            ("86400", "31557601"),
            ("86400", "-1"),
            ("86400", "+1"),
            ("max_age: 86400\r\n", ""),
            ("mx: mx1.example.com\r\nmx: *.mail.example\r\n", ""),
            ("mx1.example.com", ""),
        ] {
            assert_eq!(MtaStsPolicy::parse(&POLICY.replace(from, to)), None, "{from} as {to}");
        }
        assert_eq!(MtaStsPolicy::parse(POLICY).map(|policy| policy.max_age), Some(86_400));
        assert!(MtaStsPolicy::parse("version:STSv1\nmode:none\nmax_age:0").is_some());
    }

    #[test]
    fn a_wildcard_stands_for_one_label() {
        let policy = MtaStsPolicy::parse(POLICY).unwrap();
        assert!(policy.covers("mx1.example.com") && policy.covers("a.mail.example"));
        assert!(
            !policy.covers("mail.example")
                && !policy.covers("a.b.mail.example")
                && !policy.covers("mx2.example.com")
        );
    }

    #[test]
    fn an_enforced_policy_that_covers_all_exchangers_passes() {
        let plain = "text/plain; charset=utf-8";
        let both = mx(&["mx1.example.com", "b.mail.example"]);
        for (exchangers, end, status, reason) in [
            (&both, policy(200, plain, POLICY), Pass, "enforced"),
            (&both, policy(200, plain, &POLICY.replace("enforce", "testing")), Warn, "testing"),
            (&both, policy(200, plain, &POLICY.replace("enforce", "none")), Fail, "not_enforced"),
            (&both, policy(200, "text/html", POLICY), Fail, "not_text_plain"),
            (&both, policy(200, plain, "<html>"), Fail, "invalid_policy"),
            (&both, policy(404, plain, ""), Fail, "no_policy"),
            (&both, policy(503, plain, ""), Unknown, "server_error"),
            (&mx(&["mx9.example.com"]), policy(200, plain, POLICY), Fail, "exchanger_not_covered"),
            (&Answer::NoData, policy(200, plain, POLICY), Fail, "exchanger_not_covered"),
            (
                &Answer::Failed(Failure::TimedOut),
                policy(200, plain, POLICY),
                Unknown,
                Failure::TimedOut.code(),
            ),
            (&both, WellKnownTextResult::Failed(ProbeFailure::TooManyRedirects), Fail, "redirected"),
            (&both, WellKnownTextResult::Failed(ProbeFailure::NoAddress), Fail, "no_policy"),
            (
                &both,
                WellKnownTextResult::Failed(ProbeFailure::InvalidCertificate),
                Fail,
                "invalid_certificate",
            ),
            (&both, WellKnownTextResult::Failed(ProbeFailure::Timeout), Unknown, "timeout"),
        ] {
            assert_eq!(check(&record(), exchangers, end.clone()), expected(status, reason), "{end:?}");
        }
    }

    #[test]
    fn without_one_sound_record_there_is_no_policy() {
        let end = policy(200, "text/plain", POLICY);
        for (texts, status, reason) in [
            (Answer::NxDomain, Fail, "no_record"),
            (found(vec![b"v=STSv2; id=1".to_vec()]), Fail, "no_record"),
            (found(vec![b"v=STSv1; id=1".to_vec(), b"v=STSv1; id=2".to_vec()]), Fail, "several_records"),
            (found(vec![b"v=STSv1; id=".to_vec()]), Fail, "invalid_record"),
            (found(vec![b"v=STSv1; id=a-b".to_vec()]), Fail, "invalid_record"),
            // Section 3.2: but for the first, fields of one name are ignored.
            (found(vec![b"v=STSv1; id=1; id=2".to_vec()]), Pass, "enforced"),
            (found(vec![b"v=STSv1; id=1; id=".to_vec()]), Pass, "enforced"),
            (found(vec![b"v=STSv1; id=; id=1".to_vec()]), Fail, "invalid_record"),
            (Answer::Failed(Failure::ServFail), Unknown, Failure::ServFail.code()),
        ] {
            assert_eq!(
                check(&texts, &mx(&["mx1.example.com"]), end.clone()),
                expected(status, reason),
                "{texts:?}"
            );
        }
        let name = Name::parse("example.com").unwrap();
        let site = bare_site();
        let check = mta_sts(&site, &Answer::NoData, &Answer::NoData, &name, false, Timestamp::EPOCH);
        assert_eq!(check.status, NotApplicable);
    }
}
