//! An archive with the right sums over wrong members is caught by what the log has signed.

use audit_archive::Filter;
use receipt::hash::sha256;

use crate::fixture::{Members, Store, archive, members, verified};

fn honest() -> Members {
    members(&Store::of(300).exported(&Filter::default()))
}

fn at<'m>(members: &'m mut Members, prefix: &str) -> &'m mut (String, Vec<u8>) {
    members.iter_mut().find(|(name, _)| name.starts_with(prefix)).unwrap()
}

/// Changes a text in the member of this name.
fn replace(members: &mut Members, prefix: &str, from: &str, to: &str) {
    let content = &mut at(members, prefix).1;
    let place = memchr::memmem::find(content, from.as_bytes());
    let place = place.unwrap_or_else(|| panic!("{prefix} has no {from}"));
    content.splice(place..place + from.len(), to.bytes());
}

/// The lines of a member without that of this number.
fn without_line(members: &mut Members, prefix: &str, number: usize) {
    let content = &mut at(members, prefix).1;
    let text = String::from_utf8(content.clone()).unwrap();
    let lines = text.split_inclusive('\n').enumerate().filter(|(at, _)| *at != number);
    *content = lines.map(|(_, line)| line).collect::<String>().into_bytes();
}

#[track_caller]
fn caught(members: &Members, place: &str, why: &str) {
    let report = verified(&archive(members));
    assert!(!report.holds());
    let is_told =
        report.problems.iter().any(|problem| problem.place.contains(place) && problem.why.contains(why));
    assert!(is_told, "{:#?}", report.problems);
}

#[test]
fn the_honest_one_holds() {
    let report = verified(&archive(&honest()));
    assert!(report.holds(), "{report:?}");
}

#[test]
fn a_receipt_that_was_changed_left_out_or_doubled_is_caught() {
    let mut members = honest();
    replace(&mut members, "receipts/", "COMMITTED", "CONFIRMED");
    caught(&members, "leaf 0", "signature");

    let mut members = honest();
    without_line(&mut members, "receipts/", 7);
    without_line(&mut members, "kept/", 7);
    caught(&members, "leaf 7", "missing");

    let mut members = honest();
    without_line(&mut members, "receipts/", 7);
    caught(&members, "kept/", "no receipt of leaf 7");

    let mut members = honest();
    let lines = &mut at(&mut members, "receipts/").1;
    let first = lines.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let line = lines[..first].to_vec();
    lines.splice(0..0, line);
    // As many lines as before: a chunk has no more of them than leaves.
    let last = lines[..lines.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    lines.truncate(last);
    caught(&members, "leaf 0", "twice");
}

/// The members without receipt 7, which is said to be erased.
fn without_7(mut members: Members) -> Members {
    without_line(&mut members, "receipts/", 7);
    without_line(&mut members, "kept/", 7);
    let kept = &mut at(&mut members, "kept/").1;
    let text = String::from_utf8(kept.clone()).unwrap();
    let before: usize = text.split_inclusive('\n').take(7).map(str::len).sum();
    kept.splice(before..before, br#"{"leaf":7,"is_erased":true}"#.iter().copied().chain(*b"\n"));
    members
}

#[test]
fn a_receipt_that_is_said_to_be_erased_is_so_if_the_log_says_it() {
    let report = verified(&archive(&without_7(honest())));
    assert!(report.holds() && report.valid == 299, "{report:?}");
    assert_eq!((report.erased, report.erased_unlogged), (0, 1));
    for (number, counts) in [(7, (1, 0)), (8, (0, 1))] {
        let mut store = Store::of(20);
        store.log_erasure(number);
        let report = verified(&archive(&without_7(members(&store.exported(&Filter::default())))));
        assert!(report.holds() && report.valid == 20, "{report:?}");
        assert_eq!((report.erased, report.erased_unlogged), counts, "{number}");
    }
}

#[test]
fn a_chunk_of_more_leaves_or_lines_than_there_are_in_one_is_refused_before_it_is_read() {
    let mut members = honest();
    let about = &mut at(&mut members, "archive.json").1;
    *about = String::from_utf8(about.clone())
        .unwrap()
        .replace(r#""size":300"#, r#""size":4611686018427387904"#)
        .into();
    for prefix in ["receipts/", "kept/"] {
        let (name, content) = at(&mut members, prefix);
        *name = format!("{prefix}000000000000-4611686018427387904.jsonl");
        content.clear();
    }
    caught(&members, "4611686018427387904", "other leaves come next");

    let mut members = honest();
    at(&mut members, "receipts/").1 = vec![b'\n'; 301];
    caught(&members, "receipts/", "more lines than leaves");
}

#[test]
fn a_log_whose_times_go_back_is_caught() {
    let mut store = Store::of(100);
    store.append_again(20);
    let report = verified(&store.exported(&Filter::default()));
    assert!(
        report.problems.iter().any(|problem| problem.why.contains("before that of an earlier leaf")),
        "{report:?}"
    );
}

#[test]
fn tiles_that_were_changed_swapped_or_left_out_are_caught() {
    let mut members = honest();
    at(&mut members, "log/tile/0/000").1[5] ^= 1;
    caught(&members, "log/tile/0/000", "not those of the entries");

    let mut members = honest();
    members.retain(|(name, _)| name != "log/tile/0/001.p/44");
    caught(&members, "log/tile/0/001.p/44", "missing");

    let mut members = honest();
    replace(&mut members, "log/tile/entries/000", "scan-text", "scan-test");
    caught(&members, "log", "another root");

    let mut members = honest();
    members.retain(|(name, _)| !name.starts_with("log/tile/entries/001"));
    caught(&members, "log", "should have 300");
}

#[test]
fn requests_and_evidence_that_are_not_the_signed_ones_are_caught() {
    let mut members = honest();
    let blob = at(&mut members, "blobs/");
    blob.1.push(b' ');
    caught(&members, "blobs/", "another hash");

    let mut members = honest();
    let blob = at(&mut members, "blobs/");
    let (before, other) = (blob.0["blobs/".len()..].to_owned(), b"{\"content\":77}".to_vec());
    let after = hex::encode(sha256(&other));
    *blob = (format!("blobs/{after}"), other);
    replace(&mut members, "kept/", &before, &after);
    caught(&members, "leaf 0", "another than request_hash");

    let mut members = honest();
    let name = at(&mut members, "blobs/").0.clone();
    members.retain(|(other, _)| *other != name);
    caught(&members, "leaf 0", "request is missing");
}

#[test]
fn documents_of_another_log_and_members_out_of_place_are_caught() {
    let mut members = honest();
    let other = tlog::SigningKey::from_seed("notary.example/log", &[4; 32]).unwrap().verifier().to_string();
    let own = crate::fixture::log_key().verifier().to_string();
    replace(&mut members, "archive.json", &own, &other);
    caught(&members, "archive.json", "not one of the given keys");

    let mut members = honest();
    replace(&mut members, "log/checkpoint", "\n300\n", "\n301\n");
    caught(&members, "log/checkpoint", "does not verify");

    let mut members = honest();
    replace(&mut members, "archive.json", "\"size\":300", "\"size\":299");
    caught(&members, "log/checkpoint", "another size");

    let mut members = honest();
    members.swap(1, 2);
    caught(&members, "keys.jwks", "not in its place");

    let mut members = honest();
    members.remove(0);
    caught(&members, "keys.jwks", "does not begin");

    let mut members = honest();
    members.insert(3, ("notes.txt".to_owned(), Vec::new()));
    caught(&members, "notes.txt", "no such member");

    let mut members = honest();
    let name = at(&mut members, "kept/").0.clone();
    members.retain(|(other, _)| *other != name);
    caught(&members, "the archive", "chunks end at leaf 0");
}
