//! Lists of an operator's own: any table with a header, or JSON Lines, with a map that says what its columns hold.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, Read as _};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::bounded::read_error;
use super::context::{InputFile, json_error, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::table::{self, Header, TableForm};
use super::text::{clean, marked, some};
use crate::model::{Birth, EntityKind, Entry, EntryWallet, ListName, Quality, Topic};

/// What the columns of a list hold, by their names. Members that are not here are refused.
///
/// ```
/// use watchlist::lists::ColumnMap;
///
/// let map = r#"{"list": "House list", "topic": "pep", "uid": ["id"], "name": "full_name", "birth_dates": ["born"]}"#;
/// let map: ColumnMap = serde_json::from_str(map)?;
/// assert_eq!(map.list, "House list");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnMap {
    /// Name of the list in findings.
    pub list: String,
    /// Why parties are on the list.
    #[serde(default)]
    pub topic: Topic,
    /// Columns that together are a row's key. Where there are none, the key is a hash of the whole row.
    #[serde(default)]
    pub uid: Vec<String>,
    /// Column of the primary name.
    pub name: String,
    /// Columns of good aliases.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Columns of aliases that alone say little.
    #[serde(default)]
    pub weak_aliases: Vec<String>,
    /// Column of the kind of party.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// What the kinds of party are called in that column. A row of another kind may be of any.
    #[serde(default)]
    pub types: HashMap<String, EntityKind>,
    /// Columns of dates of birth.
    #[serde(default)]
    pub birth_dates: Vec<String>,
    /// Columns of countries.
    #[serde(default)]
    pub countries: Vec<String>,
    /// Columns of addresses.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Columns of programmes.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Columns of numbers, with their kinds: `{"passport_no": "Passport"}`.
    #[serde(default)]
    pub identifiers: BTreeMap<String, String>,
    /// Column of a ship's IMO number.
    #[serde(default)]
    pub imo: Option<String>,
    /// Columns of wallets, with their currencies: `{"btc": "XBT"}`.
    #[serde(default)]
    pub wallets: BTreeMap<String, String>,
    /// Column of remarks.
    #[serde(default)]
    pub remarks: Option<String>,
    /// What stands between several values of a cell; a cell is one value where this is empty.
    #[serde(default = "semicolon")]
    pub separator: String,
    /// What stands between two cells of a table: one ASCII character.
    #[serde(default = "comma")]
    pub delimiter: char,
}

fn semicolon() -> String {
    ";".to_owned()
}

fn comma() -> char {
    ','
}

impl ColumnMap {
    /// The names of all columns that the map speaks of.
    fn names(&self) -> impl Iterator<Item = &String> {
        let one = [Some(&self.name), self.kind.as_ref(), self.imo.as_ref(), self.remarks.as_ref()];
        let several = [
            &self.uid,
            &self.aliases,
            &self.weak_aliases,
            &self.birth_dates,
            &self.countries,
            &self.addresses,
            &self.programs,
        ];
        one.into_iter()
            .flatten()
            .chain(several.into_iter().flatten())
            .chain(self.identifiers.keys())
            .chain(self.wallets.keys())
    }
}

/// One row: the values of each column.
struct Cells<'m> {
    map: &'m ColumnMap,
    values: HashMap<String, Vec<String>>,
}

impl Cells<'_> {
    /// The values of a column, each taken apart at the separator.
    fn all(&self, column: &str) -> impl Iterator<Item = Box<str>> {
        let values = self.values.get(column).map(Vec::as_slice).unwrap_or_default();
        let separator = &self.map.separator;
        let parts = values.iter().flat_map(move |value| {
            let whole = separator.is_empty().then_some(value.as_str());
            let parts = (!separator.is_empty()).then(|| value.split(separator.as_str()));
            whole.into_iter().chain(parts.into_iter().flatten())
        });
        parts.filter_map(some)
    }

    fn each<'c>(&'c self, columns: &'c [String]) -> impl Iterator<Item = Box<str>> + 'c {
        columns.iter().flat_map(|column| self.all(column))
    }

    /// The whole value of a column.
    fn whole(&self, column: &str) -> String {
        clean(&self.values.get(column).map(|values| values.join(" ")).unwrap_or_default())
    }
}

/// Reads the file by the map.
///
/// # Errors
/// [`ListError`] where it is no such table or lines, or lacks a column of the map.
pub(super) fn read(input: InputFile<'_>, map: &ColumnMap, is_json: bool) -> Result<Fragment, ListError> {
    let (file, bounds) = (input.file, input.bounds);
    let list = ListName::new(&clean(&map.list));
    if list.as_str().is_empty() {
        return Err(malformed(file, "the map of its columns does not name the list"));
    }
    if list.is_published() {
        // It would answer in that list's place.
        return Err(malformed(
            file,
            format!("the map of its columns gives it the name of a published list, {list}"),
        ));
    }
    let mut fragment = Fragment::new(FileFormat::Columns, file, &list);
    fragment.topic = map.topic;
    let mut add = |values: HashMap<String, Vec<String>>, row: &[u8]| {
        fragment.add(entry(&Cells { map, values }, row, &list), bounds)
    };
    if is_json {
        read_lines(input, map, &mut add)?;
    } else {
        read_table(input, map, &mut add)?;
    }
    fragment.end()
}

type OnRow<'a> = &'a mut dyn FnMut(HashMap<String, Vec<String>>, &[u8]) -> Result<(), ListError>;

fn read_table(input: InputFile<'_>, map: &ColumnMap, add: OnRow<'_>) -> Result<(), ListError> {
    let delimiter = u8::try_from(map.delimiter).ok().filter(u8::is_ascii);
    let delimiter =
        delimiter.ok_or_else(|| input.malformed("the delimiter of its map is no ASCII character"))?;
    let form = TableForm { delimiter, ..TableForm::CSV };
    let columns = |header: &Header, _: &str| {
        map.names().map(|name| Ok((name.clone(), header.need(name)?))).collect::<Result<Vec<_>, ListError>>()
    };
    table::read(input, form, columns, |columns, row| {
        let values = columns.iter().map(|(name, at)| (name.clone(), vec![row.at(*at).to_owned()])).collect();
        add(values, &row.bytes())
    })
}

/// What some programs write before UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn read_lines(mut input: InputFile<'_>, map: &ColumnMap, add: OnRow<'_>) -> Result<(), ListError> {
    let (file, meter, limit) = (input.file, input.meter(), input.bounds.record_bytes as u64);
    let columns: BTreeSet<&str> = map.names().map(String::as_str).collect();
    // A line may lack a member; one that no line has is an error in the map, which would lose every value.
    let mut missing = columns.clone();
    let mut is_empty = true;
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        meter.next();
        let read = input.bytes.by_ref().take(limit + 1).read_until(b'\n', &mut line);
        if read.map_err(|error| read_error(file, error))? == 0 {
            break;
        }
        if line.len() as u64 > limit {
            return Err(ListError::TooLarge { file: file.to_owned(), what: "bytes in one line", limit });
        }
        if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row: HashMap<String, Value> =
            serde_json::from_slice(&line).map_err(|error| json_error(file, error))?;
        let mut values = HashMap::new();
        for (name, value) in row.into_iter().filter(|(name, _)| columns.contains(&**name)) {
            missing.remove(&*name);
            let texts = texts(value).map_err(|held| {
                let why = "write text, a number or an array of them, such as [\"Jan\", \"Janek\"]";
                malformed(file, format!("line {number}: the column {name} holds {held}; {why}"))
            })?;
            values.insert(name, texts);
        }
        add(values, line.trim_ascii())?;
        is_empty = false;
    }
    match missing.first() {
        Some(column) if !is_empty => Err(malformed(file, format!("no line has the column {column}"))),
        _ => Ok(()),
    }
}

/// The texts of a member: one, a number, or several.
///
/// # Errors
/// The kind of a value that is none of these.
fn texts(value: Value) -> Result<Vec<String>, &'static str> {
    match value {
        Value::String(text) => Ok(vec![text]),
        Value::Number(number) => Ok(vec![number.to_string()]),
        Value::Null => Ok(Vec::new()),
        Value::Array(values) => {
            let texts = values.into_iter().map(texts).collect::<Result<Vec<_>, _>>()?;
            Ok(texts.into_iter().flatten().collect())
        }
        Value::Bool(_) => Err("true or false"),
        Value::Object(_) => Err("an object"),
    }
}

fn entry(cells: &Cells<'_>, row: &[u8], list: &ListName) -> Entry {
    let map = cells.map;
    let uid = match map.uid.as_slice() {
        [] => hex::encode(&Sha256::digest(row)[..12]),
        columns => {
            let parts: Vec<String> = columns.iter().map(|column| cells.whole(column)).collect();
            // A row without any part has no key, and is refused.
            if parts.iter().all(String::is_empty) { String::new() } else { parts.join(":") }
        }
    };
    let kind = map.kind.as_ref().and_then(|column| map.types.get(&cells.whole(column)).copied());
    let mut entry = Entry::new(&uid, list, kind.unwrap_or_default(), &cells.whole(&map.name));
    for alias in cells.each(&map.aliases) {
        draft::alias(&mut entry, &alias, Quality::Strong);
    }
    for alias in cells.each(&map.weak_aliases) {
        draft::alias(&mut entry, &alias, Quality::Weak);
    }
    for text in cells.each(&map.birth_dates) {
        dates(&text).for_each(|text| draft::birth(&mut entry, birth(text)));
    }
    for country in cells.each(&map.countries) {
        draft::country(&mut entry, &country);
    }
    entry.addresses.extend(cells.each(&map.addresses));
    entry.programs.extend(cells.each(&map.programs));
    for (column, kind) in &map.identifiers {
        cells.all(column).for_each(|number| draft::fact(&mut entry, kind, &number, None));
    }
    entry.imo = map.imo.as_ref().and_then(|column| cells.all(column).find_map(|number| draft::imo(&number)));
    for (column, currency) in &map.wallets {
        let wallet = |address| EntryWallet { address, currency: currency.as_str().into() };
        entry.wallets.extend(cells.all(column).map(wallet));
    }
    entry.remarks = map.remarks.as_ref().and_then(|column| some(&cells.whole(column)));
    entry
}

/// `1960 or 1961`, and `(a) 1960, (b) 1961`.
fn dates(text: &str) -> impl Iterator<Item = &str> {
    let is_mark = |mark: &str| mark.len() <= 4 && mark.bytes().all(|byte| byte.is_ascii_lowercase());
    let parts = text.split(" or ").flat_map(move |text| marked(text, is_mark));
    parts.map(|part| part.trim_end_matches([',', ' ']))
}

/// A date of birth as lists write it: as in EDTF or the remarks of OFAC, or the day first: `11.8.1960`, `11/08/1960`.
fn birth(text: &str) -> Option<Birth> {
    let text = text.trim();
    let day_first = || date::uk_birth(&text.replace('.', "/"));
    text.parse().ok().or_else(|| date::birth(text)).or_else(day_first)
}
