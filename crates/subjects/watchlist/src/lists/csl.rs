//! The US Consolidated Screening List in CSV, in the layout of 2023 (`_id` first) and the one before.
//!
//! It joins the lists of three departments, which say different things about a party: each of its sources becomes a list of
//! its own, with its own topic. Several values in a cell have semicolons between them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::context::InputFile;
use super::date;
use super::doubt::Doubt;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::parties::Parties;
use super::table::{self, Header, TableForm};
use super::text::{clean, some};
use crate::model::{EntityKind, Entry, Identifier, ListName, PublicationBounds, Quality, Topic};

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

/// The lists that it joins. Another one waits for an operator: it may be a row that is shifted by a cell, and a list that goes live
/// once and is never published again stops every `NO_MATCH`.
const SOURCES: [&str; 14] = [
    "Capta List (CAP)",
    "Denied Persons List (DPL)",
    "Entity List (EL)",
    "Foreign Sanctions Evaders (FSE)",
    "ITAR Debarred (DTC)",
    "Military End User (MEU) List",
    "Non-SDN Chinese Military-Industrial Complex Companies List (CMIC)",
    "Non-SDN Iranian Sanctions Act List (NS-ISA)",
    "Non-SDN Menu-Based Sanctions List (NS-MBS List)",
    "Nonproliferation Sanctions (ISN)",
    "Palestinian Legislative Council List (PLC)",
    "Sectoral Sanctions Identifications List (SSI)",
    "Specially Designated Nationals (SDN)",
    "Unverified List (UVL)",
];

/// Reads the file; gives a list for each of its sources.
///
/// # Errors
/// [`ListError`] where it is not such a table.
pub(super) fn read(input: InputFile<'_>) -> Result<Vec<Fragment>, ListError> {
    let (file, bounds) = (input.file, input.bounds);
    let mut sources: BTreeMap<String, Source<'_>> = BTreeMap::new();
    let columns = |header: &Header, _: &str| {
        ["source", "name", "alt_names", "type"]
            .into_iter()
            .try_for_each(|name| header.need(name).map(drop))?;
        Ok(COLUMNS.map(|name| header.find(name)))
    };
    table::read(input, TableForm::CSV, columns, |columns, row| {
        let cells = columns.map(|column| row.of(column).trim());
        let label = clean(cells[1]);
        let name = clean(label.split(" - ").next().unwrap_or_default());
        let source = sources.entry(name).or_insert_with_key(|name| {
            let list = ListName::new(&format!("{} {name}", ListName::CSL));
            let mut fragment = Fragment::new(FileFormat::CslCsv, file, &list);
            fragment.topic = topic(&label);
            if !SOURCES.contains(&name.as_str()) {
                let (file, source) = (file.to_owned(), name.clone());
                fragment.doubts.push(Doubt::UnknownSource { file, source });
            }
            Source { fragment, without_key: Parties::new(file, bounds, &list) }
        });
        // Of two topics that rows of one source say, that of sanctions counts.
        source.fragment.topic = source.fragment.topic.min(topic(&label));
        let entry = entry(cells, &source.fragment.list);
        if cells[0].is_empty() {
            source.add_without_key(entry, cells)
        } else {
            source.fragment.add(entry, bounds)
        }
    })?;
    if sources.is_empty() {
        return Err(ListError::Empty { file: file.to_owned() });
    }
    sources.into_values().map(|source| source.end(bounds)).collect()
}

/// One of the lists that are joined.
struct Source<'a> {
    fragment: Fragment,
    /// Parties of the layout without keys, which has some of them twice, with other addresses or names.
    without_key: Parties<'a>,
}

impl Source<'_> {
    /// Adds a record to its party. The number that a department gives is not always of one party: two that share it are
    /// told apart by their names.
    fn add_without_key(&mut self, mut record: Entry, cells: Cells<'_>) -> Result<(), ListError> {
        let known = self.without_key.primary(&record.uid);
        if known.is_some_and(|known| known != record.primary()) {
            record.uid = key_of(cells).into();
        }
        self.without_key.merge(record)
    }

    fn end(mut self, bounds: &PublicationBounds) -> Result<Fragment, ListError> {
        for entry in self.without_key.into_entries() {
            self.fragment.add(entry, bounds)?;
        }
        self.fragment.end()
    }
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

/// The cells of a record, in the order of [`COLUMNS`].
type Cells<'r> = [&'r str; COLUMNS.len()];

/// A key of what distinguishes two orders against parties of one name.
fn key_of(cells: Cells<'_>) -> String {
    let [_, source, _, _, _, name, _, _, notice, start, ..] = cells;
    let key = [source, name, notice, start].map(clean).join("\n");
    hex::encode(&Sha256::digest(key)[..12])
}

fn entry(cells: Cells<'_>, list: &ListName) -> Entry {
    let [id, source, number, kind, programs, name, title, addresses, _, rest @ ..] = cells;
    let [_, call_sign, flag, remarks, aliases, citizenships, births, nationalities, ids, _] = rest;
    let uid = [id, number].into_iter().find(|key| !key.is_empty()).map(clean);
    let uid = uid.unwrap_or_else(|| key_of(cells));
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
/// Any other text is a number of no kind, unless it begins as facts do that identify nobody.
fn identifier(entry: &mut Entry, text: &str) {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_country = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_number = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    let (kind, number, country) = match *parts.as_slice() {
        [country, number, kind] if is_country(country) => (kind, number, Some(country)),
        [kind, number, country] if is_country(country) => (kind, number, Some(country)),
        [number, kind] if is_number(number) && !is_number(kind) => (kind, number, None),
        [kind, value] => (kind, value, None),
        _ if draft::identifies(text) => ("", text, None),
        _ => return,
    };
    draft::fact(entry, kind.trim_end_matches([':', '-', ' ']), number, country);
}
