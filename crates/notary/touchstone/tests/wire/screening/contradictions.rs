//! Dates of two calendars, parties and names that are given twice, lists that refer to one another: none of it clears a listed party.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ENTITY, SDN_XML, import, import_named};
use crate::support::chain::until;
use crate::support::http::{Answer, Request};
use crate::support::money::{pays, with_proof};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

/// Like the listed name, but not letter for letter: what else is known of its bearer decides.
const SIMILAR: &str = "Ivan Examplov";
const BORN: &str = "1961-03-03";

const UN_XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-08-20T00:00:00.000Z"><INDIVIDUALS>
<INDIVIDUAL><DATAID>901</DATAID><FIRST_NAME>JANEK</FIRST_NAME><SECOND_NAME>KOZAROVITCH</SECOND_NAME>
<UN_LIST_TYPE>Sample</UN_LIST_TYPE><REFERENCE_NUMBER>QDi.901</REFERENCE_NUMBER>
<INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1345</YEAR></INDIVIDUAL_DATE_OF_BIRTH></INDIVIDUAL>
</INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>"#;

const UK_CSV: &str = "Report Date: 21-Aug-2026\n\
    Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,Name non-latin script,Designation Type\n\
    GHR0001,700,QDi.901,KOZAROVITCH,Janek,,,,,Primary Name,,,Individual\n";

/// The EU's list, with further entities after the first.
fn eu_xml(more: &str) -> String {
    let name = |name: &str| format!("<nameAlias wholeName=\"{name}\" strong=\"true\"/>");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
        <export xmlns=\"http://eu.europa.ec/fpi/fsd/export\" generationDate=\"2026-08-20T15:29:22.497+02:00\" globalFileId=\"1\">
        <sanctionEntity euReferenceNumber=\"EU.9.1\" unitedNationId=\"QDi.901\" logicalId=\"91\"><regulation programme=\"TEST\"/>
        <subjectType code=\"person\" classificationCode=\"P\"/>{}
        <birthdate circa=\"false\" calendarType=\"ISLAMIC\" year=\"1386\"/></sanctionEntity>{more}</export>",
        name("Janek Kozarovitch"),
    )
}

/// A service on the small publication and these.
fn on_lists(more: &[(&str, &str)]) -> Service {
    let service = Launch::dev().without_limits().start();
    let data = service.data.path();
    assert_eq!(import(data, SDN_XML).code, Some(0));
    for (name, text) in more {
        let said = import_named(data, name, text);
        assert_eq!(said.code, Some(0), "{name}: {said:?}");
    }
    until("the lists are live", || {
        let receipt = ask(&service, json!({"entity": "Ivan Petrovich Examplov"})).expect(200).json();
        let lists = receipt["lists"].as_array().map(Vec::len);
        receipt["lists"][0]["demo"] == false && lists == Some(more.len() + 1)
    });
    service
}

fn ask(service: &Service, question: Value) -> Answer {
    let mut question = question;
    question["agent"] = json!("a");
    service.ask("/screen-entity", &question)
}

#[test]
fn a_date_of_birth_of_another_calendar_is_refused_and_clears_nobody() {
    let service = on_lists(&[]);
    let verdict = |birth: &str| {
        let receipt = ask(&service, json!({"entity": SIMILAR, "birth_date": birth})).expect(200).json();
        text(&receipt, "verdict").to_owned()
    };
    assert_ne!(verdict(BORN), "NO_MATCH");
    assert_eq!(verdict("1990-02-03"), "NO_MATCH", "a date that contradicts the listed one clears the name");
    // The same day by the Iranian, the Islamic and the Thai calendar, and a day that is still to come.
    for (birth, reason) in [
        ("1339-12-12", "out_of_range"),
        ("1380-09-15", "out_of_range"),
        ("1339/1961", "out_of_range"),
        ("2504-03-03", "in_future"),
        ("2999~", "in_future"),
    ] {
        ask(&service, json!({"entity": SIMILAR, "birth_date": birth})).names("birth_date", reason);
        let question = json!({"agent": "a", "counterparty_name": SIMILAR, "birth_date": birth});
        service.ask("/agent-clearance", &question).names("birth_date", reason);
        let entities = json!(["Nobody Of That Kind", {"entity": SIMILAR, "birth_date": birth}]);
        let batch = Request::json("/screen-batch", &json!({"agent": "a", "entities": entities}));
        let batch = service.send(&with_proof(batch, &pays(2 * ENTITY)));
        batch.names("entities.1.birth_date", reason);
    }
}

#[test]
fn a_second_date_of_birth_is_refused_whatever_it_is_called() {
    let service = on_lists(&[]);
    let twice =
        format!(r#"{{"agent":"a","entity":"{SIMILAR}","birth_date":"{BORN}","birth_date":"1339-12-12"}}"#);
    service.post("/screen-entity", &twice).names("birth_date", "duplicate_key");
    for (member, value) in [("dob", json!("1339-12-12")), ("date_of_birth", json!(BORN))] {
        let mut question = json!({"entity": SIMILAR, "birth_date": BORN});
        question[member] = value;
        ask(&service, question).names(member, "misnamed");
    }
    for (birth, reason) in [
        (json!([BORN, "1339-12-12"]), "wrong_type"),
        (json!({"gregorian": BORN, "iranian": "1339-12-12"}), "wrong_type"),
        (json!("1963/1961"), "malformed"),
        (json!("1961-02-30"), "malformed"),
        (json!("03 Mar 1961"), "malformed"),
    ] {
        ask(&service, json!({"entity": SIMILAR, "birth_date": birth})).names("birth_date", reason);
    }
}

#[test]
fn a_listed_date_of_another_calendar_contradicts_no_date_of_the_question() {
    let service = on_lists(&[("un.xml", UN_XML), ("eu.xml", &eu_xml(""))]);
    for birth in ["1966-05-03", "1990"] {
        let question = json!({"entity": "Janek Kozarovitz", "birth_date": birth});
        let receipt = ask(&service, question).expect(200).json();
        assert_ne!(text(&receipt, "verdict"), "NO_MATCH", "{birth}: {receipt}");
    }
}

#[test]
fn lists_that_refer_to_one_another_in_a_circle_tell_a_party_once() {
    let janek = || json!({"entity": "Janek Kozarovitch"});
    let others = |receipt: &Value| -> Vec<String> {
        let also = receipt["matches"][0]["also_listed"].as_array().cloned().unwrap_or_default();
        also.iter().map(|one| text(one, "list").to_owned()).collect()
    };
    let eu = eu_xml("");
    let service = on_lists(&[("un.xml", UN_XML), ("uk.csv", UK_CSV), ("eu.xml", &eu)]);
    let receipt = ask(&service, janek()).expect(200).json();
    assert_eq!(text(&receipt, "verdict"), "MATCH");
    let mut listed = others(&receipt);
    listed.push(text(&receipt["matches"][0], "list").to_owned());
    listed.sort_unstable();
    assert_eq!(receipt["matches"].as_array().map(Vec::len), Some(1), "{receipt}");
    assert_eq!(listed.len(), 3, "{listed:?}");
    listed.dedup();
    assert_eq!(listed.len(), 3, "{listed:?}");
}

#[test]
fn a_number_that_two_parties_of_a_list_have_makes_them_no_party_of_another() {
    let double = "<sanctionEntity euReferenceNumber=\"EU.9.2\" unitedNationId=\"QDi.901\" logicalId=\"92\">
        <regulation programme=\"TEST\"/><subjectType code=\"person\" classificationCode=\"P\"/>
        <nameAlias wholeName=\"Janek Kozarovitch\" strong=\"true\"/></sanctionEntity>";
    let service = on_lists(&[("un.xml", UN_XML), ("eu.xml", &eu_xml(double))]);
    let receipt = ask(&service, json!({"entity": "Janek Kozarovitch"})).expect(200).json();
    let matches = receipt["matches"].as_array().unwrap();
    assert_eq!((text(&receipt, "verdict"), matches.len()), ("MATCH", 3), "{receipt}");
    assert!(matches.iter().all(|one| one.get("also_listed").is_none()), "{receipt}");
}

#[test]
fn more_names_than_the_bound_are_refused_and_a_name_that_is_given_twice_counts_once() {
    let service = on_lists(&[]);
    let with = |names: Value| ask(&service, json!({"entity": "Nobody Of That Kind", "names": names}));
    with(json!(vec!["Nobody Else"; 9])).names("names", "too_long");
    with(json!(["Nobody Else", "GmbH"])).names("names.1", "empty");
    with(json!({"alias": "Nobody Else"})).names("names", "wrong_type");
    ask(&service, json!({"entity": "Nobody", "aliases": ["Nobody Else"]})).names("aliases", "misnamed");
    let listed = "Ivan Petrovich Examplov";
    let [once, twice] = [json!([listed]), json!(vec![listed; 8])].map(|names| with(names).expect(200).json());
    assert_eq!((text(&once, "verdict"), text(&twice, "verdict")), ("MATCH", "MATCH"));
    assert_eq!(once["matches"], twice["matches"]);
    assert_eq!(twice["matches"].as_array().map(Vec::len), Some(1), "{twice}");
    let numbers = json!({"entity": "Nobody", "identifiers": vec!["AB 123"; 17]});
    ask(&service, numbers).names("identifiers", "too_long");
}

#[test]
fn a_party_that_is_given_twice_has_the_same_result_twice_and_is_paid_for_twice() {
    let service = on_lists(&[]);
    let batch = |entities: Value, paid: u64| {
        let question = json!({"agent": "a", "entities": entities});
        service.send(&with_proof(Request::json("/screen-batch", &question), &pays(paid)))
    };
    let known = json!({"entity": SIMILAR, "birth_date": BORN});
    // The same party, and once with another date: each is answered by what is said of it alone.
    let entities = json!([known, known, {"entity": SIMILAR, "birth_date": "1990-02-03"}]);
    let receipt = batch(entities, 3 * ENTITY).expect(200).json();
    let results = receipt["results"].as_array().unwrap();
    assert_eq!(results[0]["verdict"], results[1]["verdict"]);
    assert_eq!(results[0]["matches"], results[1]["matches"]);
    assert_eq!(results[2]["verdict"], "NO_MATCH");
    assert_ne!(text(&receipt, "verdict"), "NO_MATCH", "the worst of them");
    assert_eq!(text(&receipt["payment"], "amount"), "0.03");
    batch(json!(vec!["Evil Corp"; 1_001]), 1_001 * ENTITY).names("entities", "too_long");
}

#[test]
fn a_list_with_a_party_twice_or_with_a_hundred_thousand_aliases_is_refused_and_the_old_one_stays() {
    let data = TempDir::new().unwrap();
    let next = SDN_XML.replace("08/20/2026", "08/21/2026");
    let many: String = (0..100_000)
        .map(|at| format!("<aka><uid>{}</uid><type>a.k.a.</type><category>strong</category><lastName>A{at}</lastName></aka>", at + 1_000))
        .collect();
    let aliases = next.replacen("</akaList>", &format!("{many}</akaList>"), 1);
    let eu = eu_xml("");
    let twice = eu_xml(eu.split_once("globalFileId=\"1\">").unwrap().1.strip_suffix("</export>").unwrap());
    for (name, first, bad, why) in [
        ("sdn.xml", SDN_XML, next.replace("<uid>104</uid>", "<uid>103</uid>"), "has entry 103 twice"),
        ("sdn.xml", SDN_XML, aliases, "more than"),
        ("eu.xml", &*eu, twice, "has entry 91 twice"),
    ] {
        assert_eq!(import_named(data.path(), name, first).code, Some(0), "{name}");
        let live = std::fs::read(data.path().join("lists/live.json")).unwrap();
        let said = import_named(data.path(), name, &bad);
        assert!(said.code == Some(1) && said.out.is_empty() && said.err.contains(why), "{why}: {said:?}");
        assert_eq!(std::fs::read(data.path().join("lists/live.json")).unwrap(), live);
    }
}
