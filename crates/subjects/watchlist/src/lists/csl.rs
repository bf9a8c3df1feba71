//! The US Consolidated Screening List in CSV, in the layout of 2023 (`_id` first) and the one before.
//!
//! It joins the lists of three departments, which say different things about a party: each of its sources becomes a list of
//! its own, with its own topic. Several values in a cell have semicolons between them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::context::InputFile;
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::table::{self, Header, TableForm};
use super::text::{clean, some};
use crate::model::{EntityKind, Entry, Identifier, ListName, Quality, Topic};

/// Columns by which the form is told.
pub(super) const KEYS: [&str; 3] = ["source", "entity_number", "source_list_url"];

const COLUMNS: [&str; 19] = [
    "_id",
    "source",
    "entity_number",
    "type",
    "programs",
    "name",
    "title",
    "addresses",
    "federal_register_notice",
    "start_date",
    "call_sign",
    "vessel_flag",
    "remarks",
    "alt_names",
    "citizenships",
    "dates_of_birth",
    "nationalities",
    "ids",
    "license_requirement",
];

/// Reads the file; gives a list for each of its sources.
///
/// # Errors
/// [`ListError`] where it is not such a table.
pub(super) fn read(input: InputFile<'_>) -> Result<Vec<Fragment>, ListError> {
    let (file, bounds) = (input.file, input.bounds);
    let mut fragments: BTreeMap<String, Fragment> = BTreeMap::new();
    let columns = |header: &Header, _: &str| {
        ["source", "name", "alt_names", "type"]
            .into_iter()
            .try_for_each(|name| header.need(name).map(drop))?;
        Ok(COLUMNS.map(|name| header.find(name)))
    };
    table::read(input, TableForm::CSV, columns, |columns, row| {
        let cells = columns.map(|column| row.of(column).trim());
        let source = clean(cells[1]);
        let fragment = fragments.entry(source).or_insert_with_key(|source| {
            let name = source.split(" - ").next().unwrap_or_default();
            let list = ListName::new(&format!("{} {}", ListName::CSL, clean(name)));
            let mut fragment = Fragment::new(FileFormat::CslCsv, file, &list);
            fragment.topic = topic(source);
            fragment
        });
        let mut entry = entry(cells, &fragment.list.clone());
        // The layout without keys has some parties twice, with other addresses.
        if cells[0].is_empty()
            && let Some(known) = fragment.entry(&entry.uid)
        {
            known.addresses.append(&mut entry.addresses);
            return draft::finish(known, file, bounds);
        }
        fragment.add(entry, bounds)
    })?;
    if fragments.is_empty() {
        return Err(ListError::Empty { file: file.to_owned() });
    }
    fragments.into_values().map(Fragment::end).collect()
}

/// What a source is about, by the department that keeps it.
fn topic(source: &str) -> Topic {
    if source.contains("Debarred") {
        Topic::Debarment
    } else if source.contains("Bureau of Industry and Security") {
        Topic::ExportControl
    } else {
        Topic::Sanctions
    }
}

fn entry(cells: [&str; COLUMNS.len()], list: &ListName) -> Entry {
    let [id, source, number, kind, programs, name, title, addresses, notice, rest @ ..] = cells;
    let [start, call_sign, flag, remarks, aliases, citizenships, births, nationalities, ids, _] = rest;
    let uid = [id, number].into_iter().find(|key| !key.is_empty()).map(clean);
    let uid = uid.unwrap_or_else(|| {
        // What distinguishes two orders against parties of one name.
        let key = [source, name, notice, start].map(clean).join("\n");
        hex::encode(&Sha256::digest(key)[..12])
    });
    let kind = match kind {
        "Individual" => EntityKind::Person,
        "Entity" => EntityKind::Entity,
        "Vessel" => EntityKind::Vessel,
        "Aircraft" => EntityKind::Aircraft,
        _ => EntityKind::Unknown,
    };
    let mut entry = Entry::new(&uid, list, kind, &clean(name));
    for alias in values(aliases) {
        draft::alias(&mut entry, alias, Quality::Strong);
    }
    entry.programs.extend(values(programs).filter_map(some));
    entry.title = some(title);
    entry.addresses.extend(values(addresses).filter_map(some));
    for country in values(citizenships).chain(values(nationalities)).chain([flag]) {
        draft::country(&mut entry, country);
    }
    for address in values(addresses) {
        // The country's code stands last.
        let code = address.rsplit(',').next().unwrap_or_default().trim();
        if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
            draft::country(&mut entry, code);
        }
    }
    for born in values(births) {
        draft::birth(&mut entry, date::birth(born));
    }
    if source.contains("Treasury Department") {
        draft::reference(&mut entry, Identifier::OFAC_UID, number);
    }
    values(ids).for_each(|id| identifier(&mut entry, id));
    entry.call_sign = entry.call_sign.take().or(some(call_sign));
    entry.remarks = some(remarks);
    entry
}

fn values(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(';').map(str::trim).filter(|value| !value.is_empty())
}

/// `Passport, 836238033, KP` in the newer layout, `US, 80-0890696, Tax ID No.` or `7709851082, Tax ID No.` in the one before.
fn identifier(entry: &mut Entry, text: &str) {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_country = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_number = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    let (kind, number, country) = match *parts.as_slice() {
        [country, number, kind] if is_country(country) => (kind, number, Some(country)),
        [kind, number, country] if is_country(country) => (kind, number, Some(country)),
        [number, kind] if is_number(number) && !is_number(kind) => (kind, number, None),
        [kind, value] => (kind, value, None),
        _ => return,
    };
    draft::fact(entry, kind.trim_end_matches([':', '-', ' ']), number, country);
}
