//! OpenSanctions' `targets.simple.csv`, so that the lists of the EU, the UK and the UN can be used too.
//!
//! One row a target, several values in a cell joined by `;`. It has no weak aliases and no publication date.
//! An entry keeps the data set that its row names; the list is called by the data set too where there is but
//! one.
//!
//! The project publishes lists of politically exposed persons and of others in the same form. A list is one of sanctions if
//! any of its rows states a sanction or a programme of sanctions.

use std::collections::BTreeSet;

use super::context::InputFile;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::table::{self, Header, Row, TableForm};
use super::text::{clean, some};
use crate::model::{EntityKind, Entry, EntryWallet, Identifier, ListName, Quality, Topic};

/// The columns that are read.
struct Columns {
    id: usize,
    schema: usize,
    name: usize,
    aliases: usize,
    birth_date: usize,
    countries: usize,
    addresses: usize,
    identifiers: usize,
    sanctions: usize,
    program_ids: Option<usize>,
    dataset: usize,
}

impl Columns {
    fn of(header: &Header) -> Result<Self, ListError> {
        let need = |name: &str| header.need(name);
        Ok(Self {
            id: need("id")?,
            schema: need("schema")?,
            name: need("name")?,
            aliases: need("aliases")?,
            birth_date: need("birth_date")?,
            countries: need("countries")?,
            addresses: need("addresses")?,
            identifiers: need("identifiers")?,
            sanctions: need("sanctions")?,
            program_ids: header.find("program_ids"),
            dataset: need("dataset")?,
        })
    }
}

/// List name of a table that holds several lists.
pub(super) const LIST: &str = "OpenSanctions";

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a table.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (bounds, of) = (input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::OpenSanctions, input.file, &of);
    let mut datasets: BTreeSet<ListName> = BTreeSet::new();
    let mut states_sanctions = false;
    table::read(
        input,
        TableForm::CSV,
        |header, _| Columns::of(header),
        |columns, row| {
            let dataset = clean(row.at(columns.dataset));
            let list = match datasets.iter().find(|known| known.as_str() == dataset) {
                Some(known) => known.clone(),
                None => ListName::new(if dataset.is_empty() { of.as_str() } else { &dataset }),
            };
            datasets.insert(list.clone());
            let entry = entry(row, columns, &list);
            states_sanctions |= !entry.programs.is_empty();
            fragment.add(entry, bounds)
        },
    )?;
    if let (Some(only), 1) = (datasets.first(), datasets.len()) {
        fragment.list = only.clone();
    }
    fragment.topic = match (states_sanctions, datasets.iter().all(|list| names_peps(list.as_str()))) {
        (true, _) => Topic::Sanctions,
        (false, true) => Topic::Pep,
        (false, false) => Topic::Other,
    };
    fragment.end()
}

/// Tests that the name of a data set speaks of politically exposed persons.
fn names_peps(dataset: &str) -> bool {
    let name = dataset.to_ascii_lowercase();
    let mut words = name.split(|sign: char| !sign.is_ascii_alphanumeric());
    name.contains("politically exposed") || words.any(|word| matches!(word, "pep" | "peps"))
}

fn entry(row: &Row<'_>, columns: &Columns, list: &ListName) -> Entry {
    let kind = match row.at(columns.schema) {
        "Person" => EntityKind::Person,
        "Company" | "Organization" | "PublicBody" => EntityKind::Entity,
        "Vessel" => EntityKind::Vessel,
        "Airplane" => EntityKind::Aircraft,
        // A `LegalEntity` may be a person.
        _ => EntityKind::Unknown,
    };
    let values = |column: usize| row.at(column).split(';').filter_map(some);
    let mut entry = Entry::new(&clean(row.at(columns.id)), list, kind, &clean(row.at(columns.name)));
    for name in values(columns.aliases) {
        draft::alias(&mut entry, &name, Quality::Strong);
    }
    for text in values(columns.birth_date) {
        draft::birth(&mut entry, text.parse().ok());
    }
    entry.countries.extend(values(columns.countries));
    entry.addresses.extend(values(columns.addresses));
    for number in values(columns.identifiers) {
        identifier(&mut entry, kind, number);
    }
    entry.programs.extend(columns.program_ids.into_iter().flat_map(values));
    if entry.programs.is_empty() {
        entry.programs.extend(values(columns.sanctions));
    }
    if row.at(columns.schema) == "CryptoWallet" {
        wallet(&mut entry);
    }
    entry
}

fn identifier(entry: &mut Entry, kind: EntityKind, number: Box<str>) {
    let imo = if number.starts_with("IMO") { draft::imo(&number) } else { None };
    match (kind, imo) {
        (EntityKind::Vessel, Some(imo)) if entry.imo.is_none() => entry.imo = Some(imo),
        _ => entry.identifiers.push(Identifier { kind: "".into(), number, country: None }),
    }
}

/// A wallet that is listed by itself is named by its address, which stands among its identifiers too.
fn wallet(entry: &mut Entry) {
    let numbers = entry.identifiers.iter().map(|identifier| identifier.number.clone());
    let addresses: Vec<Box<str>> = numbers.chain([entry.primary().into()]).collect();
    entry.wallets.extend(addresses.into_iter().map(|address| EntryWallet { address, currency: "".into() }));
}
