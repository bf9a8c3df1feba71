//! The published lists, and their files.

use crate::lists::FileFormat;
use crate::model::ListName;

/// URL of the folder of OFAC's exports.
pub const SANCTIONS_LIST_SERVICE: &str =
    "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/";

/// A list that the Sanctions List Service publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedList {
    /// The SDN list.
    Sdn,
    /// OFAC's consolidated list: all its lists except the SDN list.
    Consolidated,
}

impl PublishedList {
    /// All published lists.
    pub const ALL: [Self; 2] = [Self::Sdn, Self::Consolidated];

    /// Returns the list's name in findings.
    pub fn list(self) -> ListName {
        ListName::new(match self {
            Self::Sdn => ListName::OFAC_SDN,
            Self::Consolidated => ListName::OFAC_CONSOLIDATED,
        })
    }

    /// Key of the list in the names of stored files.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Sdn => "sdn",
            Self::Consolidated => "consolidated",
        }
    }

    /// Files with their formats. The plain one comes first: it is smaller and states the number of entries.
    pub(super) fn files(self) -> [(&'static str, FileFormat); 2] {
        let (plain, advanced) = match self {
            Self::Sdn => ("SDN.XML", "SDN_ADVANCED.XML"),
            Self::Consolidated => ("CONSOLIDATED.XML", "CONS_ADVANCED.XML"),
        };
        [(plain, FileFormat::SdnXml), (advanced, FileFormat::AdvancedXml)]
    }
}
