//! Rules of normalising, lists and fields.

use proptest::prelude::*;
use receipt::json::{Json, parse_lenient};

use crate::{
    AnswerError, Class, ListError, MAX_LIST_ITEMS, Member, Row, Table, checked_list, parse, rows_of,
    split_list,
};

const TABLE: Table = Table {
    service: "Test Service",
    kind: "row",
    members: &[
        Member::same("id", Class::Identifier).required(),
        Member::renamed("Award Amount", "award_amount", Class::Amount),
        Member::renamed("amount", "award_amount", Class::Amount),
        Member::same("count", Class::Count),
        Member::same("day", Class::Date),
        Member::same("is", Class::Flag),
        Member::same("text", Class::Text),
        Member::same("agencies", Class::Nested),
        Member::same("views", Class::Dropped),
    ],
};

fn read(text: &str) -> Result<Row, AnswerError> {
    let json = parse("Test Service", text.as_bytes())?;
    TABLE.read_lossless(json.as_object().expect("an object"))
}

#[test]
fn amounts_keep_their_decimal_text_whether_they_come_as_a_number_or_as_text() {
    for (given, kept) in
        [("4345585999.01", "4345585999.01"), ("\"20000.0\"", "20000.0"), ("1.5e3", "1500"), ("0", "0")]
    {
        let row = read(&format!(r#"{{"id": 1, "Award Amount": {given}}}"#)).unwrap();
        assert_eq!(row.text("award_amount"), Some(kept), "{given}");
        assert_eq!(row.text("id"), Some("1"));
    }
    let row = read(r#"{"id": "a", "Award Amount": null}"#).unwrap();
    assert!(row.members.get("award_amount").unwrap().is_null());
}

#[test]
fn a_missing_required_member_is_named_with_the_service() {
    for body in [r#"{"text": "x"}"#, r#"{"id": null}"#] {
        let error = read(body).unwrap_err().to_string();
        assert_eq!(error, r#"Test Service: the required member "id" of a row is missing"#);
    }
    let error = read(r#"{"id": []}"#).unwrap_err();
    assert!(matches!(error, AnswerError::Type { member: "id", found: "array", .. }), "{error:?}");
}

#[test]
fn unknown_members_and_optional_ones_of_another_type_are_kept_as_they_came() {
    let row =
        read(r#"{"id": 1, "new": {"x": 1.25, "y": 3}, "is": "yes", "day": "soon", "count": -1, "views": 7}"#)
            .unwrap();
    assert_eq!(row.mistyped, ["is", "day", "count"]);
    assert_eq!(row.dropped, ["views"]);
    let new = row.other.get("new").unwrap();
    assert_eq!(new.get("x").unwrap().as_str(), Some("1.25"));
    assert_eq!(new.get("y").unwrap().as_number().unwrap().as_u64(), Some(3));
    assert!(row.to_json().contains("other"));
}

#[test]
fn two_members_with_one_normalised_name_are_both_kept() {
    let row = read(r#"{"id": 1, "Award Amount": 5, "amount": 6}"#).unwrap();
    assert_eq!(row.text("award_amount"), Some("5"));
    assert_eq!(row.other.get("amount").unwrap().as_number().unwrap().as_u64(), Some(6));
}

#[test]
fn a_member_that_is_there_twice_is_refused_at_any_depth() {
    for body in [
        r#"{"id": 1, "id": 2}"#,
        r#"{"id": 1, "agencies": [{"a": 1, "a": 2}]}"#,
        r#"{"id": 1, "z": {"a": 1, "a": 2}}"#,
    ] {
        assert!(matches!(read(body), Err(AnswerError::Duplicate { .. })), "{body}");
    }
}

#[test]
fn what_is_not_whole_json_is_named_as_what_it_is() {
    let error = |body: &str| parse("Test Service", body.as_bytes()).unwrap_err();
    assert!(matches!(error(" \n"), AnswerError::Empty { .. }));
    assert!(matches!(error("\u{feff} <!DOCTYPE html><p>down</p>"), AnswerError::Html { .. }));
    assert!(matches!(error(r#"{"count": 3, "results": [{"a""#), AnswerError::Broken { .. }));
    assert!(matches!(error(r#"{"count": 3} trailing"#), AnswerError::Broken { .. }));
}

#[test]
fn the_comparison_finds_a_member_that_is_lost() {
    let original = parse_lenient(br#"{"id": 1, "agencies": [{"name": "A", "id": 2}]}"#).unwrap();
    let original = original.as_object().unwrap();
    let mut row = TABLE.read(original).unwrap();
    assert_eq!(TABLE.lost(original, &row), Vec::<String>::new());
    row.members.insert("agencies", parse_lenient(br#"[{"name": "A"}]"#).unwrap());
    assert_eq!(TABLE.lost(original, &row), ["agencies"]);
}

#[test]
fn rows_are_objects_in_an_array() {
    let answer = parse_lenient(br#"{"results": [{}, 3], "none": null, "text": "x"}"#).unwrap();
    let answer = answer.as_object().unwrap();
    assert!(matches!(rows_of("S", answer, "results"), Err(AnswerError::Shape { .. })));
    assert!(matches!(rows_of("S", answer, "text"), Err(AnswerError::Shape { .. })));
    assert_eq!(rows_of("S", answer, "none").unwrap(), None);
}

#[test]
fn a_list_is_split_at_commas_that_are_not_escaped() {
    assert_eq!(split_list(r" a , b\,c,d\\ ").unwrap(), ["a", "b,c", "d\\"]);
    assert_eq!(split_list(" ").unwrap(), Vec::<String>::new());
    assert_eq!(split_list("a,,b"), Err(ListError::EmptyItem(2)));
    assert_eq!(split_list(r"a\b"), Err(ListError::Escape));
    assert_eq!(split_list(r"a\"), Err(ListError::Escape));
    assert_eq!(split_list(&"a,".repeat(MAX_LIST_ITEMS + 1)), Err(ListError::TooMany));
}

#[test]
fn an_empty_array_and_an_empty_element_are_refused_by_the_name_of_the_field() {
    assert_eq!(checked_list("types", &[], 3, 9).unwrap_err().field, "types");
    assert!(checked_list("types", &["  ".to_owned()], 3, 9).is_err());
    assert_eq!(checked_list("types", &["a".to_owned(), " a".to_owned()], 3, 9).unwrap(), ["a"]);
}

fn any_json() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "id",
        "Award Amount",
        "amount",
        "count",
        "day",
        "is",
        "text",
        "views",
        "x",
        "y",
    ]);
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        "-?[1-9][0-9]{0,20}(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?",
        "\"[a-z0-9., -]{0,12}\"",
    ];
    let value = leaf.prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 0..4).prop_map(|items| {
                let members: Vec<_> =
                    items.iter().enumerate().map(|(at, item)| format!("\"m{at}\":{item}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    prop::collection::btree_map(names, value, 0..8).prop_map(|members| {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn no_member_of_any_object_is_lost(text in any_json()) {
        let json = parse("Test Service", text.as_bytes()).unwrap();
        match TABLE.read_lossless(json.as_object().unwrap()) {
            Ok(row) => {
                let all = row.to_json();
                for (name, _) in json.as_object().unwrap().iter() {
                    let normal = TABLE.members.iter().find(|member| member.name == name).map_or(name, |member| member.normal);
                    let named = all.contains(normal) || row.other.contains(name) || row.dropped.contains(&name);
                    prop_assert!(named, "{} of {}", name, text);
                }
            }
            Err(error) => prop_assert!(matches!(error, AnswerError::Missing { .. } | AnswerError::Type { .. }), "{error:?}"),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("Test Service", &bytes).map(|json: Json| json.as_object().map(|object| TABLE.read_lossless(object)));
    }

    #[test]
    fn a_joined_list_is_split_into_its_elements(items in prop::collection::vec("[a-z,\\\\]{1,6}", 1..20)) {
        let joined: Vec<_> = items.iter().map(|item| item.replace('\\', "\\\\").replace(',', "\\,")).collect();
        prop_assert_eq!(split_list(&joined.join(",")).unwrap(), items);
    }
}
