//! A profile of the advanced form as an entry.

use std::collections::HashMap;

use super::super::draft;
use super::super::text::{clean, last_first, original_script};
use super::super::xml::XmlElement;
use super::reference::{self, References};
use crate::model::{EntityKind, Entry, EntryName, ListName, Quality};

/// The parts of a person's name that come before the comma; all others come after it.
const FAMILY: [&str; 3] = ["Last Name", "Maiden Name", "Matronymic"];

/// Reads a profile. The error is a reference that leads nowhere.
pub(super) fn entry(profile: &XmlElement, references: &References, list: &ListName) -> Result<Entry, String> {
    let uid = profile.attribute("ID").unwrap_or_default();
    let kind = match references.party_kind(profile.attribute("PartySubTypeID"))? {
        "Individual" => EntityKind::Person,
        "Entity" => EntityKind::Entity,
        "Vessel" => EntityKind::Vessel,
        "Aircraft" => EntityKind::Aircraft,
        _ => EntityKind::Unknown,
    };
    let mut entry = Entry::new(uid, list, kind, "");
    entry.names.clear();
    for identity in profile.named("Identity") {
        names(&mut entry, identity, references)?;
    }
    primary_first(&mut entry);
    for feature in profile.named("Feature") {
        let label = references.name("FeatureTypeValues", feature.attribute("FeatureTypeID"))?;
        for version in feature.named("FeatureVersion") {
            self::feature(&mut entry, label, version, references)?;
        }
    }
    Ok(entry)
}

/// The names of an identity. The primary alias has a name in each script; the Latin one is the primary name.
fn names(entry: &mut Entry, identity: &XmlElement, references: &References) -> Result<(), String> {
    let mut kinds = HashMap::new();
    for master in identity.items("NamePartGroups", "MasterNamePartGroup") {
        for group in master.named("NamePartGroup") {
            let kind = references.name("NamePartTypeValues", group.attribute("NamePartTypeID"))?;
            kinds.insert(group.attribute("ID").unwrap_or_default(), kind);
        }
    }
    let is_main = identity.attribute("Primary") == Some("true");
    for alias in identity.named("Alias") {
        for documented in alias.named("DocumentedName") {
            let text = name(documented, &kinds)?;
            let original_script = original_script(&text);
            let quality = if alias.attribute("LowQuality") == Some("true") {
                Quality::Weak
            } else if is_main && alias.attribute("Primary") == Some("true") && !original_script {
                Quality::Primary
            } else {
                Quality::Strong
            };
            if !text.is_empty() {
                entry.names.push(EntryName { text: text.into(), quality, original_script });
            }
        }
    }
    Ok(())
}

fn name(documented: &XmlElement, kinds: &HashMap<&str, &str>) -> Result<String, String> {
    let (mut family, mut rest) = (Vec::new(), Vec::new());
    for value in documented.items("DocumentedNamePart", "NamePartValue") {
        let group = value.attribute("NamePartGroupID").unwrap_or_default();
        let kind = kinds.get(group).ok_or_else(|| format!("there is no name part group {group:?}"))?;
        let part = clean(value.text());
        if FAMILY.contains(kind) { family.push(part) } else { rest.push(part) }
    }
    Ok(last_first(&family.join(" "), &rest.join(" ")))
}

/// One primary name: of several, and where there is none, the first.
fn primary_first(entry: &mut Entry) {
    let first = entry.names.iter().position(|name| name.quality == Quality::Primary).unwrap_or(0);
    for (at, name) in entry.names.iter_mut().enumerate() {
        if at == first {
            name.quality = Quality::Primary;
        } else if name.quality == Quality::Primary {
            name.quality = Quality::Strong;
        }
    }
    if first < entry.names.len() {
        entry.names.swap(0, first);
    }
}

fn feature(
    entry: &mut Entry,
    label: &str,
    version: &XmlElement,
    references: &References,
) -> Result<(), String> {
    if label == "Birthdate" {
        for period in version.named("DatePeriod") {
            draft::birth(entry, reference::birth(period));
        }
        return Ok(());
    }
    for place in version.named("VersionLocation") {
        let location = references.location(place.attribute("LocationID").unwrap_or_default())?;
        match label {
            "Location" => {
                entry.addresses.extend(super::super::text::some(&location.address));
                draft::country(entry, &location.country);
            }
            "Nationality Country"
            | "Citizenship Country"
            | "Nationality"
            | "Citizenship"
            | "Nationality of Registration" => draft::country(entry, &location.country),
            _ => {}
        }
    }
    for detail in version.named("VersionDetail") {
        let value = match detail.attribute("DetailReferenceID") {
            Some(id) => references.name("DetailReferenceValues", Some(id))?,
            None => detail.text(),
        };
        draft::fact(entry, label, value, None);
    }
    Ok(())
}
