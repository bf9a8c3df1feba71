//! Published sanctions lists, and the snapshots that are made of them.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use watchlist::lists::Doubt;
use watchlist::{Entry, Import, List, ParsedList, Publication, PublicationBounds, Quality, Snapshot};

use crate::split::{all, cut};

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
    let names = ["list", "list.jsonl"].map(|name| is_read(name, data));
    names.contains(&true)
}

fn is_read(name: &str, data: &[u8]) -> bool {
    let named = |bytes: &[u8]| [(name.to_owned(), bytes.to_vec())];
    let Some(import) = check(&named(data)) else { return false };
    if !data.starts_with(&[0x1f, 0x8b]) {
        let packed =
            read(&named(&gzip(data)), PublicationBounds::default()).expect("what is packed is what is read");
        assert_eq!(lists(&packed), lists(&import));
    }
    if let Some(shorter) = read(&named(cut(data)), PublicationBounds::default()) {
        let whole = |uid: &str| import.lists.iter().find_map(|whole| whole.list.entry(uid));
        let parts = shorter.lists.iter().filter(|parsed| !is_doubtful(parsed));
        for entry in parts.flat_map(|parsed| &parsed.list.entries) {
            let same = whole(&entry.uid).expect("a part has no entry of its own");
            assert!(is_within(entry, same), "{entry:?} is not within {same:?}");
        }
    }
    true
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
    check(&files.collect::<Vec<_>>()).is_some()
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

fn read(files: &Files, bounds: PublicationBounds) -> Option<Import> {
    Publication::from_bytes(files.iter().cloned(), bounds).and_then(|publication| publication.read(None)).ok()
}

fn check(files: &Files) -> Option<Import> {
    let narrow = read(files, NARROW);
    let reversed: Vec<(String, Vec<u8>)> = files.iter().rev().cloned().collect();
    let reversed = read(&reversed, PublicationBounds::default());
    let Some(import) = read(files, PublicationBounds::default()) else {
        assert!(narrow.is_none() && reversed.is_none());
        return None;
    };
    assert_eq!(lists(&reversed.expect("the order makes no difference")), lists(&import));
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

/// True if an entry says nothing that another does not say.
fn is_within(part: &Entry, whole: &Entry) -> bool {
    fn has<T: PartialEq>(whole: &[T], part: &[T]) -> bool {
        part.iter().all(|value| whole.contains(value))
    }
    part.list == whole.list
        && part.kind == whole.kind
        && has(&whole.names, &part.names)
        && has(&whole.programs, &part.programs)
        && has(&whole.births, &part.births)
        && has(&whole.countries, &part.countries)
        && has(&whole.addresses, &part.addresses)
        && has(&whole.identifiers, &part.identifiers)
        && has(&whole.wallets, &part.wallets)
        && part.remarks == whole.remarks
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory takes every byte");
    packed.finish().expect("memory takes every byte")
}
