//! `touchstone judge`: any judge, offline, on JSON Lines.

use serde_json::{Value, json};

use super::{Said, said};
use crate::support::claims::{at, signed, with, without};
use crate::support::receipt::text;
use crate::support::service::{read, touchstone};

fn judge(arguments: &[&str], input: &str) -> Said {
    said(touchstone(["judge"].iter().chain(arguments)), input)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn findings_come_in_the_order_of_the_questions_whatever_the_threads() {
    let question = |number: usize| with(signed("a"), "/claim", json!(format!("claim {number}"))).to_string();
    let input: String = (0..300).map(|number| question(number) + "\n").collect();
    let outputs = ["1", "2", "16"].map(|threads| {
        let said = judge(&["claim-verdict", "--threads", threads], &input);
        assert_eq!((said.code, &*said.err), (Some(0), ""));
        lines(&said.out)
    });
    for findings in &outputs {
        assert_eq!(findings.len(), 300);
        for (number, finding) in findings.iter().enumerate() {
            assert_eq!(
                (text(finding, "claim"), text(finding, "verdict")),
                (&*format!("claim {number}"), "CONFIRMED")
            );
        }
    }
}

#[test]
fn a_finding_is_unsigned_and_its_agent_may_be_left_out() {
    let said = judge(&["claim-verdict"], &without(signed("a"), "/agent").to_string());
    assert_eq!(said.code, Some(0));
    let [finding] = &lines(&said.out)[..] else { panic!("{said:?}") };
    for member in ["verdict", "claim", "resolver_confidence", "evidence", "scope", "method"] {
        assert!(finding.get(member).is_some(), "{member} in {finding}");
    }
    for member in ["receipt_hash", "signature", "proof", "kid", "signed_at"] {
        assert_eq!(finding.get(member), None);
    }
}

#[test]
fn what_is_paid_for_on_the_wire_is_judged_offline_too() {
    let said = judge(&["commit"], "{\"content\":\"hello\"}\n{\"label\":\"greeting\"}\n");
    assert_eq!(said.code, Some(2), "{said:?}");
    let [finding, bad] = &lines(&said.out)[..] else { panic!("{said:?}") };
    assert_eq!((text(finding, "verdict"), text(finding, "method")), ("COMMITTED", "commit/1"));
    // What `printf '"hello"' | sha256sum` says.
    let hash = "sha256:5aa762ae383fbb727af3c7a36d4940a5b8c40a989452d2304fc958ff3f354e7a";
    assert_eq!(text(finding, "content_hash"), hash);
    assert_eq!((text(&bad["error"], "field"), text(&bad["error"], "reason")), ("content", "missing"));
}

#[test]
fn a_bad_line_is_told_by_its_number_and_the_rest_goes_on() {
    let input = [
        signed("a").to_string(),
        String::new(),
        "not JSON".to_owned(),
        "   ".to_owned(),
        without(signed("a"), "/resolver/signature").to_string(),
        "[]".to_owned(),
        r#"{"claim":"a","claim":"b"}"#.to_owned(),
        with(signed("a"), "/resolver/message", json!("x")).to_string() + "\r",
    ];
    let said = judge(&["claim-verdict"], &input.join("\n"));
    assert_eq!(said.code, Some(2), "{said:?}");
    let output = lines(&said.out);
    assert_eq!((text(&output[0], "verdict"), text(&output[5], "verdict")), ("CONFIRMED", "REFUTED"));
    let told: Vec<_> = output[1..5]
        .iter()
        .map(|line| {
            (line["line"].as_u64().unwrap(), text(&line["error"], "field"), text(&line["error"], "reason"))
        })
        .collect();
    assert_eq!(
        told,
        [
            (3, "body", "malformed"),
            (5, "resolver.signature", "missing"),
            (6, "body", "wrong_type"),
            (7, "claim", "duplicate_key"),
        ]
    );
    assert_eq!(output.len(), 6);
    assert!(said.err.contains("4 bad lines"), "{said:?}");
}

#[test]
fn no_private_address_is_asked_offline_either() {
    let trap = crate::support::peer::Trap::on("127.0.0.1:0").unwrap();
    let said =
        judge(&["claim-verdict"], &at(&format!("http://127.0.0.1:{}/", trap.port()), "a", "b").to_string());
    assert_eq!(text(&lines(&said.out)[0], "verdict"), "UNRESOLVED");
    trap.assert_untouched();
}

#[test]
fn questions_and_findings_may_be_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("in"), format!("{}\n{}\n", signed("a"), signed("b"))).unwrap();
    let said = judge(&["claim-verdict", "--in", &path("in"), "--out", &path("out")], "");
    assert_eq!((said.code, &*said.out), (Some(0), ""));
    assert_eq!(lines(&String::from_utf8(read(path("out").as_ref())).unwrap()).len(), 2);
    let said = judge(&["claim-verdict", "--in", "-", "--out", "-"], &signed("a").to_string());
    assert_eq!((said.code, lines(&said.out).len()), (Some(0), 1));
    assert_eq!(judge(&["claim-verdict", "--in", &path("none")], "").code, Some(1));
    let empty = judge(&["claim-verdict"], "");
    assert_eq!((empty.code, &*empty.out), (Some(0), ""));
}

#[test]
fn a_class_that_is_unknown_or_not_there_is_told() {
    let said = judge(&["nothing"], "");
    assert!(said.code == Some(1) && said.err.contains("nothing"), "{said:?}");
}

#[test]
fn a_line_over_every_published_limit_is_a_bad_line_and_not_a_burden() {
    let huge = format!("{{\"pad\":\"{}\"}}", "x".repeat(9 << 20));
    let said = judge(&["claim-verdict"], &format!("{huge}\n{}\n", signed("a")));
    assert_eq!(said.code, Some(2), "{}", said.err);
    let output = lines(&said.out);
    assert_eq!((output[0]["line"].as_u64(), text(&output[0]["error"], "field")), (Some(1), "body"));
    assert_eq!(text(&output[0]["error"], "reason"), "too_long");
    assert_eq!(text(&output[1], "verdict"), "CONFIRMED");
}
