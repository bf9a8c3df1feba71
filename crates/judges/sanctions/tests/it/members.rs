//! Which members the questions take, and what is meant for one of them.

use std::sync::Arc;

use receipt::json::parse;
use sanctions::agent_clearance::ClearanceQuestion;
use sanctions::live::Lists;
use sanctions::screen_batch::BatchQuestion;
use sanctions::screen_entity::{EntityQuestion, ScreenEntityJudge};
use sanctions::screen_wallet::WalletQuestion;
use serde_json::json;
use verdict::{AnyJudge, Question, refuse_misnamed};

#[test]
fn no_synonym_is_refused_as_if_it_were_another_member() {
    let within = BatchQuestion::TABLE.fields().find_map(|field| field.items()).unwrap();
    for table in [
        EntityQuestion::TABLE,
        WalletQuestion::TABLE,
        ClearanceQuestion::TABLE,
        BatchQuestion::TABLE,
        *within,
    ] {
        let fields = table.guarded_fields();
        for field in table.fields() {
            for synonym in field.synonyms().split_whitespace().filter(|synonym| *synonym != field.name()) {
                let request = parse(json!({ (synonym): "x" }).to_string().as_bytes()).unwrap();
                let error = refuse_misnamed(request.as_object().unwrap(), &fields).unwrap_err();
                assert!(error.detail.contains(&format!("`{}`", field.name())), "{synonym}: {error}");
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
