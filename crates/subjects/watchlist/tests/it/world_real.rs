//! Real lists of other publishers than OFAC, counted again from their raw text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use watchlist::lists::ColumnMap;
use watchlist::{
    Diff, EntityKind, Entry, Identifier, Import, List, ListError, ListName, Publication, PublicationBounds,
    Topic,
};

use crate::common::{only, read, read_paths};

/// The folder of the lists; `None`, with a line on the terminal, where it is not at hand.
fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data/lists"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

/// The text of a file, unpacked where it is packed.
fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the file is there");
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(&*bytes).read_to_string(&mut text).expect("UTF-8 in gzip");
    } else {
        text = String::from_utf8(bytes).expect("UTF-8");
    }
    text
}

/// The records of a table below so many lines, each by the names of its columns.
fn records(text: &str, lines: usize, delimiter: u8) -> Vec<BTreeMap<String, String>> {
    let start = text.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(&text.as_bytes()[start..]);
    let names = reader.headers().expect("a header").clone();
    let records = reader.records().map(|record| record.expect("a record"));
    let owned = |cell: &str| cell.to_owned();
    records.map(|record| names.iter().map(owned).zip(record.iter().map(owned)).collect()).collect()
}

fn clean(text: &str) -> String {
    let words = text.split(|sign: char| sign.is_whitespace() || sign.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The words of a name in order of the alphabet, without the comma behind a family name.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = clean(&name.replace(',', " ")).split(' ').map(str::to_owned).collect();
    words.sort();
    words
}

fn has_name(entry: &Entry, text: &str) -> bool {
    entry.names.iter().any(|name| *name.text == *clean(text))
}

fn has_words(entry: &Entry, parts: &str) -> bool {
    let parts = words(parts);
    entry.names.iter().any(|name| words(&name.text) == parts)
}

fn number<'e>(entry: &'e Entry, kind: &str) -> Option<&'e str> {
    let mut numbers = entry.identifiers.iter().filter(|one| &*one.kind == kind);
    let first = numbers.next().map(|one| &*one.number);
    assert!(numbers.next().is_none(), "{} has two: {kind}", entry.uid);
    first
}

fn read_by(map: &str, name: &str, text: String) -> Result<Import, ListError> {
    let map: ColumnMap = serde_json::from_str(map).expect("a map of columns");
    let file = (name.to_owned(), text.into_bytes());
    Publication::from_bytes_with([file], map, PublicationBounds::default())?.read(None)
}

const EDITIONS: [(&str, usize, usize); 4] =
    [("2024-09-26", 682, 193), ("2025-04-19", 684, 193), ("2025-08-02", 684, 195), ("2026-02-27", 730, 273)];

fn edition(folder: &Path, date: &str) -> PathBuf {
    folder.join(format!("un/un-consolidated-{date}.xml.gz"))
}

/// The texts of all elements of that name, which have no attributes.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let texts = xml.split(start.as_str()).skip(1).filter_map(|rest| rest.split(end.as_str()).next());
    texts.map(|text| text.replace("&amp;", "&")).collect()
}

#[test]
fn the_editions_of_the_united_nations_have_every_party_reference_name_and_date_of_birth() {
    let Some(folder) = folder() else { return };
    for (date, individuals, entities) in EDITIONS {
        let path = edition(&folder, date);
        let raw = text(&path);
        let list = only(read_paths(&[path])).list;
        assert_eq!(list.name.as_str(), ListName::UN);
        assert_eq!(list.published.map(|day| day.to_string()).as_deref(), Some(date));
        let records = |kind: &str| elements(&raw, kind);
        let (persons, others) = (records("INDIVIDUAL"), records("ENTITY"));
        assert_eq!((persons.len(), others.len()), (individuals, entities), "{date}");
        assert_eq!(list.entries.len(), individuals + entities, "{date}");
        let kinds = list.entries.iter().filter(|entry| entry.kind == EntityKind::Person).count();
        assert_eq!(kinds, individuals, "{date}");
        let mut references = BTreeSet::new();
        for record in persons.iter().chain(&others) {
            let first = |name: &str| elements(record, name).into_iter().next().unwrap_or_default();
            let entry = list.entry(first("DATAID").trim()).expect("every party is an entry");
            let reference = number(entry, Identifier::UN_REFERENCE).expect("every party has its reference");
            assert_eq!(reference, first("REFERENCE_NUMBER").trim());
            references.insert(reference.to_owned());
            let parts = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"].map(first).join(" ");
            assert_eq!(entry.primary(), clean(&parts));
            let aliases = ["ALIAS_NAME", "NAME_ORIGINAL_SCRIPT"].map(|name| elements(record, name)).concat();
            // Some elements hold several aliases, and some of these have another in brackets, or a note.
            for alias in
                aliases.join(";").replace(" b) ", ";").split(';').filter(|alias| !alias.trim().is_empty())
            {
                let is_name = |piece: &&str| !["", "original script"].contains(&piece.trim());
                let mut pieces = alias.split(['(', ')']).filter(is_name);
                let is_kept = has_name(entry, alias) || pieces.all(|piece| has_name(entry, piece));
                assert!(is_kept, "{date} {}: {alias}", entry.uid);
            }
            let dated = ["DATE", "YEAR", "FROM_YEAR"].map(|part| elements(record, part).len());
            assert_eq!(entry.births.is_empty(), dated == [0, 0, 0], "{date} {}", entry.uid);
            assert!(entry.births.len() <= dated.iter().sum::<usize>(), "{date} {}", entry.uid);
        }
        assert_eq!(references.len(), individuals + entities, "{date}");
    }
}

#[test]
fn the_editions_of_the_united_nations_differ_as_their_readme_says() {
    let Some(folder) = folder() else { return };
    let lists: Vec<List> =
        EDITIONS.iter().map(|(date, ..)| only(read_paths(&[edition(&folder, date)])).list).collect();
    let counts: Vec<(usize, usize)> = lists
        .windows(2)
        .map(|pair| Diff::between(&pair[0], &pair[1]))
        .map(|diff| (diff.added.len(), diff.removed.len()))
        .collect();
    assert_eq!(counts, [(4, 2), (9, 7), (127, 3)]);
}

#[test]
fn the_list_of_ofsi_has_every_group_name_reference_and_date_of_birth() {
    let Some(folder) = folder() else { return };
    let path = folder.join("uk/ofsi-conlist-2025-04.csv.gz");
    let rows = records(&text(&path), 1, b',');
    assert_eq!(rows.len(), 18_796);
    let list = only(read_paths(&[path])).list;
    assert_eq!(list.name.as_str(), ListName::UK_OFSI);
    assert_eq!(list.published, Some(jiff::civil::date(2025, 4, 10)));
    let groups: BTreeSet<&str> = rows.iter().map(|row| row["Group ID"].trim()).collect();
    assert_eq!(groups.len(), 4_686);
    let keys: BTreeSet<&str> = list.entries.iter().map(|entry| &*entry.uid).collect();
    assert_eq!(keys, groups);
    for row in &rows {
        let entry = list.entry(row["Group ID"].trim()).unwrap();
        let parts = ["Name 1", "Name 2", "Name 3", "Name 4", "Name 5", "Name 6"].map(|part| &*row[part]);
        assert!(has_words(entry, &parts.join(" ")), "{}: {parts:?}", entry.uid);
        let original = &row["Name Non-Latin Script"];
        assert!(original.trim().is_empty() || has_name(entry, original), "{}: {original}", entry.uid);
        // Every date of birth is read: a year alone, a month, or a day.
        let year = row["DOB"].trim().rsplit('/').next().unwrap_or_default();
        let is_read = entry.births.iter().any(|birth| birth.earliest.year().to_string() == year);
        assert!(year.is_empty() || is_read, "{}: {}", entry.uid, row["DOB"]);
        let has = |label: &str| row["Other Information"].contains(label);
        assert_eq!(number(entry, Identifier::UN_REFERENCE).is_some(), has("(UN Ref)"), "{}", entry.uid);
        let listed = number(entry, Identifier::UK_REFERENCE).is_some();
        assert_eq!(listed, has("(UK Sanctions List Ref)"), "{}", entry.uid);
    }
    let with = |kind: &str| list.entries.iter().filter(|entry| number(entry, kind).is_some()).count();
    assert_eq!((with(Identifier::UN_REFERENCE), with(Identifier::UK_REFERENCE)), (866, 4_685));
    assert_eq!(list.entries.iter().filter(|entry| !entry.births.is_empty()).count(), 3_146);
    assert_eq!(list.entries.iter().filter(|entry| entry.imo.is_some()).count(), 15);
}

#[test]
fn every_gender_that_ofsi_states_is_read() {
    let Some(folder) = folder() else { return };
    let list = only(read_paths(&[folder.join("uk/ofsi-conlist-2025-04.csv.gz")])).list;
    // Of 2,382 men and 329 women, 26 and 7 are so in small letters.
    assert_eq!(list.entries.iter().filter(|entry| entry.gender.is_some()).count(), 2_711);
}

#[test]
fn every_wallet_in_the_free_text_of_ofsi_is_read() {
    let Some(folder) = folder() else { return };
    let list = only(read_paths(&[folder.join("uk/ofsi-conlist-2025-04.csv.gz")])).list;
    let wallets: BTreeSet<&str> =
        list.entries.iter().flat_map(|entry| &entry.wallets).map(|wallet| &*wallet.address).collect();
    // Four of EVM chains, four of Tron and three of Bitcoin, each in several rows.
    let of = |start: &str| wallets.iter().filter(|address| address.starts_with(start)).count();
    assert_eq!((of("0x"), of("T"), of("3"), wallets.len()), (4, 4, 3, 11));
}

#[test]
fn the_samples_of_both_british_tables_are_read() {
    let Some(folder) = folder() else { return };
    let path = folder.join("uk/uksl-58-column-format-sample.csv");
    let rows = records(&text(&path), 1, b',');
    let list = only(read_paths(&[path])).list;
    assert_eq!((list.entries.len(), list.published), (rows.len(), Some(jiff::civil::date(2026, 2, 13))));
    for row in &rows {
        let entry = list.entry(&row["Unique ID"]).unwrap();
        let parts = ["Name 1", "Name 2", "Name 3", "Name 4", "Name 5", "Name 6"].map(|part| &*row[part]);
        assert!(has_words(entry, &parts.join(" ")), "{}", entry.uid);
        let reference = Some(&*row["UN Reference Number"]).filter(|reference| !reference.is_empty());
        assert_eq!(number(entry, Identifier::UN_REFERENCE), reference);
        assert!(entry.kind != EntityKind::Vessel || entry.imo.is_some());
    }
    let path = folder.join("uk/ofsi-conlist-2020-format-sample.csv");
    let rows = records(&text(&path), 1, b',');
    let list = only(read_paths(&[path])).list;
    let groups: BTreeSet<&str> = rows.iter().map(|row| &*row["Group ID"]).collect();
    assert_eq!((list.entries.len(), list.published), (groups.len(), Some(jiff::civil::date(2020, 4, 27))));
}

#[test]
fn the_samples_of_the_european_union_are_read() {
    let Some(folder) = folder() else { return };
    let path = folder.join("eu/fsf-csv-1.1-first-21-columns-sample.csv");
    let rows = records(&text(&path), 0, b';');
    let list = only(read_paths(&[path])).list;
    assert_eq!(list.published, Some(jiff::civil::date(2026, 8, 5)));
    for row in &rows {
        let entry = list.entry(&row["Entity_LogicalId"]).unwrap();
        assert!(has_words(entry, &row["NameAlias_WholeName"]));
        assert_eq!(number(entry, Identifier::EU_REFERENCE), Some(&*row["Entity_EU_ReferenceNumber"]));
    }

    let raw = text(&folder.join("eu/fsf-xml-1.1-sample-2020-04-15.xml"));
    let error = read(&[("eu.xml", &raw)]).unwrap_err();
    assert!(matches!(&error, ListError::Doubled { uid, .. } if uid == "5468"), "{error}");
    // The party that was made up for a test has the key of another.
    let own = raw.replacen("logicalId=\"5468\"", "logicalId=\"9999999\"", 1);
    let list = only(read(&[("eu.xml", &own)])).list;
    assert_eq!(list.entries.len(), raw.matches("<sanctionEntity ").count());
    let names: Vec<&str> =
        raw.split("wholeName=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(names.len() > list.entries.len());
    for name in names {
        assert!(list.entries.iter().any(|entry| has_words(entry, name)), "{name}");
    }
}

#[test]
fn of_the_swiss_sample_only_the_ship_is_still_listed() {
    let Some(folder) = folder() else { return };
    let list = only(read_paths(&[folder.join("ch/seco-xml-trimmed-sample-2026-08-27.xml")])).list;
    assert_eq!(list.published, Some(jiff::civil::date(2026, 8, 27)));
    let [ship] = &list.entries[..] else { panic!("{:?}", list.entries) };
    assert_eq!((&*ship.uid, ship.kind, ship.imo), ("34461", EntityKind::Vessel, Some(8_405_270)));
    assert_eq!(ship.names.len(), 2);
}

#[test]
fn the_samples_of_the_consolidated_screening_list_have_every_party_and_name() {
    let Some(folder) = folder() else { return };
    for name in ["csl-legacy-format-sample.csv", "csl-consolidated-format-sample.csv"] {
        // One sample was cut out without its last line break.
        let raw = text(&folder.join("us").join(name)).trim_end().to_owned() + "\n";
        let rows = records(&raw, 0, b',');
        let lists: Vec<List> =
            read(&[(name, &raw)]).unwrap().lists.into_iter().map(|parsed| parsed.list).collect();
        let sources: BTreeSet<&str> = rows.iter().map(|row| &*row["source"]).collect();
        assert_eq!(lists.len(), sources.len(), "{name}");
        assert_eq!(lists.iter().map(|list| list.entries.len()).sum::<usize>(), rows.len(), "{name}");
        for row in &rows {
            let (short, department) = row["source"].split_once(" - ").unwrap();
            let list = lists.iter().find(|list| list.name.as_str() == format!("US CSL {short}")).unwrap();
            let topic = match department {
                _ if short.contains("Debarred") => Topic::Debarment,
                "Bureau of Industry and Security" => Topic::ExportControl,
                _ => Topic::Sanctions,
            };
            assert_eq!(list.topic, topic, "{short}");
            let named = |entry: &&Entry| entry.primary() == clean(&row["name"]);
            let parties: Vec<&Entry> = list.entries.iter().filter(named).collect();
            assert!(!parties.is_empty(), "{}", row["name"]);
            for alias in row["alt_names"].split(';').filter(|alias| !alias.trim().is_empty()) {
                assert!(parties.iter().any(|entry| has_name(entry, alias)), "{}: {alias}", row["name"]);
            }
            let is_born = !row["dates_of_birth"].trim().is_empty();
            assert!(parties.iter().any(|entry| entry.births.is_empty() != is_born), "{}", row["name"]);
        }
    }
}

#[test]
fn the_legal_acts_of_the_european_union_are_read_by_a_map_of_their_columns() {
    let Some(folder) = folder() else { return };
    let raw = text(&folder.join("eu/eu-journal-consolidated-2026-08.csv.gz"));
    let rows = records(&raw, 0, b',');
    assert_eq!(rows.len(), 8_017);
    let map = r#"{"list": "EU legal acts", "name": "name", "aliases": ["alias", "previousName"],
        "weak_aliases": ["weakAlias"], "type": "schema",
        "types": {"Person": "person", "Company": "entity", "Organization": "entity", "Vessel": "vessel"},
        "birth_dates": ["birthDate"], "imo": "imoNumber", "programs": ["celex"],
        "identifiers": {"recordId": "record", "annex": "annex"}, "separator": ";"}"#;
    let list = only(read_by(map, "acts.csv", raw)).list;
    assert_eq!(list.entries.len(), rows.len());
    let count = |kind| list.entries.iter().filter(|entry| entry.kind == kind).count();
    assert_eq!((count(EntityKind::Person), count(EntityKind::Vessel)), (4_500, 708));
    assert_eq!(list.entries.iter().filter(|entry| entry.imo.is_some()).count(), 765);
    let mut by_name: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &list.entries {
        by_name.entry(entry.primary()).or_default().push(entry);
    }
    let (mut dated, mut simple) = (0, 0);
    for row in &rows {
        let parties = &by_name[&*clean(&row["name"])];
        for column in ["alias", "previousName", "weakAlias"] {
            for alias in row[column].split(';').filter(|alias| !alias.trim().is_empty()) {
                assert!(parties.iter().any(|entry| has_name(entry, alias)), "{}: {alias}", row["name"]);
            }
        }
        let born = row["birthDate"].trim();
        dated += usize::from(!born.is_empty());
        // `1963` and `11.8.1960`.
        let mut parts = born.rsplit('.');
        let is_number = |part: &str, digits: usize| {
            (1..=digits).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let year = parts.next().filter(|year| year.len() == 4 && is_number(year, 4));
        let rest: Vec<&str> = parts.collect();
        if let Some(year) = year
            && (rest.is_empty() || rest.len() == 2)
            && rest.iter().all(|part| is_number(part, 2))
        {
            simple += 1;
            let mut births = parties.iter().flat_map(|entry| &entry.births);
            assert!(births.any(|birth| birth.earliest.year().to_string() == year), "{}: {born}", row["name"]);
        }
    }
    assert_eq!((dated, simple), (3_850, 3_311));
    let read = list.entries.iter().filter(|entry| !entry.births.is_empty()).count();
    assert!(read >= simple, "{read} of {dated} have a date of birth");
}

#[test]
fn other_tables_of_publishers_are_read_by_a_map_of_their_columns() {
    let Some(folder) = folder() else { return };
    let raw = text(&folder.join("uk/uksl-2026-05-subject_names.csv.gz"));
    let rows = records(&raw, 0, b',');
    let map = r#"{"list": "UK names", "uid": ["name_id"], "name": "full_name"}"#;
    let list = only(read_by(map, "names.csv", raw)).list;
    assert_eq!((list.entries.len(), rows.len()), (15_050, 15_050));
    for row in &rows {
        assert_eq!(list.entry(&row["name_id"]).unwrap().primary(), clean(&row["full_name"]));
    }

    let map = r#"{"list": "Denied persons", "topic": "export_control", "name": "Name", "delimiter": "\t",
        "addresses": ["Street_Address"], "countries": ["Country"], "separator": ""}"#;
    let raw = text(&folder.join("us/bis-denied-persons-list.txt"));
    // The file has three records twice, and no line break at its end.
    let error = read_by(map, "dpl.txt", raw.clone() + "\n").unwrap_err();
    assert!(matches!(error, ListError::Doubled { .. }), "{error}");
    let mut seen = BTreeSet::new();
    let once: String =
        raw.lines().filter(|line| seen.insert(*line)).map(|line| format!("{line}\n")).collect();
    let list = only(read_by(map, "dpl.txt", once)).list;
    let rows = records(&raw, 0, b'\t');
    assert_eq!((list.entries.len(), rows.len()), (543, 546));
    assert_eq!(list.topic, Topic::ExportControl);
    let names: BTreeSet<&str> = list.entries.iter().map(Entry::primary).collect();
    assert!(rows.iter().all(|row| names.contains(&*clean(&row["Name"]))));
}

#[test]
fn a_list_whose_form_is_not_known_is_refused_by_its_file() {
    let Some(folder) = folder() else { return };
    for path in [
        "ca/ca-sema-consolidated.xml.gz",
        "us/bis-denied-persons-list.txt",
        "uk/uksl-2026-05-subjects.csv.gz",
    ] {
        let error = read_paths(&[folder.join(path)]).unwrap_err();
        assert!(matches!(error, ListError::UnknownForm { .. }), "{error}");
        assert!(error.to_string().contains(path.rsplit('/').next().unwrap()), "{error}");
    }
    let sample = only(read_paths(&[folder.join("un/un-sample-deriv.xml")])).list;
    assert_eq!(
        sample.entries.len(),
        text(&folder.join("un/un-sample-deriv.xml")).matches("<INDIVIDUAL>").count()
    );
}
