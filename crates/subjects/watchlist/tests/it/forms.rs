//! One publication in its three forms gives one list.

use watchlist::lists::Doubt;
use watchlist::{Coverage, EntityKind, Entry, Gender, List, ListName, Quality, Snapshot};

use crate::common::{ADD_CSV, ADVANCED_XML, ALT_CSV, SDN_CSV, SDN_XML, only, read};

fn legacy() -> List {
    only(read(&[("alt.csv", ALT_CSV), ("sdn-2026-08-20.csv", SDN_CSV), ("add.csv", ADD_CSV)])).list
}

/// What all forms can say.
fn common(list: &List, scripts: bool) -> Vec<Entry> {
    let mut entries = list.entries.clone();
    for entry in &mut entries {
        entry.remarks = None;
        entry.names.retain(|name| scripts || !name.original_script);
    }
    entries
}

#[test]
fn the_three_forms_say_the_same() {
    let xml = only(read(&[("sdn.xml", SDN_XML)])).list;
    let advanced = only(read(&[("sdn_advanced.xml", ADVANCED_XML)])).list;
    assert_eq!(xml.published, Some(jiff::civil::date(2026, 8, 20)));
    assert_eq!(advanced.published, xml.published);
    assert_eq!(legacy().published, xml.published);
    assert_eq!(common(&advanced, false), common(&xml, false));
    assert_eq!(common(&legacy(), false), common(&xml, false));
}

#[test]
fn a_person_of_the_advanced_form() {
    let list = only(read(&[("sdn_advanced.xml", ADVANCED_XML)])).list;
    assert_eq!(list.name.as_str(), ListName::OFAC_SDN);
    let entry = list.entry("101").unwrap();
    let names: Vec<_> =
        entry.names.iter().map(|name| (&*name.text, name.quality, name.original_script)).collect();
    let expected = [
        ("EXAMPLOV, Ivan Petrovich", Quality::Primary, false),
        ("EKSAMPLOV, Ivan", Quality::Strong, false),
        ("ЭКЗАМПЛОВ, Иван", Quality::Strong, true),
        ("VANYA", Quality::Weak, false),
    ];
    assert_eq!(names, expected);
    assert_eq!(entry.kind, EntityKind::Person);
    assert_eq!(entry.gender, Some(Gender::Male));
    assert_eq!(entry.title.as_deref(), Some("Director"));
    let births: Vec<String> = entry.births.iter().map(ToString::to_string).collect();
    assert_eq!(births, ["1961-03-03", "1962~"]);
    assert_eq!(entry.countries, ["Cyprus".into(), "Russia".into()]);
    assert_eq!(entry.addresses, ["1 Test Street, Moscow, Russia".into()]);
    assert_eq!(entry.programs, ["TEST-EO1".into(), "TEST-EO2".into()]);
    assert_eq!(&*entry.identifiers[0].number, "AB 123");
    assert_eq!(entry.identifiers.len(), 1);
    assert_eq!(&*entry.wallets[0].currency, "XBT");
    let ship = list.entry("103").unwrap();
    assert_eq!((ship.imo, ship.call_sign.as_deref()), (Some(7_406_784), Some("CL2192")));
    assert_eq!(list.entry("102").unwrap().kind, EntityKind::Entity);
    assert_eq!(list.entry("104").unwrap().kind, EntityKind::Aircraft);
}

#[test]
fn forms_of_one_publication_join_in_any_order() {
    let orders: [[(&str, &str); 3]; 2] = [
        [("sdn.xml", SDN_XML), ("sdn_advanced.xml", ADVANCED_XML), ("sdn.csv", SDN_CSV)],
        [("sdn.csv", SDN_CSV), ("sdn_advanced.xml", ADVANCED_XML), ("sdn.xml", SDN_XML)],
    ];
    let [one, other] = orders.map(|files| only(read(&files)));
    assert_eq!(one.doubts, []);
    assert_eq!(one.files, other.files);
    assert_eq!(Snapshot::of(one.list.clone()).id, Snapshot::of(other.list).id);
    let entry = one.list.entry("101").unwrap();
    assert_eq!(entry.names.len(), 4);
    assert_eq!(entry.names.iter().filter(|name| name.quality == Quality::Primary).count(), 1);
    assert_eq!(entry.remarks.as_deref(), Some("(Linked To: EXAMPLE & SONS)"));
}

#[test]
fn forms_that_do_not_agree_raise_a_doubt() {
    let start = ADVANCED_XML.find("<ns2:DistinctParty FixedRef=\"104\">").unwrap();
    let end = ADVANCED_XML.find("</ns2:DistinctParties>").unwrap();
    let fewer = format!("{}{}", &ADVANCED_XML[..start], &ADVANCED_XML[end..]);
    let at = fewer.find("<ns2:SanctionsEntry ID=\"4\"").unwrap();
    let fewer = format!("{}{}", &fewer[..at], &fewer[fewer.find("</ns2:SanctionsEntries>").unwrap()..]);
    let parsed = only(read(&[("sdn.xml", SDN_XML), ("sdn_advanced.xml", &fewer)]));
    assert!(matches!(parsed.doubts[..], [Doubt::FormsDisagree { differing: 1, .. }]), "{:?}", parsed.doubts);
    assert_eq!(parsed.list.entries.len(), 4);
}

#[test]
fn wallets_of_nobody_listed_raise_a_doubt_and_are_kept() {
    let wallets = "{\"address\": \"1abc\", \"currency\": \"XBT\", \"uid\": 999, \"entity\": \"NOBODY\"}\n";
    let parsed = only(read(&[("sdn.xml", SDN_XML), ("addresses.jsonl", wallets)]));
    assert!(matches!(parsed.doubts[..], [Doubt::Orphans { rows: 1, .. }]), "{:?}", parsed.doubts);
    assert_eq!(parsed.list.entry("999").unwrap().wallets.len(), 1);
    assert_eq!(parsed.list.coverage, Coverage::Names);
}

#[test]
fn a_file_is_known_by_its_beginning() {
    let consolidated = only(read(&[("CONSOLIDATED.XML", SDN_XML)]));
    assert_eq!(consolidated.list.name.as_str(), ListName::OFAC_CONSOLIDATED);
    let import = read(&[("cons_prim.csv", SDN_CSV), ("sdn.xml", SDN_XML)]).unwrap();
    assert_eq!(import.lists.len(), 2);
    assert!(import.lists.iter().all(|one| one.list.entries.len() == 4));
}

#[test]
fn open_sanctions_targets() {
    let csv = "id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,phones,emails,\
               program_ids,dataset,first_seen,last_seen,last_change\n\
               NK-1,Person,Ivan Examplov,Иван Экзамплов;I. Examplov,1961-03;1962,ru;cy,\"1 Test Street, Moscow\",\
               AB123,EU 269,,,EU-UKR,EU FSF,,,\n\
               NK-2,Vessel,SEA EXAMPLE,,,cu,,IMO7406784;MMSI1,,,,,EU FSF,,,\n\
               NK-3,CryptoWallet,1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi,,,,,,,,,,EU FSF,,,\n";
    let list = only(read(&[("targets.simple.csv", csv)])).list;
    assert_eq!(list.name.as_str(), "EU FSF");
    let entry = list.entry("NK-1").unwrap();
    assert_eq!(entry.names.len(), 3);
    assert!(entry.names.iter().any(|name| name.original_script && &*name.text == "Иван Экзамплов"));
    assert_eq!(entry.births.iter().map(ToString::to_string).collect::<Vec<_>>(), ["1961-03", "1962"]);
    assert_eq!(entry.addresses, ["1 Test Street, Moscow".into()]);
    assert_eq!(entry.programs, ["EU-UKR".into()]);
    assert_eq!(list.entry("NK-2").unwrap().imo, Some(7_406_784));
    assert_eq!(list.entry("NK-3").unwrap().wallets.len(), 1);

    let two = csv.replacen("EU FSF", "UN SC", 1);
    let list = only(read(&[("targets.simple.csv", &two)])).list;
    assert_eq!(list.name.as_str(), "OpenSanctions");
    assert_eq!(list.entry("NK-1").unwrap().list.as_str(), "UN SC");
    assert_eq!(list.entry("NK-2").unwrap().list.as_str(), "EU FSF");
}
