//! `touchstone lists`: what is imported, what is live, what changed.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Said, said};
use crate::support::receipt::text;
use crate::support::service::touchstone;

/// A small publication of 2026-08-20 with four entries.
const SDN_XML: &str = include_str!("../../../../../subjects/watchlist/tests/it/fixtures/sdn.xml");

fn lists(data: &Path, arguments: &[&str]) -> Said {
    let mut command = touchstone(["lists"].iter().chain(arguments));
    command.env("TOUCHSTONE_DATA_DIR", data);
    said(command, "")
}

fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Imports a publication under this name; what was said of its one list.
fn import(data: &Path, name: &str, publication: &str) -> (Option<i32>, Value) {
    let file = data.join(name);
    std::fs::write(&file, publication).unwrap();
    let said = lists(data, &["import", file.to_str().unwrap()]);
    let [line] = <[Value; 1]>::try_from(lines(&said)).unwrap();
    (said.code, line)
}

#[test]
fn an_import_says_what_became_of_the_list_and_the_status_says_what_is_live() {
    let data = TempDir::new().unwrap();
    let (code, first) = import(data.path(), "sdn.xml", SDN_XML);
    assert_eq!((code, text(&first, "standing"), &first["entries"]), (Some(0), "live", &json!(4)));
    assert_eq!(text(&import(data.path(), "sdn.xml", SDN_XML).1, "standing"), "confirmed");
    let older = SDN_XML.replace("08/20", "08/18");
    assert_eq!(text(&import(data.path(), "sdn.xml", &older).1, "standing"), "older");
    let status = lines(&lists(data.path(), &["status"]));
    let [newest, oldest] = &status[..] else { panic!("{status:?}") };
    assert_eq!(
        (&newest["snapshot"], &newest["live"], &newest["stale"]),
        (&first["snapshot"], &json!(true), &json!(false))
    );
    assert!(newest["age_seconds"].is_u64());
    assert_eq!((text(oldest, "published"), &oldest["live"]), ("2026-08-18", &json!(false)));
    assert_eq!((&oldest["age_seconds"], &newest["counts"]["wallets"]), (&Value::Null, &json!(1)));
}

#[test]
fn a_doubtful_list_waits_until_it_is_accepted() {
    let data = TempDir::new().unwrap();
    let (code, held) =
        import(data.path(), "sdn.xml", &SDN_XML.replace("<Record_Count>4<", "<Record_Count>9<"));
    assert_eq!((code, text(&held, "standing")), (Some(2), "held"));
    assert_eq!(held["doubts"], json!(["the publication says 9 entries, 4 were read"]));
    assert_eq!(lines(&lists(data.path(), &["status"]))[0]["live"], false);
    let beginning = &text(&held, "snapshot")[..8];
    assert_eq!(lists(data.path(), &["accept", beginning]).code, Some(0));
    assert_eq!(lines(&lists(data.path(), &["status"]))[0]["live"], true);
}

#[test]
fn a_doubtful_file_with_the_content_of_the_live_list_does_not_confirm_it() {
    let data = TempDir::new().unwrap();
    let confirmed = || text(&lines(&lists(data.path(), &["status"]))[0], "confirmed_at").to_owned();
    import(data.path(), "sdn.xml", SDN_XML);
    let before = confirmed();
    let cut_short = SDN_XML.replace("<Record_Count>4<", "<Record_Count>50<");
    let (code, held) = import(data.path(), "sdn.xml", &cut_short);
    assert_eq!((code, text(&held, "standing")), (Some(2), "held"));
    assert_eq!(held["doubts"], json!(["the publication says 50 entries, 4 were read"]));
    assert_eq!(confirmed(), before, "its age is what it was");
}

#[test]
fn what_was_accepted_with_its_doubts_is_confirmed_with_them() {
    let data = TempDir::new().unwrap();
    let says = |entries: u32| SDN_XML.replace("<Record_Count>4<", &format!("<Record_Count>{entries}<"));
    let (_, held) = import(data.path(), "sdn.xml", &says(9));
    assert_eq!(lists(data.path(), &["accept", text(&held, "snapshot")]).code, Some(0));
    let again = |entries| text(&import(data.path(), "sdn.xml", &says(entries)).1, "standing").to_owned();
    assert_eq!([again(9), again(50), again(9)], ["confirmed", "held", "confirmed"]);
}

#[test]
fn a_list_that_lost_its_aliases_waits() {
    let data = TempDir::new().unwrap();
    import(data.path(), "sdn.xml", SDN_XML);
    let start = SDN_XML.find("<akaList>").unwrap();
    let end = SDN_XML.find("</akaList>").unwrap();
    let without = format!("{}{}", &SDN_XML[..start], &SDN_XML[end + "</akaList>".len()..]);
    let (code, held) = import(data.path(), "sdn.xml", &without.replace("08/20", "08/21"));
    assert_eq!((code, text(&held, "standing")), (Some(2), "held"));
    let doubts = [
        "1 of the live snapshot's 1 strong aliases are missing",
        "1 of the live snapshot's 1 weak aliases are missing",
    ];
    assert_eq!(held["doubts"], json!(doubts));
}

#[test]
fn a_list_under_anothers_name_waits() {
    let data = TempDir::new().unwrap();
    let other = SDN_XML.replace("TEST-EO1", "NS-PLC");
    let (code, held) = import(data.path(), "sdn.xml", &other);
    assert_eq!((code, text(&held, "list")), (Some(2), "OFAC Consolidated (non-SDN)"));
    let doubt = "sdn.xml has the name of OFAC SDN and holds OFAC Consolidated (non-SDN)";
    assert_eq!(held["doubts"], json!([doubt]));
    let (code, told) = import(data.path(), "download.xml", &other);
    assert_eq!((code, text(&told, "list")), (Some(0), "OFAC Consolidated (non-SDN)"));
}

#[test]
fn a_retired_list_is_out_until_a_snapshot_of_it_is_accepted() {
    let data = TempDir::new().unwrap();
    let live = |list: &str| {
        let status = lines(&lists(data.path(), &["status"]));
        let of: Vec<_> = status.iter().filter(|line| line["list"] == list).collect();
        (of.iter().any(|line| line["live"] == true), of.iter().all(|line| line["retired"] == true))
    };
    let retire = |list: &str| lists(data.path(), &["retire", list]);
    let none = retire("OFAC SDN");
    assert_eq!((none.code, none.err.contains("no list is live")), (Some(1), true), "{none:?}");
    let id = text(&import(data.path(), "sdn.xml", SDN_XML).1, "snapshot").to_owned();
    import(data.path(), "consolidated.xml", SDN_XML);
    let unknown = retire("OFAC");
    assert_eq!((unknown.code, &*unknown.out), (Some(1), ""));
    assert!(unknown.err.contains("live are \"OFAC Consolidated (non-SDN)\", \"OFAC SDN\""), "{unknown:?}");
    let said = lines(&retire("OFAC SDN"));
    assert_eq!((text(&said[0], "list"), said[0]["retired_at"].is_string()), ("OFAC SDN", true));
    assert_eq!(live("OFAC SDN"), (false, true));
    assert_eq!(live("OFAC Consolidated (non-SDN)"), (true, false));
    let (code, kept) = import(data.path(), "sdn.xml", SDN_XML);
    assert_eq!((code, text(&kept, "standing")), (Some(2), "retired"));
    assert_eq!(live("OFAC SDN"), (false, true));
    assert_eq!(lists(data.path(), &["accept", &id]).code, Some(0));
    assert_eq!(live("OFAC SDN"), (true, false));
}

#[test]
fn a_difference_is_told_entry_by_entry() {
    let data = TempDir::new().unwrap();
    import(data.path(), "sdn.xml", SDN_XML);
    let next = SDN_XML.replace("08/20", "08/21").replace("VANYA", "VANJA").replace("<uid>104<", "<uid>105<");
    import(data.path(), "sdn.xml", &next);
    let diff = lines(&lists(data.path(), &["diff", "2026-08-20", "2026-08-21"]));
    let told: Vec<_> = diff.iter().map(|line| (text(line, "change"), text(line, "uid"))).collect();
    assert_eq!(told, [("added", "105"), ("removed", "104"), ("changed", "101")]);
    assert_eq!(
        diff[2]["fields"],
        json!([{"field": "weak_aliases", "removed": ["VANYA"], "added": ["VANJA"]}])
    );
    for unknown in ["2026-08-19", "abc", "0000000000"] {
        let said = lists(data.path(), &["diff", unknown, "2026-08-21"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("no snapshot"), "{said:?}");
    }
}

#[test]
fn what_is_no_list_is_refused_and_nothing_of_it_is_kept() {
    let data = TempDir::new().unwrap();
    let half = &SDN_XML[..SDN_XML.len() / 2];
    let declared = SDN_XML.replacen("?>", "?><!DOCTYPE list [<!ENTITY a \"aaaa\">]>", 1);
    assert_ne!(declared, SDN_XML);
    let utf_16: Vec<u8> = SDN_XML.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [
        ("sdn.xml", half.as_bytes()),
        ("other.txt", b"hello"),
        ("sdn.xml", b""),
        ("sdn.xml", declared.as_bytes()),
        ("sdn.xml", &utf_16),
        ("eu.xml", b"<html><body>Service unavailable</body></html>"),
        ("un.xml", b"<CONSOLIDATED_LIST dateGenerated=\"2026-11-20T00:00:00Z\"><INDIVIDUALS><INDIV"),
        ("uk.csv", b"Unique ID,Name 6,Na"),
    ] {
        let file = data.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let said = lists(data.path(), &["import", file.to_str().unwrap()]);
        assert_eq!((said.code, &*said.out), (Some(1), ""), "{said:?}");
    }
    assert_eq!(lists(data.path(), &["status"]).out, "");
}

#[test]
fn a_judge_needs_a_real_list_and_does_not_mind_its_age() {
    let data = TempDir::new().unwrap();
    let judge = |class: &str, input: &str| {
        let mut command = touchstone(["judge", class]);
        command.env("TOUCHSTONE_DATA_DIR", data.path());
        said(command, input)
    };
    let question = "{\"entity\":\"Nobody Of That Kind\"}\n";
    for class in ["screen-entity", "screen-batch", "screen-wallet"] {
        let without = judge(class, question);
        assert_eq!((without.code, &*without.out), (Some(2), ""), "{without:?}");
        assert!(without.err.contains("lists import"), "{without:?}");
    }
    import(data.path(), "sdn.xml", SDN_XML);
    // As if nobody had confirmed it for years.
    let live = data.path().join("lists/live.json");
    let mut record: Value = serde_json::from_slice(&std::fs::read(&live).unwrap()).unwrap();
    record["OFAC SDN"]["confirmed_at"] = json!("2020-01-01T00:00:00.000Z");
    std::fs::write(&live, record.to_string()).unwrap();
    let old = judge("screen-entity", question);
    assert_eq!(old.code, Some(0), "{old:?}");
    let finding = &lines(&old)[0];
    assert_eq!(text(finding, "verdict"), "NO_MATCH");
    assert!(finding["lists"][0]["age_seconds"].as_u64().unwrap() > 100_000_000);
    let mistyped = judge("screen-wallet", "{\"wallet\":\"1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qj\"}\n");
    assert_eq!((mistyped.code, &lines(&mistyped)[0]["error"]["field"]), (Some(2), &json!("wallet")));
}

#[test]
fn a_judge_whose_lists_cannot_be_read_fails_as_a_machine_does() {
    let data = TempDir::new().unwrap();
    import(data.path(), "sdn.xml", SDN_XML);
    std::fs::write(data.path().join("lists/live.json"), "{").unwrap();
    let mut command = touchstone(["judge", "screen-entity"]);
    command.env("TOUCHSTONE_DATA_DIR", data.path());
    let failed = said(command, "{\"entity\":\"Nobody Of That Kind\"}\n");
    assert_eq!((failed.code, &*failed.out), (Some(1), ""), "{failed:?}");
    assert!(failed.err.contains("cannot be read"), "{failed:?}");
}
