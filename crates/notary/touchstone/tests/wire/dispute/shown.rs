//! What `/verify` and a receipt's page say of it since: its disputes, and the receipt that has taken its place.

use payment::Network;
use payment::Wallet;
use payment::eip712::Domain;

use super::*;
use crate::support::http::Answer;
use crate::support::money::{PRICE, authorization, v1};

/// `/verify` by the hash, which says the same by the whole receipt.
#[track_caller]
fn verified(service: &Service, receipt: &Value) -> Value {
    let by_hash = service.get(&format!("/verify?hash={}", hash(receipt))).expect(200).json();
    let whole = service.ask("/verify", receipt).expect(200).json();
    for name in ["valid", "disputes", "superseded_by"] {
        assert_eq!(by_hash[name], whole[name], "{name}");
    }
    assert_eq!(by_hash["valid"], true, "{by_hash}");
    by_hash
}

fn page(service: &Service, receipt: &Value) -> String {
    service.get(&format!("/r/{}", hash(receipt))).expect(200).text()
}

#[test]
fn disputes_are_shown_with_the_receipt_and_never_change_it() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let forms = |service: &Service| {
        let mut whole = service.get(&format!("/receipts/{}", hash(&receipt))).expect(200).json();
        whole.as_object_mut().unwrap().remove("proof").unwrap();
        (whole, service.get(&format!("/receipts/{}.jws", hash(&receipt))).expect(200).text())
    };
    let before = forms(&service);
    assert_eq!(verified(&service, &receipt)["disputes"], json!([]));
    let upheld = disputed(&service, &receipt);
    let service = restarted(service, |store| tamper(store, &receipt));
    let overturned = disputed(&service, &receipt);
    let shown = |dispute: &Value| {
        let (hash, verdict) = (hash(dispute), text(dispute, "verdict"));
        json!({"status": "ended", "receipt_hash": hash, "verdict": verdict, "signed_at": dispute["signed_at"]})
    };
    let answer = verified(&service, &receipt);
    assert_eq!(answer["disputes"], json!([shown(&upheld), shown(&overturned)]));
    assert_eq!(
        (&answer["superseded_by"], &answer["receipt"]["verdict"]),
        (&Value::Null, &json!("CONFIRMED"))
    );
    assert_eq!(forms(&service), before);
    // Of the dispute's own receipt there is nothing to show.
    assert_eq!(verified(&service, &overturned)["disputes"], json!([]));
    let page = page(&service, &receipt);
    for dispute in [&upheld, &overturned] {
        assert!(page.contains(&format!(r#"href="/r/{}""#, hash(dispute))), "{page}");
    }
    for sentence in [
        "The first verdict stands: it was found again (UPHELD, ",
        "This verdict was wrong: ",
        "(OVERTURNED, ",
    ] {
        assert!(page.contains(sentence), "{sentence}: {page}");
    }
}

/// A commitment by this agent, paid by this wallet, that says to take another receipt's place.
fn committed(service: &Service, agent: &str, wallet: &Wallet, supersedes: Option<&Value>) -> Answer {
    let mut question = json!({"agent": agent, "content": "x"});
    if let Some(receipt) = supersedes {
        question["supersedes"] = json!(hash(receipt));
    }
    let mut authorization = authorization(PRICE);
    authorization.from = wallet.address();
    let signed = wallet.authorize(&Domain::new(&Network::local()), authorization);
    service.send(&with_proof(Request::json("/commit", &question), &v1(&signed)))
}

#[test]
fn only_the_same_agent_and_payer_supersede_and_the_newest_does() {
    let (service, faucet) = (launch().start(), faucet_wallet());
    let other = Wallet::from_bytes([7; 32]).unwrap();
    let original = committed(&service, "owner", &faucet, None).expect(200).json();
    let service = restarted(service, |store| store.fund(other.address(), BOND));
    let superseded_by = || verified(&service, &original)["superseded_by"].clone();
    for (agent, wallet) in
        [("stranger", &faucet), ("owner", &other), ("stranger", &other), ("Owner", &faucet)]
    {
        committed(&service, agent, wallet, Some(&original)).expect(200);
        assert_eq!(superseded_by(), Value::Null, "{agent}");
        assert!(!page(&service, &original).contains("Superseded"));
    }
    let mut newest = original.clone();
    for _ in 0..2 {
        newest = committed(&service, "owner", &faucet, Some(&original)).expect(200).json();
        assert_eq!(superseded_by(), newest["receipt_hash"]);
        assert!(
            page(&service, &original).contains(&format!(r#"Superseded by <a href="/r/{}""#, hash(&newest)))
        );
    }
    // A stranger's later word changes nothing, and it is no dispute.
    committed(&service, "stranger", &other, Some(&original)).expect(200);
    assert_eq!(superseded_by(), newest["receipt_hash"]);
    assert_eq!(verified(&service, &original)["disputes"], json!([]));
    assert_eq!(superseded_by(), newest["receipt_hash"]);
    assert_eq!(verified(&service, &newest)["superseded_by"], Value::Null);
}

#[test]
fn a_receipt_that_nobody_paid_for_is_superseded_by_nobody() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    committed(&service, text(&receipt, "agent"), &faucet_wallet(), Some(&receipt)).expect(200);
    assert_eq!(verified(&service, &receipt)["superseded_by"], Value::Null);
    // It is in the way of no dispute either.
    assert_ended(&disputed(&service, &receipt), "UPHELD", "same_verdict");
}
