//! The file formats that are read.

use serde::{Deserialize, Serialize};

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
        }
    }
}
