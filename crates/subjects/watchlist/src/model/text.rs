//! A list's name, shared by all of its entries.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Name of a list, for example `OFAC SDN`. A clone shares the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListName(Arc<str>);

impl ListName {
    /// OFAC's Specially Designated Nationals and Blocked Persons list.
    pub const OFAC_SDN: &'static str = "OFAC SDN";
    /// OFAC's consolidated list: all its lists except the SDN list.
    pub const OFAC_CONSOLIDATED: &'static str = "OFAC Consolidated (non-SDN)";
    /// The United Nations Security Council's consolidated list.
    pub const UN: &'static str = "UN Security Council";
    /// The European Union's consolidated list of financial sanctions.
    pub const EU: &'static str = "EU Consolidated";
    /// The UK Sanctions List.
    pub const UK: &'static str = "UK Sanctions List";
    /// The consolidated list of the UK's Office of Financial Sanctions Implementation, which ended on 28 January 2026.
    pub const UK_OFSI: &'static str = "UK OFSI Consolidated List";
    /// The list of Switzerland's State Secretariat for Economic Affairs.
    pub const SECO: &'static str = "Swiss SECO";
    /// What the names of the lists in the US Consolidated Screening List begin with.
    pub const CSL: &'static str = "US CSL";

    /// Builds the name of a list.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Returns true if it is the name of a list that a publisher has.
    pub fn is_published(&self) -> bool {
        const NAMES: [&str; 7] = [
            ListName::OFAC_SDN,
            ListName::OFAC_CONSOLIDATED,
            ListName::UN,
            ListName::EU,
            ListName::UK,
            ListName::UK_OFSI,
            ListName::SECO,
        ];
        NAMES.iter().any(|name| name.eq_ignore_ascii_case(&self.0)) || self.0.starts_with(Self::CSL)
    }

    /// Returns the text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ListName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ListName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self(name.into()))
    }
}
