//! `touchstone verify`: receipts, offline.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Said, said};
use crate::support::claims::{signed, with};
use crate::support::notary::Notary;
use crate::support::receipt::hash;
use crate::support::service::{Service, dev, touchstone};

/// Files in a folder of their own.
struct Pipeline(TempDir);

impl Pipeline {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Verifies with the keys of the service's data folder.
fn verify(service: &Service, files: &[&str], input: &str) -> Said {
    said(service.command(["verify"].iter().chain(files)), input)
}

fn lines(receipts: &[&Value]) -> String {
    receipts.iter().map(|receipt| format!("{receipt}\n")).collect()
}

#[test]
fn receipts_hold_as_a_document_as_lines_and_from_standard_input() {
    let service = dev();
    let pipeline = Pipeline::new();
    let [a, b] = ["a", "b"].map(|agent| service.claim(&signed(agent)));
    let pretty = pipeline.file("pretty.json", serde_json::to_string_pretty(&a).unwrap());
    let other = pipeline.file("other.json", serde_json::to_string_pretty(&b).unwrap());
    let many = pipeline.file("many.jsonl", format!("\n{}\n\n", lines(&[&a, &b])));
    for (files, input, count) in [
        (vec![&*pretty], "", 1),
        (vec![&*many], "", 2),
        (vec!["-"], &*lines(&[&a, &b]), 2),
        (vec!["-"], &*b.to_string(), 1),
        (vec![&*pretty, &*other], "", 2),
        (vec![&*many, &*pretty, "-"], &*serde_json::to_string_pretty(&b).unwrap(), 4),
    ] {
        let said = verify(&service, &files, input);
        assert_eq!(said.code, Some(0), "{files:?}: {said:?}");
        assert!(said.out.contains(&format!("{count} valid, 0 not valid")), "{files:?}: {said:?}");
    }
    let said = verify(&service, &[&many], "");
    assert!(said.out.contains(hash(&a)) && said.out.contains(hash(&b)), "{said:?}");
    let quiet = verify(&service, &["--quiet", &many], "");
    assert_eq!((quiet.code, quiet.out.contains(hash(&a))), (Some(0), false));
}

#[test]
fn one_receipt_that_does_not_hold_is_enough_to_fail_and_its_check_is_named() {
    let service = dev();
    let [a, b] = ["a", "b"].map(|agent| service.claim(&signed(agent)));
    let changed = with(a.clone(), "/verdict", json!("REFUTED"));
    let said = verify(&service, &["-"], &lines(&[&b, &changed]));
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("1 valid, 1 not valid") && said.out.contains("-:2: NOT VALID"), "{said:?}");
    for check in ["hash:", "signature:", "inclusion:"] {
        assert!(said.out.contains(check), "{check} {said:?}");
    }
    for (pointer, value, check) in [
        ("/signature", json!(b["signature"]), "signature:"),
        ("/proof", json!(b["proof"]), "inclusion:"),
        ("/receipt_hash", json!(b["receipt_hash"]), "hash:"),
        ("/kid", json!("did:web:other.example#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"), "key:"),
    ] {
        let said = verify(&service, &["-"], &with(a.clone(), pointer, value).to_string());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.out.contains(check), "{check} {said:?}");
    }
}

#[test]
fn what_is_no_receipt_fails_and_the_rest_is_still_looked_at() {
    let service = dev();
    let good = service.claim(&signed("a"));
    let said = verify(&service, &["-"], &format!("{good}\n{{\"v\":1}}\nnot JSON\n{good}\n"));
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("2 valid, 2 not valid"), "{said:?}");
    assert!(said.out.contains("-:2: NOT A RECEIPT") && said.out.contains("class"), "{said:?}");
    for (text, why) in [
        ("{}", "the receipt has no `v`"),
        ("hello", "not JSON: "),
        (
            r#"{"v":1,"claim":{"a":1,"a":2}}"#,
            r#"in `claim.a`, the name "a" is given more than once in one object"#,
        ),
    ] {
        let said = verify(&service, &["-"], text);
        assert!(said.out.contains(&format!("NOT A RECEIPT: {why}")), "{said:?}");
    }
    for nothing in ["", "\n\n"] {
        assert_eq!(verify(&service, &["-"], nothing).code, Some(2), "nothing was verified");
    }
    assert_eq!(verify(&service, &["/nowhere/at/all"], "").code, Some(2));
}

#[test]
fn published_keys_verify_without_the_data_folder_and_other_keys_do_not() {
    let service = dev();
    let pipeline = Pipeline::new();
    let notary = Notary::of(&service);
    let other = Notary::of(&crate::support::service::production());
    let receipt = service.claim(&signed("a")).to_string();
    let keys = pipeline.file("keys.json", notary.jwks.to_string());
    let wrong = pipeline.file("wrong.json", other.jwks.to_string());
    let with = |keys: &str, vkey: &str| {
        let mut command = touchstone(["verify", "-", "--keys", keys, "--log-key", vkey]);
        command.env("TOUCHSTONE_DATA_DIR", pipeline.0.path().join("none"));
        said(command, &receipt)
    };
    let said_of = with(&keys, &notary.vkey);
    assert_eq!(said_of.code, Some(0), "{said_of:?}");
    let said_of = with(&wrong, &notary.vkey);
    assert!(
        said_of.code == Some(2) && said_of.out.contains("key: kid is not one of the known keys"),
        "{said_of:?}"
    );
    assert!(said_of.out.contains("CANNOT SAY CONFIRMED, claim-verdict, "), "{said_of:?}");
    let said_of = with(&keys, &other.vkey);
    assert!(said_of.code == Some(1) && said_of.out.contains("inclusion:"), "{said_of:?}");
    for (keys, vkey) in [(&keys, "nonsense"), (&"/nowhere".to_owned(), &*notary.vkey)] {
        assert_eq!(with(keys, vkey).code, Some(2));
    }
    let keys_alone = |keys: &str| {
        let mut command = touchstone(["verify", "-", "--keys", keys]);
        command.env("TOUCHSTONE_DATA_DIR", pipeline.0.path().join("none"));
        said(command, &receipt)
    };
    // The set has the keys of the log; that of a notary of before has none.
    assert_eq!(keys_alone(&keys).code, Some(0));
    let mut set: Value = serde_json::from_slice(&fs::read(&keys).unwrap()).unwrap();
    set["keys"].as_array_mut().unwrap().retain(|key| key["role"] != "log");
    let without_log = pipeline.0.path().join("without_log.json");
    fs::write(&without_log, set.to_string()).unwrap();
    let said_of = keys_alone(without_log.to_str().unwrap());
    assert!(said_of.code == Some(2) && said_of.err.contains("--log-key is missing"), "{said_of:?}");
    assert!(said_of.out.contains("inclusion: no key of the log is known"), "{said_of:?}");
    let mut bare = touchstone(["verify", "-"]);
    bare.env("TOUCHSTONE_DATA_DIR", pipeline.0.path().join("none"));
    let said_of = said(bare, &receipt);
    assert!(said_of.code == Some(2) && said_of.err.contains("--keys"), "{said_of:?}");
    assert!(!pipeline.0.path().join("none").exists(), "verifying makes no keys");
}

#[test]
fn a_receipt_is_taken_in_every_form_in_which_it_can_be_had() {
    let service = dev();
    let pipeline = Pipeline::new();
    let [a, b] = ["a", "b"].map(|agent| service.claim(&signed(agent)));
    let answer = service.ask("/verify", &a).expect(200).text();
    let marked = pipeline.file("marked.json", [b"\xef\xbb\xbf", a.to_string().as_bytes()].concat());
    for (files, input, count) in
        [(vec!["-"], &*json!([a, b]).to_string(), 2), (vec!["-"], &*answer, 1), (vec![&*marked], "", 1)]
    {
        let said = verify(&service, &files, input);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains(&format!("{count} valid, 0 not valid")), "{said:?}");
    }
    // A JWS has no proof: what it has holds.
    let jws = service.get(&format!("/receipts/{}.jws", hash(&a))).expect(200).text();
    let said = verify(&service, &["-"], &jws);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("inclusion: the receipt has no proof") && !said.out.contains("signature:"),
        "{said:?}"
    );
    let (head, tail) = jws.split_at(jws.rfind('.').unwrap() + 1);
    let forged = format!("{head}{}{}", if tail.starts_with('A') { 'B' } else { 'A' }, &tail[1..]);
    let said = verify(&service, &["-"], &forged);
    assert!(said.code == Some(1) && said.out.contains("signature:"), "{said:?}");
}

#[test]
fn verdict_class_issuer_and_time_are_said_and_programs_get_an_object_a_receipt() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let changed = with(receipt.clone(), "/verdict", json!("REFUTED"));
    let iss = receipt["iss"].as_str().unwrap();
    let said_of = verify(&service, &["-"], &receipt.to_string());
    let signed_at = receipt["signed_at"].as_str().unwrap();
    let line = format!("-:1: valid CONFIRMED, claim-verdict, {iss}, {signed_at}, {}", hash(&receipt));
    assert!(said_of.out.starts_with(&line), "{said_of:?}");
    let said_of = verify(&service, &["-", "--json"], &lines(&[&receipt, &changed, &json!({"v": 1})]));
    assert_eq!(said_of.code, Some(1));
    let told: Vec<Value> = said_of.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<&Value> = told.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["holds", "fails", "fails"], "{told:?}");
    assert_eq!(
        (&told[0]["verdict"], &told[0]["checks"]["inclusion"]["ok"]),
        (&json!("CONFIRMED"), &json!(true))
    );
    assert!(told[2]["error"].as_str().unwrap().contains("has no `class`"), "{told:?}");
    // With the keys that the notary publishes, fetched for it.
    let mut fetching = touchstone(["verify", "-", "--url", &format!("http://{}", service.address)]);
    fetching.env("TOUCHSTONE_DATA_DIR", "/nowhere");
    assert_eq!(said(fetching, receipt.to_string()).code, Some(0));
}

#[test]
fn who_stops_reading_the_output_is_no_error() {
    for arguments in [&["openapi"][..], &["completions", "bash"], &["man"]] {
        let mut command = touchstone(arguments.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert!(ended.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}
