//! Checks: one aspect of a domain each, with its points.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use verdict::Timestamp;

use super::Points;
use super::shown::shorten;

/// Name of a check. The order is that of the receipt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustCheckId")]
#[serde(rename_all = "snake_case")]
pub enum CheckId {
    /// The certificate and the versions of TLS.
    Tls,
    /// DMARC (RFC 9989).
    Dmarc,
    /// The security headers.
    Headers,
    /// Use of HTTPS alone: the redirect to it, and HSTS (RFC 6797).
    Https,
    /// DNSSEC.
    Dnssec,
    /// SPF (RFC 7208).
    Spf,
    /// Time until the registration ends.
    Expiration,
    /// CAA (RFC 8659).
    Caa,
    /// MTA-STS (RFC 8461).
    MtaSts,
    /// TLS-RPT (RFC 8460).
    TlsRpt,
    /// DANE for mail (RFC 7672).
    Dane,
    /// IPv6.
    Ipv6,
    /// Name servers in more than one network.
    NameServers,
    /// security.txt (RFC 9116).
    SecurityTxt,
    /// The HSTS preload list.
    HstsPreload,
    /// BIMI, for information.
    Bimi,
}

impl CheckId {
    /// All checks, in the order of the finding.
    pub const ALL: [Self; 16] = [
        Self::Tls,
        Self::Dmarc,
        Self::Headers,
        Self::Https,
        Self::Dnssec,
        Self::Spf,
        Self::Expiration,
        Self::Caa,
        Self::MtaSts,
        Self::TlsRpt,
        Self::Dane,
        Self::Ipv6,
        Self::NameServers,
        Self::SecurityTxt,
        Self::HstsPreload,
        Self::Bimi,
    ];

    /// Returns the number of points of which the check earns a share, before the weights of a
    /// [purpose](super::Purpose). Under `trust-score/1`, which has no purposes and no check of [`Https`](Self::Https),
    /// these are the weights: the total is 100, and the checks from MTA-STS on share the 6 points of the bonus group.
    #[must_use]
    pub const fn weight(self) -> Points {
        match self {
            Self::Tls => Points::whole(22),
            Self::Dmarc | Self::Headers => Points::whole(16),
            Self::Dnssec => Points::whole(12),
            Self::Spf | Self::Expiration | Self::Https => Points::whole(10),
            Self::Caa => Points::whole(8),
            Self::MtaSts | Self::TlsRpt | Self::Dane | Self::Ipv6 | Self::NameServers => Points::whole(1),
            Self::SecurityTxt | Self::HstsPreload => Points::hundredths(50),
            Self::Bimi => Points::ZERO,
        }
    }

    /// True if the check belongs to the bonus group.
    #[must_use]
    pub const fn is_bonus(self) -> bool {
        matches!(
            self,
            Self::MtaSts
                | Self::TlsRpt
                | Self::Dane
                | Self::Ipv6
                | Self::NameServers
                | Self::SecurityTxt
                | Self::HstsPreload
                | Self::Bimi
        )
    }

    /// Returns true if the check does not apply to some domains: those of a top-level domain without RDAP, those that
    /// have no mail, those that have no address, and interfaces that serve no pages. For other checks, a result "not
    /// applicable" counts as unknown.
    #[must_use]
    pub const fn may_not_apply(self) -> bool {
        !matches!(self, Self::Dmarc | Self::Dnssec | Self::Caa | Self::Ipv6 | Self::NameServers)
    }
}

/// Status of a check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustStatus")]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The domain is as it should be.
    Pass,
    /// The domain is not as good as it should be.
    Warn,
    /// Bad, or not there.
    Fail,
    /// Could not be looked at: neither good nor bad.
    Unknown,
    /// Makes no sense for this domain.
    NotApplicable,
}

/// A reason for which a check earns some of its points, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Partial {
    /// Stable code of the reason.
    pub reason: &'static str,
    /// Points that it earns.
    pub points: Points,
}

/// A check: its status, its points, the reason, and its evidence.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustCheck")]
pub struct Check {
    /// Name of the check.
    pub id: CheckId,
    /// Status of the check.
    pub status: Status,
    /// Points that the check earned.
    pub points: Points,
    /// The most points that it earns.
    pub max: Points,
    /// The points that it does not earn because something could not be looked at: all of a check that is unknown, of
    /// another a part or none.
    pub unseen: Points,
    /// Reason of the status, as a stable code.
    pub reason: Cow<'static, str>,
    /// Facts that the status rests on.
    pub evidence: Value,
    /// Time of the look; absent where nobody looked.
    #[schemars(with = "Option<String>")]
    pub observed_at: Option<Timestamp>,
    /// Time that the look took, in milliseconds.
    pub elapsed_ms: u32,
    /// Text to put into the zone or the server's configuration; absent where nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Check {
    /// Builds a check with these points. An unknown check earns none, and no check earns more than its weight. A check
    /// that applies to every domain is unknown where the status says otherwise.
    #[must_use]
    pub fn new(id: CheckId, status: Status, points: Points, reason: impl Into<Cow<'static, str>>) -> Self {
        let is_misapplied = status == Status::NotApplicable && !id.may_not_apply();
        let status = if is_misapplied { Status::Unknown } else { status };
        let earned = match status {
            Status::Pass | Status::Warn | Status::Fail => points.min(id.weight()),
            Status::Unknown | Status::NotApplicable => Points::ZERO,
        };
        let unseen = if status == Status::Unknown { id.weight() } else { Points::ZERO };
        Self {
            id,
            status,
            points: earned,
            max: id.weight(),
            unseen,
            reason: reason.into(),
            evidence: Value::Null,
            observed_at: None,
            elapsed_ms: 0,
            remedy: None,
        }
    }

    /// Builds a passed check, with all points.
    #[must_use]
    pub fn pass(id: CheckId, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(id, Status::Pass, id.weight(), reason)
    }

    /// Builds a warning, with the given points.
    #[must_use]
    pub fn warn(id: CheckId, points: Points, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(id, Status::Warn, points, reason)
    }

    /// Builds a warning with the points and the reason of `partial`.
    #[must_use]
    pub fn partly(id: CheckId, partial: Partial) -> Self {
        Self::warn(id, partial.points, partial.reason)
    }

    /// Builds a failed check, without points.
    #[must_use]
    pub fn fail(id: CheckId, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(id, Status::Fail, Points::ZERO, reason)
    }

    /// Builds a check that could not be observed.
    #[must_use]
    pub fn unknown(id: CheckId, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(id, Status::Unknown, Points::ZERO, reason)
    }

    /// Builds a check that does not apply to the domain.
    #[must_use]
    pub fn not_applicable(id: CheckId, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(id, Status::NotApplicable, Points::ZERO, reason)
    }

    /// Counts at most `points` of the missing points as unobserved instead of lost. A check that is unknown or does not
    /// apply stays as it is.
    #[must_use]
    pub fn with_unseen(self, points: Points) -> Self {
        let unseen = match self.status {
            Status::Pass | Status::Warn | Status::Fail => points.min(self.max.less(self.points)),
            Status::Unknown => self.max,
            Status::NotApplicable => Points::ZERO,
        };
        Self { unseen, ..self }
    }

    /// Adds evidence, cut to the bounds of a receipt, because its content comes from the domain's servers.
    #[must_use]
    pub fn with_evidence(self, mut evidence: Value) -> Self {
        shorten(&mut evidence);
        Self { evidence, ..self }
    }

    /// Adds a remedy: a text that tells the owner how to pass the check.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// Scales points and unseen points to another maximum, rounded down.
    #[must_use]
    pub fn weighed(self, max: Points) -> Self {
        let scaled = |points: Points| max.share(points.as_hundredths(), self.max.as_hundredths());
        Self { points: scaled(self.points), unseen: scaled(self.unseen), max, ..self }
    }

    /// Adds the time of the observation, and its duration in milliseconds.
    #[must_use]
    pub fn observed(self, at: Timestamp, elapsed_ms: u32) -> Self {
        Self { observed_at: Some(at), elapsed_ms, ..self }
    }
}
