//! The file formats that are read.

use serde::{Deserialize, Serialize};

use crate::model::ListName;

/// The supported file formats in order of precedence: if two files state one fact, the first format's is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// OFAC's advanced XML: `SDN_ADVANCED.XML`, `CONS_ADVANCED.XML`.
    AdvancedXml,
    /// OFAC's XML: `SDN.XML`, `CONSOLIDATED.XML`.
    SdnXml,
    /// OFAC's legacy main file: `sdn.csv`, `cons_prim.csv`.
    LegacyMain,
    /// OFAC's legacy remarks: `sdn_comments.csv`, `cons_comments.csv`.
    LegacyComments,
    /// OFAC's legacy aliases: `alt.csv`, `cons_alt.csv`.
    LegacyAliases,
    /// OFAC's legacy addresses: `add.csv`, `cons_add.csv`.
    LegacyAddresses,
    /// A JSON document with names and aliases.
    NamesJson,
    /// JSON Lines with one wallet on each line.
    WalletLines,
    /// OpenSanctions' `targets.simple.csv`.
    OpenSanctions,
    /// The UN Security Council's consolidated list in XML.
    UnXml,
    /// The EU's consolidated list in XML (FSF 1.0 and 1.1).
    EuXml,
    /// The EU's consolidated list in CSV (FSF 1.1).
    EuCsv,
    /// The UK Sanctions List in XML.
    UkXml,
    /// The UK Sanctions List in CSV.
    UkCsv,
    /// OFSI's consolidated list in XML.
    OfsiXml,
    /// OFSI's consolidated list in CSV.
    OfsiCsv,
    /// The list of Switzerland's SECO in XML.
    SecoXml,
    /// The US Consolidated Screening List in CSV.
    CslCsv,
    /// A list of the operator's own, read by its columns.
    Columns,
}

impl FileFormat {
    /// Returns the name of the format in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AdvancedXml => "advanced XML",
            Self::SdnXml => "SDN.XML",
            Self::LegacyMain => "legacy CSV",
            Self::LegacyComments => "legacy comments",
            Self::LegacyAliases => "legacy aliases",
            Self::LegacyAddresses => "legacy addresses",
            Self::NamesJson => "names JSON",
            Self::WalletLines => "wallet lines",
            Self::OpenSanctions => "OpenSanctions CSV",
            Self::UnXml => "UN XML",
            Self::EuXml => "EU FSF XML",
            Self::EuCsv => "EU FSF CSV",
            Self::UkXml => "UK Sanctions List XML",
            Self::UkCsv => "UK Sanctions List CSV",
            Self::OfsiXml => "UK OFSI XML",
            Self::OfsiCsv => "UK OFSI CSV",
            Self::SecoXml => "Swiss SECO XML",
            Self::CslCsv => "US Consolidated Screening List CSV",
            Self::Columns => "columns of its own",
        }
    }

    /// The list that every file of the form is of; `None` where the form is of several.
    pub(super) fn list(self) -> Option<&'static str> {
        match self {
            Self::OpenSanctions => Some(super::opensanctions::LIST),
            Self::UnXml => Some(ListName::UN),
            Self::EuXml | Self::EuCsv => Some(ListName::EU),
            Self::UkXml | Self::UkCsv => Some(ListName::UK),
            Self::OfsiXml | Self::OfsiCsv => Some(ListName::UK_OFSI),
            Self::SecoXml => Some(ListName::SECO),
            Self::CslCsv => Some(ListName::CSL),
            _ => None,
        }
    }
}
