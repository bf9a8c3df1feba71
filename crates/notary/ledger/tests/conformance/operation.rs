//! Operating a store: the identity that all its processes share, and what each says of itself.

use std::time::Duration;

use ledger::{Identity, LedgerError, PriceTable, ReplicaReport};
use verdict::Clock as _;

use super::Harness;
use super::support::*;

/// The longest time in which a process has described itself.
const SEEN_WITHIN: Duration = Duration::from_secs(20);

fn full_identity() -> Identity {
    Identity {
        rerun_kid: Some("rerun".to_owned()),
        webhook_key: Some("whpk_1".to_owned()),
        prices: Some([("commit", 50_000), ("scan-text", 1_000)].into_iter().collect()),
        ..identity(SEED)
    }
}

pub async fn keys_and_prices_that_several_share_are_changed_by_an_operator_and_else_by_a_restart<
    H: Harness,
>() {
    let harness = H::new();
    // A store of before they were stored is bound to the first that come.
    harness.close(harness.open().await).await;
    let mine = full_identity();
    harness.close(harness.open_as(SEED, &mine).await.unwrap()).await;
    let prices: PriceTable = [("commit", 60_000), ("scan-text", 1_000)].into_iter().collect();
    let others = [
        (Identity { rerun_kid: Some("other".to_owned()), ..mine.clone() }, "rerun.pem"),
        (Identity { webhook_key: Some("whpk_2".to_owned()), ..mine.clone() }, "webhook.pem"),
        (Identity { prices: Some(prices), ..mine.clone() }, "price of commit: 0.060000 USD, was 0.050000"),
    ];
    for (other, what) in others {
        match harness.open_as(SEED, &other).await {
            Ok(ledger) => {
                assert!(!H::SEVERAL, "{what}: nobody else may have the store open");
                harness.close(ledger).await;
                harness.close(harness.open_as(SEED, &mine).await.unwrap()).await;
            }
            Err(refused) => {
                assert!(H::SEVERAL && refused.to_string().contains(what), "{what}: {refused}");
            }
        }
        let adopted = harness.operator_store().adopt(&other).unwrap();
        assert!(adopted.len() == 1 && adopted[0].contains(what), "{what}: {adopted:?}");
        assert_eq!(harness.operator_store().adopt(&other).unwrap(), Vec::<String>::new());
        harness.close(harness.open_as(SEED, &other).await.unwrap()).await;
        harness.operator_store().adopt(&mine).unwrap();
    }
    let other_log = Identity { log_vkey: identity(8).log_vkey, ..mine };
    assert!(matches!(harness.operator_store().adopt(&other_log), Err(LedgerError::OtherKeys(_))));
}

pub async fn prices_that_are_not_those_of_a_store_that_several_share_are_not_noted<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open_as(SEED, &full_identity()).await.unwrap();
    let now = harness.clock().now();
    ledger.note_prices(now, &[("commit", 50_000), ("scan-text", 1_000)]).await.unwrap();
    match ledger.note_prices(now, &[("commit", 70_000), ("scan-text", 1_000)]).await {
        Ok(()) => assert!(!H::SEVERAL),
        Err(LedgerError::OtherPrices(which)) => {
            assert!(H::SEVERAL && which.contains("commit: 0.070000"), "{which}");
            assert_eq!(ledger.prices_in_force("commit", now).await.unwrap(), [50_000]);
        }
        Err(other) => panic!("{other}"),
    }
    assert!(ledger.is_writable());
}

pub async fn a_process_is_seen_with_what_it_says_of_itself_until_it_is_closed<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let text = |text: &str| text.to_owned();
    let report = ReplicaReport {
        name: text("one:8402"),
        version: text("1.2.3"),
        lists: text("OFAC SDN 2026-11-20"),
        health: text("ok"),
        prices: text("a hash"),
        next_key: text("a kid"),
    };
    ledger.report(report.clone());
    ledger.append(record(1)).await.unwrap();
    ledger.ping().await.unwrap();
    let began = std::time::Instant::now();
    let is_seen = async || {
        let replicas = ledger.replicas().await.unwrap();
        !replicas.is_empty()
            && replicas
                .iter()
                .all(|replica| replica.report == report && replica.seen_at >= replica.started_at)
            && replicas.iter().any(|replica| replica.head == 1)
    };
    while !is_seen().await {
        assert!(began.elapsed() < SEEN_WITHIN, "{:?}", ledger.replicas().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let status = harness.operator_store().status().unwrap();
    assert_eq!((status.head, status.replicas.is_empty()), (1, !H::SEVERAL));
    assert!(status.replicas.iter().all(|replica| replica.is_alive(status.now)), "{status:?}");
    harness.close(ledger).await;
    assert_eq!(harness.operator_store().status().unwrap().replicas, []);
}
