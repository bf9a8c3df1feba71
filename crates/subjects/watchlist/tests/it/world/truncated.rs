//! Documents that are cut off.

use receipt::time::Timestamp;
use watchlist::snapshot::SnapshotStatus;
use watchlist::{PublicationBounds, Store};

use super::columns::{CSV, LINES, MAP};
use super::{forms, lists, read_by, read_bytes};
use crate::common::{only, read};

/// Tests that a table ends there behind a whole record: not within quotes.
fn is_record_end(text: &str, length: usize) -> bool {
    text.is_char_boundary(length)
        && text[..length].ends_with('\n')
        && text[..length].matches('"').count().is_multiple_of(2)
}

#[test]
fn every_proper_prefix_of_a_document_is_refused_unless_only_white_space_is_missing() {
    for (name, text) in forms() {
        let whole = lists(read(&[(name, &text)]).unwrap());
        for length in 0..text.len() {
            let Ok(import) = read_bytes(name, &text.as_bytes()[..length], PublicationBounds::default())
            else {
                continue;
            };
            if text.is_char_boundary(length) && text[length..].trim().is_empty() {
                assert_eq!(lists(import), whole, "{name} cut at {length}");
            } else {
                // A table has no end mark, so a cut between two records cannot be seen in the file alone.
                let is_table = name.ends_with(".csv");
                assert!(is_table && is_record_end(&text, length), "{name} cut at {length} is accepted");
            }
        }
    }
}

#[test]
fn a_table_that_is_cut_between_two_records_waits_for_an_operator() {
    for (name, text) in forms() {
        // The screening list of the US is one list for each source.
        if !name.ends_with(".csv") || name == "csl.csv" {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let whole = only(read(&[(name, &text)]));
        let mut time = Timestamp::EPOCH.saturating_add_millis(1_000);
        assert_eq!(store.admit(&whole, "a test", time).unwrap().standing, SnapshotStatus::Live);
        let names = |parsed: &watchlist::ParsedList| -> usize {
            parsed.list.entries.iter().map(|entry| entry.names.len()).sum()
        };
        let mut cuts = 0;
        for length in (0..text.len()).filter(|length| is_record_end(&text, *length)) {
            let Ok(import) = read(&[(name, &text[..length])]) else { continue };
            let cut = only(Ok(import));
            // The last records of the EU's table may hold no names.
            if names(&cut) == names(&whole) {
                continue;
            }
            time = time.saturating_add_millis(1_000);
            let standing = store.admit(&cut, "a test", time).unwrap().standing;
            assert!(matches!(standing, SnapshotStatus::Held(_)), "{name} cut at {length}: {standing:?}");
            cuts += 1;
        }
        assert!(cuts > 0, "{name}");
    }
}

#[test]
fn every_proper_prefix_of_an_operators_list_is_refused_or_ends_behind_a_record() {
    for (name, text) in [("house.csv", CSV), ("house.jsonl", LINES)] {
        let whole = only(read_by(MAP, name, text)).list;
        for length in (0..text.len()).filter(|length| text.is_char_boundary(*length)) {
            let Ok(import) = read_by(MAP, name, &text[..length]) else { continue };
            let rest = &text[length..];
            if rest.trim().is_empty() {
                assert_eq!(only(Ok(import)).list, whole, "{name} cut at {length}");
            } else {
                let is_line_end = name.ends_with(".jsonl") && rest.starts_with('\n');
                assert!(is_line_end || is_record_end(text, length), "{name} cut at {length} is accepted");
            }
        }
    }
}

#[test]
fn lines_that_end_with_a_carriage_return_are_read_and_their_cut_is_seen() {
    for (name, text) in forms().into_iter().filter(|(name, _)| name.ends_with(".csv")) {
        let whole = lists(read(&[(name, &text)]).unwrap());
        let text = text.replace('\n', "\r\n");
        assert_eq!(lists(read(&[(name, &text)]).unwrap()), whole, "{name}");
        for missing in 1..40 {
            let cut = &text[..text.len() - missing];
            let Ok(import) = read(&[(name, cut)]) else { continue };
            let ends = cut.ends_with('\r') || cut.ends_with('\n');
            assert!(ends, "{name} without its last {missing} bytes is accepted");
            assert_eq!(lists(import), whole, "{name} without its last {missing} bytes");
        }
    }
}

#[test]
fn a_table_that_is_cut_behind_an_empty_first_cell_in_quotes_is_refused() {
    let text = "Report Date: 04-Mar-2026\n\
        Last Updated,Unique ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Designation Type\n\
        \"\",1,SAMPLE,,,,,,Primary Name,Entity\n\
        \"\",1,PATTERN,,,,,,Alias,Entity\n";
    assert_eq!(only(read(&[("uk.csv", text)])).list.entries[0].names.len(), 2);
    let cut = &text[..text.find(",1,PATTERN").unwrap()];
    let error = read(&[("uk.csv", cut)]).expect_err("the last record is cut off");
    assert!(error.to_string().contains("uk.csv"), "{error}");
}
