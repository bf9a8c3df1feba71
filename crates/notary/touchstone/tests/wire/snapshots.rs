//! What anybody may see of the sanctions lists' snapshots.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::said;
use crate::support::chain::until;
use crate::support::http::Answer;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, dev, production, touchstone};

/// A small publication of 2026-08-20.
const SDN_XML: &str = include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn.xml");
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Imports a publication beside the running service; gives its snapshot's id.
fn import(data: &Path, name: &str, xml: &str) -> String {
    let file = data.join(name);
    std::fs::write(&file, xml).unwrap();
    let mut command = touchstone(["lists", "import"]);
    command.arg(file).env("TOUCHSTONE_DATA_DIR", data);
    let line: Value = serde_json::from_str(&said(command, "").out).unwrap();
    text(&line, "snapshot").to_owned()
}

fn next_day() -> String {
    SDN_XML.replace("08/20", "08/21").replace("VANYA", "VANJA").replace("<uid>104<", "<uid>105<")
}

/// A service with two snapshots of one list, the later one live; and their ids.
fn with_two() -> (Service, [String; 2]) {
    let service = Launch::serve().without_limits().with_name_server().start();
    let data = service.data.path();
    let ids = [import(data, "sdn.xml", SDN_XML), import(data, "sdn.xml", &next_day())];
    // One of four entries is lost, which an operator must look at.
    let mut accept = touchstone(["lists", "accept", &ids[1]]);
    accept.env("TOUCHSTONE_DATA_DIR", data);
    assert_eq!(said(accept, "").code, Some(0));
    until("the later one is live", || {
        let all = service.get("/snapshots");
        all.status == 200 && all.json()["snapshots"][0]["current"] == true
    });
    (service, ids)
}

fn diff(service: &Service, from: &str, to: &str) -> Answer {
    service.get(&format!("/snapshots/diff?from={from}&to={to}"))
}

#[test]
fn all_snapshots_are_listed_the_newest_first_with_which_is_current() {
    let (service, [older, newer]) = with_two();
    let answer = service.get("/snapshots").expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    let all = answer.json();
    assert_eq!((&all["count"], &all["truncated"]), (&json!(2), &json!(false)));
    let lines = all["snapshots"].as_array().unwrap();
    let told: Vec<_> =
        lines.iter().map(|line| (text(line, "id"), &line["published"], &line["current"])).collect();
    assert_eq!(
        told,
        [(&*newer, &json!("2026-08-21"), &json!(true)), (&*older, &json!("2026-08-20"), &json!(false))]
    );
    assert!(lines[0]["confirmed_at"].is_string() && lines[1]["confirmed_at"].is_null());
    assert_eq!((text(&lines[0], "list"), &lines[0]["entries"]), ("OFAC SDN", &json!(4)));
    assert!(lines.iter().all(|line| line["fetched_at"].is_string() && line["demo"] == false));
}

#[test]
fn a_snapshot_says_where_it_came_from_and_what_it_holds_for_ever() {
    let (service, [older, _]) = with_two();
    let answer = service.get(&format!("/snapshots/{older}")).expect(200);
    assert_eq!(answer.header("cache-control"), Some(FOR_EVER));
    let page = answer.json();
    assert_eq!((text(&page, "id"), text(&page, "published")), (&*older, "2026-08-20"));
    let counts = &page["counts"];
    for (kind, count) in [
        ("entries", 4),
        ("persons", 1),
        ("organisations", 1),
        ("vessels", 1),
        ("aircraft", 1),
        ("wallets", 1),
    ] {
        assert_eq!(counts[kind], count, "{kind}");
    }
    assert_eq!((&counts["strong_aliases"], &counts["weak_aliases"]), (&json!(1), &json!(1)));
    assert_eq!((&page["declared_entries"], &page["doubts"]), (&json!(4), &json!([])));
    let sha256 = sha256(SDN_XML);
    assert_eq!(page["files"], json!([{"form": "SDN.XML", "bytes": SDN_XML.len(), "sha256": sha256}]));
    assert_eq!(page.get("current"), None, "what may change is not here");
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(text))
}

#[test]
fn a_difference_is_told_entry_by_entry_in_both_directions() {
    let (service, [older, newer]) = with_two();
    for _ in 0..2 {
        let answer = diff(&service, &older, &newer).expect(200);
        assert_eq!(answer.header("cache-control"), Some(FOR_EVER));
        let page = answer.json();
        assert_eq!(
            (text(&page, "from"), text(&page, "to"), text(&page, "list")),
            (&*older, &*newer, "OFAC SDN")
        );
        assert_eq!(page["totals"], json!({"added": 1, "removed": 1, "changed": 1}));
        assert_eq!(page["truncated"], false);
        assert_eq!(page["added"], json!([{"uid": "105", "type": "aircraft", "name": "EP-EXA"}]));
        assert_eq!(page["removed"], json!([{"uid": "104", "type": "aircraft", "name": "EP-EXA"}]));
        let fields = json!([{"field": "weak_aliases", "removed": ["VANYA"], "added": ["VANJA"]}]);
        assert_eq!((&page["changed"][0]["uid"], &page["changed"][0]["fields"]), (&json!("101"), &fields));
    }
    let back = diff(&service, &newer, &older).expect(200).json();
    assert_eq!((&back["added"][0]["uid"], &back["removed"][0]["uid"]), (&json!("104"), &json!("105")));
    let same = diff(&service, &older, &older).expect(200).json();
    assert_eq!(same["totals"], json!({"added": 0, "removed": 0, "changed": 0}));
}

#[test]
fn a_large_difference_is_cut_and_says_so() {
    let service = Launch::serve().without_limits().start();
    let data = service.data.path();
    let older = import(data, "sdn.xml", SDN_XML);
    let entries: String = (1_000..2_500)
        .map(|uid| format!("<sdnEntry><uid>{uid}</uid><lastName>COMPANY {uid}</lastName><sdnType>Entity</sdnType></sdnEntry>"))
        .collect();
    let next = next_day().replace("</sdnList>", &format!("{entries}</sdnList>"));
    let newer = import(data, "sdn.xml", &next.replace("<Record_Count>4<", "<Record_Count>1504<"));
    let page = diff(&service, &older, &newer).expect(200).json();
    assert_eq!(page["totals"], json!({"added": 1_501, "removed": 1, "changed": 1}));
    assert_eq!(page["added"].as_array().unwrap().len(), 1_000);
    assert_eq!(
        (&page["removed"], &page["changed"], &page["truncated"]),
        (&json!([]), &json!([]), &json!(true))
    );
}

#[test]
fn a_wrong_id_is_named_and_an_unknown_one_is_404() {
    let (service, [older, newer]) = with_two();
    let unknown = "0".repeat(64);
    for bad in ["abc", "2026-08-20", &older.to_uppercase(), &older[..63], "%00", "%F0%9F%98%80"] {
        service.get(&format!("/snapshots/{bad}")).names("id", "malformed");
        diff(&service, bad, &newer).names("from", "malformed");
        diff(&service, &older, bad).names("to", "malformed");
    }
    service.get(&format!("/snapshots/diff?to={newer}")).names("from", "missing");
    service.get(&format!("/snapshots/diff?from={older}")).names("to", "missing");
    service
        .get(&format!("/snapshots/diff?from={older}&from={older}&to={newer}"))
        .names("from", "duplicate_key");
    diff(&service, &older, "").names("to", "empty");
    assert_eq!(service.get("/snapshots/%ff").problem(400)["field"], "path");
    service.get(&format!("/snapshots/{unknown}")).problem(404);
    diff(&service, &unknown, &newer).problem(404);
    diff(&service, &older, &unknown).problem(404);
}

#[test]
fn snapshots_of_two_lists_are_not_compared() {
    let (service, [older, _]) = with_two();
    let other = import(service.data.path(), "consolidated.xml", SDN_XML);
    diff(&service, &older, &other).names("to", "not_applicable");
}

#[test]
fn without_a_list_there_is_nothing_to_list_and_no_snapshot() {
    let service = production();
    let problem = service.get("/snapshots").problem(503);
    assert_eq!(text(&problem, "module"), "sanctions");
    assert!(text(&problem, "detail").starts_with("no_list"));
    let unknown = "0".repeat(64);
    service.get(&format!("/snapshots/{unknown}")).problem(404);
    diff(&service, &unknown, &unknown).problem(404);
    assert_eq!(service.get("/stats").expect(200).json()["lists"], json!([]));
}

#[test]
fn a_list_that_is_retired_answers_no_more_without_a_restart_and_its_snapshot_stays() {
    let (service, [_, newer]) = with_two();
    let screen = |entity: &str| service.ask("/screen-entity", &json!({"agent": "a", "entity": entity}));
    let other = SDN_XML.replace("EXAMPLOV", "CONSOLIDATOV").replace("EKSAMPLOV", "KONSOLIDATOV");
    import(service.data.path(), "consolidated.xml", &other);
    until("the other list is live", || {
        screen("Ivan Petrovich Consolidatov").expect(200).json()["verdict"] == "MATCH"
    });
    assert_eq!(screen("Nobody Of That Kind").expect(200).json()["verdict"], "NO_MATCH");
    let receipt = screen("Ivan Petrovich Examplov").expect(200).json();
    assert_eq!((&receipt["verdict"], &receipt["lists"][0]["snapshot"]), (&json!("MATCH"), &json!(newer)));
    let mut retire = touchstone(["lists", "retire", "OFAC SDN"]);
    retire.env("TOUCHSTONE_DATA_DIR", service.data.path());
    assert_eq!(said(retire, "").code, Some(0));
    until("nobody is cleared", || screen("Nobody Of That Kind").status == 503);
    let refused = screen("Nobody Of That Kind").problem(503);
    assert!(text(&refused, "detail").starts_with("no_list: OFAC SDN"), "{refused}");
    // The other list still finds what is on it.
    assert_eq!(screen("Ivan Petrovich Consolidatov").expect(200).json()["verdict"], "MATCH");
    let all = service.get("/snapshots").expect(200).json();
    let kept = all["snapshots"].as_array().unwrap().iter().find(|line| line["id"] == *newer).unwrap();
    assert_eq!(kept["current"], false);
    service.get(&format!("/snapshots/{newer}")).expect(200);
    let mut accept = touchstone(["lists", "accept", &newer]);
    accept.env("TOUCHSTONE_DATA_DIR", service.data.path());
    assert_eq!(said(accept, "").code, Some(0));
    until("it answers again", || screen("Nobody Of That Kind").status == 200);
}

#[test]
fn the_demo_list_is_shown_for_what_it_is() {
    let service = dev();
    let all = service.get("/snapshots").expect(200).json();
    let demo = &all["snapshots"][0];
    assert_eq!((&all["count"], &demo["demo"], &demo["current"]), (&json!(1), &json!(true), &json!(true)));
    let page = service.get(&format!("/snapshots/{}", text(demo, "id"))).expect(200).json();
    assert_eq!((&page["demo"], &page["counts"]["entries"]), (&json!(true), &demo["entries"]));
    let listed = &service.get("/stats").expect(200).json()["lists"][0];
    assert_eq!(
        (&listed["demo"], &listed["age_s"], &listed["stale"]),
        (&json!(true), &Value::Null, &json!(false))
    );
    assert_eq!(service.get("/health").expect(200).json()["status"], "ok");
}

#[test]
fn stats_and_health_say_how_old_a_list_is() {
    let (service, [_, newer]) = with_two();
    let listed = service.get("/stats").expect(200).json()["lists"][0].clone();
    assert_eq!((text(&listed, "name"), text(&listed, "snapshot")), ("OFAC SDN", &*newer));
    assert_eq!((text(&listed, "published"), &listed["entries"]), ("2026-08-21", &json!(4)));
    assert!(listed["age_s"].is_u64() && listed["stale"] == false && listed["demo"] == false);
    // As if nobody had confirmed it for years.
    let live = service.path("lists/live.json");
    let mut record: Value = serde_json::from_slice(&std::fs::read(&live).unwrap()).unwrap();
    record["OFAC SDN"]["confirmed_at"] = json!("2020-01-01T00:00:00.000Z");
    std::fs::write(&live, record.to_string()).unwrap();
    until("it is stale", || service.get("/stats").json()["lists"][0]["stale"] == true);
    let health = service.get("/health").expect(200).json();
    assert_eq!(
        (text(&health, "status"), &health["modules"]),
        ("degraded", &json!({"sanctions": "list_stale"}))
    );
    // What is on it is told all the same; nobody is cleared by it.
    let listed = json!({"agent": "a", "entity": "Ivan Petrovich Examplov"});
    assert_eq!(service.ask("/screen-entity", &listed).expect(200).json()["verdict"], "MATCH");
    let unlisted = json!({"agent": "a", "entity": "Nobody Of That Kind"});
    let refused = service.ask("/screen-entity", &unlisted).problem(503);
    assert!(text(&refused, "detail").starts_with("list_stale: OFAC SDN"), "{refused}");
    let counterparty = json!({"agent": "a", "counterparty_name": "Nobody Of That Kind"});
    let reviewed = service.ask("/agent-clearance", &counterparty).expect(200).json();
    assert_eq!((text(&reviewed, "verdict"), &reviewed["reasons"]), ("REVIEW", &json!(["list_stale"])));
}

#[test]
fn the_catalog_and_the_limits_are_those_of_the_table() {
    let service = Launch::dev().start();
    let answer = service.get("/snapshots").expect(200);
    assert_eq!(answer.header("ratelimit-policy"), Some("\"snapshots\";q=60;w=60"));
    let catalog = service.get("/catalog").expect(200).json();
    for path in ["/snapshots", "/snapshots/{id}", "/snapshots/diff"] {
        let route = catalog["routes"].as_array().unwrap().iter().find(|route| route["path"] == path).unwrap();
        assert_eq!((&route["available"], &route["p95_target_ms"]), (&json!(true), &json!(500)), "{path}");
    }
}
