//! Published sanctions lists, and the snapshots that are made of them.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use watchlist::lists::{ColumnMap, Doubt, FileFormat};
use watchlist::{Entry, Import, List, ParsedList, Publication, PublicationBounds, Quality, Snapshot};

use crate::split::{all, cut, cut_lines, parts};

/// Bounds that small inputs exceed.
const NARROW: PublicationBounds = PublicationBounds {
    file_bytes: 512 << 20,
    unpacked_bytes: 1 << 30,
    files: 32,
    entries: 3,
    names: 3,
    text_bytes: 40,
    remarks_bytes: 64,
    values: 2,
    xml_depth: 6,
    record_bytes: 4 << 20,
};

type Files = [(String, Vec<u8>)];

/// One file of a list, in any form: it is refused, or every reading of it gives one list.
///
/// - Packed it gives the same list.
/// - Of a list without doubts that was cut off, every entry stands in the whole one.
/// - All that [`publication`] checks.
pub fn file(data: &[u8]) -> bool {
    let names = ["list", "list.jsonl"].map(|name| is_read(name, data, None).is_some());
    names.contains(&true)
}

/// A map of columns, and any file that is read by it: one of them is refused, or they give one list.
///
/// - The list has the name and the topic of the map, and no doubts.
/// - All that [`file()`] checks.
pub fn columns(data: &[u8]) -> bool {
    let [map, file] = parts(data);
    let Ok(map) = serde_json::from_slice::<ColumnMap>(map) else { return false };
    let Some(import) = is_read("list", file, Some(&map)) else { return false };
    let [parsed] = &*import.lists else { panic!("a map is of one list") };
    let words = map.list.split(|sign: char| sign.is_whitespace() || sign.is_control());
    assert!(parsed.list.name.as_str().split(' ').eq(words.filter(|word| !word.is_empty())));
    assert!(parsed.list.topic == map.topic && parsed.doubts.is_empty());
    true
}

fn is_read(name: &str, data: &[u8], map: Option<&ColumnMap>) -> Option<Import> {
    let named = |bytes: &[u8]| [(name.to_owned(), bytes.to_vec())];
    let import = check(&named(data), map)?;
    if !data.starts_with(&[0x1f, 0x8b]) {
        let packed = read(&named(&gzip(data)), map, PublicationBounds::default());
        assert_eq!(lists(&packed.expect("what is packed is what is read")), lists(&import));
    }
    for part in [cut(data), cut_lines(data)] {
        let Some(part) = read(&named(part), map, PublicationBounds::default()) else { continue };
        for parsed in part.lists.iter().filter(|parsed| !is_doubtful(parsed)) {
            for entry in &parsed.list.entries {
                let of_list = |whole: &Entry| whole.list == entry.list;
                let mut lists = import.lists.iter();
                let whole =
                    lists.find_map(|whole| whole.list.entry(&entry.uid).filter(|whole| of_list(whole)));
                let whole = whole.expect("a part has no entry of its own");
                let is_part = if is_gathered(parsed) { is_within(entry, whole) } else { entry == whole };
                assert!(is_part, "{entry:?} is not within {whole:?}");
            }
        }
    }
    Some(import)
}

/// The files of one publication: names and contents in turn, as the parts of the input.
///
/// - The order of the files makes no difference.
/// - Bounds are held by refusal alone: under narrower ones the lists are the same or none.
/// - Lists and entries are in their one form, within the bounds.
/// - A list's snapshot reads back as the same list under the same id.
pub fn publication(data: &[u8]) -> bool {
    let parts: Vec<&[u8]> = all(data).collect();
    let files =
        parts.chunks_exact(2).map(|pair| (String::from_utf8_lossy(pair[0]).into_owned(), pair[1].to_vec()));
    check(&files.collect::<Vec<_>>(), None).is_some()
}

/// The content of a snapshot: it is refused, or read to a list that is written and read as the same. A part of one has
/// the first entries of the whole.
pub fn snapshot(data: &[u8]) -> bool {
    let Ok(snapshot) = Snapshot::read(data) else { return false };
    let again = Snapshot::read(&snapshot.content()).expect("what is written can be read");
    assert_eq!(again.list, snapshot.list);
    assert_eq!(again.id, Snapshot::of(snapshot.list.clone()).id);
    assert!(snapshot.list.entries.is_sorted_by(|one, other| one.uid < other.uid));
    if let Ok(shorter) = Snapshot::read(cut(data)) {
        assert!(snapshot.list.entries.starts_with(&shorter.list.entries));
    }
    true
}

fn read(files: &Files, map: Option<&ColumnMap>, bounds: PublicationBounds) -> Option<Import> {
    let files = files.iter().cloned();
    let publication = match map {
        Some(map) => Publication::from_bytes_with(files, map.clone(), bounds),
        None => Publication::from_bytes(files, bounds),
    };
    publication.and_then(|publication| publication.read(None)).ok()
}

fn check(files: &Files, map: Option<&ColumnMap>) -> Option<Import> {
    let narrow = read(files, map, NARROW);
    let reversed: Vec<(String, Vec<u8>)> = files.iter().rev().cloned().collect();
    let reversed = read(&reversed, map, PublicationBounds::default());
    let Some(import) = read(files, map, PublicationBounds::default()) else {
        assert!(narrow.is_none() && reversed.is_none());
        return None;
    };
    assert_eq!(lists(&reversed.expect("the order makes no difference")), lists(&import));
    assert!(import.lists.is_sorted_by(|one, other| one.list.name < other.list.name));
    import.lists.iter().for_each(|parsed| check_list(&parsed.list, &PublicationBounds::default()));
    if let Some(narrow) = narrow {
        assert_eq!(lists(&narrow), lists(&import));
        narrow.lists.iter().for_each(|parsed| check_list(&parsed.list, &NARROW));
    }
    Some(import)
}

fn lists(import: &Import) -> Vec<(&List, &[Doubt], Option<u64>)> {
    import.lists.iter().map(|parsed| (&parsed.list, &*parsed.doubts, parsed.declared)).collect()
}

fn check_list(list: &List, bounds: &PublicationBounds) {
    assert!((1..=bounds.entries).contains(&list.entries.len()));
    assert!(list.entries.is_sorted_by(|one, other| one.uid < other.uid));
    list.entries.iter().for_each(|entry| check_entry(entry, bounds));
    let snapshot = Snapshot::of(list.clone());
    let again = Snapshot::read(&snapshot.content()).expect("a list that was read can be kept");
    assert_eq!(again.list, *list);
    assert_eq!(again.id, snapshot.id);
}

fn check_entry(entry: &Entry, bounds: &PublicationBounds) {
    assert!((1..=bounds.names).contains(&entry.names.len()));
    assert!(entry.names[0].quality == Quality::Primary && !entry.uid.is_empty());
    for (at, name) in entry.names.iter().enumerate() {
        assert!(!name.text.is_empty() && (at == 0 || name.quality != Quality::Primary));
        assert!(entry.names[..at].iter().all(|before| before.text != name.text), "a name stands there twice");
    }
    check_set(&entry.programs, bounds);
    check_set(&entry.births, bounds);
    check_set(&entry.countries, bounds);
    check_set(&entry.addresses, bounds);
    check_set(&entry.identifiers, bounds);
    check_set(&entry.wallets, bounds);
    // An earlier year is of another calendar, and would clear a party.
    assert!(entry.births.iter().all(|birth| birth.earliest.year() >= 1800));
    assert!(texts(entry).all(|text| text.len() <= bounds.text_bytes), "{entry:?}");
    assert!(entry.remarks.as_ref().is_none_or(|remarks| remarks.len() <= bounds.remarks_bytes));
}

fn check_set<T: Ord>(values: &[T], bounds: &PublicationBounds) {
    assert!(values.len() <= bounds.values && values.is_sorted_by(|one, other| one < other));
}

fn texts(entry: &Entry) -> impl Iterator<Item = &str> {
    let singles = [&entry.title, &entry.call_sign].into_iter().flatten();
    let lines = entry.programs.iter().chain(&entry.countries).chain(&entry.addresses).chain(singles);
    let issuers = entry.identifiers.iter().filter_map(|identifier| identifier.country.as_ref());
    let names = entry.names.iter().map(|name| &*name.text);
    let numbers = entry.identifiers.iter().flat_map(|identifier| [&*identifier.kind, &*identifier.number]);
    let wallets = entry.wallets.iter().flat_map(|wallet| [&*wallet.address, &*wallet.currency]);
    let others = names.chain(numbers).chain(wallets).chain([&*entry.uid, entry.list.as_str()]);
    lines.chain(issuers).map(|line| &**line).chain(others)
}

/// True if an operator is asked about the list. A main file without its aliases is known to be a part.
fn is_doubtful(parsed: &ParsedList) -> bool {
    parsed.doubts.iter().any(|doubt| !matches!(doubt, Doubt::PartMissing { .. }))
}

/// True if a party of the form may have several records. Then a part of the file may have a part of an entry.
fn is_gathered(parsed: &ParsedList) -> bool {
    use FileFormat::{CslCsv, EuCsv, OfsiCsv, UkCsv, WalletLines};
    parsed.files.iter().any(|file| matches!(file.form, CslCsv | EuCsv | OfsiCsv | UkCsv | WalletLines))
}

/// True if an entry says nothing that another does not say. Which name is the primary one is known when all are.
fn is_within(part: &Entry, whole: &Entry) -> bool {
    fn has<T: PartialEq>(whole: &[T], part: &[T]) -> bool {
        part.iter().all(|value| whole.contains(value))
    }
    let remarks = |entry: &Entry| entry.remarks.clone().unwrap_or_default();
    part.list == whole.list
        && part.kind == whole.kind
        && part.names.iter().all(|name| whole.names.iter().any(|known| known.text == name.text))
        && has(&whole.programs, &part.programs)
        && part.title.as_ref().is_none_or(|title| whole.title.as_ref() == Some(title))
        && part.gender.is_none_or(|gender| whole.gender == Some(gender))
        && has(&whole.births, &part.births)
        && has(&whole.countries, &part.countries)
        && has(&whole.addresses, &part.addresses)
        && has(&whole.identifiers, &part.identifiers)
        && part.imo.is_none_or(|imo| whole.imo == Some(imo))
        && has(&whole.wallets, &part.wallets)
        && remarks(whole).starts_with(&*remarks(part))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory takes every byte");
    packed.finish().expect("memory takes every byte")
}
