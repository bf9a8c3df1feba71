//! The advanced form of a list of names, with facts made up to the measure of the real publication: each person with a
//! date and a place of birth, nationalities and a passport, each ship with its number and flag, most parties with
//! addresses, a third of them with a name in another script.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use watchlist::{EntityKind, Entry, EntryName, List, Quality};

use super::facts::{day, document, features, identity, locations};
use super::xml::Xml;

/// The reference values: their set, their element, and each key with what it stands for.
type Values = (&'static str, &'static str, &'static [(u32, &'static str)]);
const VALUES: [Values; 10] = [
    ("AliasTypeValues", "AliasType", &[(1400, "A.K.A."), (1403, "Name")]),
    ("CountryValues", "Country", &[(1, "Russia"), (2, "Iran"), (3, "Panama"), (4, "China")]),
    ("DetailReferenceValues", "DetailReference", &[(91526, "Male"), (91527, "Female")]),
    (
        "FeatureTypeValues",
        "FeatureType",
        &[
            (1, "Vessel Call Sign"),
            (2, "VESSEL TYPE"),
            (3, "Vessel Flag"),
            (8, "Birthdate"),
            (9, "Place of Birth"),
            (10, "Nationality Country"),
            (11, "Citizenship Country"),
            (25, "Location"),
            (224, "Gender"),
            (504, "Secondary sanctions risk:"),
            (646, "Organization Established Date"),
        ],
    ),
    (
        "IDRegDocTypeValues",
        "IDRegDocType",
        &[(1571, "Passport"), (1619, "Registration ID"), (1626, "Vessel Registration Identification")],
    ),
    ("ListValues", "List", &[(1550, "SDN List")]),
    (
        "NamePartTypeValues",
        "NamePartType",
        &[
            (1520, "Last Name"),
            (1521, "First Name"),
            (1524, "Aircraft Name"),
            (1525, "Entity Name"),
            (1526, "Vessel Name"),
        ],
    ),
    ("PartyTypeValues", "PartyType", &[(1, "Individual"), (2, "Entity"), (4, "Transport")]),
    ("SanctionsTypeValues", "SanctionsType", &[(1, "Program"), (1705, "Block")]),
    ("ScriptValues", "Script", &[(215, "Latin"), (220, "Cyrillic")]),
];
const SUBTYPES: [(u32, u32, &str); 4] =
    [(1, 4, "Vessel"), (2, 4, "Aircraft"), (3, 2, "Unknown"), (4, 1, "Unknown")];
const LATIN: u32 = 215;
const CYRILLIC: u32 = 220;
/// Writes the list to a file.
pub fn write(list: &List, file: &Path) -> io::Result<()> {
    let mut xml = Xml::new(BufWriter::new(File::create(file)?))?;
    let schema = "https://sanctionslistservice.example/exports/ADVANCED_XML";
    xml.element("Sanctions", &[("Version", &3), ("xmlns", &schema)], |xml| {
        xml.element("DateOfIssue", &[("CalendarTypeID", &1)], |xml| day(xml, 2026, 8, 20))?;
        xml.element("ReferenceValueSets", &[], reference_values)?;
        let entries = || (0..).zip(&list.entries);
        xml.element("Locations", &[], |xml| entries().try_for_each(|(at, _)| locations(xml, at)))?;
        xml.element("IDRegDocuments", &[], |xml| {
            entries().try_for_each(|(at, entry)| document(xml, at, entry))
        })?;
        xml.element("DistinctParties", &[], |xml| {
            entries().try_for_each(|(at, entry)| party(xml, at, entry))
        })?;
        xml.element("ProfileRelationships", &[], |xml| {
            list.entries.windows(4).step_by(4).zip(1..).try_for_each(|(pair, id)| relationship(xml, id, pair))
        })?;
        xml.element("SanctionsEntries", &[], |xml| {
            entries().try_for_each(|(at, entry)| sanctions_entry(xml, at, entry))
        })
    })?;
    xml.end()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn reference_values(xml: &mut Xml<impl Write>) -> io::Result<()> {
    for (set, element, values) in VALUES {
        xml.element(set, &[], |xml| {
            values.iter().try_for_each(|(id, text)| xml.leaf(element, &[("ID", id)], text))
        })?;
    }
    xml.element("PartySubTypeValues", &[], |xml| {
        SUBTYPES.iter().try_for_each(|(id, party_type, text)| {
            xml.leaf("PartySubType", &[("ID", id), ("PartyTypeID", party_type)], text)
        })
    })
}

fn party(xml: &mut Xml<impl Write>, at: usize, entry: &Entry) -> io::Result<()> {
    let subtype = match entry.kind {
        EntityKind::Person => 4,
        EntityKind::Vessel => 1,
        EntityKind::Aircraft => 2,
        _ => 3,
    };
    xml.element("DistinctParty", &[("FixedRef", &entry.uid)], |xml| {
        xml.leaf("Comment", &[], "")?;
        xml.element("Profile", &[("ID", &entry.uid), ("PartySubTypeID", &subtype)], |xml| {
            let attributes: [(&str, &dyn std::fmt::Display); 4] =
                [("ID", &identity(at)), ("FixedRef", &entry.uid), ("Primary", &"true"), ("False", &"false")];
            xml.element("Identity", &attributes, |xml| names(xml, at, entry))?;
            features(xml, at, entry)
        })
    })
}

fn names(xml: &mut Xml<impl Write>, at: usize, entry: &Entry) -> io::Result<()> {
    let kinds: &[u32] = match entry.kind {
        EntityKind::Person => &[1520, 1521],
        EntityKind::Vessel => &[1526],
        EntityKind::Aircraft => &[1524],
        _ => &[1525],
    };
    for (n, EntryName { text, quality, .. }) in entry.names.iter().enumerate() {
        let is_primary = *quality == Quality::Primary;
        // About as many are weak as in the real publication.
        let is_weak = !is_primary && (at + n).is_multiple_of(6);
        let attributes: [(&str, &dyn std::fmt::Display); 4] = [
            ("FixedRef", &entry.uid),
            ("AliasTypeID", if is_primary { &1403 } else { &1400 }),
            ("Primary", &is_primary),
            ("LowQuality", &is_weak),
        ];
        xml.element("Alias", &attributes, |xml| {
            documented(xml, at * 100 + n * 2, text, LATIN, kinds.len())?;
            if is_primary && at.is_multiple_of(3) {
                documented(xml, at * 100 + n * 2 + 1, &in_cyrillic(text), CYRILLIC, kinds.len())?;
            }
            Ok(())
        })?;
    }
    xml.element("NamePartGroups", &[], |xml| {
        for (group, kind) in kinds.iter().enumerate() {
            xml.element("MasterNamePartGroup", &[], |xml| {
                xml.leaf("NamePartGroup", &[("ID", &group), ("NamePartTypeID", kind)], "")
            })?;
        }
        Ok(())
    })
}

/// A name in its parts: a person's has a family name before the comma.
fn documented(
    xml: &mut Xml<impl Write>,
    id: usize,
    text: &str,
    script: u32,
    groups: usize,
) -> io::Result<()> {
    let parts: Vec<&str> = if groups > 1 { text.splitn(2, ", ").collect() } else { vec![text] };
    xml.element("DocumentedName", &[("ID", &id), ("DocNameStatusID", &1)], |xml| {
        for (group, part) in parts.iter().enumerate() {
            let attributes: [(&str, &dyn std::fmt::Display); 4] = [
                ("NamePartGroupID", &group),
                ("ScriptID", &script),
                ("ScriptStatusID", &1),
                ("Acronym", &"false"),
            ];
            xml.element("DocumentedNamePart", &[], |xml| xml.leaf("NamePartValue", &attributes, part))?;
        }
        Ok(())
    })
}

/// Letters of another script for those of a name: no romanisation, but as much work to read.
fn in_cyrillic(text: &str) -> String {
    const LETTERS: [char; 26] = [
        'А', 'Б', 'Ц', 'Д', 'Е', 'Ф', 'Г', 'Х', 'И', 'Й', 'К', 'Л', 'М', 'Н', 'О', 'П', 'Я', 'Р', 'С', 'Т',
        'У', 'В', 'Ш', 'Ж', 'Ы', 'З',
    ];
    let letter = |c: char| {
        let at = u32::from(c.to_ascii_uppercase()).wrapping_sub(u32::from('A'));
        usize::try_from(at).ok().and_then(|at| LETTERS.get(at)).copied().unwrap_or(c)
    };
    text.chars().map(letter).collect()
}

fn relationship(xml: &mut Xml<impl Write>, id: usize, parties: &[Entry]) -> io::Result<()> {
    let [from, to, ..] = parties else { return Ok(()) };
    let attributes: [(&str, &dyn std::fmt::Display); 6] = [
        ("ID", &id),
        ("From-ProfileID", &from.uid),
        ("To-ProfileID", &to.uid),
        ("RelationTypeID", &15003),
        ("RelationQualityID", &1),
        ("Former", &"false"),
    ];
    xml.element("ProfileRelationship", &attributes, |xml| xml.leaf("Comment", &[], ""))
}

fn sanctions_entry(xml: &mut Xml<impl Write>, at: usize, entry: &Entry) -> io::Result<()> {
    let attributes: [(&str, &dyn std::fmt::Display); 3] =
        [("ID", &at), ("ProfileID", &entry.uid), ("ListID", &1550)];
    xml.element("SanctionsEntry", &attributes, |xml| {
        let event: [(&str, &dyn std::fmt::Display); 3] =
            [("ID", &at), ("EntryEventTypeID", &1), ("LegalBasisID", &1828)];
        xml.element("EntryEvent", &event, |xml| {
            xml.leaf("Comment", &[], "")?;
            xml.element("Date", &[("CalendarTypeID", &1)], |xml| {
                day(xml, 2000 + at % 26, at % 12 + 1, at % 28 + 1)
            })
        })?;
        let programs = entry.programs.iter().map(|program| (1, &**program));
        for (kind, comment) in programs.chain([(1705, "")]) {
            xml.element("SanctionsMeasure", &[("ID", &at), ("SanctionsTypeID", &kind)], |xml| {
                xml.leaf("Comment", &[], comment)
            })?;
        }
        Ok(())
    })
}
