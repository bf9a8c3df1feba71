//! One entry of a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Birth, ListName};

/// Kind of party of an entry.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// A natural person.
    Person,
    /// An organisation.
    Entity,
    /// A ship.
    Vessel,
    /// An aircraft.
    Aircraft,
    /// The publication does not say.
    #[default]
    Unknown,
}

/// Quality of a name, as the publisher judges how well it identifies its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// The name that the entry is listed under.
    Primary,
    /// A good alias.
    Strong,
    /// A broad or generic alias, which alone says little (OFAC: "weak aka").
    Weak,
}

/// A name of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryName {
    /// The name as the list writes it: OFAC writes persons as `LAST, First Middle`, other lists in natural order.
    pub text: Box<str>,
    /// Quality of the name, strong or weak.
    pub quality: Quality,
    /// True if the name is in its original script, other than Latin.
    #[serde(default, skip_serializing_if = "is_false")]
    pub original_script: bool,
}

/// A document or registration number of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identifier {
    /// Kind of identifier: `Passport`, `Tax ID No.`, ...; empty if the list does not state it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub kind: Box<str>,
    /// The number, as the list writes it.
    pub number: Box<str>,
    /// Country of the issuer, as the list names it; `None` if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Box<str>>,
}

impl Identifier {
    /// Kind of a number under which the United Nations list the party.
    pub const UN_REFERENCE: &'static str = "UN Reference Number";
    /// Kind of a number under which the European Union lists the party.
    pub const EU_REFERENCE: &'static str = "EU Reference Number";
    /// Kind of a number under which the UK Sanctions List has the party.
    pub const UK_REFERENCE: &'static str = "UK Sanctions List Ref";
    /// Kind of a number under which the UK's OFSI listed the party.
    pub const OFSI_GROUP: &'static str = "OFSI Group ID";
    /// Kind of a number under which OFAC lists the party.
    pub const OFAC_UID: &'static str = "OFAC UID";
}

/// A digital currency address of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryWallet {
    /// The address as the list writes it. Its checksum is not verified.
    pub address: Box<str>,
    /// Currency under which the list has the address, such as `XBT`. One address may be listed under several.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub currency: Box<str>,
}

/// A person's gender, as the list states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gender {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// One listed party. Its sets (all but `names`) are sorted and without duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The publisher's key of the entry, unique in its list.
    pub uid: Box<str>,
    /// List that the entry is on.
    pub list: ListName,
    /// Kind of party.
    pub kind: EntityKind,
    /// The primary name first, then the aliases in order; never empty, without duplicate texts.
    pub names: Vec<EntryName>,
    /// The sanctions programs under which the party is listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Box<str>>,
    /// A person's title or honorific; `None` if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Box<str>>,
    /// A person's gender; `None` if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<Gender>,
    /// Possible dates of birth; any of them may be the right one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub births: Vec<Birth>,
    /// Countries of nationality, citizenship, address, registration or flag, as the list names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub countries: Vec<Box<str>>,
    /// Postal addresses, each on one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<Box<str>>,
    /// Document and registration numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<Identifier>,
    /// A ship's IMO number, seven digits; `None` if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imo: Option<u32>,
    /// A ship's call sign; `None` if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_sign: Option<Box<str>>,
    /// Digital currency addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wallets: Vec<EntryWallet>,
    /// The list's remarks, complete; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remarks: Option<Box<str>>,
}

impl Entry {
    /// Builds an entry with its key, its kind and its primary name only.
    pub fn new(uid: &str, list: &ListName, kind: EntityKind, primary: &str) -> Self {
        Self {
            uid: uid.into(),
            list: list.clone(),
            kind,
            names: vec![EntryName {
                text: primary.into(),
                quality: Quality::Primary,
                original_script: false,
            }],
            programs: Vec::new(),
            title: None,
            gender: None,
            births: Vec::new(),
            countries: Vec::new(),
            addresses: Vec::new(),
            identifiers: Vec::new(),
            imo: None,
            call_sign: None,
            wallets: Vec::new(),
            remarks: None,
        }
    }

    /// Returns the primary name.
    pub fn primary(&self) -> &str {
        self.names.first().map_or("", |name| &name.text)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference.
fn is_false(flag: &bool) -> bool {
    !flag
}
