//! What a stranger may send for a name, and what may lie there for a list.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{SDN_XML, import};
use crate::command::{Said, said};
use crate::support::chain::until;
use crate::support::http::Answer;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, touchstone};

const LISTED: &str = "Ivan Petrovich Examplov";

/// A service on the small publication alone.
fn on_the_list() -> Service {
    let service = Launch::serve().without_limits().start();
    assert_eq!(import(service.data.path(), SDN_XML).code, Some(0));
    until("the list is live", || ask(&service, LISTED).status == 200);
    service
}

fn ask(service: &Service, entity: &str) -> Answer {
    service.ask("/screen-entity", &json!({"agent": "a", "entity": entity}))
}

fn clear(service: &Service, name: &str) -> Answer {
    service.ask("/agent-clearance", &json!({"agent": "a", "counterparty_name": name}))
}

#[test]
fn what_is_no_name_is_refused_by_field_and_charged_to_nobody() {
    let service = on_the_list();
    for name in [
        "",
        " \t\n",
        "...",
        "\u{200d}\u{200f}",
        "\u{0}\u{1}\u{7f}",
        "A",
        "م",
        "Ltd",
        "PJSC",
        "ООО",
        "GmbH & Co KG",
        "有限公司",
        "Attn Finance Dept",
        "the of and",
        "M/V",
    ] {
        ask(&service, name).names("entity", "empty");
        clear(&service, name).names("counterparty_name", "empty");
    }
    ask(&service, &"x".repeat(4_097)).names("entity", "too_long");
    clear(&service, &"x".repeat(4_097)).names("counterparty_name", "too_long");
    for not_text in [json!(null), json!(7), json!([LISTED]), json!({"name": LISTED})] {
        let body = json!({"agent": "a", "entity": not_text});
        service.ask("/screen-entity", &body).names("entity", "wrong_type");
    }
    let lone = r#"{"agent":"a","entity":"Ivan \ud800 Examplov"}"#;
    assert_eq!(service.post("/screen-entity", lone).problem(400)["field"], "entity");
    let issued = &service.get("/stats").expect(200).json()["by_class"];
    assert_eq!(issued["screen-entity"]["count"], 1, "the question that waited for the list: {issued}");
}

#[test]
fn what_is_not_seen_or_looks_alike_hides_nobody_and_is_told() {
    let service = on_the_list();
    for (name, verdict, noticed) in [
        (LISTED, "MATCH", json!([])),
        ("Ivan Петрович Examplov", "MATCH", json!([])),
        ("Iv\u{1}an Petrovich\u{0} Examplov", "MATCH", json!(["invisible_characters"])),
        ("Iv\u{200d}an Petrovich Examp\u{200b}lov", "MATCH", json!(["invisible_characters"])),
        ("\u{202e}Ivan Petrovich\u{200f} Examplov\u{202c}", "MATCH", json!(["invisible_characters"])),
        // With the Cyrillic а, е and о.
        ("Ivаn Pеtrоvich Exаmplоv", "MATCH", json!(["look_alike_letters"])),
        ("1van Petrovich Examp1ov", "MATCH", json!(["look_alike_letters"])),
        ("Nobody Of That Kind", "NO_MATCH", json!([])),
    ] {
        let receipt = ask(&service, name).expect(200).json();
        assert_eq!((text(&receipt, "verdict"), &receipt["query_notes"]), (verdict, &noticed), "{name:?}");
        let cleared = clear(&service, name).expect(200).json();
        let expected = if verdict == "MATCH" { "BLOCK" } else { "CLEAR" };
        assert_eq!(text(&cleared, "verdict"), expected, "{name:?}");
    }
}

#[test]
fn a_name_too_long_to_be_compared_whole_is_answered_and_never_cleared() {
    let service = on_the_list();
    for name in ["x".repeat(4_096), "王".repeat(4_096), format!("{}{LISTED}", "Nobody ".repeat(500))] {
        let receipt = ask(&service, &name).expect(200).json();
        assert_eq!(
            (text(&receipt, "verdict"), &receipt["query_notes"]),
            ("POSSIBLE_MATCH", &json!(["truncated"]))
        );
        assert_eq!(text(&clear(&service, &name).expect(200).json(), "verdict"), "REVIEW");
    }
}

fn lists(data: &Path, arguments: &[&str]) -> Said {
    let mut command = touchstone(["lists"].iter().chain(arguments));
    command.env("TOUCHSTONE_DATA_DIR", data);
    said(command, "")
}

#[test]
fn a_file_that_is_no_whole_list_of_somebody_is_refused_and_the_old_list_stays() {
    let data = TempDir::new().unwrap();
    assert_eq!(import(data.path(), SDN_XML).code, Some(0));
    let before = lists(data.path(), &["status"]).out;
    let live = fs::read(data.path().join("lists/live.json")).unwrap();
    let head = &SDN_XML[..SDN_XML.find("<sdnEntry>").unwrap()];
    let nobody = format!("{}</sdnList>", head.replace("<Record_Count>4<", "<Record_Count>0<"));
    let next = SDN_XML.replace("08/20/2026", "08/21/2026");
    for (name, list, why) in [
        ("sdn.xml", &next[..next.len() / 2], "malformed"),
        ("sdn.xml", &format!("{next}{next}"), "malformed"),
        ("sdn.xml", &next.replace("<uid>104</uid>", "<uid>103</uid>"), "has entry 103 twice"),
        ("sdn.xml", &next.replace("sdnEntry>", "sdnParty>"), "malformed"),
        ("sdn.xml", "<?xml version=\"1.0\"?><CONSOLIDATED_LIST/>", "no known list format"),
        ("sdn.xml", "<html><body>Service unavailable</body></html>", "no known list format"),
        ("sdn.json", "{\"message\": \"rate limited\"}", "no known list format"),
        ("sdn.csv", "a,b,c\n1,2,3\n", "no known list format"),
        ("sdn.xml", "", "no known list format"),
        ("sdn.xml", &nobody, "has no entries"),
        ("sdn.json", "{\"published\": \"2026-08-21\", \"entries\": []}", "has no entries"),
    ] {
        let file = data.path().join(name);
        fs::write(&file, list).unwrap();
        let said = lists(data.path(), &["import", file.to_str().unwrap()]);
        assert!(said.code == Some(1) && said.out.is_empty() && said.err.contains(why), "{why}: {said:?}");
    }
    let files = ["one.xml", "two.xml"].map(|name| data.path().join(name));
    files.iter().for_each(|file| fs::write(file, &next).unwrap());
    let twice = lists(data.path(), &["import", files[0].to_str().unwrap(), files[1].to_str().unwrap()]);
    assert!(twice.code == Some(1) && twice.err.contains("are both SDN.XML"), "{twice:?}");
    let snapshots = |status: &str| -> Vec<Value> {
        status.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["snapshot"].clone()).collect()
    };
    assert_eq!(snapshots(&lists(data.path(), &["status"]).out), snapshots(&before));
    assert_eq!(fs::read(data.path().join("lists/live.json")).unwrap(), live);
    let counted = next.replace("<Record_Count>4<", "<Record_Count>5<");
    let held = import(data.path(), &counted);
    assert!(held.code == Some(2) && held.out.contains("says 5 entries, 4 were read"), "{held:?}");
    assert_eq!(fs::read(data.path().join("lists/live.json")).unwrap(), live);
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_refused() {
    let data = TempDir::new().unwrap();
    let path = data.path().join("sdn.xml");
    // Whoever opens a pipe waits for the other side: so this is the moment in which the file is looked at.
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let whole = data.path().join("whole.xml");
    fs::write(&whole, SDN_XML).unwrap();
    let replacing = {
        let path = path.clone();
        thread::spawn(move || {
            let mut pipe = File::options().write(true).open(&path).unwrap();
            fs::rename(whole, path).unwrap();
            pipe.write_all(SDN_XML.as_bytes()).unwrap();
        })
    };
    let refused = lists(data.path(), &["import", path.to_str().unwrap()]);
    replacing.join().unwrap();
    assert!(refused.err.contains("sdn.xml was replaced while it was read"), "{refused:?}");
    assert_eq!((refused.code, &*lists(data.path(), &["status"]).out), (Some(1), ""));
    assert_eq!(lists(data.path(), &["import", path.to_str().unwrap()]).code, Some(0));
}
