//! The United Nations Security Council's consolidated list: `INDIVIDUAL` and `ENTITY` under `CONSOLIDATED_LIST`.
//!
//! An entry's key is its `DATAID`. A name is in natural order, in up to four parts. Some aliases are several in one
//! element, with semicolons between them.

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::text::{clean, line, original_script, some};
use super::xml::{self, XmlElement};
use crate::model::{Birth, EntityKind, Entry, Identifier, ListName, Quality};

/// The root's name.
pub(super) const ROOT: &str = "CONSOLIDATED_LIST";
const CONTAINERS: [&str; 2] = ["INDIVIDUALS", "ENTITIES"];

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::UnXml, file, &list);
    let root = xml::read(input, ROOT, &CONTAINERS, &mut |_, record| {
        let kind = match &*record.name {
            "INDIVIDUAL" => EntityKind::Person,
            "ENTITY" => EntityKind::Entity,
            other => return Err(malformed(file, format!("it holds an element {other}"))),
        };
        fragment.add(entry(&record, kind, &list), bounds)
    })?;
    let published = root.attribute("dateGenerated").and_then(date::of_time);
    fragment.published = Some(published.ok_or_else(|| malformed(file, "it does not say its date"))?);
    fragment.end()
}

fn entry(record: &XmlElement, kind: EntityKind, list: &ListName) -> Entry {
    const PARTS: [&str; 4] = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"];
    let name = clean(&PARTS.map(|part| record.text_of(part)).join(" "));
    let mut entry = Entry::new(&clean(record.text_of("DATAID")), list, kind, &name);
    draft::alias(&mut entry, record.text_of("NAME_ORIGINAL_SCRIPT"), Quality::Strong);
    for alias in record.named("INDIVIDUAL_ALIAS").chain(record.named("ENTITY_ALIAS")) {
        let weak = alias.text_of("QUALITY").eq_ignore_ascii_case("low");
        aliases(&mut entry, alias.text_of("ALIAS_NAME"), if weak { Quality::Weak } else { Quality::Strong });
    }
    draft::reference(&mut entry, Identifier::UN_REFERENCE, record.text_of("REFERENCE_NUMBER"));
    entry.programs.extend(some(record.text_of("UN_LIST_TYPE")));
    entry.title = record.items("TITLE", "VALUE").find_map(|title| some(title.text()));
    entry.gender = draft::gender(record.text_of("GENDER"));
    for born in record.named("INDIVIDUAL_DATE_OF_BIRTH") {
        draft::birth(&mut entry, birth(born));
    }
    for country in record.items("NATIONALITY", "VALUE") {
        draft::country(&mut entry, country.text());
    }
    for address in record.named("INDIVIDUAL_ADDRESS").chain(record.named("ENTITY_ADDRESS")) {
        const LINES: [&str; 5] = ["STREET", "CITY", "STATE_PROVINCE", "ZIP_CODE", "COUNTRY"];
        entry.addresses.extend(some(&line(LINES.map(|part| address.text_of(part)))));
        draft::country(&mut entry, address.text_of("COUNTRY"));
    }
    for document in record.named("INDIVIDUAL_DOCUMENT") {
        let kind = document.text_of("TYPE_OF_DOCUMENT");
        let issuer = [document.text_of("ISSUING_COUNTRY"), document.text_of("COUNTRY_OF_ISSUE")];
        let issuer = issuer.into_iter().find(|country| !country.is_empty());
        draft::fact(&mut entry, kind, document.text_of("NUMBER"), issuer);
    }
    entry.remarks = Some(record.text_of("COMMENTS1")).filter(|text| !text.is_empty()).map(Into::into);
    entry
}

/// `Azim Adhajani; Azim Agha-Jani`, `A; B b) C`, and the original script in brackets behind a name.
fn aliases(entry: &mut Entry, text: &str, quality: Quality) {
    for alias in text.split(';').flat_map(|part| part.split(" b) ")) {
        draft::alias(entry, alias, quality);
        let within = alias.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        if let Some((original, _)) = within.filter(|(original, _)| original_script(original)) {
            draft::alias(entry, original, quality);
        }
    }
}

fn birth(born: &XmlElement) -> Option<Birth> {
    let year = |of: &str| born.text_of(of).parse().ok().and_then(|year| Birth::in_year(year).ok());
    let day = born.text_of("DATE").get(..10).and_then(|day| day.parse().ok()).map(Birth::on);
    let between = || Birth::between(year("FROM_YEAR")?, year("TO_YEAR")?).ok();
    let birth = day.or_else(|| year("YEAR")).or_else(between)?;
    Some(if born.text_of("TYPE_OF_DATE") == "APPROXIMATELY" { birth.circa() } else { birth })
}
