//! Reasons that earn some of a check's points.

use super::bonus::NAME_SERVERS_PARTIALS;
use super::caa::CAA_PARTIALS;
use super::dane::DANE_PARTIALS;
use super::dmarc::DMARC_PARTIALS;
use super::dnssec::DNSSEC_PARTIALS;
use super::expiration::EXPIRATION_PARTIALS;
use super::hsts_preload::HSTS_PRELOAD_PARTIALS;
use super::https::HTTPS_PARTIALS;
use super::mta_sts::MTA_STS_PARTIALS;
use super::spf::SPF_PARTIALS;
use super::{CheckId, Partial};

impl CheckId {
    /// Returns the reasons with which the check earns some of its points. The deductions of the TLS and header checks
    /// add up and are not among them.
    #[must_use]
    pub const fn partials(self) -> &'static [Partial] {
        match self {
            Self::Dmarc => DMARC_PARTIALS,
            Self::Spf => SPF_PARTIALS,
            Self::Expiration => EXPIRATION_PARTIALS,
            Self::Https => HTTPS_PARTIALS,
            Self::Dnssec => DNSSEC_PARTIALS,
            Self::Caa => CAA_PARTIALS,
            Self::MtaSts => MTA_STS_PARTIALS,
            Self::HstsPreload => HSTS_PRELOAD_PARTIALS,
            Self::Dane => DANE_PARTIALS,
            Self::NameServers => NAME_SERVERS_PARTIALS,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_earns_some_points_earns_neither_none_nor_all() {
        for id in CheckId::ALL {
            for partial in id.partials() {
                let earned = partial.points.as_hundredths();
                assert!(earned > 0 && earned < id.weight().as_hundredths(), "{id:?} {partial:?}");
            }
        }
    }
}
