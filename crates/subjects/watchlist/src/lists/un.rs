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

/// Levels of brackets within brackets that are taken apart. One alias of 2026 has two.
const BRACKETS: usize = 4;

/// `Azim Adhajani; Azim Agha-Jani`, `A; B b) C`.
fn aliases(entry: &mut Entry, text: &str, quality: Quality) {
    for alias in listed(text).into_iter().flat_map(|part| part.split(" b) ")) {
        bracketed(entry, alias, quality, BRACKETS);
    }
}

/// Adds a name that may have others in brackets: its original script, or names in Latin letters behind an original script,
/// with semicolons between them. Brackets in the script of their name are a part of it, as in `Lom-ali Butayev (Butaev)`:
/// many of them are remarks.
fn bracketed(entry: &mut Entry, alias: &str, quality: Quality, levels: usize) {
    const NOTE: &str = "original script";
    let (name, within) = brackets(alias);
    let is_list = within.iter().any(|text| listed(text).len() > 1);
    // A list in brackets is no part of a name.
    if !is_list || levels == 0 {
        draft::alias(entry, alias, quality);
    }
    let other_script = |text: &&str| is_list || original_script(text) != original_script(&name);
    if levels == 0 || !within.iter().any(other_script) {
        return;
    }
    draft::alias(entry, &name, quality);
    for text in within.into_iter().filter(other_script).flat_map(listed) {
        let text = text.trim();
        let text = text.strip_prefix(NOTE).map_or(text, |rest| rest.trim_start_matches([':', ' ']));
        bracketed(entry, text, quality, levels - 1);
    }
}

/// The parts of a text between semicolons, of which those within brackets do not count.
fn listed(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let separates = |sign: char| {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ';' && depth == 0
    };
    text.split(separates).collect()
}

/// A text without its brackets, and what stands in each of them. One that is not closed reaches to the end.
fn brackets(text: &str) -> (String, Vec<&str>) {
    let (mut outside, mut within) = (String::new(), Vec::new());
    let (mut depth, mut start) = (0_usize, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => {
                if depth == 0 {
                    outside.push_str(&text[start..at]);
                    outside.push(' ');
                    start = at + 1;
                }
                depth += 1;
            }
            ')' if depth == 1 => {
                within.push(&text[start..at]);
                (depth, start) = (0, at + 1);
            }
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if depth == 0 {
        outside.push_str(&text[start..]);
    } else {
        within.push(&text[start..]);
    }
    (outside, within)
}

fn birth(born: &XmlElement) -> Option<Birth> {
    let year = |of: &str| born.text_of(of).parse().ok().and_then(|year| Birth::in_year(year).ok());
    let day = born.text_of("DATE").get(..10).and_then(|day| day.parse().ok()).map(Birth::on);
    let between = || Birth::between(year("FROM_YEAR")?, year("TO_YEAR")?).ok();
    let birth = day.or_else(|| year("YEAR")).or_else(between)?;
    Some(if born.text_of("TYPE_OF_DATE") == "APPROXIMATELY" { birth.circa() } else { birth })
}
