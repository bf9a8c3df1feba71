//! What a list is about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why parties are on a list. Only a list of sanctions says that nobody may deal with them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Sanctions: assets are frozen, or dealings forbidden.
    #[default]
    Sanctions,
    /// Controls of exports: goods need a licence.
    ExportControl,
    /// Exclusion from public contracts or from a trade.
    Debarment,
    /// Persons who hold a public office, and those close to them.
    Pep,
    /// Anything else.
    Other,
}

impl Topic {
    /// All topics.
    pub const ALL: [Self; 5] =
        [Self::Sanctions, Self::ExportControl, Self::Debarment, Self::Pep, Self::Other];

    /// Returns the topic's name in findings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sanctions => "sanctions",
            Self::ExportControl => "export_control",
            Self::Debarment => "debarment",
            Self::Pep => "pep",
            Self::Other => "other",
        }
    }

    /// Returns true for sanctions.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference.
    pub fn is_sanctions(&self) -> bool {
        *self == Self::Sanctions
    }
}
