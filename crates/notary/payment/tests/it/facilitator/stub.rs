//! A facilitator by script, and what is sent to it.

use std::time::Duration;

use fetch::Limits;
use payment::chain::ChainView;
use payment::facilitator::Facilitator;
use payment::{Authorization, B256, Code, Network, SettleError, SignedAuthorization, Terms, U256, Version};
use serde_json::{Value, json};

use crate::support::anvil::{PRICE, pay_to, payer, sign};
use crate::support::{Reply, Server};

/// The transaction that the facilitator names.
pub(crate) const TRANSACTION: B256 = B256::repeat_byte(0x77);

pub(crate) fn signed() -> SignedAuthorization {
    sign(Authorization {
        from: payer().address(),
        to: pay_to(),
        value: U256::from(PRICE),
        valid_after: U256::ZERO,
        valid_before: U256::from(1_795_223_600),
        nonce: B256::repeat_byte(9),
    })
}

/// Finds everything valid, and answers each settlement with the next of `replies`, at the end with the last again.
pub(crate) async fn settling(replies: Vec<Reply>) -> Server {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |path, _| match path {
        "/verify" => Reply::Json(200, json!({"isValid": true, "payer": payer().address().to_string()})),
        "/settle" => {
            let turn = turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            replies[turn.min(replies.len() - 1)].clone()
        }
        other => panic!("{other} was asked for"),
    })
    .await
}

pub(crate) fn facilitator(server: &Server, version: Version, view: Option<ChainView>) -> Facilitator {
    let limits = Limits { total: Duration::from_secs(2), ..Facilitator::limits() };
    let terms = Terms::new(Network::base(), pay_to());
    let resource = "https://notary.example".to_owned();
    let endpoints = [&server.endpoint(limits.clone()), &server.endpoint(limits)];
    Facilitator::new(endpoints, version, terms, resource, view).unwrap()
}

/// A success, with members changed; `null` where one is absent.
pub(crate) fn success(changes: &Value) -> Reply {
    let mut answer = json!({
        "success": true,
        "transaction": TRANSACTION.to_string(),
        "network": "eip155:8453",
        "payer": payer().address().to_string(),
    });
    for (name, value) in changes.as_object().unwrap() {
        answer[name] = value.clone();
    }
    Reply::Json(200, answer)
}

pub(crate) fn failure(status: u16, reason: &str, transaction: &str) -> Reply {
    let answer = json!({
        "success": false,
        "errorReason": reason,
        "transaction": transaction,
        "network": "eip155:8453",
        "payer": payer().address().to_string(),
    });
    Reply::Json(status, answer)
}

/// The code for which a step is refused.
pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, SettleError>) -> Code {
    match result {
        Err(SettleError::Refused(refused)) => refused.code,
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn assert_unavailable<T: std::fmt::Debug>(result: &Result<T, SettleError>, name: &str) {
    assert!(matches!(result, Err(SettleError::Unavailable(_))), "{name}: {result:?}");
}
