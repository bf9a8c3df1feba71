//! Which members the questions take, and what is meant for one of them.

use std::sync::Arc;

use receipt::json::parse;
use sanctions::agent_clearance::ClearanceQuestion;
use sanctions::live::Lists;
use sanctions::screen_batch::BatchQuestion;
use sanctions::screen_entity::{EntityQuestion, ScreenEntityJudge};
use sanctions::screen_wallet::WalletQuestion;
use serde_json::{Value, json};
use verdict::{AnyJudge, Member, Question, refuse_misnamed};

fn properties<Q: Question>() -> Value {
    schemars::SchemaGenerator::default().into_root_schema_for::<Q>().to_value()["properties"].take()
}

#[track_caller]
fn assert_same(properties: &Value, members: &[Member]) {
    let mut members: Vec<&str> = members.iter().map(|member| member.name).collect();
    members.sort_unstable();
    let mut properties: Vec<&String> = properties.as_object().unwrap().keys().collect();
    properties.sort_unstable();
    assert_eq!(properties, members);
}

#[test]
fn what_resembles_a_member_is_held_to_every_member_of_the_schema() {
    assert_same(&properties::<EntityQuestion>(), EntityQuestion::MEMBERS);
    assert_same(&properties::<WalletQuestion>(), WalletQuestion::MEMBERS);
    assert_same(&properties::<ClearanceQuestion>(), ClearanceQuestion::MEMBERS);
    let batch = properties::<BatchQuestion>();
    assert_same(&batch, BatchQuestion::MEMBERS);
    let entity = &batch["entities"]["items"]["oneOf"][1]["properties"];
    assert_same(entity, BatchQuestion::MEMBERS[0].items);
}

#[test]
fn no_synonym_is_refused_as_if_it_were_another_member() {
    for members in [
        EntityQuestion::MEMBERS,
        WalletQuestion::MEMBERS,
        ClearanceQuestion::MEMBERS,
        BatchQuestion::MEMBERS,
        BatchQuestion::MEMBERS[0].items,
    ] {
        for member in members {
            for synonym in member.synonyms.iter().filter(|synonym| **synonym != member.name) {
                let request = parse(json!({ (*synonym): "x" }).to_string().as_bytes()).unwrap();
                let error = refuse_misnamed(request.as_object().unwrap(), members).unwrap_err();
                assert!(error.detail.contains(&format!("`{}`", member.name)), "{synonym}: {error}");
            }
        }
    }
}

#[test]
fn what_was_asked_before_is_still_read() {
    let judge = Arc::new(ScreenEntityJudge::new(Lists::none()));
    let kept = parse(br#"{"agent": "a", "entity": "Evil Corp", "dob": "1961"}"#).unwrap();
    let kept = kept.as_object().unwrap();
    assert!(judge.open(kept).is_ok());
    let error = judge.receive(kept).err().unwrap();
    assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("dob", "misnamed"));
}
