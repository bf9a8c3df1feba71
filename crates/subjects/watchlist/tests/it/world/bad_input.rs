//! Documents that are no valid list: each is refused by name and whole.

use watchlist::{ListError, PublicationBounds};

use super::{columns, forms, lists, malformed, read_by, read_bytes, refused, xml_forms};
use crate::common::read;

/// Tests that bytes are refused as malformed or of no known form.
fn is_no_list(name: &str, bytes: &[u8]) {
    let error = refused(name, read_bytes(name, bytes, PublicationBounds::default()));
    assert!(matches!(error, ListError::Malformed { .. } | ListError::UnknownForm { .. }), "{name}: {error}");
}

#[test]
fn utf_16_and_latin_1_are_refused() {
    for (name, text) in forms() {
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        is_no_list(name, &utf_16);
        is_no_list(name, &[&[0xff, 0xfe][..], &utf_16[..]].concat());
        let at = text.find("Janek").unwrap();
        let mut latin_1 = text.into_bytes();
        latin_1[at + 3] = 0xe9;
        let why = malformed(name, read_bytes(name, &latin_1, PublicationBounds::default()));
        assert!(!why.is_empty(), "{name}");
    }
    let utf_16: Vec<u8> = columns::CSV.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let text = String::from_utf8_lossy(&utf_16).into_owned();
    malformed("house.csv", read_by(columns::MAP, "house.csv", &text));
}

#[test]
fn a_document_type_and_an_entity_of_its_own_are_refused() {
    for (name, text) in xml_forms() {
        let declared = text.replacen("?>\n", "?>\n<!DOCTYPE list [<!ENTITY a \"aaaa\">]>\n", 1);
        assert_ne!(declared, text);
        is_no_list(name, declared.as_bytes());
        for used in ["&a;", "&nbsp;", "&#x110000;", "& "] {
            let used = text.replacen("Janek", used, 1);
            malformed(name, read(&[(name, &used)]));
        }
        // The EU's names stand in attributes, where this would be text.
        if name != "eu.xml" {
            let within = text.replacen("Janek", "Janek<!DOCTYPE a>", 1);
            malformed(name, read(&[(name, &within)]));
        }
    }
}

#[test]
fn an_element_or_a_text_among_the_records_that_the_form_does_not_have_is_refused() {
    for (name, text) in xml_forms() {
        let end = text.rfind("</").unwrap();
        let with = |stranger: &str| format!("{}{stranger}{}", &text[..end], &text[end..]);
        let why = malformed(name, read(&[(name, &with("<stranger><uid>1</uid></stranger>"))]));
        assert!(why.contains("stranger"), "{name}: {why}");
        malformed(name, read(&[(name, &with("some text"))]));
        malformed(name, read(&[(name, &format!("{text}<more/>"))]));
        malformed(name, read(&[(name, &format!("{text}{text}"))]));
    }
}

#[test]
fn a_table_without_a_column_that_it_needs_is_refused_by_its_name() {
    let needed: [(&str, &[&str]); 4] = [
        ("eu.csv", &["Entity_SubjectType", "NameAlias_WholeName"]),
        ("uk.csv", &["Name 6", "Name type", "Designation Type"]),
        ("ofsi.csv", &["Name 6", "Alias Type", "Group Type"]),
        ("csl.csv", &["name", "alt_names", "type"]),
    ];
    for (name, columns) in needed {
        let text = forms().into_iter().find(|(form, _)| *form == name).unwrap().1;
        for &column in columns {
            let delimiter = if name == "eu.csv" { ";" } else { "," };
            // The first column has no delimiter before it.
            let found = [format!("{delimiter}{column}{delimiter}"), format!("\n{column}{delimiter}")];
            let found = found.iter().find(|found| text.contains(*found)).unwrap();
            let without = text.replacen(found.as_str(), &found.replace(column, "other"), 1);
            let why = malformed(name, read(&[(name, &without)]));
            assert_eq!(why, format!("there is no column {column}"), "{name}");
        }
    }
}

#[test]
fn a_table_without_one_of_its_columns_of_names_is_refused_by_its_name() {
    for (name, text) in forms().into_iter().filter(|(name, _)| ["uk.csv", "ofsi.csv"].contains(name)) {
        for column in ["Name 1", "Name 2", "Name 3", "Name 4", "Name 5"] {
            let without = text.replacen(column, "Other", 1);
            assert_ne!(without, text);
            let why = malformed(name, read(&[(name, &without)]));
            assert!(why.contains(column), "{name}: {why}");
        }
    }
}

#[test]
fn a_list_that_does_not_say_its_day_is_refused_where_its_form_has_one() {
    let dated = [
        ("un.xml", " dateGenerated=\"2026-03-04T00:00:09.554Z\"", ""),
        ("un.xml", "2026-03-04T", "2026-13-04T"),
        ("eu.xml", " generationDate=\"2026-03-04T15:29:22.497+02:00\"", ""),
        ("uk.xml", "<DateGenerated>04/03/2026</DateGenerated>", ""),
        ("uk.xml", "04/03/2026", "04.03.2026"),
        ("uk.csv", "Report Date: 04-Mar-2026", "Report Date:"),
        ("ofsi.csv", "Last Updated,04/03/2026", "Last Updated,31/02/2026"),
        ("seco.xml", " date=\"2026-03-04\"", ""),
    ];
    for (name, from, to) in dated {
        let text = forms().into_iter().find(|(form, _)| *form == name).unwrap().1;
        let undated = text.replacen(from, to, 1);
        assert_ne!(undated, text, "{name}");
        let why = malformed(name, read(&[(name, &undated)]));
        assert!(why.contains("date"), "{name}: {why}");
    }
    // The EU's table has its day in each record: an operator may say one where none has it, and all must be of one day.
    let text = forms().into_iter().find(|(form, _)| *form == "eu.csv").unwrap().1;
    let import = read(&[("eu.csv", &text.replace("04/03/2026", ""))]).unwrap();
    assert_eq!(import.lists[0].list.published, None);
    let why = malformed("eu.csv", read(&[("eu.csv", &text.replacen("04/03/2026", "05/03/2026", 1))]));
    assert!(why.contains("another day"), "{why}");
}

#[test]
fn a_list_without_entries_is_refused() {
    let xml = [
        (
            "un.xml",
            "<CONSOLIDATED_LIST dateGenerated=\"2026-03-04T00:00:09.554Z\"><INDIVIDUALS/></CONSOLIDATED_LIST>",
        ),
        ("eu.xml", "<export generationDate=\"2026-03-04T15:29:22.497+02:00\"></export>"),
        ("uk.xml", "<Designations><DateGenerated>04/03/2026</DateGenerated></Designations>"),
        ("ofsi.xml", "<ArrayOfFinancialSanctionsTarget></ArrayOfFinancialSanctionsTarget>"),
        ("seco.xml", "<swiss-sanctions-list date=\"2026-03-04\"></swiss-sanctions-list>"),
    ];
    let tables = forms().into_iter().filter(|(name, _)| name.ends_with(".csv")).map(|(name, text)| {
        let header = if text.starts_with("Report") || text.starts_with("Last") { 2 } else { 1 };
        (name, text.split_inclusive('\n').take(header).collect::<String>())
    });
    for (name, text) in xml.map(|(name, text)| (name, text.to_owned())).into_iter().chain(tables) {
        let error = refused(name, read(&[(name, &text)]));
        assert!(matches!(error, ListError::Empty { .. }), "{name}: {error}");
    }
    let header: String = columns::CSV.split_inclusive('\n').take(1).collect();
    let error = refused("house.csv", read_by(columns::MAP, "house.csv", &header));
    assert!(matches!(error, ListError::Empty { .. }), "{error}");
}

#[test]
fn the_same_party_twice_is_refused_with_its_key() {
    let twice = [
        ("un.xml", "9002", "9001"),
        ("eu.xml", "logicalId=\"72\"", "logicalId=\"71\""),
        ("uk.xml", "TST0002", "TST0001"),
        ("seco.xml", "ssid=\"103\"", "ssid=\"101\""),
        ("csl.csv", "\"4712\"", "\"4711\""),
    ];
    for (name, from, to) in twice {
        let text = forms().into_iter().find(|(form, _)| *form == name).unwrap().1;
        let doubled = text.replace(from, to);
        assert_ne!(doubled, text, "{name}");
        match refused(name, read(&[(name, &doubled)])) {
            ListError::Doubled { uid, .. } => assert!(to.contains(&uid), "{name}: {uid}"),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_record_that_stands_twice_in_a_table_of_names_changes_nothing() {
    for name in ["eu.csv", "uk.csv", "ofsi.csv"] {
        let text = forms().into_iter().find(|(form, _)| *form == name).unwrap().1;
        let last = text.lines().next_back().unwrap();
        let twice = format!("{text}{last}\n");
        let [once, twice] = [&text, &twice].map(|text| lists(read(&[(name, text)]).unwrap()));
        assert_eq!(once, twice, "{name}");
    }
}

#[test]
fn an_entry_without_a_key_or_without_a_name_is_refused() {
    let cases = [
        ("un.xml", "<DATAID>9002</DATAID>", "", "no key"),
        ("un.xml", "<FIRST_NAME>SAMPLE TRADING</FIRST_NAME>", "", "no name"),
        ("eu.xml", "logicalId=\"72\"", "", "no key"),
        (
            "eu.xml",
            "<nameAlias lastName=\"Sample Trading\" wholeName=\"Sample Trading\" strong=\"true\"/>",
            "",
            "no name",
        ),
        ("uk.xml", "<UniqueID>TST0002</UniqueID>", "", "no key"),
        ("uk.xml", "<Name6>SEA SAMPLE</Name6>", "", "no name"),
        ("uk.csv", "\"SEA SAMPLE\"", "\" \"", "no name"),
        ("ofsi.xml", "<GroupID>556</GroupID>", "", "no key"),
        ("ofsi.csv", "\"556\"", "\"\"", "no key"),
        ("seco.xml", "<target ssid=\"103\">", "<target>", "no key"),
        ("seco.xml", "<value>Sea Sample</value>", "", "no name"),
        ("csl.csv", "\"Jan Pattern\"", "\"\"", "no name"),
    ];
    for (name, from, to, reason) in cases {
        let text = forms().into_iter().find(|(form, _)| *form == name).unwrap().1;
        let without = text.replacen(from, to, 1);
        assert_ne!(without, text, "{name}: {from}");
        let why = malformed(name, read(&[(name, &without)]));
        assert!(why.contains(reason), "{name}: {why}");
    }
}

#[test]
fn a_page_of_an_error_is_no_list_whatever_its_file_is_called() {
    for (name, _) in forms() {
        for page in [
            "<!DOCTYPE html><html><body>Down.</body></html>",
            "<html></html>",
            "{\"error\": 503}",
            "Forbidden\n",
        ] {
            let error = refused(name, read(&[(name, page)]));
            assert!(matches!(error, ListError::UnknownForm { .. }), "{name}: {error}");
        }
    }
}
