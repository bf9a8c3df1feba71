//! Purposes of a look: which checks matter to the caller, and how much.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckId, Points};

/// The purpose for which a domain is looked at. It decides the weights of the checks and the risks that count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The caller pays the domain's owner, or calls its interface.
    #[default]
    Pay,
    /// The caller reads or cites the domain's pages.
    Web,
    /// The caller exchanges mail with the domain.
    Mail,
}

impl Purpose {
    /// All purposes, the default first.
    pub const ALL: [Self; 3] = [Self::Pay, Self::Web, Self::Mail];

    /// Returns the word of the purpose in a question.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pay => "pay",
            Self::Web => "web",
            Self::Mail => "mail",
        }
    }

    /// Returns true if the purpose needs a server that answers over HTTPS.
    #[must_use]
    pub const fn needs_https(self) -> bool {
        matches!(self, Self::Pay | Self::Web)
    }

    /// Returns the checks without which nothing can be said for the purpose, whatever else was observed.
    #[must_use]
    pub const fn essentials(self) -> &'static [CheckId] {
        match self {
            Self::Pay | Self::Web => &[CheckId::Tls],
            Self::Mail => &[CheckId::Dmarc],
        }
    }

    /// Returns the weight of a check for this purpose, in hundredths of a point. The weights of a purpose add up to 100
    /// points. A check of weight 0 is for information.
    #[must_use]
    pub const fn weight(self, id: CheckId) -> Points {
        let [pay, web, mail] = match id {
            CheckId::Tls => [3000, 3000, 0],
            CheckId::Https => [800, 1400, 0],
            CheckId::Headers => [1400, 2200, 0],
            CheckId::Dmarc => [2000, 1000, 3300],
            CheckId::Spf => [1000, 500, 2300],
            CheckId::Expiration => [800, 800, 1000],
            CheckId::Dnssec => [500, 600, 1000],
            CheckId::Caa => [300, 300, 0],
            CheckId::MtaSts => [25, 25, 1000],
            CheckId::TlsRpt => [25, 25, 500],
            CheckId::Dane => [25, 25, 500],
            CheckId::NameServers => [50, 50, 300],
            CheckId::Ipv6 => [25, 25, 50],
            CheckId::SecurityTxt => [25, 25, 50],
            CheckId::HstsPreload => [25, 25, 0],
            CheckId::Bimi => [0, 0, 0],
        };
        Points::hundredths(match self {
            Self::Pay => pay,
            Self::Web => web,
            Self::Mail => mail,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_each_purpose_are_100_points() {
        for purpose in Purpose::ALL {
            let sum: Points = CheckId::ALL.into_iter().map(|id| purpose.weight(id)).sum();
            assert_eq!(sum, Points::whole(100), "{purpose:?}");
        }
    }
}
