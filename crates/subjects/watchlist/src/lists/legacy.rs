//! OFAC's legacy CSV files: a main file, and its aliases, addresses and overflowing remarks.
//!
//! No header; absent values are `-0-`; programs are joined as `A] [B`; the byte 0x1A ends a file. The columns
//! are those of OFAC's data specification of 2004-12-06, updated 2023-09-25.

use std::collections::HashMap;

use csv::ByteRecord;

use super::context::{InputFile, csv_error};
use super::doubt::Doubt;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::identity;
use super::remarks;
use super::text::{clean, line, some};
use crate::model::{EntityKind, Entry, ListName, PublicationBounds, Quality};

/// Length in bytes at which OFAC cuts the remarks of a main file.
const REMARKS_CUT_AT: usize = 1000;

/// The legacy files of one list, in any order.
#[derive(Default)]
pub(super) struct LegacyFiles {
    main: Option<MainFile>,
    comments: Option<RowsFile>,
    aliases: Option<RowsFile>,
    addresses: Option<RowsFile>,
}

struct MainFile {
    fragment: Fragment,
    remarks: HashMap<Box<str>, String>,
}

struct RowsFile {
    file: String,
    rows: Vec<Box<[String]>>,
    ended: bool,
}

impl LegacyFiles {
    /// Reads one of them.
    ///
    /// # Errors
    /// [`ListError`] where it is no such file, or the list has one of that kind already.
    pub(super) fn read(&mut self, form: FileFormat, input: InputFile<'_>) -> Result<(), ListError> {
        let slot = match form {
            FileFormat::LegacyComments => &mut self.comments,
            FileFormat::LegacyAliases => &mut self.aliases,
            FileFormat::LegacyAddresses => &mut self.addresses,
            _ => {
                if let Some(first) = &self.main {
                    return Err(twice(&input, form, &first.fragment.file));
                }
                self.main = Some(main(input)?);
                return Ok(());
            }
        };
        if let Some(first) = slot {
            return Err(twice(&input, form, &first.file));
        }
        let file = input.file.to_owned();
        let mut rows = Vec::new();
        let ended = records(input, columns(form), |record| {
            rows.push(record.iter().map(value).collect());
            Ok(())
        })?;
        *slot = Some(RowsFile { file, rows, ended });
        Ok(())
    }

    /// Puts them together.
    ///
    /// # Errors
    /// [`ListError::MainFileMissing`] without the main file.
    pub(super) fn fragment(self, bounds: &PublicationBounds) -> Result<Option<Fragment>, ListError> {
        let rest = [&self.comments, &self.aliases, &self.addresses];
        let Some(mut main) = self.main else {
            let orphan = rest.into_iter().flatten().next();
            return orphan
                .map_or(Ok(None), |rows| Err(ListError::MainFileMissing { file: rows.file.clone() }));
        };
        let overflow = self.comments.map(|rows| main.overflow(rows)).unwrap_or_default();
        let cut_remarks = main.file_remarks(&overflow);
        let has_aliases = self.aliases.is_some();
        if let Some(rows) = self.aliases {
            main.doubt_cut(&rows);
            main.join(rows, |entry, row| draft::alias(entry, &row[3], Quality::Strong));
        }
        if let Some(rows) = self.addresses {
            main.doubt_cut(&rows);
            main.join(rows, address);
        }
        let mut fragment = main.fragment;
        fragment.without_aliases = !has_aliases;
        fragment.cut_remarks = cut_remarks;
        let file = fragment.file.clone();
        for entry in fragment.entries.values_mut() {
            draft::finish(entry, &file, bounds)?;
        }
        fragment.identify(identity::held(fragment.entries.values()));
        fragment.end().map(Some)
    }
}

impl MainFile {
    /// Appends the second parts of long remarks. Returns the uids of the entries whose remarks are complete now.
    fn overflow(&mut self, rows: RowsFile) -> Vec<Box<str>> {
        let mut orphans = 0;
        let mut whole = Vec::new();
        for row in &rows.rows {
            match self.remarks.get_mut(row[0].as_str()) {
                Some(remarks) => {
                    remarks.push_str(&row[1]);
                    whole.push(row[0].as_str().into());
                }
                None => orphans += 1,
            }
        }
        self.doubt_orphans(rows.file, orphans);
        whole
    }

    /// Files what the remarks say. Returns of how many entries they stop where OFAC cuts them.
    fn file_remarks(&mut self, whole: &[Box<str>]) -> u64 {
        let mut all_cut = 0;
        for (uid, remarks) in std::mem::take(&mut self.remarks) {
            let cut = remarks.chars().count() >= REMARKS_CUT_AT && !whole.contains(&uid);
            all_cut += u64::from(cut);
            if let Some(entry) = self.fragment.entry(&uid) {
                remarks::read(entry, &remarks, cut);
            }
        }
        all_cut
    }

    fn join(&mut self, rows: RowsFile, add: impl Fn(&mut Entry, &[String])) {
        let mut orphans = 0;
        for row in &rows.rows {
            match self.fragment.entry(&row[0]) {
                Some(entry) => add(entry, row),
                None => orphans += 1,
            }
        }
        self.doubt_orphans(rows.file, orphans);
    }

    /// Real comments have come without the mark: rows that are missing there show by the remarks that they go on with.
    fn doubt_cut(&mut self, rows: &RowsFile) {
        if !rows.ended {
            self.fragment.doubts.push(Doubt::NoEndMark { file: rows.file.clone() });
        }
    }

    fn doubt_orphans(&mut self, file: String, rows: u64) {
        if rows > 0 {
            self.fragment.doubts.push(Doubt::Orphans { file, rows });
        }
    }
}

fn twice(input: &InputFile<'_>, form: FileFormat, first: &str) -> ListError {
    ListError::Twice {
        list: input.list.clone(),
        form: form.as_str(),
        first: first.to_owned(),
        second: input.file.to_owned(),
    }
}

fn columns(form: FileFormat) -> usize {
    match form {
        FileFormat::LegacyComments => 2,
        FileFormat::LegacyAliases => 5,
        FileFormat::LegacyAddresses => 6,
        _ => 12,
    }
}

/// Calls `each` with every record. Returns whether the end mark was there.
fn records(
    input: InputFile<'_>,
    columns: usize,
    mut each: impl FnMut(&ByteRecord) -> Result<(), ListError>,
) -> Result<bool, ListError> {
    let (file, meter) = (input.file, input.meter());
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input.bytes);
    let mut record = ByteRecord::new();
    let mut ended = false;
    while reader.read_byte_record(&mut record).map_err(|error| csv_error(file, error))? {
        meter.next();
        let at = record.position().map_or(0, csv::Position::record) + 1;
        if ended {
            return Err(super::context::malformed(file, format!("record {at} comes after the end mark")));
        }
        if record.len() == 1 && record.get(0) == Some(b"\x1a") {
            ended = true;
            continue;
        }
        if record.len() != columns {
            let why = format!("record {at} has {} columns, not {columns}", record.len());
            return Err(super::context::malformed(file, why));
        }
        if !record[0].iter().all(u8::is_ascii_digit) || record[0].is_empty() {
            return Err(super::context::malformed(file, format!("record {at} does not begin with a number")));
        }
        each(&record)?;
    }
    Ok(ended)
}

fn main(input: InputFile<'_>) -> Result<MainFile, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::LegacyMain, file, &list);
    let mut all_remarks = HashMap::new();
    let ended = records(input, columns(FileFormat::LegacyMain), |record| {
        let row: Vec<String> = record.iter().map(value).collect();
        if !row[11].is_empty() {
            all_remarks.insert(row[0].as_str().into(), row[11].clone());
        }
        fragment.add(entry(&row, &list), bounds)
    })?;
    if !ended {
        fragment.doubts.push(Doubt::NoEndMark { file: file.to_owned() });
    }
    Ok(MainFile { fragment, remarks: all_remarks })
}

/// A row of the main file: key, name, kind, programs, title, call sign, type, tonnage, gross tonnage, flag,
/// owner, remarks.
fn entry(row: &[String], list: &ListName) -> Entry {
    let kind = match row[2].as_str() {
        "individual" => EntityKind::Person,
        "vessel" => EntityKind::Vessel,
        "aircraft" => EntityKind::Aircraft,
        "" => EntityKind::Entity,
        _ => EntityKind::Unknown,
    };
    let mut entry = Entry::new(&row[0], list, kind, &clean(&row[1]));
    entry.programs.extend(row[3].split("] [").filter_map(some));
    entry.title = some(&row[4]);
    entry.call_sign = some(&row[5]);
    draft::country(&mut entry, &row[9]);
    entry
}

/// Key, number, street, city with what belongs to it, country, remarks.
fn address(entry: &mut Entry, row: &[String]) {
    entry.addresses.extend(some(&line([row[2].as_str(), &row[3], &row[4]])));
    draft::country(entry, &row[4]);
}

/// A value as text; empty where it is OFAC's null. Files that are not UTF-8 are read as Latin-1, which older
/// ones were.
fn value(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    if text.trim() == "-0-" { String::new() } else { text }
}
