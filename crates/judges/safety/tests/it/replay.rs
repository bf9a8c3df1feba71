//! A dispute years later: the same finding from what was kept, whatever the feeds say by then.

use std::fs;

use receipt::json::{Json, Object, parse};
use safety::{TextJudge, UrlJudge};
use serde_json::{Value, json};
use tempfile::TempDir;
use threat_feeds::{FeedSettings, Feeds};
use verdict::{Fields, Judge, JudgeContext, Question, Timestamp};

/// A token of GitHub's shape, which nobody has issued.
fn token() -> String {
    ["gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"].concat()
}

fn object(request: &Value) -> Object {
    let Ok(Json::Object(object)) = parse(request.to_string().as_bytes()) else { panic!("{request}") };
    object
}

fn question<Q: Question>(request: &Object) -> Q {
    Q::read(&Fields::root(request)).unwrap()
}

/// Judges with a feed that lists the name, then again from the evidence with none at all. Returns the finding.
async fn judged_and_replayed<J: Judge>(judge: fn(Feeds) -> J, request: &Value) -> Value {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("bad.txt");
    fs::write(&file, format!("evil.example.org\nhttps://b.example.net/{}\n", token())).unwrap();
    let feeds = Feeds::open(&[FeedSettings::Path(file)]).unwrap();
    let at: Timestamp = "2026-06-30T12:00:00.000Z".parse().unwrap();
    let asked = object(request);
    let judged = judge(feeds).judge(&question(&asked), JudgeContext::from(at)).await.unwrap();
    let finding = serde_json::to_value(&judged.finding).unwrap();
    let later = judge(Feeds::open(&[]).unwrap());
    let again = later.replay(&question(&asked), &judged.evidence, at).unwrap();
    assert_eq!(serde_json::to_value(&again).unwrap(), finding);
    assert!(later.replay(&question(&asked), &[], at).is_err(), "without evidence there is no replay");

    // Neither the finding, the evidence nor the kept request has the token.
    let kept = later.kept_request(&question(&asked), &asked);
    let mut all = finding.to_string() + &Json::Object(kept).to_string();
    for blob in &judged.evidence {
        all += str::from_utf8(blob.bytes().unwrap()).unwrap();
    }
    assert!(!all.contains(&token()[8..]), "{all}");
    finding
}

#[tokio::test]
async fn a_text_is_judged_again_from_what_the_feeds_said_then() {
    let text = format!("See www.evil.example.org and https://b.example.net/{0}, my token is {0}.", token());
    let request = json!({"agent": "a", "text": text, "context": "email", "note": token()});
    let finding = judged_and_replayed(TextJudge::new, &request).await;
    assert_eq!((&finding["verdict"], &finding["context"]), (&json!("BLOCK"), &json!("email")));
    let listed = finding["findings"].as_array().unwrap().iter().filter(|hit| hit["rule"] == "feed-listed");
    assert_eq!(listed.count(), 2, "{finding:#}");
}

#[tokio::test]
async fn an_address_is_judged_again_from_what_the_feeds_said_then() {
    let request = json!({"agent": "a", "url": format!("https://b.example.net/{}?a=b", token())});
    let finding = judged_and_replayed(|feeds| UrlJudge::new(feeds, None), &request).await;
    assert_eq!(finding["verdict"], "BLOCK", "{finding:#}");
}
