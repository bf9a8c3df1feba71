//! Questions to several lists: which are asked, which parties are on more than one, and lists of other topics.

use sanctions::agent_clearance::Chains;
use sanctions::live::Lists;
use serde_json::{Value, json};
use verdict::Timestamp;

use crate::common::{
    HOUR, SDN_XML, TestStore, at, batch, clearance, entity, kept, named, objected, uids, unavailable, wallet,
};

const UN_XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-08-20T00:00:00.000Z"><INDIVIDUALS>
<INDIVIDUAL><DATAID>101</DATAID><FIRST_NAME>JANEK</FIRST_NAME><SECOND_NAME>KOZAROVITCH</SECOND_NAME>
<UN_LIST_TYPE>Sample</UN_LIST_TYPE><REFERENCE_NUMBER>QDi.901</REFERENCE_NUMBER></INDIVIDUAL>
</INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>"#;

const UK_CSV: &str = "Report Date: 21-Aug-2026\n\
    Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,Name non-latin script,Designation Type\n\
    GHR0001,700,QDi.901,KOZAROVITCH,Janek,,,,,Primary Name,,,Individual\n";

fn store(now: Timestamp) -> TestStore {
    let store = kept();
    store.import("sdn.xml", SDN_XML, now);
    store.import("consolidated.xml", UN_XML, now);
    store.import("uk.csv", UK_CSV, now);
    store
}

fn lists(store: &TestStore) -> Lists {
    Lists::open(store.path()).unwrap()
}

fn asking(entity: &str, lists: &[&str]) -> Value {
    json!({"agent": "a", "entity": entity, "lists": lists})
}

fn names_of(finding: &Value) -> Vec<&str> {
    finding["lists"].as_array().unwrap().iter().map(|list| list["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn all_live_lists_are_asked_or_those_that_the_question_names() {
    let store = store(at(0));
    let lists = lists(&store);
    let all = entity(&lists, &named("Janek Kozarovitch"), at(0)).await.unwrap();
    assert_eq!(names_of(&all), ["OFAC SDN", "UK Sanctions List", "UN Security Council"]);
    assert_eq!(all["verdict"], "MATCH");
    for names in [&["UN Security Council"][..], &["un"], &["un security council", "UN"]] {
        let one = entity(&lists, &asking("Janek Kozarovitch", names), at(0)).await.unwrap();
        assert_eq!((names_of(&one), &one["verdict"]), (vec!["UN Security Council"], &json!("MATCH")));
        assert_eq!(one["evidence"]["snapshots"].as_array().unwrap().len(), 1);
    }
    let other = entity(&lists, &asking("Janek Kozarovitch", &["sdn"]), at(0)).await.unwrap();
    assert_eq!(other["verdict"], "NO_MATCH");
    let many = json!({"agent": "a", "entities": ["Janek Kozarovitch", "Ivan Examplov"], "lists": ["uk"]});
    let many = batch(&lists, &many, at(0)).await.unwrap();
    assert_eq!((&many["counts"]["MATCH"], names_of(&many)), (&json!(1), vec!["UK Sanctions List"]));
}

#[tokio::test]
async fn a_list_that_is_not_live_is_named_and_one_that_a_publisher_has_may_come() {
    let store = store(at(0));
    let lists = lists(&store);
    let unknown = entity(&lists, &asking("Janek Kozarovitch", &["un", "Atlantis"]), at(0)).await;
    assert_eq!(objected(unknown), ("lists.1".to_owned(), "unknown_value"));
    let both = entity(&lists, &asking("Janek Kozarovitch", &["eu", "Atlantis"]), at(0)).await;
    assert_eq!(
        objected(both),
        ("lists.1".to_owned(), "unknown_value"),
        "what is wrong before what is missing"
    );
    for name in ["eu", "EU Consolidated", "csl", "US CSL Entity List (EL)"] {
        let detail = unavailable(entity(&lists, &asking("Janek Kozarovitch", &[name]), at(0)).await);
        assert!(detail.starts_with("no_list: "), "{detail}");
    }
}

#[tokio::test]
async fn no_match_on_named_lists_needs_these_alone() {
    let now = at(25 * HOUR);
    let store = kept();
    store.import("consolidated.xml", UN_XML, now);
    store.import("uk.csv", UK_CSV, at(0));
    let lists = lists(&store);
    let detail = unavailable(entity(&lists, &named("Nobody Whoever"), now).await);
    assert!(detail.contains("OFAC SDN"), "{detail}");
    let one = entity(&lists, &asking("Nobody Whoever", &["un"]), now).await.unwrap();
    assert_eq!(one["verdict"], "NO_MATCH");
    let stale = unavailable(entity(&lists, &asking("Nobody Whoever", &["un", "uk"]), now).await);
    assert!(stale.starts_with("list_stale: UK Sanctions List"), "{stale}");
}

#[tokio::test]
async fn a_party_on_several_lists_is_one_match_that_names_them() {
    let store = store(at(0));
    let lists = lists(&store);
    let found = entity(&lists, &named("Janek Kozarovitch"), at(0)).await.unwrap();
    let matches = found["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 1, "{found:#}");
    assert_eq!(matches[0]["list"], "UN Security Council");
    let also = &matches[0]["also_listed"];
    assert_eq!((&also[0]["list"], &also[0]["uid"]), (&json!("UK Sanctions List"), &json!("GHR0001")));
    assert_eq!(also.as_array().unwrap().len(), 1);
    let alone = entity(&lists, &asking("Janek Kozarovitch", &["uk"]), at(0)).await.unwrap();
    assert_eq!(alone["matches"][0].get("also_listed"), None, "what is not asked is not told");
}

#[tokio::test]
async fn each_record_of_a_party_is_dismissed_by_itself_and_no_key_hides_another_lists_entry() {
    let store = store(at(0));
    let lists = lists(&store);
    let dismissing =
        |dismissed: Value| json!({"agent": "a", "entity": "Janek Kozarovitch", "dismissed": dismissed});
    let one = dismissing(json!([{"uid": "GHR0001", "reason": "looked at"}]));
    let one = entity(&lists, &one, at(0)).await.unwrap();
    assert_eq!((&one["verdict"], uids(&one)), (&json!("MATCH"), vec!["101", "GHR0001"]));
    assert_eq!(one["matches"][1]["is_dismissed"], true);
    // The UN's 101 and OFAC's are not one entry.
    let unclear = dismissing(json!([
        {"uid": "GHR0001", "reason": "looked at"}, {"uid": "101", "reason": "looked at"},
    ]));
    let unclear = entity(&lists, &unclear, at(0)).await.unwrap();
    assert_eq!(unclear["verdict"], "MATCH");
    assert_eq!(unclear["dismissed"][1]["status"], "ambiguous");
    let both = dismissing(json!([
        {"uid": "GHR0001", "reason": "looked at"},
        {"uid": "101", "list": "UN Security Council", "reason": "looked at"},
    ]));
    let both = entity(&lists, &both, at(0)).await.unwrap();
    assert_eq!(both["verdict"], "NO_MATCH", "{both:#}");
}

fn house() -> Value {
    json!({
        "list": "House PEPs", "topic": "pep", "uid": ["id"], "name": "name", "type": "kind",
        "types": {"p": "person"}, "wallets": {"btc": "XBT"},
    })
}

const PEPS: &str =
    "id,name,kind,btc\n1,\"WERNERSEN, Odalind\",p,bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq\n";

/// Ten labels of an exchange must not push a sanctioned wallet or name out of sight.
#[tokio::test]
async fn entries_of_another_topic_hide_none_of_sanctions() {
    let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let map = |list: &str, topic: &str| {
        let mut map = house();
        (map["list"], map["topic"]) = (json!(list), json!(topic));
        map
    };
    let rows = |names: &[&str]| {
        let row = |(at, name): (usize, &&str)| format!("{at},\"{name}\",p,{address}\n");
        format!("id,name,kind,btc\n{}", names.iter().enumerate().map(row).collect::<String>())
    };
    let store = kept();
    store.import("sdn.xml", SDN_XML, at(0));
    store.import_own(&map("A labels", "pep"), &rows(&["WERNERSEN, Odalind"; 12]), at(0));
    store.import_own(&map("Z sanctions", "sanctions"), &rows(&["WERNERSENN, Odalind Maria"]), at(0));
    let lists = lists(&store);
    let paid = json!({"agent": "a", "counterparty_name": "Nobody Whoever", "wallet": address});
    let paid = clearance(&lists, &Chains::none(), &paid, at(0)).await.unwrap();
    assert_eq!((&paid["verdict"], &paid["reasons"][0]), (&json!("BLOCK"), &json!("wallet_listed")));
    let found = entity(&lists, &named("Odalind Wernersen"), at(0)).await.unwrap();
    assert_eq!(found["matches"][0]["list"], "Z sanctions", "{found:#}");
    let many = batch(&lists, &json!({"agent": "a", "entities": ["Odalind Wernersen"]}), at(0)).await.unwrap();
    assert_eq!(many["results"][0]["match"]["list"], "Z sanctions");
}

#[tokio::test]
async fn a_list_of_another_topic_says_so_and_makes_no_match_and_no_block() {
    let store = kept();
    store.import("sdn.xml", SDN_XML, at(0));
    store.import_own(&house(), PEPS, at(0));
    let lists = lists(&store);
    for request in [named("Odalind Wernersen"), asking("Odalind Wernersen", &["House PEPs"])] {
        let found = entity(&lists, &request, at(0)).await.unwrap();
        assert_eq!((&found["verdict"], uids(&found)), (&json!("POSSIBLE_MATCH"), vec!["1"]));
        assert_eq!(
            (&found["matches"][0]["topic"], &found["matches"][0]["verdict"]),
            (&json!("pep"), &json!("POSSIBLE_MATCH"))
        );
        assert!(found["score"].as_f64().unwrap() > 0.95);
    }
    let cleared = json!({"agent": "a", "counterparty_name": "Odalind Wernersen"});
    let cleared = clearance(&lists, &Chains::none(), &cleared, at(0)).await.unwrap();
    assert_eq!(
        (&cleared["verdict"], &cleared["reasons"]),
        (&json!("REVIEW"), &json!(["name_possible_match"]))
    );
    let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let found = wallet(&lists, &json!({"agent": "a", "wallet": address}), at(0)).await.unwrap();
    assert_eq!((&found["verdict"], &found["matches"][0]["topic"]), (&json!("MATCH"), &json!("pep")));
    let paid = json!({"agent": "a", "counterparty_name": "Nobody Whoever", "wallet": address});
    let paid = clearance(&lists, &Chains::none(), &paid, at(0)).await.unwrap();
    assert_eq!(paid["verdict"], "REVIEW");
    assert_eq!(paid["reasons"][0], "wallet_on_other_list");
}
