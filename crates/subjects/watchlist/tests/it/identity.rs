//! Which list a file is of.

use watchlist::ListName;
use watchlist::lists::Doubt;

use crate::common::{ADD_CSV, ADVANCED_XML, ALT_CSV, SDN_CSV, SDN_XML, only, read};

const SDN: &str = ListName::OFAC_SDN;
const CONSOLIDATED: &str = ListName::OFAC_CONSOLIDATED;

/// The fixture with a program in the place of its own.
fn under(text: &str, program: &str) -> String {
    text.replace("TEST-EO1", program)
}

/// The list, and whether an operator is asked because its name is another.
fn told(files: &[(&str, &str)]) -> (String, bool) {
    let parsed = only(read(files));
    assert!(parsed.list.entries.iter().all(|entry| entry.list == parsed.list.name));
    let asked = match &parsed.doubts[..] {
        [] => false,
        [Doubt::AnotherList { held, .. }] => *held == parsed.list.name,
        other => panic!("{other:?}"),
    };
    (parsed.list.name.to_string(), asked)
}

#[test]
fn a_file_is_of_the_list_that_it_holds_and_a_name_that_says_otherwise_is_asked_about() {
    let expected = [
        ("download.xml", "NS-PLC", CONSOLIDATED, false),
        ("download.xml", "SDGT", SDN, false),
        ("CONSOLIDATED.XML", "NS-PLC", CONSOLIDATED, false),
        ("SDN.XML", "SDGT", SDN, false),
        ("SDN.XML", "CMIC-EO13959", CONSOLIDATED, true),
        ("CONSOLIDATED.XML", "SDGT", SDN, true),
        // Nothing tells but the name, and where that says nothing, it is the list that most files are of.
        ("CONSOLIDATED.XML", "TEST", CONSOLIDATED, false),
        ("download.xml", "TEST", SDN, false),
    ];
    for (name, program, list, asked) in expected {
        let text = under(SDN_XML, program);
        assert_eq!(told(&[(name, &text)]), (list.to_owned(), asked), "{name} {program}");
    }
}

#[test]
fn the_advanced_form_names_its_list_itself() {
    let other = ADVANCED_XML.replace("SDN List<", "Consolidated List<");
    let expected = [
        ("download.xml", &*other, CONSOLIDATED, false),
        ("CONS_ADVANCED.XML", &*other, CONSOLIDATED, false),
        ("SDN_ADVANCED.XML", &*other, CONSOLIDATED, true),
        ("download.xml", ADVANCED_XML, SDN, false),
        ("CONS_ADVANCED.XML", ADVANCED_XML, SDN, true),
    ];
    for (name, text, list, asked) in expected {
        assert_eq!(told(&[(name, text)]), (list.to_owned(), asked), "{name}");
    }
}

#[test]
fn legacy_files_go_with_their_main_file() {
    let other = under(SDN_CSV, "NS-PLC");
    let files = [("main.csv", &*other), ("aliases.csv", ALT_CSV), ("addresses.csv", ADD_CSV)];
    assert_eq!(told(&files), (CONSOLIDATED.to_owned(), false));
    let aliases = only(read(&files)).list.entry("101").unwrap().names.len();
    assert_eq!(aliases, 3);
    // They join what else the import has of that list.
    let xml = under(SDN_XML, "NS-PLC");
    let joined = only(read(&[files[0], files[1], files[2], ("CONSOLIDATED.XML", &xml)]));
    assert_eq!((joined.list.name.as_str(), joined.files.len()), (CONSOLIDATED, 4));
    assert_eq!(joined.doubts, []);
    let renamed = [("sdn.csv", &*other), ("alt.csv", ALT_CSV)];
    assert_eq!(told(&renamed), (CONSOLIDATED.to_owned(), true));
}

#[test]
fn the_question_names_both_lists() {
    let parsed = only(read(&[("SDN.XML", &under(SDN_XML, "NS-PLC"))]));
    let question = "SDN.XML has the name of OFAC SDN and holds OFAC Consolidated (non-SDN)";
    assert_eq!(parsed.doubts[0].to_string(), question);
}
