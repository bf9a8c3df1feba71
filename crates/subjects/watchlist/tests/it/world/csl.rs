//! The US Consolidated Screening List.

use watchlist::{EntityKind, Gender, List, ListError, Quality, Topic};

use super::{births, has_name, lists, names, numbers, table, texts};
use crate::common::read;

const COLUMNS: [&str; 19] = [
    "_id",
    "source",
    "entity_number",
    "type",
    "programs",
    "name",
    "title",
    "addresses",
    "federal_register_notice",
    "start_date",
    "call_sign",
    "vessel_flag",
    "remarks",
    "source_list_url",
    "alt_names",
    "citizenships",
    "dates_of_birth",
    "nationalities",
    "ids",
];
const SDN: &str = "Specially Designated Nationals (SDN) - Treasury Department";

/// A party of each of five sources, in the layout with keys.
pub(super) fn csv() -> String {
    let records: [&[(&str, &str)]; 6] = [
        &[
            ("_id", "4711"),
            ("source", SDN),
            ("entity_number", "4711"),
            ("type", "Individual"),
            ("programs", "TEST-A; TEST-B"),
            ("name", "MUSTER, Janek"),
            ("title", "Dr"),
            ("addresses", "1 Test Street, Sampleton, UT; 2 Test Street, Sampleton, RT"),
            ("remarks", "Remark of the sample."),
            ("alt_names", "Jan Muster; Янек Мустер"),
            ("citizenships", "UT"),
            ("dates_of_birth", "1961-03-02; circa 1963; 1964 to 1966"),
            ("nationalities", "AR"),
            ("ids", "Passport, P1234, UT; UT, 99-1, Tax ID No.; 55123, Tax ID No.; Gender, Male"),
        ],
        &[
            ("_id", "4712"),
            ("source", SDN),
            ("entity_number", "4712"),
            ("type", "Vessel"),
            ("name", "SEA SAMPLE"),
            ("call_sign", "CL2192"),
            ("vessel_flag", "UT"),
            ("ids", "IMO 7406784, Vessel Registration Identification"),
        ],
        &[
            ("_id", "a1"),
            ("source", "Entity List (EL) - Bureau of Industry and Security"),
            ("name", "Sample Trading, and any successor"),
            ("alt_names", "Sample Traders"),
        ],
        &[("_id", "a2"), ("source", "ITAR Debarred (DTC) - State Department"), ("name", "Jan Pattern")],
        &[
            ("_id", "a3"),
            ("source", "Denied Persons List (DPL) - Bureau of Industry and Security"),
            ("name", "Jan Denied"),
        ],
        &[
            ("_id", "a4"),
            ("source", "Nonproliferation Sanctions (ISN) - State Department"),
            ("name", "Sample Works"),
        ],
    ];
    table(',', &COLUMNS, &records)
}

/// The list of one source.
fn of(source: &str, text: &str) -> List {
    let lists = lists(read(&[("csl.csv", text)]).expect("the file is read"));
    let name = format!("US CSL {source}");
    lists.into_iter().find(|list| list.name.as_str() == name).expect("a list of that source")
}

#[test]
fn each_source_is_a_list_with_the_topic_of_its_department() {
    let lists = lists(read(&[("csl-2026-03-04.csv", &csv())]).unwrap());
    let found: Vec<(&str, Topic, usize)> =
        lists.iter().map(|list| (list.name.as_str(), list.topic, list.entries.len())).collect();
    let expected = [
        ("US CSL Denied Persons List (DPL)", Topic::ExportControl, 1),
        ("US CSL Entity List (EL)", Topic::ExportControl, 1),
        ("US CSL ITAR Debarred (DTC)", Topic::Debarment, 1),
        ("US CSL Nonproliferation Sanctions (ISN)", Topic::Sanctions, 1),
        ("US CSL Specially Designated Nationals (SDN)", Topic::Sanctions, 2),
    ];
    assert_eq!(found, expected);
    // The form has no day of its own.
    assert!(lists.iter().all(|list| list.published == Some(jiff::civil::date(2026, 3, 4))));
    assert!(lists.iter().all(|list| list.entries.iter().all(|entry| entry.list == list.name)));
}

#[test]
fn values_of_a_cell_are_taken_apart_at_semicolons_and_a_name_is_not() {
    let sdn = of("Specially Designated Nationals (SDN)", &csv());
    let entry = sdn.entry("4711").unwrap();
    let expected = [
        ("MUSTER, Janek", Quality::Primary, false),
        ("Jan Muster", Quality::Strong, false),
        ("Янек Мустер", Quality::Strong, true),
    ];
    assert_eq!(names(entry), expected);
    assert_eq!((entry.kind, entry.gender), (EntityKind::Person, Some(Gender::Male)));
    assert_eq!(births(entry), ["1961-03-02", "1963~", "1964/1966"]);
    let expected = [
        ("OFAC UID", "4711", ""),
        ("Passport", "P1234", "UT"),
        ("Tax ID No.", "55123", ""),
        ("Tax ID No.", "99-1", "UT"),
    ];
    assert_eq!(numbers(entry), expected);
    assert_eq!(texts(&entry.countries), ["AR", "RT", "UT"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, Sampleton, UT", "2 Test Street, Sampleton, RT"]);
    assert_eq!(texts(&entry.programs), ["TEST-A", "TEST-B"]);
    assert_eq!(entry.title.as_deref(), Some("Dr"));
    assert_eq!(entry.remarks.as_deref(), Some("Remark of the sample."));
    let ship = sdn.entry("4712").unwrap();
    assert_eq!((ship.kind, ship.imo), (EntityKind::Vessel, Some(7_406_784)));
    assert_eq!(ship.call_sign.as_deref(), Some("CL2192"));

    let text = csv().replace("Sample Works", "Sample Works; and any successor");
    let named = of("Nonproliferation Sanctions (ISN)", &text);
    assert_eq!(named.entry("a4").unwrap().primary(), "Sample Works; and any successor");
}

/// Two records of one order in the layout without keys, the second with other cells.
fn without_keys(second: &[(&str, &str)]) -> String {
    let first = [
        ("source", "Denied Persons List (DPL) - Bureau of Industry and Security"),
        ("name", "Jan Denied"),
        ("federal_register_notice", "1 F.R. 2"),
        ("start_date", "2020-01-02"),
        ("addresses", "1 Test Street, Sampleton, UT"),
        ("alt_names", "Jan Refused"),
    ];
    let kept = first.iter().filter(|(name, _)| !second.iter().any(|(other, _)| other == name));
    let second: Vec<(&str, &str)> = kept.chain(second).copied().collect();
    table(',', &COLUMNS[1..], &[&first[..], &second[..]])
}

#[test]
fn two_records_of_one_order_are_one_party_with_both_addresses() {
    let text = without_keys(&[("addresses", "2 Test Street, Sampleton, UT")]);
    let list = of("Denied Persons List (DPL)", &text);
    assert_eq!(list.entries.len(), 1);
    let addresses = texts(&list.entries[0].addresses);
    assert_eq!(addresses, ["1 Test Street, Sampleton, UT", "2 Test Street, Sampleton, UT"]);
    let later = of("Denied Persons List (DPL)", &without_keys(&[("start_date", "2021-01-02")]));
    assert_eq!(later.entries.len(), 2);
}

#[test]
fn an_alias_or_a_date_of_birth_of_the_second_record_of_a_party_is_not_lost() {
    let text = without_keys(&[("alt_names", "Jan Declined"), ("dates_of_birth", "1961")]);
    match read(&[("csl.csv", &text)]) {
        Ok(import) => {
            let lists = lists(import);
            let entry = &lists[0].entries[0];
            assert!(has_name(entry, "Jan Refused"), "{:?}", names(entry));
            assert!(has_name(entry, "Jan Declined"), "{:?}", names(entry));
            assert_eq!(births(entry), ["1961"]);
        }
        Err(error) => assert!(matches!(error, ListError::Doubled { .. }), "{error}"),
    }
}

#[test]
fn a_number_of_a_list_that_two_records_without_key_share_loses_neither_name() {
    let text = without_keys(&[("entity_number", "77"), ("name", "Jan Other")]);
    let text = text.replacen(",\"\",\"\",\"\",\"Jan Denied\"", ",\"77\",\"\",\"\",\"Jan Denied\"", 1);
    assert_eq!(text.matches("\"77\"").count(), 2, "{text}");
    match read(&[("csl.csv", &text)]) {
        Ok(import) => {
            let lists = lists(import);
            let all: Vec<_> = lists[0].entries.iter().flat_map(names).map(|(name, ..)| name).collect();
            assert!(all.contains(&"Jan Denied") && all.contains(&"Jan Other"), "{all:?}");
        }
        Err(error) => assert!(matches!(error, ListError::Doubled { .. }), "{error}"),
    }
}

#[test]
fn two_remarks_of_one_party_are_both_kept_and_two_parties_of_one_number_keep_their_keys() {
    let text = without_keys(&[("remarks", "Second remark.")]);
    let text =
        text.replacen("\"2020-01-02\",\"\",\"\",\"\"", "\"2020-01-02\",\"\",\"\",\"First remark.\"", 1);
    let list = of("Denied Persons List (DPL)", &text);
    assert_eq!(list.entries[0].remarks.as_deref(), Some("First remark. Second remark."));

    let text = without_keys(&[("entity_number", "77"), ("name", "Jan Other")]);
    let text = text.replacen(",\"\",\"\",\"\",\"Jan Denied\"", ",\"77\",\"\",\"\",\"Jan Denied\"", 1);
    let list = of("Denied Persons List (DPL)", &text);
    assert_eq!(list.entries.len(), 2);
    assert_eq!(list.entry("77").unwrap().primary(), "Jan Denied");
}

#[test]
fn a_number_in_another_shape_is_kept_as_it_stands() {
    let ids = "55123, Tax ID No., Utopia, Sampleton; N-77; A, B, C; Secondary sanctions risk:, a, b, c";
    let text = csv().replace("55123, Tax ID No.", ids);
    let sdn = of("Specially Designated Nationals (SDN)", &text);
    let found = numbers(sdn.entry("4711").unwrap());
    for number in ["55123, Tax ID No., Utopia, Sampleton", "N-77", "A, B, C"] {
        assert!(found.contains(&("", number, "")), "{number}: {found:?}");
    }
    assert!(found.iter().all(|(_, number, _)| !number.contains("risk")), "{found:?}");
}
