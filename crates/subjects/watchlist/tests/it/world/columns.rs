//! Lists of an operator's own, by a map of their columns.

use watchlist::lists::ColumnMap;
use watchlist::{EntityKind, Entry, Gender, List, ListError, Quality, Topic};

use super::{births, has_name, malformed, names, numbers, read_by, refused, texts};
use crate::common::only;

pub(super) const MAP: &str = r#"{
    "list": "House list", "topic": "pep", "uid": ["act", "no"], "name": "full_name",
    "aliases": ["aka", "former"], "weak_aliases": ["nick"],
    "type": "kind", "types": {"natural": "person", "ship": "vessel"},
    "birth_dates": ["born"], "countries": ["state"], "addresses": ["address"], "programs": ["program"],
    "identifiers": {"passport_no": "Passport", "sex": "Gender"}, "imo": "imo_no", "wallets": {"btc": "XBT"},
    "remarks": "notes"
}"#;

pub(super) const CSV: &str = "act,no,full_name,aka,former,nick,kind,born,state,address,program,passport_no,sex,imo_no,btc,notes,unread\n\
    A,1,\"Muster, Janek\",Jan Muster; Янек Мустер,Janek Pattern,Sampler,natural,11.8.1960; 1961-03 or circa 1963;1964/1966,\
    UT;RT,\"1 Test Street, Sampleton\",P-A;P-B,P1234,Male,,1test,\"Note; of the sample.\",x\n\
    A,2,Sea Sample,,,,ship,,,,,,,IMO 7406784,,,\n\
    B,1,Sample Trading,,,,firm,,,,,,,,,,\n";

pub(super) const LINES: &str = "{\"act\": \"A\", \"no\": 1, \"full_name\": \"Muster, Janek\", \"aka\": [\"Jan Muster\", \"Янек Мустер\"], \
    \"former\": \"Janek Pattern\", \"nick\": \"Sampler\", \"kind\": \"natural\", \
    \"born\": [\"11/08/1960\", \"1961-03\", \"circa 1963; 1964/1966\"], \"state\": \"UT;RT\", \
    \"address\": \"1 Test Street, Sampleton\", \"program\": [\"P-A\", \"P-B\"], \"passport_no\": \"P1234\", \
    \"sex\": \"Male\", \"btc\": \"1test\", \"notes\": \"Note; of the sample.\", \"unread\": {\"a\": true}}\n\
    {\"act\": \"A\", \"no\": \"2\", \"full_name\": \"Sea Sample\", \"kind\": \"ship\", \"imo_no\": 7406784, \"aka\": null}\n\
    \n\
    {\"act\": \"B\", \"no\": 1, \"full_name\": \"Sample Trading\", \"kind\": \"firm\"}\n";

/// Without a key.
const SHORT_MAP: &str = r#"{"list": "House list", "name": "name", "aliases": ["aka"]}"#;

fn list(map: &str, name: &str, text: &str) -> List {
    only(read_by(map, name, text)).list
}

#[test]
fn the_map_says_what_each_column_holds() {
    let list = list(MAP, "house.csv", CSV);
    assert_eq!((list.name.as_str(), list.topic, list.published), ("House list", Topic::Pep, None));
    let keys: Vec<&str> = list.entries.iter().map(|entry| &*entry.uid).collect();
    assert_eq!(keys, ["A:1", "A:2", "B:1"]);
    let entry = list.entry("A:1").unwrap();
    let expected = [
        ("Muster, Janek", Quality::Primary, false),
        ("Jan Muster", Quality::Strong, false),
        ("Janek Pattern", Quality::Strong, false),
        ("Янек Мустер", Quality::Strong, true),
        ("Sampler", Quality::Weak, false),
    ];
    assert_eq!(names(entry), expected);
    assert_eq!(births(entry), ["1960-08-11", "1961-03", "1963~", "1964/1966"]);
    assert_eq!((entry.kind, entry.gender), (EntityKind::Person, Some(Gender::Male)));
    assert_eq!(numbers(entry), [("Passport", "P1234", "")]);
    assert_eq!(texts(&entry.countries), ["RT", "UT"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, Sampleton"]);
    assert_eq!(texts(&entry.programs), ["P-A", "P-B"]);
    assert_eq!((&*entry.wallets[0].currency, &*entry.wallets[0].address), ("XBT", "1test"));
    assert_eq!(entry.remarks.as_deref(), Some("Note; of the sample."));
    let ship = list.entry("A:2").unwrap();
    assert_eq!((ship.kind, ship.imo), (EntityKind::Vessel, Some(7_406_784)));
    assert_eq!(list.entry("B:1").unwrap().kind, EntityKind::Unknown);
}

#[test]
fn json_lines_say_the_same_as_a_table() {
    assert_eq!(list(MAP, "house.jsonl", LINES), list(MAP, "house.csv", CSV));
}

#[test]
fn another_delimiter_and_no_separator_are_as_the_map_says() {
    let map =
        r#"{"list": "House list", "name": "name", "aliases": ["aka"], "separator": "", "delimiter": "\t"}"#;
    let list = list(map, "house.txt", "name\taka\nMuster, Janek\tJan; Janko\n");
    let entry = &list.entries[0];
    assert_eq!(
        names(entry),
        [("Muster, Janek", Quality::Primary, false), ("Jan; Janko", Quality::Strong, false)]
    );
    let wide = map.replace("\\t", "é");
    let why = malformed("house.txt", read_by(&wide, "house.txt", "name\taka\nA\tB\n"));
    assert!(why.contains("delimiter"), "{why}");
}

#[test]
fn without_a_key_a_row_is_told_by_all_of_its_cells() {
    let text = "name,aka,unread\nMuster,,1\nMuster,,2\n";
    let read = list(SHORT_MAP, "house.csv", text);
    assert_eq!(read.entries.len(), 2);
    let other_order = list(SHORT_MAP, "house.csv", "name,aka,unread\nMuster,,2\nMuster,,1\n");
    assert_eq!(read, other_order);
    let keys = |list: &List| list.entries.iter().map(|entry: &Entry| entry.uid.clone()).collect::<Vec<_>>();
    let moved = list(SHORT_MAP, "house.csv", "name,aka,unread\nMuste,r,1\nMuster,,2\n");
    assert_ne!(keys(&read), keys(&moved));
}

#[test]
fn the_same_party_twice_is_refused_with_its_key() {
    let twice = CSV.replace("A,2,", "A,1,");
    match refused("house.csv", read_by(MAP, "house.csv", &twice)) {
        ListError::Doubled { uid, .. } => assert_eq!(uid, "A:1"),
        other => panic!("{other}"),
    }
    let error = refused("house.csv", read_by(SHORT_MAP, "house.csv", "name,aka\nMuster,\nMuster,\n"));
    assert!(matches!(error, ListError::Doubled { .. }), "{error}");
}

#[test]
fn a_column_of_the_map_that_a_table_lacks_is_refused_by_its_name() {
    for column in
        ["no", "full_name", "former", "nick", "kind", "born", "passport_no", "imo_no", "btc", "notes"]
    {
        let text = CSV.replacen(&format!(",{column},"), ",other,", 1);
        assert_ne!(text, CSV, "{column}");
        let why = malformed("house.csv", read_by(MAP, "house.csv", &text));
        assert_eq!(why, format!("there is no column {column}"));
    }
}

#[test]
fn a_column_of_the_map_that_no_line_has_is_refused_by_its_name() {
    let lines = LINES.replace("\"aka\"", "\"alias\"");
    let why = malformed("house.jsonl", read_by(MAP, "house.jsonl", &lines));
    assert!(why.contains("aka"), "{why}");
}

#[test]
fn a_name_that_is_an_object_is_not_passed_over() {
    let text = "{\"name\": \"Muster\", \"aka\": [{\"name\": \"Jan\"}]}\n";
    match read_by(SHORT_MAP, "house.jsonl", text) {
        Ok(import) => assert!(has_name(&only(Ok(import)).list.entries[0], "Jan")),
        Err(error) => assert!(matches!(error, ListError::Malformed { .. }), "{error}"),
    }
}

#[test]
fn a_row_without_a_name_or_without_a_key_is_refused() {
    let nameless = CSV.replace("A,2,Sea Sample,", "A,2, ,");
    let why = malformed("house.csv", read_by(MAP, "house.csv", &nameless));
    assert!(why.contains("A:2") && why.contains("no name"), "{why}");
    let one_key = MAP.replace("[\"act\", \"no\"]", "[\"no\"]");
    let keyless = "no,".to_owned() + &CSV[CSV.find("full_name").unwrap()..];
    let keyless = keyless.replace("A,1,\"Muster", ",\"Muster").replace("A,2,", "2,").replace("B,1,", "3,");
    let why = malformed("house.csv", read_by(&one_key, "house.csv", &keyless));
    assert!(why.contains("no key"), "{why}");
}

#[test]
fn a_map_with_an_unknown_member_or_without_a_needed_one_is_refused_by_name() {
    let refusal = |map: &str| serde_json::from_str::<ColumnMap>(map).unwrap_err().to_string();
    let unknown = refusal(r#"{"list": "House list", "name": "name", "alias": ["aka"]}"#);
    assert!(unknown.contains("alias"), "{unknown}");
    let missing = refusal(r#"{"list": "House list"}"#);
    assert!(missing.contains("name"), "{missing}");
    let topic = refusal(r#"{"list": "House list", "name": "name", "topic": "sanction"}"#);
    assert!(topic.contains("sanction"), "{topic}");
    let why = malformed("house.csv", read_by(r#"{"list": " ", "name": "name"}"#, "house.csv", "name\nA\n"));
    assert!(why.contains("list"), "{why}");
}

#[test]
fn every_topic_of_a_map_is_the_topic_of_its_list() {
    for topic in Topic::ALL {
        let map = format!(r#"{{"list": "House list", "name": "name", "topic": "{}"}}"#, topic.as_str());
        assert_eq!(list(&map, "house.csv", "name\nMuster\n").topic, topic);
    }
}

#[test]
fn a_member_that_is_no_text_is_refused_by_its_line_and_its_column() {
    for value in ["{\"name\": \"Jan\"}", "[\"Jan\", {}]", "true"] {
        let text = format!(
            "{{\"name\": \"Muster\", \"aka\": null}}\n\n{{\"name\": \"Pattern\", \"aka\": {value}}}\n"
        );
        let why = malformed("house.jsonl", read_by(SHORT_MAP, "house.jsonl", &text));
        assert!(why.contains("line 3") && why.contains("aka"), "{why}");
    }
}

#[test]
fn dates_of_birth_are_read_in_words_and_with_letters_before_them() {
    let map = r#"{"list": "House list", "uid": ["id"], "name": "name", "birth_dates": ["born"]}"#;
    let cases: [(&str, &[&str]); 8] = [
        ("Approximately 1960", &["1960~"]),
        ("Between 1959 and 1965", &["1959/1965"]),
        ("14 October 1966", &["1966-10-14"]),
        ("(a) 1960, (b) 1961", &["1960", "1961"]),
        ("(a) 11.8.1960 (b) approximately 1961 or 1963", &["1960-08-11", "1961~", "1963"]),
        ("(i) 1.2.1960, (ii) 9 Oct. 1961", &["1960-02-01", "1961-10-09"]),
        ("1960 (Gregorian calendar)", &[]),
        ("(probably) 1960", &[]),
    ];
    for (text, expected) in cases {
        let list = list(map, "house.csv", &format!("id,name,born\n1,Muster,\"{text}\"\n"));
        assert_eq!(births(&list.entries[0]), expected, "{text}");
    }
}
