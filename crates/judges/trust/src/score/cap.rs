//! Caps: limits on the score, whatever else was found.

use schemars::JsonSchema;
use serde::Serialize;

/// A finding so grave that no other makes up for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustCap")]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// The registration has ended.
    ExpiredDomain,
    /// The certificate does not hold.
    InvalidCertificate,
    /// The zone's signatures do not hold.
    BogusDnssec,
    /// No server answers over HTTPS.
    NoHttps,
}

impl Cap {
    /// All caps.
    pub const ALL: [Self; 4] =
        [Self::ExpiredDomain, Self::InvalidCertificate, Self::BogusDnssec, Self::NoHttps];

    /// Returns the maximum score under the cap, 0 to 100.
    #[must_use]
    pub const fn limit(self) -> u32 {
        match self {
            Self::ExpiredDomain => 20,
            Self::InvalidCertificate | Self::BogusDnssec => 39,
            Self::NoHttps => 49,
        }
    }
}
