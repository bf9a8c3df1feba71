//! The file formats that are read.

use serde::{Deserialize, Serialize};

/// The forms that are read, the most telling first: where two state one fact, the first is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// `SDN_ADVANCED.XML`, `CONS_ADVANCED.XML`.
    AdvancedXml,
    /// `SDN.XML`, `CONSOLIDATED.XML`.
    SdnXml,
    /// `sdn.csv`, `cons_prim.csv`.
    LegacyMain,
    /// `sdn_comments.csv`, `cons_comments.csv`.
    LegacyComments,
    /// `alt.csv`, `cons_alt.csv`.
    LegacyAliases,
    /// `add.csv`, `cons_add.csv`.
    LegacyAddresses,
    /// A JSON document of names and aliases.
    NamesJson,
    /// JSON Lines, a wallet a line.
    WalletLines,
    /// OpenSanctions' `targets.simple.csv`.
    OpenSanctions,
}

impl FileFormat {
    /// Name of the format in messages.
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
