//! The contents that may be committed to, by field and by code; the schema says the same; and the findings.

use crate::common::{at, read_question};
use claim::commit::{CommitFinding, CommitJudge, CommitQuestion, Content, ContentHash, LABEL_CHARS};
use proptest::prelude::*;
use receipt::hash::sha256;
use serde_json::{Value, json};
use verdict::{Judge as _, Question as _};

/// `printf '"hello"' | sha256sum`
const HELLO: &str = "5aa762ae383fbb727af3c7a36d4940a5b8c40a989452d2304fc958ff3f354e7a";

fn read(request: &str) -> Result<CommitQuestion, (String, &'static str)> {
    read_question(request)
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&CommitQuestion::TABLE.schema()).unwrap()
}

#[track_caller]
fn refused(request: &Value, field: &str, code: &'static str) {
    assert_eq!(read(&request.to_string()), Err((field.to_owned(), code)), "{request}");
    assert!(!schema().is_valid(request), "the schema accepts {request}");
}

#[track_caller]
fn accepted(request: &Value) -> CommitQuestion {
    assert!(schema().is_valid(request), "the schema refuses {request}");
    read(&request.to_string()).unwrap()
}

/// Judges, and proves that the finding is as its schema says.
async fn judged(question: &CommitQuestion) -> Value {
    let judged = CommitJudge.judge(question, at().into()).await.unwrap();
    assert!(judged.evidence.is_empty(), "the ledger keeps the request");
    let finding = serde_json::to_value(judged.finding).unwrap();
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<CommitFinding>();
    let schema = jsonschema::validator_for(schema.as_value()).unwrap();
    assert!(schema.is_valid(&finding), "{:?} in {finding:#}", schema.validate(&finding));
    finding
}

fn bare() -> Value {
    json!({"content_hash": format!("sha256:{HELLO}")})
}

#[test]
fn exactly_one_of_content_and_its_hash_is_there() {
    refused(&json!({}), "content", "missing");
    refused(&json!({"agent": "a", "label": "l"}), "content", "missing");
    let mut both = bare();
    for content in [json!("hello"), Value::Null] {
        both["content"] = content;
        refused(&both, "content_hash", "malformed");
    }
    refused(&json!({"content": 1, "content_hash": 1}), "content_hash", "malformed");
}

#[test]
fn any_json_value_is_a_content_and_null_is_one() {
    for content in [Value::Null, json!(false), json!(0), json!(""), json!([]), json!({}), json!({"a": [1.5]})]
    {
        let canonical = content.to_string();
        let bytes = canonical.len() as u64;
        let hash = ContentHash(sha256(canonical.as_bytes()));
        assert_eq!(accepted(&json!({"content": content})).content, Content::Given { hash, bytes });
    }
}

#[test]
fn a_content_is_known_by_its_canonical_form() {
    let content = |text: &str| read(&format!(r#"{{"content":{text}}}"#)).unwrap().content;
    let canonical = r#"{"a":[1,100,"é/",1e+21],"b":{"":null,"1":-0.5}}"#;
    for text in [
        canonical,
        r#"{"b":{"1":-0.5,"":null},"a":[1,100,"é/",1e21]}"#,
        " {\n\t\"a\" : [ 1.0, 1e2, \"\\u00e9\\/\", 1000000000000000000000 ],\r\n \"b\" : { \"1\": -5E-1, \"\": null } } ",
    ] {
        let hash = ContentHash(sha256(canonical.as_bytes()));
        assert_eq!(content(text), Content::Given { hash, bytes: canonical.len() as u64 }, "{text}");
    }
    for other in [r#""1""#, "1.5", "[1]", "true", r#"{"1":1}"#] {
        assert_ne!(content(other), content("1"), "{other}");
    }
    assert_ne!(content("[1,2]"), content("[2,1]"), "the order of elements counts");
    assert_eq!(content(r#""hello""#).hash().to_string(), format!("sha256:{HELLO}"), "as sha256sum says");
    assert_eq!(content("-0"), content("0"));
}

#[test]
fn a_content_hash_is_sha256_and_64_lowercase_digits() {
    let question = accepted(&bare());
    assert_eq!(
        question.content,
        Content::HashOnly(ContentHash(hex::decode(HELLO).unwrap().try_into().unwrap()))
    );
    for text in [
        String::new(),
        "sha256:".to_owned(),
        HELLO.to_owned(),
        format!("sha256:{}", &HELLO[1..]),
        format!("sha256:{HELLO}0"),
        format!("sha256:{}", HELLO.to_uppercase()),
        format!("SHA256:{HELLO}"),
        format!("sha512:{HELLO}"),
        format!("sha256-{HELLO}"),
        format!(" sha256:{HELLO}"),
        format!("sha256:{HELLO}\n"),
        format!("sha256:{}g", &HELLO[1..]),
    ] {
        refused(&json!({"content_hash": text}), "content_hash", "malformed");
    }
    for value in [Value::Null, json!(1), json!([]), json!({})] {
        refused(&json!({"content_hash": value}), "content_hash", "wrong_type");
    }
}

#[test]
fn a_label_has_1_to_256_characters_and_none_that_controls() {
    let labelled = |label: Value| json!({"content": 1, "label": label});
    for label in ["a".to_owned(), " ".to_owned(), "ß\u{1F600}".repeat(LABEL_CHARS / 2)] {
        assert_eq!(accepted(&labelled(label.clone().into())).label, Some(label), "as it was given");
    }
    refused(&labelled("".into()), "label", "empty");
    refused(&labelled("ß".repeat(LABEL_CHARS + 1).into()), "label", "too_long");
    for control in ["a\n", "\0", "a\u{1f}b", "\u{7f}", "\u{9f}"] {
        refused(&labelled(control.into()), "label", "malformed");
    }
    for value in [Value::Null, json!(1), json!(["l"])] {
        refused(&labelled(value), "label", "wrong_type");
    }
}

#[test]
fn what_is_superseded_is_named_by_a_receipts_hash() {
    let superseding = |hash: Value| json!({"content": 1, "supersedes": hash});
    let question = accepted(&superseding(HELLO.into()));
    assert_eq!(question.supersedes.unwrap().to_string(), HELLO);
    for text in ["", &HELLO[1..], &HELLO.to_uppercase(), &format!("sha256:{HELLO}"), &format!("{HELLO}0")] {
        refused(&superseding(text.into()), "supersedes", "malformed");
    }
    for value in [Value::Null, json!(1)] {
        refused(&superseding(value), "supersedes", "wrong_type");
    }
}

#[test]
fn the_first_wrong_field_is_the_one_that_is_named() {
    refused(&json!({"label": "", "supersedes": ""}), "content", "missing");
    refused(&json!({"content": 1, "label": "", "supersedes": ""}), "label", "empty");
}

#[test]
fn an_unknown_member_is_no_fault_and_no_content() {
    let request = json!({"agent": "scout-7", "content": "hello", "comment": {"of": ["any", "kind"]}});
    assert_eq!(accepted(&request), accepted(&json!({"content": "hello"})));
}

#[tokio::test]
async fn a_content_is_found_with_its_hash_and_its_length() {
    let request = json!({"content": "hello", "label": "greeting", "supersedes": "0".repeat(64)});
    let mut finding = judged(&accepted(&request)).await;
    let scope = finding["scope"].take();
    assert_eq!(
        finding,
        json!({
            "verdict": "COMMITTED",
            "content_hash": format!("sha256:{HELLO}"),
            "content_kept": true,
            "label": "greeting",
            "supersedes": "0".repeat(64),
            "explanation": format!(
                "A content of 7 bytes with the hash sha256:{HELLO} was handed in by then. Nobody looked at what it says."
            ),
            "evidence": {
                "kind": "content",
                "received_at": "2026-11-21T02:00:00.250Z",
                "sha256": HELLO,
                "bytes": 7,
            },
            "scope": null,
            "method": "commit/1",
        })
    );
    let scope = scope.as_str().unwrap();
    assert!(scope.contains("does not say who wrote the content, whether it is true"), "{scope}");
    assert_eq!(scope.matches('.').count(), 1, "one sentence: {scope}");
}

#[tokio::test]
async fn of_a_bare_hash_it_is_said_that_the_notary_has_not_seen_the_content() {
    let mut finding = judged(&accepted(&bare())).await;
    let scope = finding["scope"].take();
    assert_eq!(
        finding,
        json!({
            "verdict": "COMMITTED",
            "content_hash": format!("sha256:{HELLO}"),
            "content_kept": false,
            "evidence": {"kind": "content_hash", "received_at": "2026-11-21T02:00:00.250Z"},
            "explanation": format!(
                "The hash sha256:{HELLO}, without its content, was handed in by then. Nobody looked at what it says."
            ),
            "scope": null,
            "method": "commit/1",
        })
    );
    let scope = scope.as_str().unwrap();
    assert!(scope.contains("has not seen the content") && scope.contains("does not say"), "{scope}");
    assert_eq!(scope.matches('.').count(), 1, "one sentence: {scope}");
}

#[tokio::test]
async fn a_replay_of_a_content_is_the_same_to_the_byte() {
    let question = accepted(&json!({"content": {"b": [1.5], "a": "ß"}, "label": "l"}));
    let finding = CommitJudge.judge(&question, at().into()).await.unwrap().finding;
    let replayed = CommitJudge.replay(&question, &[], at()).unwrap();
    assert_eq!(serde_json::to_string(&replayed).unwrap(), serde_json::to_string(&finding).unwrap());
    let tampered = read(r#"{"content":{"b":[1.5],"a":"ss"},"label":"l"}"#).unwrap();
    assert_ne!(CommitJudge.replay(&tampered, &[], at()).unwrap().content_hash, finding.content_hash);
}

#[test]
fn a_replay_of_a_bare_hash_lacks_the_content() {
    let missing = CommitJudge.replay(&accepted(&bare()), &[], at()).unwrap_err();
    assert!(missing.to_string().contains("the content"), "{missing}");
}

/// A value for a member, or none: of any type, right, and nearly right.
fn member() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        2 => Just(None),
        1 => prop::sample::select(vec![Value::Null, json!(1.5), json!(true), json!([]), json!({})]).prop_map(Some),
        2 => "(?s).{0,3}".prop_map(|text| Some(text.into())),
        2 => "(sha256:)?[0-9a-f]{64}\n?".prop_map(|text| Some(text.into())),
        1 => "[ -~]{255,257}".prop_map(|text| Some(text.into())),
        1 => "(sha256:)?[0-9a-fA-Fg]{63,65}".prop_map(|text| Some(text.into())),
    ]
}

proptest! {
    #[test]
    fn the_schema_and_the_reader_agree(members in [member(), member(), member(), member()]) {
        let names = ["content", "content_hash", "label", "supersedes"];
        let named = names.into_iter().zip(members);
        let request: Value =
            named.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<serde_json::Map<_, _>>().into();
        prop_assert_eq!(
            schema().is_valid(&request),
            read(&request.to_string()).is_ok(),
            "{}", request
        );
    }
}
