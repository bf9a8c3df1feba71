//! `/screen-wallet`: exact, whatever the label, and nothing said where there is nothing to look in.

use sanctions::live::Lists;
use sanctions::screen_wallet::{ScreenWalletJudge, WalletVerdict};
use serde_json::json;
use verdict::{Judge as _, Objection};

use crate::common::{
    HOUR, SDN_XML, at, entity, kept, named, read, real, real_data, unavailable, wallet,
    with_wallets_of_another_list_alone,
};

const LISTED: &str = "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi";
const UNLISTED: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

#[tokio::test]
async fn a_listed_address_is_found_under_any_chain_and_an_unlisted_one_is_not() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let request = json!({"agent": "a", "wallet": format!(" {LISTED} "), "chain": "ethereum"});
    let finding = wallet(&live, &request, at(HOUR)).await.unwrap();
    assert_eq!((&finding["verdict"], &finding["wallet"]), (&json!("MATCH"), &json!(LISTED)));
    let found = &finding["matches"][0];
    assert_eq!((&found["uid"], &found["name"]), (&json!("101"), &json!("EXAMPLOV, Ivan Petrovich")));
    assert_eq!(found["listed_as"], json!([{"address": LISTED, "currency": "XBT"}]));
    assert_eq!(
        (&finding["form"], &finding["lists"][0]["age_seconds"]),
        (&json!("base58_check"), &json!(HOUR))
    );
    let none = wallet(&live, &json!({"agent": "a", "wallet": UNLISTED}), at(HOUR)).await.unwrap();
    assert_eq!((&none["verdict"], &none["matches"]), (&json!("NO_MATCH"), &json!([])));
}

#[tokio::test]
async fn a_mistyped_address_is_refused_unless_a_list_has_it_just_so() {
    let mistyped = "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qj";
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let ask = json!({"agent": "a", "wallet": mistyped});
    let live = Lists::open(lists.path()).unwrap();
    match wallet(&live, &ask, at(0)).await {
        Err(Objection::Field(error)) => assert_eq!(error.path.dotted(), "wallet"),
        other => panic!("{other:?}"),
    }
    lists.import("sdn.xml", &SDN_XML.replace("08/20/2026", "08/21/2026").replace(LISTED, mistyped), at(1));
    live.reload().unwrap();
    let finding = wallet(&live, &ask, at(1)).await.unwrap();
    assert_eq!((&finding["verdict"], &finding["form"]), (&json!("MATCH"), &json!("invalid")));

    // What was taken once, as a watch's address, is answered when it is listed no more.
    let question = read(&ask).unwrap();
    let judge = ScreenWalletJudge::new(live.clone());
    lists.import("sdn.xml", &SDN_XML.replace("08/20/2026", "08/22/2026"), at(2));
    live.reload().unwrap();
    let judged = judge.judge(&question, at(2).into()).await.unwrap();
    assert_eq!(judged.finding.verdict, WalletVerdict::NoMatch);
    assert_eq!(judge.replay(&question, &judged.evidence, at(2)).unwrap(), judged.finding);
    assert!(matches!(wallet(&live, &ask, at(2)).await, Err(Objection::Field(_))));
}

#[tokio::test]
async fn what_is_not_understood_is_refused_and_another_spelling_of_a_listed_address_is_found() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let ask = |text: &str| json!({"agent": "a", "wallet": text});
    for spelling in [format!("bitcoin:{LISTED}"), format!("bip122:000000000019d6689c085ae165831e93:{LISTED}")]
    {
        let finding = wallet(&live, &ask(&spelling), at(0)).await.unwrap();
        assert_eq!((&finding["verdict"], &finding["wallet"]), (&json!("MATCH"), &json!(spelling)));
        assert_eq!((&finding["normalised"], &finding["form"]), (&json!(LISTED), &json!("base58_check")));
    }
    let bare = wallet(&live, &ask("5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"), at(0)).await.unwrap();
    assert_eq!((&bare["verdict"], &bare["form"]), (&json!("NO_MATCH"), &json!("evm")));
    assert_eq!(bare["normalised"], json!("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"));
    for text in [
        "name.eth",
        "Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "425aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        "unheard-of:1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi",
    ] {
        match wallet(&live, &ask(text), at(0)).await {
            Err(Objection::Field(error)) => assert_eq!(error.reason.code(), "malformed", "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn without_any_listed_wallet_there_is_no_answer() {
    let lists = kept();
    lists.import("sdn.xml", &SDN_XML.replace("Digital Currency Address - XBT", "Other"), at(0));
    let live = Lists::open(lists.path()).unwrap();
    let detail = unavailable(wallet(&live, &json!({"agent": "a", "wallet": UNLISTED}), at(0)).await);
    assert!(detail.starts_with("no_list"), "{detail}");
    assert_eq!(entity(&live, &named("Ivan Petrovich Examplov"), at(0)).await.unwrap()["verdict"], "MATCH");
}

#[tokio::test]
async fn without_the_wallets_of_the_sdn_list_no_address_is_said_to_be_unlisted() {
    let lists = with_wallets_of_another_list_alone(LISTED, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let ask = |address: &str| json!({"agent": "a", "wallet": address});
    let detail = unavailable(wallet(&live, &ask(UNLISTED), at(0)).await);
    assert!(detail.starts_with("no_list: OFAC SDN") && detail.contains("wallets"), "{detail}");
    assert_eq!(wallet(&live, &ask(LISTED), at(0)).await.unwrap()["verdict"], "MATCH");
    let with_them = SDN_XML.replace("08/20/2026", "08/21/2026");
    lists.import("sdn.xml", &with_them, at(1));
    live.reload().unwrap();
    assert_eq!(wallet(&live, &ask(UNLISTED), at(1)).await.unwrap()["verdict"], "NO_MATCH");
}

#[tokio::test]
async fn a_list_of_wallets_answers_no_name() {
    let lists = kept();
    let row = format!(
        "{{\"address\": \"{LISTED}\", \"currency\": \"XBT\", \"uid\": 7, \"entity\": \"A LISTED ONE\"}}\n"
    );
    lists.import("addresses.jsonl", &row, at(0));
    let live = Lists::open(lists.path()).unwrap();
    assert_eq!(
        wallet(&live, &json!({"agent": "a", "wallet": LISTED}), at(0)).await.unwrap()["verdict"],
        "MATCH"
    );
    for name in ["A LISTED ONE", "Nobody Of That Kind"] {
        let detail = unavailable(entity(&live, &named(name), at(0)).await);
        assert!(detail.starts_with("no_list"), "{detail}");
    }
}

#[tokio::test]
async fn an_unlisted_address_is_not_cleared_by_a_stale_list_and_a_listed_one_is_told() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let late = at(24 * HOUR + 1);
    let detail = unavailable(wallet(&live, &json!({"agent": "a", "wallet": UNLISTED}), late).await);
    assert!(detail.starts_with("list_stale"), "{detail}");
    assert_eq!(
        wallet(&live, &json!({"agent": "a", "wallet": LISTED}), late).await.unwrap()["verdict"],
        "MATCH"
    );
}

#[tokio::test]
async fn every_real_address_is_found() {
    let (Some(lists), Some(folder)) = (real(), real_data()) else { return };
    let live = Lists::open(lists.path()).unwrap();
    let rows = std::fs::read_to_string(folder.join("crypto/addresses-2026-08-20.jsonl")).unwrap();
    let mut addresses: Vec<String> = rows
        .lines()
        .map(|row| {
            serde_json::from_str::<serde_json::Value>(row).unwrap()["address"].as_str().unwrap().to_owned()
        })
        .collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 961);
    let judge = ScreenWalletJudge::new(live);
    for address in addresses {
        let question = read(&json!({"agent": "a", "wallet": address})).unwrap();
        let judged = judge.judge(&question, at(0).into()).await.unwrap();
        assert_eq!(judged.finding.verdict, WalletVerdict::Match, "{address}");
    }
}
