//! Wallets: every spelling of a listed address is found, and nothing is said without OFAC's own addresses.

use serde_json::{Value, json};

use crate::command::said;
use crate::screening::{SDN_XML, import};
use crate::support::chain::until;
use crate::support::http::Answer;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, dev};

const UNLISTED: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

fn ask(service: &Service, wallet: &str) -> Answer {
    service.ask("/screen-wallet", &json!({"agent": "a", "wallet": wallet}))
}

fn verdict(service: &Service, wallet: &str) -> String {
    text(&ask(service, wallet).expect(200).json(), "verdict").to_owned()
}

#[test]
fn a_listed_address_is_found_in_every_form_that_it_has_and_its_clearance_is_blocked() {
    let service = Launch::dev().without_limits().start();
    // The same 20 bytes in hex, for XDC, for Tron, and in bech32 for Injective and for Harmony.
    let listed = "098b716b8aaf21512996dc57eb0615e2383e2f96";
    for wallet in [
        format!("0x{listed}"),
        listed.to_uppercase(),
        format!("eip155:8453:0x{listed}"),
        format!("xdc{listed}"),
        format!("41{listed}"),
        "TAqg8TXo8tmpaz7TwHS669Tgt8MPSWgoxB".to_owned(),
        "inj1px9hz6u24us4z2vkm3t7kps4ugurutuk8qr7lx".to_owned(),
        "ONE1PX9HZ6U24US4Z2VKM3T7KPS4UGURUTUKZG6MXP".to_owned(),
    ] {
        let receipt = ask(&service, &wallet).expect(200).json();
        assert_eq!((text(&receipt, "verdict"), text(&receipt, "wallet")), ("MATCH", &*wallet));
        assert_eq!(receipt["matches"][0]["name"], "LAZARUS GROUP", "{wallet}");
        assert_eq!(text(&receipt, "method"), "screen-wallet/2");
        let counterparty =
            json!({"agent": "a", "counterparty_name": "Nobody Of That Kind", "wallet": wallet});
        let cleared = service.ask("/agent-clearance", &counterparty).expect(200).json();
        assert_eq!(cleared["reasons"], json!(["wallet_listed"]), "{wallet}");
    }
    assert_eq!(verdict(&service, UNLISTED), "NO_MATCH");
}

#[test]
fn without_the_wallets_of_the_sdn_list_no_wallet_is_said_to_be_unlisted() {
    let service = Launch::serve().without_limits().start();
    let data = service.data.path();
    let other = data.join("cons_addresses.jsonl");
    let row =
        json!({"address": "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "currency": "XBT", "uid": 7, "entity": "X"});
    std::fs::write(&other, format!("{row}\n")).unwrap();
    assert_eq!(said(service.command(["lists", "import", other.to_str().unwrap()]), "").code, Some(0));
    assert_eq!(import(data, &SDN_XML.replace("Digital Currency Address - XBT", "Other")).code, Some(0));
    let name = json!({"agent": "a", "entity": "Nobody Of That Kind"});
    until("names are screened", || service.ask("/screen-entity", &name).status == 200);
    until("the other list is live", || ask(&service, "1BoatSLRHtKNngkdXEeobR76b53LETtpyT").status == 200);
    let detail = |problem: Value| text(&problem, "detail").to_owned();
    for body in [
        json!({"agent": "a", "wallet": UNLISTED}),
        json!({"agent": "a", "counterparty_name": "Nobody Of That Kind", "wallet": UNLISTED}),
        json!({"agent": "a", "wallet": UNLISTED, "webhook": "https://hooks.example.com/"}),
    ] {
        let route = match (body.get("counterparty_name"), body.get("webhook")) {
            (Some(_), _) => "/agent-clearance",
            (None, Some(_)) => "/watch",
            (None, None) => "/screen-wallet",
        };
        let why = detail(service.ask(route, &body).problem(503));
        assert!(why.starts_with("no_list: OFAC SDN is not here with its wallets"), "{route}: {why}");
    }
    assert_eq!(import(data, &SDN_XML.replace("08/20/2026", "08/21/2026")).code, Some(0));
    until("its wallets are live", || ask(&service, UNLISTED).status == 200);
    assert_eq!(verdict(&service, UNLISTED), "NO_MATCH");
}

#[test]
fn what_is_asked_of_a_wallet_is_described_where_it_is_asked() {
    let openapi = dev().get("/openapi.json").expect(200).text().replace("\\n", " ");
    for words in
        ["CashAddr with or without its prefix", "Tron's and XDC's hex", "or had when its watch began"]
    {
        assert!(openapi.contains(words), "{words}");
    }
}
