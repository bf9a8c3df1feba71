//! The published lists, their files, and where their publishers have them.

use std::str::FromStr;

use crate::lists::FileFormat;
use crate::model::ListName;

/// URL of the folder of OFAC's exports.
pub const SANCTIONS_LIST_SERVICE: &str =
    "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/";

/// A publication that can be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PublishedList {
    /// OFAC's SDN list.
    Sdn,
    /// OFAC's consolidated list: all its lists except the SDN list.
    Consolidated,
    /// The United Nations Security Council's consolidated list.
    Un,
    /// The European Union's consolidated list of financial sanctions.
    Eu,
    /// The UK Sanctions List.
    Uk,
    /// The list of Switzerland's State Secretariat for Economic Affairs.
    Seco,
    /// The US Consolidated Screening List, which joins the lists of three departments.
    Csl,
}

impl PublishedList {
    /// All publications.
    pub const ALL: [Self; 7] =
        [Self::Sdn, Self::Consolidated, Self::Un, Self::Eu, Self::Uk, Self::Seco, Self::Csl];

    /// Returns the name of the list in findings; that of the US Consolidated Screening List begins the names of its lists.
    pub fn list(self) -> ListName {
        ListName::new(match self {
            Self::Sdn => ListName::OFAC_SDN,
            Self::Consolidated => ListName::OFAC_CONSOLIDATED,
            Self::Un => ListName::UN,
            Self::Eu => ListName::EU,
            Self::Uk => ListName::UK,
            Self::Seco => ListName::SECO,
            Self::Csl => ListName::CSL,
        })
    }

    /// Returns the key of the publication in the configuration, on the command line and in the names of stored files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Sdn => "sdn",
            Self::Consolidated => "consolidated",
            Self::Un => "un",
            Self::Eu => "eu",
            Self::Uk => "uk",
            Self::Seco => "seco",
            Self::Csl => "csl",
        }
    }

    /// Returns the name of the setting that says where the publication is fetched from.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Sdn | Self::Consolidated => "lists_source",
            Self::Un => "lists.un",
            Self::Eu => "lists.eu",
            Self::Uk => "lists.uk",
            Self::Seco => "lists.seco",
            Self::Csl => "lists.csl",
        }
    }

    /// Returns the URL of the folder where the publisher has the files. The query of the EU's is the token that it gives
    /// everybody.
    pub fn source(self) -> &'static str {
        match self {
            Self::Sdn | Self::Consolidated => SANCTIONS_LIST_SERVICE,
            Self::Un => "https://scsanctions.un.org/resources/xml/en/",
            Self::Eu => {
                "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/?token=dG9rZW4tMjAxNw"
            }
            Self::Uk => "https://sanctionslist.fcdo.gov.uk/docs/",
            Self::Seco => {
                "https://www.sesam.search.admin.ch/sesam-search-web/pages/?lang=en&action=downloadXmlGesamtlisteAction"
            }
            Self::Csl => "https://data.trade.gov/downloadable_consolidated_screening_list/v1/",
        }
    }

    /// Files with their formats. Of OFAC's the plain one comes first: it is smaller and states the number of entries.
    pub(super) fn files(self) -> &'static [(&'static str, FileFormat)] {
        match self {
            Self::Sdn => &[("SDN.XML", FileFormat::SdnXml), ("SDN_ADVANCED.XML", FileFormat::AdvancedXml)],
            Self::Consolidated => {
                &[("CONSOLIDATED.XML", FileFormat::SdnXml), ("CONS_ADVANCED.XML", FileFormat::AdvancedXml)]
            }
            Self::Un => &[("consolidated.xml", FileFormat::UnXml)],
            Self::Eu => &[("content", FileFormat::EuXml)],
            Self::Uk => &[("UK-Sanctions-List.xml", FileFormat::UkXml)],
            Self::Seco => &[("downloadXmlGesamtliste.xhtml", FileFormat::SecoXml)],
            Self::Csl => &[("consolidated.csv", FileFormat::CslCsv)],
        }
    }

    /// Tests that a list of that name is of the publication.
    pub fn is_of(self, list: &ListName) -> bool {
        match self {
            Self::Csl => list.as_str().starts_with(ListName::CSL),
            _ => *list == self.list(),
        }
    }
}

impl FromStr for PublishedList {
    type Err = String;

    fn from_str(key: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|published| published.key() == key);
        known.ok_or_else(|| format!("must be one of {}", Self::ALL.map(Self::key).join(", ")))
    }
}
