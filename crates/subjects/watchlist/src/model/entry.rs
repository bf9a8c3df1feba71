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
    /// Name as the list writes it: OFAC writes persons as `LAST, First Middle`, other lists in natural order.
    pub text: Box<str>,
    /// Quality of the name.
    pub quality: Quality,
    /// Written in a script other than Latin, as its bearer writes it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub original_script: bool,
}

/// A document or registration number of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identifier {
    /// Kind of identifier: `Passport`, `Tax ID No.`, ...; empty where the list does not say.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub kind: Box<str>,
    /// The number, as the list writes it.
    pub number: Box<str>,
    /// Issuer, as the list names the country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Box<str>>,
}

/// A digital currency address of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryWallet {
    /// Address as the list writes it, its checksum unchecked.
    pub address: Box<str>,
    /// The currency that the list files it under, `XBT` for one. The same address may be filed under several.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub currency: Box<str>,
}

/// A person's gender, where the list states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gender {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// One listed party. Its sets (all but `names`) are sorted and without repetition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The publisher's own key, unique within its list.
    pub uid: Box<str>,
    /// List that the entry is on.
    pub list: ListName,
    /// Kind of party.
    pub kind: EntityKind,
    /// The primary name first, then the aliases in order; never empty, no text twice.
    pub names: Vec<EntryName>,
    /// The sanctions programs that it is listed under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Box<str>>,
    /// A person's title, or an honorific.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Box<str>>,
    /// A person's gender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<Gender>,
    /// Dates of birth: any of them may be the right one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub births: Vec<Birth>,
    /// Countries of nationality, citizenship, address, registration or flag, as the list names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub countries: Vec<Box<str>>,
    /// Addresses, each on one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<Box<str>>,
    /// Documents and registrations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<Identifier>,
    /// A ship's IMO number, seven digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imo: Option<u32>,
    /// A ship's call sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_sign: Option<Box<str>>,
    /// Digital currency addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wallets: Vec<EntryWallet>,
    /// The list's remarks, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remarks: Option<Box<str>>,
}

impl Entry {
    /// An entry with nothing but its key and its primary name.
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

    /// The name that it is listed under.
    pub fn primary(&self) -> &str {
        self.names.first().map_or("", |name| &name.text)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference.
fn is_false(flag: &bool) -> bool {
    !flag
}
