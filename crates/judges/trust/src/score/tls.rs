//! The check of TLS and its certificate.

mod remedy;

use domain_name::DomainName;
use probe::tls::{
    Acceptance, CertificateFacts, ChainTrust, HandshakeOutcome, KeyAlgorithm, RevocationStatus,
    TlsObservation, Verification,
};
use serde_json::{Value, json};
use verdict::Timestamp;

use self::remedy::remedy;
use super::{Cap, Check, CheckId, ModelVersion, Points};

/// Maximum of the days left below which a certificate is a warning. Of one with a short lifetime, a
/// [part of it](TLS_WARN_PART) is less.
pub const TLS_WARN_DAYS: i64 = 14;
/// Maximum of the days left below which a certificate is a graver warning.
pub const TLS_URGENT_DAYS: i64 = 3;
/// A certificate with less than one in this many parts of its lifetime left is a warning: ACME clients renew with a third
/// left, or with half of a lifetime of ten days and less.
pub const TLS_WARN_PART: i64 = 6;
/// A certificate with less than one in this many parts of its lifetime left is a graver warning.
pub const TLS_URGENT_PART: i64 = 12;
/// Longest lifetimes, in days, of publicly trusted certificates issued from a date on (CA/Browser Forum, ballot SC-081v3),
/// the latest first.
pub const LIFETIMES: [(&str, i64); 3] =
    [("2029-03-15T00:00:00.000Z", 47), ("2027-03-15T00:00:00.000Z", 100), ("2026-03-15T00:00:00.000Z", 200)];
/// Minimum length of an RSA key, in bits.
pub const MIN_RSA_BITS: usize = 2048;
/// Minimum size of an elliptic curve, in bits.
pub const MIN_EC_BITS: usize = 256;
/// Minimum number of certificate transparency logs whose SCTs (RFC 6962) a publicly trusted certificate must have.
pub const MIN_SCT_LOGS: usize = 2;
/// The same for a certificate with a lifetime of more than [`LONG_LIVED_DAYS`] days, as browsers demand.
pub const MIN_SCT_LOGS_LONG_LIVED: usize = 3;
/// Lifetime in days above which browsers demand the timestamps of one log more.
pub const LONG_LIVED_DAYS: i64 = 180;

/// The reason of the check where the server itself says that its certificate is revoked.
pub const REVOKED: &str = "certificate_revoked";

const DAY_MILLIS: i64 = 86_400_000;
/// Alerts by which a server says that it does not serve this name over TLS: handshake_failure, protocol_version,
/// insufficient_security, unrecognized_name (RFC 8446 section 6.2). Others may be a passing fault.
const REFUSALS: &[u8] = &[40, 70, 71, 112];
/// Alerts of these that a server sends where it shares no cipher suite with the client.
const NO_CIPHER: &[u8] = &[40, 71];

/// A fault of a valid certificate or of its server, in the order of gravity.
///
/// A part that could not be observed takes as many points as the fault, since it does not count as good; those points
/// count as unobserved, not as lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TlsFault {
    /// The certificate is valid for fewer than [`TLS_URGENT_DAYS`] days, or a [part](TLS_URGENT_PART) of its lifetime.
    ExpiresWithinDays,
    /// The server accepts TLS 1.0 or 1.1 (RFC 8996).
    OldVersions,
    /// It could not be observed if the server accepts TLS 1.0 or 1.1.
    OldVersionsUnknown,
    /// The certificate is valid for fewer than [`TLS_WARN_DAYS`] days, or a [part](TLS_WARN_PART) of its lifetime.
    ExpiresWithinWeeks,
    /// The certificate is publicly trusted and has a longer lifetime than its authority may give ([`LIFETIMES`]).
    TooLongLived,
    /// The certificate is publicly trusted and has SCTs of fewer than [`MIN_SCT_LOGS`] logs.
    FewScts,
    /// The certificate has SCTs of fewer logs, and the handshake, which can carry more, was not observed.
    SctsUnknown,
    /// The server does not accept TLS 1.3.
    NoTls13,
    /// It could not be observed if the server accepts TLS 1.3.
    Tls13Unknown,
}

impl TlsFault {
    /// All faults, the gravest first.
    pub const ALL: [Self; 9] = [
        Self::ExpiresWithinDays,
        Self::OldVersions,
        Self::OldVersionsUnknown,
        Self::ExpiresWithinWeeks,
        Self::TooLongLived,
        Self::FewScts,
        Self::SctsUnknown,
        Self::NoTls13,
        Self::Tls13Unknown,
    ];

    /// Returns the stable code of the fault.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ExpiresWithinDays => "expires_within_days",
            Self::OldVersions => "old_versions_accepted",
            Self::OldVersionsUnknown => "old_versions_unknown",
            Self::ExpiresWithinWeeks => "expires_within_weeks",
            Self::TooLongLived => "too_long_lived",
            Self::FewScts => "few_scts",
            Self::SctsUnknown => "scts_unknown",
            Self::NoTls13 => "no_tls13",
            Self::Tls13Unknown => "tls13_unknown",
        }
    }

    /// Returns the points that the fault takes.
    #[must_use]
    pub const fn deduction(self) -> Points {
        match self {
            Self::ExpiresWithinDays => Points::whole(8),
            Self::OldVersions | Self::OldVersionsUnknown => Points::whole(5),
            Self::ExpiresWithinWeeks => Points::whole(4),
            Self::TooLongLived | Self::FewScts | Self::SctsUnknown => Points::whole(2),
            Self::NoTls13 | Self::Tls13Unknown => Points::whole(1),
        }
    }

    /// Returns true if the fault stands for a part that was not observed.
    #[must_use]
    pub const fn is_unseen(self) -> bool {
        matches!(self, Self::OldVersionsUnknown | Self::SctsUnknown | Self::Tls13Unknown)
    }
}

/// Checks TLS, and caps the score if the certificate is invalid or no server answers over HTTPS. A certificate that has
/// expired at `now` is invalid, even if it was valid when it was observed.
#[must_use]
pub fn tls(
    seen: &TlsObservation,
    name: &DomainName,
    now: Timestamp,
    model: ModelVersion,
) -> (Check, Option<Cap>) {
    let chain: Vec<Option<CertificateFacts>> =
        seen.certificates().iter().map(|der| CertificateFacts::read(der)).collect();
    let finding = match seen.trust {
        Some(trust) => by_certificate(seen, trust, &chain, now, model),
        None => by_outcome(seen, model),
    };
    let id = CheckId::Tls;
    let (check, cap, reasons) = match finding {
        TlsFinding::Holds(faults) if faults.is_empty() => (Check::pass(id, "valid"), None, vec!["valid"]),
        TlsFinding::Holds(faults) => {
            let reasons: Vec<&'static str> = faults.iter().map(|fault| fault.code()).collect();
            let (points, unseen) = left(&faults);
            (Check::warn(id, points, reasons[0]).with_unseen(unseen), None, reasons)
        }
        TlsFinding::Fails(reason, cap) => (Check::fail(id, reason), cap, vec![reason]),
        TlsFinding::Unknown(reason) => (Check::unknown(id, reason), None, vec![reason]),
        TlsFinding::NotApplicable(reason) => (Check::not_applicable(id, reason), None, Vec::new()),
    };
    let mut remedies: Vec<String> = Vec::new();
    for remedy in reasons.iter().filter_map(|reason| remedy(reason, name)) {
        if !remedies.contains(&remedy) {
            remedies.push(remedy);
        }
    }
    let check = check.with_evidence(evidence(seen, &chain, &reasons, now, model));
    (if remedies.is_empty() { check } else { check.with_remedy(remedies.join("\n")) }, cap)
}

/// Finding from the evidence.
enum TlsFinding {
    /// The certificate holds, with these faults.
    Holds(Vec<TlsFault>),
    Fails(&'static str, Option<Cap>),
    Unknown(&'static str),
    /// There is nothing that a certificate would be for.
    NotApplicable(&'static str),
}

fn by_certificate(
    seen: &TlsObservation,
    trust: ChainTrust,
    chain: &[Option<CertificateFacts>],
    now: Timestamp,
    model: ModelVersion,
) -> TlsFinding {
    let invalid = |reason| TlsFinding::Fails(reason, Some(Cap::InvalidCertificate));
    let leaf = chain.first().and_then(Option::as_ref);
    match trust.verification {
        Verification::Valid => {}
        Verification::Expired => return invalid("certificate_expired"),
        Verification::NotYetValid => return invalid("certificate_not_yet_valid"),
        Verification::WrongHost => return invalid("certificate_wrong_host"),
        _ if signs_with_broken_hash(chain) => return invalid("certificate_broken_hash"),
        Verification::UnknownIssuer => return invalid(unknown_issuer(chain)),
        Verification::BadSignature => return invalid("certificate_bad_signature"),
        Verification::Other => return invalid("certificate_invalid"),
    }
    let Some(leaf) = leaf else { return TlsFinding::Unknown("certificate_unreadable") };
    if now > leaf.not_after {
        return invalid("certificate_expired");
    }
    if model != ModelVersion::V1 && is_revoked(seen) {
        return invalid(REVOKED);
    }
    if is_too_small(leaf) {
        return TlsFinding::Fails("key_too_small", None);
    }
    match seen.outcome {
        _ if trust.key_is_proven => TlsFinding::Holds(faults(seen, leaf, now, model)),
        HandshakeOutcome::Answered => invalid("key_not_proven"),
        // The handshake ended before the server could prove it.
        outcome => TlsFinding::Unknown(outcome.code()),
    }
}

/// True if the server itself staples a response by which its certificate is revoked. No signature needs to hold for it: a
/// server that denies its own certificate is believed. A response by which it is good earns nothing, since whoever has a
/// revoked certificate does not staple that it is; without one, nothing is known.
fn is_revoked(seen: &TlsObservation) -> bool {
    seen.ocsp().is_some_and(|staple| matches!(staple.status, RevocationStatus::Revoked(_)))
}

/// Finding where no certificate came. Only what is sure to be so for everybody is bad.
fn by_outcome(seen: &TlsObservation, model: ModelVersion) -> TlsFinding {
    let no_https = |reason| TlsFinding::Fails(reason, Some(Cap::NoHttps));
    let versions = seen.versions;
    let takes = |version: Acceptance| version == Acceptance::Accepted;
    let refuses = |version: Acceptance| version == Acceptance::Refused;
    let is_refused = |alerts: &[u8]| seen.alert.is_some_and(|alert| alerts.contains(&alert));
    match seen.outcome {
        // A name without an address has nothing to protect: not used, or for mail alone.
        HandshakeOutcome::NoAddress if model != ModelVersion::V1 => TlsFinding::NotApplicable("no_address"),
        HandshakeOutcome::NoAddress => no_https("no_address"),
        HandshakeOutcome::ConnectionRefused => no_https("connection_refused"),
        HandshakeOutcome::NotTls => no_https("not_tls"),
        HandshakeOutcome::Alert | HandshakeOutcome::Incompatible
            if refuses(versions.tls12) && (takes(versions.tls10) || takes(versions.tls11)) =>
        {
            TlsFinding::Fails("old_versions_only", None)
        }
        HandshakeOutcome::Alert if is_refused(NO_CIPHER) && takes(versions.tls12) => {
            TlsFinding::Fails("old_ciphers_only", None)
        }
        HandshakeOutcome::Alert
            if is_refused(REFUSALS)
                && [versions.tls10, versions.tls11, versions.tls12].into_iter().all(refuses) =>
        {
            no_https("tls_refused")
        }
        outcome => TlsFinding::Unknown(outcome.code()),
    }
}

fn faults(
    seen: &TlsObservation,
    leaf: &CertificateFacts,
    now: Timestamp,
    model: ModelVersion,
) -> Vec<TlsFault> {
    let left = leaf.not_after.millis_since(now);
    let lifetime = leaf.not_after.millis_since(leaf.not_before);
    let (urgent, warn) = match model {
        ModelVersion::V1 => (TLS_URGENT_DAYS * DAY_MILLIS, TLS_WARN_DAYS * DAY_MILLIS),
        ModelVersion::V2 => (
            (TLS_URGENT_DAYS * DAY_MILLIS).min(lifetime / TLS_URGENT_PART),
            (TLS_WARN_DAYS * DAY_MILLIS).min(lifetime / TLS_WARN_PART),
        ),
    };
    let old = [seen.versions.tls10, seen.versions.tls11];
    let is_public = seen.trust.is_some_and(|trust| trust.is_public);
    let is_long_lived = model != ModelVersion::V1 && lifetime > LONG_LIVED_DAYS * DAY_MILLIS;
    let min_logs = if is_long_lived { MIN_SCT_LOGS_LONG_LIVED } else { MIN_SCT_LOGS };
    let has_few_scts = is_public && seen.scts.logs < min_logs;
    // A server of TLS 1.3 alone does not show the handshake's timestamps to a 1.2 hello, and those in a stapled response
    // (RFC 6962 section 3.3) are not read.
    let may_have_more = seen.scts.in_handshake.is_none() || seen.ocsp_stapled;
    let holds = |fault: &TlsFault| match fault {
        TlsFault::ExpiresWithinDays => left < urgent,
        TlsFault::ExpiresWithinWeeks => (urgent..warn).contains(&left),
        TlsFault::TooLongLived => model != ModelVersion::V1 && is_public && is_too_long_lived(leaf),
        TlsFault::OldVersions => old.contains(&Acceptance::Accepted),
        TlsFault::OldVersionsUnknown => {
            old.contains(&Acceptance::Unknown) && !old.contains(&Acceptance::Accepted)
        }
        TlsFault::FewScts => has_few_scts && !may_have_more,
        TlsFault::SctsUnknown => has_few_scts && may_have_more,
        TlsFault::NoTls13 => seen.versions.tls13 == Acceptance::Refused,
        TlsFault::Tls13Unknown => seen.versions.tls13 == Acceptance::Unknown,
    };
    TlsFault::ALL.into_iter().filter(holds).collect()
}

/// The points that the faults leave, and those that what was not seen takes of them.
fn left(faults: &[TlsFault]) -> (Points, Points) {
    let taken = |is_unseen: bool| -> Points {
        faults.iter().filter(|fault| fault.is_unseen() == is_unseen).map(|fault| fault.deduction()).sum()
    };
    let at_most = CheckId::Tls.weight().less(taken(false));
    let earned = at_most.less(taken(true));
    (earned, at_most.less(earned))
}

/// True if the certificate lives longer than its authority could give at the time of its issue.
fn is_too_long_lived(leaf: &CertificateFacts) -> bool {
    let lifetime = leaf.not_after.millis_since(leaf.not_before);
    let issued = leaf.not_before.to_string();
    LIFETIMES
        .iter()
        .find(|(from, _)| issued.as_str() >= *from)
        .is_some_and(|(_, days)| lifetime > days * DAY_MILLIS)
}

fn is_too_small(leaf: &CertificateFacts) -> bool {
    match leaf.key.kind {
        KeyAlgorithm::Rsa => leaf.key.bits < MIN_RSA_BITS,
        KeyAlgorithm::Ec => leaf.key.bits < MIN_EC_BITS,
        KeyAlgorithm::Eddsa | KeyAlgorithm::Other => false,
    }
}

/// A root's own signature is not relied on, whatever it is over.
fn signs_with_broken_hash(chain: &[Option<CertificateFacts>]) -> bool {
    chain.iter().flatten().any(|facts| facts.has_broken_hash && !facts.is_self_issued)
}

fn unknown_issuer(chain: &[Option<CertificateFacts>]) -> &'static str {
    let is_self_issued = |facts: Option<&Option<CertificateFacts>>| {
        facts.and_then(Option::as_ref).is_some_and(|facts| facts.is_self_issued)
    };
    if is_self_issued(chain.first()) {
        "certificate_self_signed"
    } else if is_self_issued(chain.last()) {
        "certificate_untrusted_root"
    } else {
        "certificate_unknown_issuer"
    }
}

fn evidence(
    seen: &TlsObservation,
    chain: &[Option<CertificateFacts>],
    reasons: &[&'static str],
    now: Timestamp,
    model: ModelVersion,
) -> Value {
    let leaf = chain.first().and_then(Option::as_ref);
    let subjects: Vec<Option<&str>> =
        chain.iter().map(|facts| facts.as_ref().map(|facts| facts.subject.as_str())).collect();
    let mut shown = json!({
        "reasons": reasons,
        "outcome": seen.outcome,
        "alert": seen.alert,
        "version": seen.version,
        "cipher_suite": seen.cipher_suite,
        "versions": seen.versions,
        "trust": seen.trust,
        "roots": seen.roots,
        "certificate": leaf,
        "days_left": leaf.map(|leaf| leaf.not_after.millis_since(now).div_euclid(DAY_MILLIS)),
        "chain": subjects,
        "chain_omitted": seen.chain_omitted,
        "ocsp_stapled": seen.ocsp_stapled,
        "scts": seen.scts,
    });
    if model != ModelVersion::V1 {
        // Post-quantum groups are noted, and earn nothing yet.
        shown["key_exchange_group"] = json!(seen.key_exchange_group);
        shown["ocsp"] = json!(seen.ocsp());
        shown["organization"] = json!(leaf.and_then(|leaf| leaf.organization.as_ref()));
        shown["validation"] = json!(leaf.and_then(|leaf| leaf.validation));
        shown["lifetime_days"] = json!(leaf.map(CertificateFacts::lifetime_days));
    }
    shown
}

#[cfg(test)]
mod tests;
