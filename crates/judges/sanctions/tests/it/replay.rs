//! A dispute years later: the same finding on the snapshot that was looked at, whatever is live by then.

use sanctions::live::Lists;
use sanctions::screen_batch::ScreenBatchJudge;
use sanctions::screen_entity::ScreenEntityJudge;
use sanctions::screen_wallet::ScreenWalletJudge;
use serde_json::json;
use verdict::{EvidenceBlob, Judge};
use watchlist::{Snapshot, demo};

use crate::common::{HOUR, SDN_XML, at, handed_over, judged_with, kept, named, parsed, read, real_data};

/// Judges on the first list, makes the second live, and finds the same as before, while a new question does not.
async fn replays_after<J: Judge>(judge: fn(Lists) -> J, request: serde_json::Value) {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let judge_before = judge(live.clone());
    let (before, evidence) =
        judged_with(&judge_before, &judge(Lists::none()), &request, at(HOUR)).await.unwrap();
    let next = SDN_XML
        .replace("08/20/2026", "08/21/2026")
        .replace("EXAMPLOV", "UNRELATED")
        .replace("EKSAMPLOV", "UNRELATED")
        .replace("Ivan", "Oswald")
        .replace("Petrovich", "Quentin")
        .replace("1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi", "123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX");
    lists.import("sdn.xml", &next, at(2 * HOUR));
    assert!(live.reload().unwrap());
    let question: J::Question = read(&request).unwrap();
    let text = |finding: J::Finding| serde_json::to_string(&finding).unwrap();
    // By the running service, by one that starts anew, and by one that has nothing but what was handed over.
    let handed = handed_over(&judge_before, &evidence);
    let restarted = judge(Lists::open(lists.path()).unwrap());
    for again in [
        judge_before.replay(&question, &evidence, at(HOUR)),
        restarted.replay(&question, &evidence, at(HOUR)),
        judge(Lists::none()).replay(&question, &handed, at(HOUR)),
    ] {
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text(again.unwrap())).unwrap(), before);
    }
    let now = judge_before.judge(&question, at(2 * HOUR).into()).await.unwrap();
    let now = serde_json::to_value(now.finding).unwrap();
    assert_eq!((&before["verdict"], &now["verdict"]), (&json!("MATCH"), &json!("NO_MATCH")));
    assert_ne!(before["lists"][0]["snapshot"], now["lists"][0]["snapshot"]);
}

#[tokio::test]
async fn a_name_replays_on_the_old_snapshot_after_a_new_one_is_live() {
    replays_after(ScreenEntityJudge::new, named("Ivan Petrovich Examplov")).await;
}

#[tokio::test]
async fn a_batch_does() {
    let request =
        json!({"agent": "a", "entities": ["Ivan Petrovich Examplov", {"entity": "Nobody Of That Kind"}]});
    replays_after(ScreenBatchJudge::new, request).await;
}

#[tokio::test]
async fn a_wallet_does() {
    let request = json!({"agent": "a", "wallet": "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi"});
    replays_after(ScreenWalletJudge::new, request).await;
}

#[tokio::test]
async fn a_replay_states_the_age_of_then_and_does_not_act_on_it() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let judge = ScreenEntityJudge::new(Lists::open(lists.path()).unwrap());
    let question = read(&named("Nobody Of That Kind")).unwrap();
    let judged = judge.judge(&question, at(HOUR).into()).await.unwrap();
    let late = judge.replay(&question, &judged.evidence, at(100 * HOUR)).unwrap();
    assert_eq!(late.verdict, judged.finding.verdict);
    assert_eq!(late.lists[0].age_seconds, Some(100 * 3_600));
}

#[tokio::test]
async fn a_piece_that_is_gone_or_not_what_it_was_is_missing() {
    let judge = ScreenEntityJudge::new(Lists::demo());
    let question = read(&named("Viktor Bout")).unwrap();
    let evidence = judge.judge(&question, at(0).into()).await.unwrap().evidence;
    let handed = handed_over(&judge, &evidence);
    let roles: Vec<&str> = handed.iter().map(EvidenceBlob::role).collect();
    assert_eq!(roles, ["looked", "list"]);
    let stranger = ScreenEntityJudge::new(Lists::none());
    assert!(stranger.replay(&question, &handed, at(0)).is_ok());
    for without in 0..2 {
        let mut left = handed.clone();
        left.remove(without);
        assert!(stranger.replay(&question, &left, at(0)).is_err());
    }
    // Another content, even of the same length, is not that snapshot.
    let mut list = Snapshot::of(demo::list()).content();
    assert_eq!(Some(&list[..]), handed[1].bytes());
    let last = list.len() - 3;
    list[last] ^= 1;
    let forged = [handed[0].clone(), EvidenceBlob::new("list", list)];
    assert!(stranger.replay(&question, &forged, at(0)).is_err());
    assert!(stranger.replay(&question, &[EvidenceBlob::new("looked", b"{}".to_vec())], at(0)).is_err());
}

#[test]
fn what_was_never_kept_is_not_given() {
    let judge = ScreenEntityJudge::new(Lists::none());
    assert_eq!(judge.kept(&[0; 32]), None);
    // The demo list is part of the program, so its receipts replay wherever they came from.
    assert!(judge.kept(Snapshot::of(demo::list()).id.as_bytes()).is_some());
}

#[test]
fn a_damaged_content_is_given_from_memory_while_it_is_live_and_else_not_at_all() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let id = *live.now().all()[0].indexed.id();
    let whole = lists.store.content(&id).unwrap();
    assert_eq!(Snapshot::read(&whole).unwrap().id, id);
    let file = lists.store.snapshot_folder(&id).join("content.jsonl.gz");
    let packed = std::fs::read(&file).unwrap();
    let mut altered = packed.clone();
    altered[packed.len() / 2] ^= 1;
    for damaged in [&packed[..packed.len() / 2], &altered[..], &[]] {
        std::fs::write(&file, damaged).unwrap();
        assert!(lists.store.content(&id).is_err());
        assert_eq!(live.content(&id).as_ref(), Some(&whole));
        assert_eq!(Lists::of(lists.store.clone()).content(&id), None);
    }
}

#[test]
fn content_is_read_back_as_it_was_and_cut_content_is_not() {
    let snapshot = Snapshot::of(demo::list());
    let content = snapshot.content();
    let again = Snapshot::read(&content).unwrap();
    assert_eq!((again.id, &again.list), (snapshot.id, &snapshot.list));
    for cut in [0, 1, content.len() / 2, content.len() - 1] {
        assert!(Snapshot::read(&content[..cut]).is_err(), "{cut}");
    }
}

#[tokio::test]
async fn a_screen_of_the_real_list_replays_after_the_next_publication() {
    let Some(folder) = real_data() else { return };
    let lists = kept();
    let older = parsed(&[folder.join("older/ofac-sdn-2026-08-18.json.gz")]);
    lists.store.admit(&older, "a test", at(0)).unwrap();
    let live = Lists::open(lists.path()).unwrap();
    let judge = ScreenEntityJudge::new(live.clone());
    let request = named("Viktor Anatolijevitch Bout");
    let (before, evidence) =
        judged_with(&judge, &ScreenEntityJudge::new(Lists::none()), &request, at(0)).await.unwrap();
    lists.store.admit(&parsed(&[folder.join("current/ofac-sdn.json.gz")]), "a test", at(60)).unwrap();
    assert!(live.reload().unwrap());
    assert_eq!(live.now().all()[0].indexed.list().published, Some(jiff::civil::date(2026, 8, 20)));
    let again = judge.replay(&read(&request).unwrap(), &evidence, at(0)).unwrap();
    assert_eq!(serde_json::to_value(again).unwrap(), before);
    assert_eq!(before["lists"][0]["published"], "2026-08-18");
}
