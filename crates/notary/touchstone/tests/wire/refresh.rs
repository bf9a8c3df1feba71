//! Sanctions lists fetched from their publisher: `lists fetch`, and the rounds of a running service.

use std::path::Path;

use peers::{Fault, Publisher};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{Said, said};
use crate::support::chain::until;
use crate::support::http::{Connection, Request};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, touchstone};

/// A small publication of 2026-08-20 in its two forms.
const SDN_XML: &str = include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn.xml");
const SDN_ADVANCED_XML: &str =
    include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn_advanced.xml");
/// What the other list is called.
const CONSOLIDATED: &str = "OFAC Consolidated (non-SDN)";
/// A day in the advanced form.
const DAY: &str = "<ns2:Day>20</ns2:Day>";

/// Publishes both forms of both lists as of a day of August 2026, the SDN list's with changes.
fn publish(publisher: &Publisher, day: u8, change: impl Fn(&str) -> String) {
    let plain = SDN_XML.replace("08/20/2026", &format!("08/{day}/2026"));
    let advanced = SDN_ADVANCED_XML.replacen(DAY, &format!("<ns2:Day>{day}</ns2:Day>"), 1);
    publisher.publish("SDN.XML", &change(&plain));
    publisher.publish("SDN_ADVANCED.XML", &change(&advanced));
    publisher.publish("CONSOLIDATED.XML", &plain);
    publisher.publish("CONS_ADVANCED.XML", &advanced.replace("SDN List<", "Consolidated List<"));
}

fn published(day: u8) -> Publisher {
    let publisher = Publisher::start();
    publish(&publisher, day, str::to_owned);
    publisher
}

fn lists(data: &Path, publisher: &Publisher, arguments: &[&str]) -> Said {
    let mut command = touchstone(["lists"].iter().chain(arguments));
    command.env("TOUCHSTONE_DATA_DIR", data).env("TOUCHSTONE_LISTS_SOURCE", publisher.url());
    said(command, "")
}

/// The exit code of `lists fetch`, and what it said of each list.
fn fetch(data: &Path, publisher: &Publisher) -> (Option<i32>, Vec<Value>) {
    let said = lists(data, publisher, &["fetch"]);
    (said.code, lines(&said))
}

fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn standings(lines: &[Value]) -> Vec<(&str, &str)> {
    lines.iter().map(|line| (text(line, "list"), text(line, "standing"))).collect()
}

/// The live snapshots and when they were confirmed.
fn live(data: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(data.join("lists/live.json")).unwrap()).unwrap()
}

#[test]
fn a_fetch_makes_both_lists_live_and_the_next_one_asks_only_for_what_is_newer() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    let (code, first) = fetch(data.path(), &publisher);
    assert_eq!(code, Some(0), "{first:?}");
    assert_eq!(standings(&first), [("OFAC SDN", "live"), (CONSOLIDATED, "live")]);
    let before = live(data.path());
    let (code, again) = fetch(data.path(), &publisher);
    assert_eq!(code, Some(0));
    assert_eq!(standings(&again), [("OFAC SDN", "confirmed"), (CONSOLIDATED, "confirmed")]);
    let answers = publisher.answers();
    let statuses: Vec<u16> = answers.iter().map(|(_, status)| *status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 304, 304, 304, 304], "{answers:?}");
    let after = live(data.path());
    assert_eq!(before["OFAC SDN"]["snapshot"], after["OFAC SDN"]["snapshot"]);
    assert!(text(&before["OFAC SDN"], "confirmed_at") < text(&after["OFAC SDN"], "confirmed_at"));
    // No link that expires, and no file of a round, is left behind.
    let kept: Vec<String> = std::fs::read_dir(data.path().join("lists"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(kept.iter().all(|name| !name.starts_with(".fetch")), "{kept:?}");
    let status = lists(data.path(), &publisher, &["status"]);
    assert!(
        !status.out.contains("/signed/")
            && status.out.contains(publisher.url().trim_end_matches("/exports/"))
    );
}

#[test]
fn a_damaged_snapshot_is_fetched_again_before_it_is_confirmed() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    assert_eq!(fetch(data.path(), &publisher).0, Some(0));
    let before = live(data.path());
    let snapshot = data.path().join("lists/snapshots").join(text(&before["OFAC SDN"], "snapshot"));
    let content = snapshot.join("content.jsonl.gz");
    let whole = std::fs::read(&content).unwrap();
    let left = data.path().join("lists/.new-fetched-sdn.json-half");
    std::fs::write(&left, "{").unwrap();
    std::fs::write(&content, &whole[..whole.len() / 2]).unwrap();
    publisher.fail(Some(Fault::Broken));
    assert_eq!(fetch(data.path(), &publisher), (Some(1), Vec::new()));
    assert_eq!(live(data.path()), before);
    publisher.fail(None);
    let asked = publisher.answers().len();
    let (code, again) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&again)[0]), (Some(0), ("OFAC SDN", "confirmed")));
    let statuses: Vec<u16> = publisher.answers()[asked..].iter().map(|(_, status)| *status).collect();
    assert_eq!(statuses, [200, 200, 304, 304]);
    assert_eq!(std::fs::read(&content).unwrap(), whole);
    assert!(!left.exists());
}

#[test]
fn whatever_is_wrong_the_old_list_stays_and_is_not_confirmed() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    assert_eq!(fetch(data.path(), &publisher).0, Some(0));
    let before = live(data.path());
    let unharmed = |what: &str| {
        let (code, lines) = fetch(data.path(), &publisher);
        assert_eq!((code, lines), (Some(1), Vec::new()), "{what}");
        assert_eq!(live(data.path()), before, "{what}");
    };
    for fault in [Fault::Broken, Fault::Page] {
        publisher.fail(Some(fault));
        unharmed(&format!("{fault:?}"));
    }
    publish(&publisher, 21, str::to_owned);
    publisher.fail(Some(Fault::Cut));
    unharmed("cut");
    publisher.fail(None);
    let empty = "<sdnList><publshInformation><Publish_Date>08/21/2026</Publish_Date><Record_Count>0</Record_Count></publshInformation></sdnList>";
    for plain in [empty, &SDN_XML[..SDN_XML.len() / 2], "", "{}", SDN_XML] {
        // The last is whole, and of another day than the advanced form.
        publisher.publish("SDN.XML", plain);
        publisher.publish("CONSOLIDATED.XML", plain);
        unharmed(&plain.chars().take(80).collect::<String>());
    }
    publish(&publisher, 21, str::to_owned);
    let (code, lines) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&lines)[0]), (Some(0), ("OFAC SDN", "live")));
}

#[test]
fn one_list_that_cannot_be_had_does_not_keep_the_other_away() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    publisher.publish("SDN.XML", "hello");
    let (code, lines) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&lines)), (Some(1), vec![(CONSOLIDATED, "live")]));
}

#[test]
fn a_doubtful_publication_waits_for_the_operator_and_confirms_nothing() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    assert_eq!(fetch(data.path(), &publisher).0, Some(0));
    let before = live(data.path());
    publish(&publisher, 21, |text| text.replace("<Record_Count>4<", "<Record_Count>9<"));
    for _ in 0..2 {
        let (code, lines) = fetch(data.path(), &publisher);
        assert_eq!((code, standings(&lines)[0]), (Some(2), ("OFAC SDN", "held")));
        assert_eq!(lines[0]["doubts"], json!(["the publication says 9 entries, 4 were read"]));
        assert_eq!(live(data.path())["OFAC SDN"], before["OFAC SDN"]);
    }
    let id = fetch(data.path(), &publisher).1[0]["snapshot"].clone();
    assert_eq!(lists(data.path(), &publisher, &["accept", id.as_str().unwrap()]).code, Some(0));
    let (code, lines) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&lines)[0]), (Some(0), ("OFAC SDN", "confirmed")));
    assert_eq!(live(data.path())["OFAC SDN"]["snapshot"], id);
}

#[test]
fn one_list_under_the_names_of_the_other_is_refused() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    publisher.publish("SDN_ADVANCED.XML", &SDN_ADVANCED_XML.replace("SDN List<", "Consolidated List<"));
    let (code, lines) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&lines)), (Some(1), vec![(CONSOLIDATED, "live")]));
}

#[test]
fn a_retired_list_is_looked_for_and_stays_out() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    assert_eq!(fetch(data.path(), &publisher).0, Some(0));
    assert_eq!(lists(data.path(), &publisher, &["retire", CONSOLIDATED]).code, Some(0));
    let expected = [("OFAC SDN", "confirmed"), (CONSOLIDATED, "retired")];
    let (code, same) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&same)), (Some(2), expected.to_vec()));
    publish(&publisher, 21, str::to_owned);
    let (code, next) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&next)), (Some(2), vec![("OFAC SDN", "live"), expected[1]]));
    assert!(live(data.path()).get(CONSOLIDATED).is_none());
    assert_eq!(lists(data.path(), &publisher, &["accept", text(&next[1], "snapshot")]).code, Some(0));
    assert_eq!(fetch(data.path(), &publisher).0, Some(0));
}

#[test]
fn exports_that_heed_no_conditions_are_asked_after_what_was_published_last() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    publisher.publish("changes/latest", "<html><body>nothing here</body></html>");
    publisher.fail(Some(Fault::Heedless));
    let fetch = || {
        let mut command = touchstone(["lists", "fetch"]);
        command.env("TOUCHSTONE_DATA_DIR", data.path());
        command.env("TOUCHSTONE_LISTS_SOURCE", publisher.service_url());
        assert_eq!(said(command, "").code, Some(0));
    };
    let asked = || publisher.answers().iter().filter(|(name, _)| name == "changes/latest").count();
    for expected in [0, 0, 2] {
        fetch();
        assert_eq!(asked(), expected, "once for each list, when it is known that they heed none");
    }
}

#[test]
fn the_two_forms_must_have_the_same_entries() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    let more =
        "<sdnEntry><uid>105</uid><lastName>ONE MORE</lastName><sdnType>Entity</sdnType></sdnEntry></sdnList>";
    let plain = SDN_XML.replace("</sdnList>", more).replace("<Record_Count>4<", "<Record_Count>5<");
    publisher.publish("SDN.XML", &plain);
    let (code, lines) = fetch(data.path(), &publisher);
    assert_eq!((code, standings(&lines)[0]), (Some(2), ("OFAC SDN", "held")));
    assert_eq!(lines[0]["doubts"], json!(["SDN_ADVANCED.XML and SDN.XML differ by 1 entries"]));
}

fn following(publisher: &Publisher) -> Service {
    let launch = Launch::serve().without_limits().with_name_server().set("LISTS_SOURCE", &publisher.url());
    launch.set("LISTS_REFRESH", "1s").set("LOG_FORMAT", "json").start()
}

fn sdn(service: &Service) -> Value {
    let stats = service.get("/stats").expect(200).json();
    stats["lists"]
        .as_array()
        .unwrap()
        .iter()
        .find(|list| list["name"] == "OFAC SDN")
        .cloned()
        .unwrap_or_default()
}

#[test]
fn a_service_fetches_by_itself_takes_a_new_publication_over_and_lives_through_failures() {
    let publisher = published(20);
    let service = following(&publisher);
    until("the list is live", || sdn(&service)["published"] == "2026-08-20");
    let screen = |entity: &str| {
        let answer = service.ask("/screen-entity", &json!({"agent": "a", "entity": entity})).expect(200);
        text(&answer.json(), "verdict").to_owned()
    };
    assert_eq!(screen("Ivan Petrovich Examplov"), "MATCH");
    let first = sdn(&service)["snapshot"].clone();
    publisher.fail(Some(Fault::Broken));
    until("a failure is logged", || service.said().contains("SDN.XML was answered with status 500"));
    let failed =
        || publisher.answers().iter().filter(|(name, status)| name == "SDN.XML" && *status == 500).count();
    until("it is tried again", || failed() >= 2);
    until("its age rises", || sdn(&service)["age_s"].as_u64() >= Some(4));
    assert_eq!(sdn(&service)["snapshot"], first);
    assert_eq!(screen("Ivan Petrovich Examplov"), "MATCH");
    publish(&publisher, 21, |text| text.replace("EXAMPLOV", "UNRELATED"));
    publisher.fail(None);
    until("the next list is live", || sdn(&service)["published"] == "2026-08-21");
    until("what is screened is it", || screen("Ivan Petrovich Unrelated") == "MATCH");
    let said = service.stop();
    let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let told =
        lines.filter(|line| line["fields"]["list"] == "OFAC SDN" && line["fields"]["code"] == "status");
    assert_eq!(told.count(), 1, "once, however often it failed: {said}");
}

#[test]
fn a_publisher_that_never_answers_holds_nothing_up() {
    let publisher = published(20);
    publisher.fail(Some(Fault::Silent));
    let service = following(&publisher);
    let refused = service.ask("/screen-entity", &json!({"agent": "a", "entity": "Nobody"})).problem(503);
    assert!(text(&refused, "detail").starts_with("no_list"));
    assert_eq!(service.get("/health").expect(200).json()["modules"], json!({"sanctions": "no_list"}));
    service.stop();
}

#[test]
fn while_a_list_that_is_asked_for_has_not_come_health_metrics_and_log_say_so() {
    let publisher = published(20);
    publisher.fail(Some(Fault::Broken));
    let launch = Launch::serve().with_name_server().set("LISTS_SOURCE", &publisher.url());
    let service = launch.set("LISTS_REFRESH", "1s").set("METRICS", "127.0.0.1:0").start();
    let health = || service.get("/health").expect(200).json();
    let live = || {
        let address = service
            .said()
            .lines()
            .find_map(|line| line.strip_prefix("metrics on http://")?.strip_suffix("/metrics")?.parse().ok());
        let mut connection = Connection::open(address.unwrap());
        let metrics = connection.exchange(&Request::get("/metrics")).expect(200).text();
        let value = metrics.lines().find_map(|line| line.strip_prefix("touchstone_lists_live "));
        value.map(str::to_owned)
    };
    until("a failure is logged", || service.said().contains("could not be fetched; there is none yet"));
    assert_eq!(
        (text(&health(), "status"), &health()["modules"]),
        ("degraded", &json!({"sanctions": "no_list"}))
    );
    assert_eq!(live().as_deref(), Some("0"));
    publisher.fail(None);
    until("the lists are live", || health()["status"] == "ok" && live().as_deref() == Some("2"));
    publisher.fail(Some(Fault::Broken));
    until("a failure is logged", || service.said().contains("could not be fetched; the old one serves on"));
    assert_eq!(text(&health(), "status"), "ok", "what is live answers");
}

const UN: &str = r#"<CONSOLIDATED_LIST dateGenerated="2026-08-20T00:00:00.000Z"><INDIVIDUALS><INDIVIDUAL><DATAID>69</DATAID>
<FIRST_NAME>JANEK</FIRST_NAME><SECOND_NAME>KOZAROVITCH</SECOND_NAME><REFERENCE_NUMBER>QDi.901</REFERENCE_NUMBER></INDIVIDUAL>
</INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>"#;

/// The configuration that has the list of the United Nations fetched from a publisher.
fn with_un(publisher: &Publisher) -> String {
    format!("[lists.un]\nsource = \"{}\"\n", publisher.url())
}

#[test]
fn a_list_of_another_publisher_is_fetched_by_its_name_or_by_the_configuration() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    publisher.publish("consolidated.xml", UN);
    let config = data.path().join("touchstone.toml");
    std::fs::write(&config, with_un(&publisher)).unwrap();
    let named = lists(data.path(), &publisher, &["fetch", "un"]);
    assert_eq!(standings(&lines(&named)), [("UN Security Council", "live")], "{named:?}");
    let all = lists(data.path(), &publisher, &["fetch"]);
    let all = lines(&all);
    let expected = [("OFAC SDN", "live"), (CONSOLIDATED, "live"), ("UN Security Council", "confirmed")];
    assert_eq!(standings(&all), expected);
    let unknown = lists(data.path(), &publisher, &["fetch", "atlantis"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("must be one of sdn, consolidated, un, eu, uk, seco, csl"), "{unknown:?}");
}

#[test]
fn a_service_fetches_the_lists_that_its_configuration_names_and_asks_them() {
    let publisher = published(20);
    publisher.publish("consolidated.xml", UN);
    let launch = Launch::dev().without_limits().set("LISTS_SOURCE", &publisher.url());
    let service = launch.set("LISTS_REFRESH", "1s").configured(&with_un(&publisher)).start();
    until("the lists are live", || {
        let answer = service
            .ask("/screen-entity", &json!({"agent": "a", "entity": "Janek Kozarovitch", "lists": ["un"]}));
        answer.status == 200 && text(&answer.json(), "verdict") == "MATCH"
    });
    for (table, why) in [
        ("[lists.atlantis]", "lists.atlantis"),
        ("[lists.sdn]", "lists_source"),
        ("[lists.un]\nurl=1", "url"),
    ] {
        let refused = Launch::serve().configured(table).refused();
        assert!(refused.contains(why), "{table}: {refused}");
    }
}

#[test]
fn a_list_of_ones_own_is_imported_by_a_map_of_its_columns() {
    let (data, publisher) = (TempDir::new().unwrap(), published(20));
    let file = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let rows = file("house.csv", "id,full_name,aka\n7,\"Examplov, Ivan\",Vanya;Wanja\n");
    let import = |map: &str| {
        let map = file("map.json", map);
        lists(data.path(), &publisher, &["import", "--columns", &map, &rows])
    };
    let map =
        r#"{"list": "House list", "topic": "other", "uid": ["id"], "name": "full_name", "aliases": ["aka"]}"#;
    let imported = import(map);
    assert_eq!((imported.code, standings(&lines(&imported))), (Some(0), vec![("House list", "live")]));
    for (map, why) in [
        (map.replace("aka", "alias"), "alias"),
        (map.replace("topic", "topics"), "topics"),
        (map.replace("other", "sport"), "sport"),
        ("{".to_owned(), "map.json"),
    ] {
        let refused = import(&map);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{map}: {refused:?}");
    }
}

#[test]
fn an_address_that_cannot_be_a_source_is_refused_at_the_start() {
    for (source, why) in [("hello", "lists_source"), ("ftp://example.com/", "lists_source")] {
        assert!(
            Launch::serve().set("LISTS_REFRESH", "15m").set("LISTS_SOURCE", source).refused().contains(why)
        );
    }
    for time in ["15", "0s", "never"] {
        assert!(Launch::serve().set("LISTS_REFRESH", time).refused().contains("lists_refresh"), "{time}");
    }
}
