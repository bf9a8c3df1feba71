//! Evidence: kept once for equal bytes, and separable from the receipts that were found on it.

use super::Harness;
use super::support::*;

pub async fn equal_evidence_is_kept_once<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..4 {
        let mut given = record(number);
        given.evidence = vec![blob("body", b"the same page"), blob("list", &number.to_be_bytes())];
        ledger.append(given).await.unwrap();
    }
    let mut twice = record(4);
    twice.evidence = vec![blob("body", b"the same page"), blob("again", b"the same page")];
    ledger.append(twice).await.unwrap();
    let roles: Vec<String> = ledger.evidence(4).await.unwrap().into_iter().map(|blob| blob.role).collect();
    assert_eq!(roles, ["body", "again"]);
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 5);
}

pub async fn without_its_evidence_a_receipt_its_proof_and_the_log_stand<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut given = record(0);
    given.evidence = vec![blob("body", b"personal data")];
    let sha256 = given.evidence[0].sha256();
    ledger.append(given).await.unwrap();
    append_all(&ledger, 1..300).await;
    let head = ledger.head();
    harness.close(ledger).await;
    harness.strip_evidence();

    let ledger = harness.open().await;
    assert_eq!(ledger.head(), head);
    let (receipt, inclusion) = ledger.receipt_with_inclusion(&hash(0)).await.unwrap().unwrap();
    assert_eq!(receipt.payload, payload(0));
    verified(0, &inclusion);
    let evidence = ledger.evidence(0).await.unwrap();
    assert_eq!(
        (evidence[0].sha256, &evidence[0].bytes),
        (sha256, &None),
        "the address stays, the bytes do not"
    );
    Auditor::fetch(&*ledger).await.audit(&head);
    let mut again = record(300);
    again.evidence = vec![blob("body", b"personal data")];
    ledger.append(again).await.unwrap();
    assert!(ledger.evidence(300).await.unwrap()[0].bytes.is_some());
}
