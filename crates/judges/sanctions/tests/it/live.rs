//! What answers: which lists are live, how old they may be, and how new ones take their place.

use std::fs;

use module::{FileMark, FileMarks};
use sanctions::live::Lists;
use sanctions::screen_entity::{NameVerdict, ScreenEntityJudge};
use serde_json::json;
use verdict::Judge;
use watchlist::{ListName, Store};

use crate::common::{HOUR, SDN_XML, at, batch, entity, kept, named, read, unavailable};

#[tokio::test]
async fn past_a_day_nobody_is_cleared_and_a_listed_one_is_still_told() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let day = 24 * HOUR;
    let clear = named("Nobody Of That Kind");
    assert_eq!(entity(&live, &clear, at(day)).await.unwrap()["verdict"], "NO_MATCH");
    // A clock that was set back says as little as one that ran on.
    for now in [at(day + 1), at(-day - 1)] {
        assert!(unavailable(entity(&live, &clear, now).await).starts_with("list_stale"));
        assert_eq!(entity(&live, &named("Ivan Petrovich Examplov"), now).await.unwrap()["verdict"], "MATCH");
        assert_eq!(entity(&live, &named("Vanya"), now).await.unwrap()["verdict"], "POSSIBLE_MATCH");
    }
    // Offline, the age is stated and not acted on.
    let stated = entity(&live.at_any_age(), &clear, at(10 * day)).await.unwrap();
    assert_eq!(
        (&stated["verdict"], &stated["lists"][0]["age_seconds"]),
        (&json!("NO_MATCH"), &json!(10 * day))
    );
}

#[tokio::test]
async fn one_stale_list_of_two_is_enough_to_clear_nobody() {
    let lists = kept();
    lists.import("consolidated.xml", SDN_XML, at(0));
    lists.import("sdn.xml", SDN_XML, at(HOUR));
    let live = Lists::open(lists.path()).unwrap();
    let detail = unavailable(entity(&live, &named("Nobody Of That Kind"), at(24 * HOUR + 1)).await);
    assert!(detail.contains("Consolidated"), "{detail}");
}

#[tokio::test]
async fn without_the_sdn_list_nobody_is_cleared_and_a_listed_one_is_still_told() {
    let clear = named("Nobody Of That Kind");
    let names = |names: [&str; 2]| json!({"agent": "a", "entities": names});
    let lists = kept();
    lists.import("consolidated.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    // Offline too: it is not a matter of age.
    for live in [live.clone(), live.clone().at_any_age()] {
        let detail = unavailable(entity(&live, &clear, at(0)).await);
        assert!(detail.starts_with("no_list: OFAC SDN "), "{detail}");
        assert_eq!(
            entity(&live, &named("Ivan Petrovich Examplov"), at(0)).await.unwrap()["verdict"],
            "MATCH"
        );
        assert_eq!(entity(&live, &named("Vanya"), at(0)).await.unwrap()["verdict"], "POSSIBLE_MATCH");
        let mixed = names(["Ivan Petrovich Examplov", "Nobody Of That Kind"]);
        assert!(unavailable(batch(&live, &mixed, at(0)).await).starts_with("no_list"));
        let listed = names(["Ivan Petrovich Examplov", "Vanya"]);
        assert_eq!(batch(&live, &listed, at(0)).await.unwrap()["verdict"], "MATCH");
    }
    // A receipt from before says what it said.
    let judge = ScreenEntityJudge::new(live.clone());
    let listed = read(&named("Vanya")).unwrap();
    let evidence = judge.judge(&listed, at(0).into()).await.unwrap().evidence;
    let again = judge.replay(&read(&clear).unwrap(), &evidence, at(0)).unwrap();
    assert_eq!(again.verdict, NameVerdict::NoMatch);
    lists.import("sdn.xml", SDN_XML, at(0));
    live.reload().unwrap();
    assert_eq!(entity(&live, &clear, at(0)).await.unwrap()["verdict"], "NO_MATCH");
}

#[tokio::test]
async fn a_retired_list_answers_nothing_new_and_its_old_answers_replay() {
    let (clear, other) = (named("Nobody Of That Kind"), SDN_XML.replace("EXAMPLOV", "CONSOLIDATOV"));
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    lists.import("consolidated.xml", &other, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let judge = ScreenEntityJudge::new(live.clone());
    let question = read(&clear).unwrap();
    let before = judge.judge(&question, at(0).into()).await.unwrap();
    // A list that nobody confirms any more keeps all others from clearing anybody, until it is taken out.
    lists.import("sdn.xml", SDN_XML, at(25 * HOUR));
    assert!(live.reload().unwrap());
    assert!(unavailable(entity(&live, &clear, at(25 * HOUR)).await).starts_with("list_stale"));
    lists.store.retire(&ListName::new(ListName::OFAC_CONSOLIDATED), at(25 * HOUR)).unwrap();
    assert!(live.reload().unwrap());
    let finding = entity(&live, &clear, at(25 * HOUR)).await.unwrap();
    assert_eq!((&finding["verdict"], finding["lists"].as_array().unwrap().len()), (&json!("NO_MATCH"), 1));
    lists.store.retire(&ListName::new(ListName::OFAC_SDN), at(25 * HOUR)).unwrap();
    assert!(live.reload().unwrap());
    assert!(unavailable(entity(&live, &clear, at(25 * HOUR)).await).starts_with("no_list"));
    // By the running service, and by one that starts after.
    for lists in [live, Lists::open(lists.path()).unwrap()] {
        let again = ScreenEntityJudge::new(lists).replay(&question, &before.evidence, at(0)).unwrap();
        assert_eq!(serde_json::to_value(again).unwrap(), serde_json::to_value(&before.finding).unwrap());
    }
}

#[tokio::test]
async fn without_a_list_there_is_no_answer_until_one_is_imported() {
    let lists = kept();
    let live = Lists::open(lists.path()).unwrap();
    let other = live.clone();
    assert!(unavailable(entity(&live, &named("Viktor Bout"), at(0)).await).starts_with("no_list"));
    lists.import("sdn.xml", SDN_XML, at(0));
    assert!(live.reload().unwrap());
    assert!(!live.reload().unwrap(), "nothing has changed since");
    for lists in [&live, &other] {
        assert_eq!(
            entity(lists, &named("Ivan Petrovich Examplov"), at(0)).await.unwrap()["verdict"],
            "MATCH"
        );
    }
}

#[test]
fn the_folder_need_not_be_there_and_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let lists = folder.path().join("data/lists");
    assert!(Lists::open(&lists).unwrap().now().all().is_empty());
    assert!(!folder.path().join("data").exists());
}

#[tokio::test]
async fn the_demo_list_answers_only_until_a_real_one_is_there() {
    let lists = kept();
    let live = Lists::or_demo(Store::at(lists.path()));
    assert!(!live.reload().unwrap());
    assert_eq!(entity(&live, &named("Viktor Bout"), at(0)).await.unwrap()["lists"][0]["demo"], true);
    lists.import("sdn.xml", SDN_XML, at(0));
    live.reload().unwrap();
    let finding = entity(&live, &named("Viktor Bout"), at(0)).await.unwrap();
    assert_eq!((&finding["verdict"], &finding["lists"][0]["demo"]), (&json!("NO_MATCH"), &json!(false)));
}

#[tokio::test]
async fn a_confirmation_makes_a_list_young_again_and_loads_nothing() {
    let lists = kept();
    let id = lists.import("sdn.xml", SDN_XML, at(0)).id;
    let live = Lists::open(lists.path()).unwrap();
    // The content is not needed a second time.
    fs::remove_file(lists.store.snapshot_folder(&id).join("content.jsonl.gz")).unwrap();
    let name = live.now().all()[0].indexed.list().name.clone();
    lists.store.confirm(&name, &id, at(20 * HOUR)).unwrap();
    assert!(live.reload().unwrap());
    let finding = entity(&live, &named("Nobody Of That Kind"), at(30 * HOUR)).await.unwrap();
    assert_eq!(finding["lists"][0]["age_seconds"], 10 * HOUR);
}

#[tokio::test]
async fn what_cannot_be_read_takes_nobodys_place() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let next = SDN_XML.replace("08/20/2026", "08/21/2026").replace("EXAMPLOV", "OTHEROV");
    let id = lists.import("sdn.xml", &next, at(60)).id;
    let content = lists.store.snapshot_folder(&id).join("content.jsonl.gz");
    let whole = fs::read(&content).unwrap();
    fs::write(&content, &whole[..whole.len() / 2]).unwrap();
    assert!(live.reload().is_err());
    assert_eq!(entity(&live, &named("Ivan Petrovich Examplov"), at(60)).await.unwrap()["verdict"], "MATCH");
    // Half of the lists is not taken for all: who starts now has none.
    let started = Lists::of(Store::at(lists.path()));
    assert!(started.reload().is_err());
    assert!(
        unavailable(entity(&started, &named("Nobody Of That Kind"), at(60)).await).starts_with("no_list")
    );
    fs::write(&content, whole).unwrap();
    assert!(live.reload().unwrap());
    assert_eq!(entity(&live, &named("Ivan Petrovich Otherov"), at(60)).await.unwrap()["verdict"], "MATCH");
}

#[tokio::test]
async fn a_doubtful_list_answers_only_after_it_was_accepted() {
    let lists = kept();
    let wrong = SDN_XML.replace("<Record_Count>4<", "<Record_Count>9<");
    let id = lists.import("sdn.xml", &wrong, at(0)).id;
    let live = Lists::open(lists.path()).unwrap();
    assert!(
        unavailable(entity(&live, &named("Ivan Petrovich Examplov"), at(0)).await).starts_with("no_list")
    );
    lists.store.accept(&id, at(1)).unwrap();
    live.reload().unwrap();
    assert_eq!(entity(&live, &named("Ivan Petrovich Examplov"), at(1)).await.unwrap()["verdict"], "MATCH");
}

#[test]
fn lists_in_common_change_only_once_all_processes_can_have_them() {
    let kept = kept();
    let live = Lists::of(Store::at(kept.path())).in_common();
    let version = || live.now_with_version().1.map(|file| file.version);
    let mark = |version| {
        let sha256 = kept.store.live_with_hash().unwrap().1.unwrap();
        let mark = Some(FileMark { version, sha256 });
        FileMarks::read(kept.path()).set(kept.path(), "live.json", mark).unwrap();
    };
    assert!(!live.reload().unwrap());
    assert_eq!(version(), Some(0), "nobody has a list");
    kept.import("sdn.xml", SDN_XML, at(0));
    assert!(!live.reload().unwrap() && live.now().all().is_empty());
    mark(7);
    assert!(live.reload().unwrap());
    assert_eq!((live.now().all().len(), version()), (1, Some(7)));
    // The publisher has confirmed it.
    kept.import("sdn.xml", SDN_XML, at(HOUR));
    assert!(!live.reload().unwrap());
    assert_eq!(version(), Some(7));
    mark(8);
    assert!(live.reload().unwrap());
    assert_eq!(version(), Some(8));
    // Alone, a process heeds no marks.
    kept.import("sdn.xml", SDN_XML, at(2 * HOUR));
    let alone = Lists::open(kept.path()).unwrap();
    assert_eq!((alone.now().all().len(), alone.now_with_version().1), (1, None));
}
