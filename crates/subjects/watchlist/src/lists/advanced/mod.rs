//! `SDN_ADVANCED.XML` and its kin: the advanced sanctions data model, which the United Nations designed.
//!
//! Everything is by reference: `ReferenceValueSets` name the kinds, `Locations` the places, `IDRegDocuments`
//! the documents by identity, `DistinctParties` the parties, `SanctionsEntries` the list and the programs by
//! profile. A reference to what is not there is an error: a fact that is dropped unseen would make a match
//! disappear. It is the only form of OFAC's that has names in their original script.
//!
//! Source: OFAC, "SDN Advanced Sanctions Data Model XML Explanatory Notes", 2015-01-12.

mod party;
mod reference;

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;

use self::reference::References;
use super::context::{InputFile, malformed};
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::identity;
use super::text::some;
use super::xml::{self, XmlElement};
use crate::model::{Entry, ListName, PublicationBounds};

/// The root's name.
pub(super) const ROOT: &str = "Sanctions";

const CONTAINERS: [&str; 7] = [
    "ReferenceValueSets",
    "Locations",
    "IDRegDocuments",
    "DistinctParties",
    "ProfileRelationships",
    "SanctionsEntries",
    "SanctionsEntryLinks",
];

/// A document or a registration, by the identity that it belongs to.
struct IdentityDocument {
    identity: Box<str>,
    kind: Box<str>,
    number: Box<str>,
    issuer: Option<Box<str>>,
}

/// State of reading one advanced document.
struct AdvancedReader<'a> {
    file: &'a str,
    bounds: &'a PublicationBounds,
    list: ListName,
    published: Option<Date>,
    references: References,
    documents: Vec<IdentityDocument>,
    /// Entries by profile ID, which is the uid of the other formats.
    parties: BTreeMap<Box<str>, Entry>,
    /// Profile ID of each identity ID.
    identities: HashMap<Box<str>, Box<str>>,
    /// Number of entries on the SDN list, and of entries on other lists.
    on_sdn: [usize; 2],
}

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let mut reading = AdvancedReader {
        file: input.file,
        bounds: input.bounds,
        list: input.list.clone(),
        published: None,
        references: References::default(),
        documents: Vec::new(),
        parties: BTreeMap::new(),
        identities: HashMap::new(),
        on_sdn: [0; 2],
    };
    xml::read(input, ROOT, &CONTAINERS, &mut |container, record| reading.record(container, &record))?;
    reading.end()
}

impl AdvancedReader<'_> {
    fn record(&mut self, container: &str, record: &XmlElement) -> Result<(), ListError> {
        match (container, &*record.name) {
            (ROOT, "DateOfIssue") => {
                let date =
                    reference::date(record).ok_or_else(|| self.malformed("its date of issue is none"))?;
                self.published = Some(date);
            }
            ("ReferenceValueSets", _) => self.references.take_set(record),
            ("Locations", "Location") => {
                self.references.take_location(record).map_err(|why| self.malformed(why))?;
            }
            ("IDRegDocuments", "IDRegDocument") => {
                let document = self.document(record).map_err(|why| self.malformed(why))?;
                self.documents.push(document);
            }
            ("DistinctParties", "DistinctParty") => self.party(record)?,
            ("SanctionsEntries", "SanctionsEntry") => {
                self.listing(record).map_err(|why| self.malformed(why))?;
            }
            ("ProfileRelationships" | "SanctionsEntryLinks", _) => {}
            (_, other) => return Err(self.malformed(format!("it holds an element {other}"))),
        }
        Ok(())
    }

    fn document(&self, record: &XmlElement) -> Result<IdentityDocument, String> {
        let kind = self.references.name("IDRegDocTypeValues", record.attribute("IDRegDocTypeID"))?;
        let issuer = match record.attribute("IssuedBy-CountryID") {
            None | Some("") => None,
            some => Some(self.references.name("CountryValues", some)?.into()),
        };
        Ok(IdentityDocument {
            identity: record.attribute("IdentityID").unwrap_or_default().into(),
            kind: kind.into(),
            number: record.text_of("IDRegistrationNo").into(),
            issuer,
        })
    }

    fn party(&mut self, record: &XmlElement) -> Result<(), ListError> {
        for profile in record.named("Profile") {
            let entry = party::entry(profile, &self.references, &self.list);
            let mut entry = entry.map_err(|why| self.malformed(why))?;
            // What comes later (documents, programs) is held to its bounds at the end.
            draft::finish(&mut entry, self.file, self.bounds)?;
            if self.parties.len() >= self.bounds.entries {
                let limit = self.bounds.entries as u64;
                return Err(ListError::TooLarge { file: self.file.to_owned(), what: "entries", limit });
            }
            let uid = entry.uid.clone();
            for identity in profile.named("Identity").filter_map(|identity| identity.attribute("ID")) {
                self.identities.insert(identity.into(), uid.clone());
            }
            if self.parties.insert(uid.clone(), entry).is_some() {
                return Err(ListError::Doubled { file: self.file.to_owned(), uid: uid.into() });
            }
        }
        Ok(())
    }

    /// A sanctions entry: which list, and the programs, which stand in the comments of the measures named so.
    fn listing(&mut self, record: &XmlElement) -> Result<(), String> {
        let list = self.references.name("ListValues", record.attribute("ListID"))?;
        self.on_sdn[usize::from(!list.starts_with("SDN"))] += 1;
        let profile = record.attribute("ProfileID").unwrap_or_default();
        let Some(entry) = self.parties.get_mut(profile) else {
            return Err(format!("profile {profile} is listed and not there"));
        };
        for measure in record.named("SanctionsMeasure") {
            let kind = self.references.name("SanctionsTypeValues", measure.attribute("SanctionsTypeID"))?;
            if kind == "Program" {
                entry.programs.extend(some(measure.text_of("Comment")));
            }
        }
        Ok(())
    }

    fn end(mut self) -> Result<Fragment, ListError> {
        for document in std::mem::take(&mut self.documents) {
            let uid = self.identities.get(&document.identity);
            let Some(entry) = uid.and_then(|uid| self.parties.get_mut(uid)) else {
                let why = format!("a document is of identity {}, which is not there", document.identity);
                return Err(self.malformed(why));
            };
            draft::fact(entry, &document.kind, &document.number, document.issuer.as_deref());
        }
        let mut fragment = Fragment::new(FileFormat::AdvancedXml, self.file, &self.list);
        fragment.published =
            Some(self.published.ok_or_else(|| malformed(self.file, "it has no date of issue"))?);
        for (_, entry) in self.parties {
            fragment.add(entry, self.bounds)?;
        }
        let [on_sdn, on_others] = self.on_sdn;
        fragment.identify(identity::by_majority(on_sdn, on_others));
        fragment.end()
    }

    fn malformed(&self, why: impl Into<String>) -> ListError {
        malformed(self.file, why)
    }
}
