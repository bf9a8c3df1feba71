//! Retention and erasure: what is deleted and when, what is kept longer, and what is left of an erased receipt.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger::{
    AskedErasure, ClaimState, ClientNetwork, DisputeOutcome, Erases, ErasureState, Expired, Ledger,
    LedgerError, LedgerRecord, MAX_ASKED_ERASURES, MAX_ERASURE_REASON, MAX_EXPIRED_BYTES, MemoryKey,
    NewMemory, NewWatch, NotErasable, RefundState, RetentionTerms, Screening, TrialRequest, WatchKey,
    WatchStep,
};
use receipt::hash::ReceiptHash;
use receipt::sign::log_entry;
use receipt::time::Timestamp;

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

const HOUR_MS: i64 = 3_600_000;
const LONG: &str = "claim-verdict";
const SHORT: &str = "commit";

fn hour(hours: i64) -> Timestamp {
    at(hours * HOUR_MS)
}

/// 144 hours, and 72 of the class [`SHORT`].
fn terms() -> RetentionTerms {
    RetentionTerms { default_ms: 144 * HOUR_MS, classes: BTreeMap::from([(SHORT.to_owned(), 72 * HOUR_MS)]) }
}

/// A record as the notary makes it: its entry says its class and its time.
fn real(record: LedgerRecord, class: &'static str, hours: i64) -> LedgerRecord {
    let entry = log_entry(class, &record.hash, "did:web:notary.example#k", hour(hours), None);
    LedgerRecord { class, entry, signed_at: hour(hours), ..record }
}

/// A free receipt of a class, signed so many hours after the start, with a page of its own and a list that all have.
fn aged(number: u64, class: &'static str, hours: i64) -> LedgerRecord {
    let evidence =
        vec![blob("body", format!("page {number}").as_bytes()), blob("list", b"the list that all have")];
    LedgerRecord { evidence, ..real(record(number), class, hours) }
}

/// Deletes all whose time is over.
async fn expire(ledger: &dyn Ledger, hours: i64) -> Expired {
    let mut all = Expired::default();
    for _ in 0..1000 {
        all.add(ledger.expire_requests(terms(), hour(hours)).await.unwrap());
        if !all.more {
            return all;
        }
    }
    panic!("it never ends");
}

/// True if request and evidence of the receipt at a leaf are there as a whole, false if they are gone as a whole.
async fn is_kept(ledger: &dyn Ledger, leaf: u64) -> bool {
    let request = ledger.request(leaf).await.unwrap().is_some();
    let evidence = ledger.evidence(leaf).await.unwrap();
    let elsewhere = ledger.evidence_elsewhere(leaf).await.unwrap();
    assert_eq!(elsewhere.is_some(), request);
    assert!(evidence.iter().all(|blob| blob.bytes.is_some()), "no evidence without its bytes");
    assert!(request || evidence.is_empty(), "no evidence without its request");
    request
}

pub async fn a_request_and_its_evidence_are_deleted_once_the_time_of_its_class_is_over<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for (number, class, hours) in [(0, LONG, 0), (1, SHORT, 0), (2, LONG, 100), (3, SHORT, 100)] {
        ledger.append(aged(number, class, hours)).await.unwrap();
    }
    for (hours, kept, requests) in [
        (71, [true; 4], 0),
        (72, [true, false, true, true], 1),
        (72, [true, false, true, true], 0),
        (144, [false, false, true, true], 1),
        (172, [false, false, true, false], 1),
    ] {
        let expired = expire(&*ledger, hours).await;
        assert_eq!((expired.requests, expired.held, expired.unreadable), (requests, 0, 0), "{hours}");
        for (leaf, kept) in (0..).zip(kept) {
            assert_eq!(is_kept(&*ledger, leaf).await, kept, "leaf {leaf} after {hours} hours");
        }
    }
    let ledger = harness.reopen(ledger).await;
    assert_eq!(expire(&*ledger, 243).await.requests, 0);
    let last = expire(&*ledger, 244).await;
    let page = "page 2".len() + "the list that all have".len();
    assert_eq!((last.requests, last.blobs), (1, 2));
    assert_eq!(last.bytes, (request(2).len() + page) as u64);
    for number in 0..4 {
        let (receipt, inclusion) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
        assert_eq!((receipt.payload, inclusion.leaf), (payload(number), number));
    }
    Auditor::fetch(&*ledger).await.audit(&ledger.head());
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 0);
}

pub async fn a_blob_stays_while_one_receipt_needs_it<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for (number, class, hours) in [(0, LONG, 0), (1, SHORT, 0), (2, SHORT, 50)] {
        ledger.append(aged(number, class, hours)).await.unwrap();
    }
    assert_eq!(expire(&*ledger, 72).await.blobs, 1, "its page alone");
    assert_eq!(expire(&*ledger, 122).await.blobs, 1);
    assert!(is_kept(&*ledger, 0).await);
    assert_eq!(expire(&*ledger, 144).await.blobs, 2, "its page and the list");
    ledger.append(aged(3, SHORT, 200)).await.unwrap();
    assert!(is_kept(&*ledger, 3).await, "the list is stored again");
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 2);
}

pub async fn many_receipts_are_deleted_in_several_short_transactions<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let appends: Vec<_> = (0..600)
        .map(|number| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.append(aged(number, SHORT, 0)).await.unwrap() })
        })
        .collect();
    for append in appends {
        append.await.unwrap();
    }
    let first = ledger.expire_requests(terms(), hour(72)).await.unwrap();
    assert!(first.more && (1..600).contains(&first.requests), "{first:?}");
    assert_eq!(first.requests + expire(&*ledger, 72).await.requests, 600);
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 0);
}

/// The second time round they are those that were looked at before.
pub async fn no_more_bytes_are_deleted_in_one_transaction_than_it_has_time_for<H: Harness>() {
    const BYTES: usize = 1_500_000;
    let harness = H::new();
    let ledger = harness.open().await;
    let large = |number: u64, hours: i64| {
        let page = vec![b'0' + u8::try_from(number).unwrap(); BYTES];
        LedgerRecord { evidence: vec![blob("body", &page)], ..real(record(number), SHORT, hours) }
    };
    for hours in [0, 100] {
        let first = ledger.head().size;
        for number in first..first + 6 {
            ledger.append(large(number, hours)).await.unwrap();
        }
        if hours > 0 {
            // They are looked at before their time is over, since that of another class is.
            let early = RetentionTerms { classes: BTreeMap::from([(LONG.to_owned(), 1)]), ..terms() };
            assert_eq!(ledger.expire_requests(early, hour(hours + 1)).await.unwrap().requests, 0);
        }
        let (mut deleted, mut transactions) = (0, 0);
        loop {
            let expired = ledger.expire_requests(terms(), hour(hours + 200)).await.unwrap();
            deleted += expired.requests;
            transactions += 1;
            assert!(expired.bytes < MAX_EXPIRED_BYTES + BYTES as u64 + 1000, "{expired:?}");
            assert!(expired.more || deleted == 6, "{expired:?}");
            if !expired.more {
                break;
            }
        }
        assert!((2..=7).contains(&transactions), "{transactions}");
        for leaf in first..first + 6 {
            assert!(!is_kept(&*ledger, leaf).await, "{leaf}");
        }
    }
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 0);
}

pub async fn what_stands_behind_an_entry_that_cannot_be_read_is_kept<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.append(record(0)).await.unwrap();
    ledger.append(aged(1, SHORT, 0)).await.unwrap();
    let expired = expire(&*ledger, 10_000).await;
    assert_eq!((expired.requests, expired.unreadable), (1, 1));
    assert!(is_kept(&*ledger, 0).await && !is_kept(&*ledger, 1).await);
}

/// A paid receipt with this number.
async fn paid(ledger: &dyn Ledger, number: u64, hours: i64) -> u64 {
    let id = claim_in(ledger, number, ClaimState::Settled).await;
    let paid = real(paid_record(number, id), SHORT, hours);
    ledger.append(paid).await.unwrap().leaf
}

/// The receipt that ends a dispute.
async fn end(ledger: &dyn Ledger, number: u64, outcome: DisputeOutcome, (disputed, leaf): (u64, u64)) {
    let id = open_dispute(ledger, number, hash(disputed)).await;
    ledger.append(real(end_record(number, id, outcome, leaf), "dispute", 1)).await.unwrap();
}

/// Pays all that is owed.
fn pay_all<H: Harness>(harness: &H) {
    let mut operator = harness.operator_store();
    for refund in operator.refunds(&[RefundState::Owed]).unwrap() {
        operator.paid_by_hand(refund.id, word(refund.id.0), at(0), &|_| true).unwrap();
    }
}

pub async fn what_a_dispute_needs_is_kept_until_it_is_decided_and_paid_out<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = paid(&*ledger, 1, 0).await;
    let bond = mine(&*ledger, new_bond(11, hash(1))).await;
    let held = |expired: Expired| (expired.requests, expired.held);
    assert_eq!(held(expire(&*ledger, 500).await), (0, 1), "a bond may still settle");
    bring(&*ledger, bond, 11, ClaimState::Settled).await;
    assert_eq!(held(expire(&*ledger, 500).await), (0, 0), "it is not looked at again at once");
    assert_eq!(held(expire(&*ledger, 501).await), (0, 1), "a dispute is open");
    let ended = real(end_record(11, bond, DisputeOutcome::Overturned, leaf), "dispute", 1);
    let dispute = ledger.append(ended).await.unwrap().leaf;
    assert_eq!(held(expire(&*ledger, 502).await), (0, 2), "both are not paid out");
    assert!(is_kept(&*ledger, leaf).await && is_kept(&*ledger, dispute).await);
    pay_all(&harness);
    assert_eq!(held(expire(&*ledger, 503).await), (2, 0));
    assert!(!is_kept(&*ledger, leaf).await && !is_kept(&*ledger, dispute).await);
}

fn network() -> ClientNetwork {
    ClientNetwork { narrow: "192.0.2.1/32".parse().unwrap(), wide: "192.0.2.0/24".parse().unwrap() }
}

/// The record of a paid watch that ends after so many hours.
async fn watch(ledger: &dyn Ledger, number: u64, until: i64) -> LedgerRecord {
    let id = claim_in(ledger, number, ClaimState::Settled).await;
    let new = NewWatch {
        key: WatchKey(word(number)),
        agent: "scout".to_owned(),
        network: Some(network()),
        class: "screen-entity".to_owned(),
        until: hour(until),
        webhook: None,
        screened: Screening::new("NO_MATCH".to_owned(), &[], hour(0)),
    };
    LedgerRecord { watch: Some(WatchStep::Opened(new)), ..real(paid_record(number, id), SHORT, 0) }
}

pub async fn the_request_of_a_watch_is_kept_while_it_runs<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let opening = watch(&*ledger, 1, 1000).await;
    ledger.append(opening).await.unwrap();
    assert_eq!(expire(&*ledger, 500).await.held, 1);
    assert!(is_kept(&*ledger, 0).await);
    assert!(ledger.end_watch(&WatchKey(word(1)), hour(500)).await.unwrap());
    assert_eq!(expire(&*ledger, 501).await.requests, 1);
}

pub async fn wishes_for_trials_are_forgotten_by_their_age<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..4 {
        let trial = TrialRequest {
            request_id: format!("{number:032x}"),
            agent: "scout".to_owned(),
            endpoint: None,
            contact: Some("someone@example.org".to_owned()),
            reason: None,
            at: hour(number),
        };
        ledger.request_trial(trial, None).await.unwrap();
    }
    assert_eq!(ledger.forget_trials(hour(0), 10).await.unwrap(), 0);
    assert_eq!(ledger.forget_trials(hour(3), 2).await.unwrap(), 2);
    assert_eq!(ledger.forget_trials(hour(3), 2).await.unwrap(), 1);
    let left = ledger.trials(10).await.unwrap();
    assert_eq!(left.iter().map(|trial| trial.at).collect::<Vec<_>>(), [hour(3)]);
}

pub async fn memories_are_forgotten_by_the_age_of_their_last_receipt<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let key = |subject: u8| MemoryKey::new(LONG, &[subject; 32]);
    let remembering = |number: u64, subject: u8, hours: i64| {
        let memory = Some(NewMemory { key: key(subject), text: format!("seen after {hours} hours") });
        ledger.append(LedgerRecord { memory, ..real(record(number), LONG, hours) })
    };
    for (number, subject, hours) in [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 0, 9)] {
        remembering(number, subject, hours).await.unwrap();
    }
    assert_eq!(ledger.forget_memories(hour(1), 10).await.unwrap(), 0, "the first was replaced after 9 hours");
    assert_eq!(ledger.forget_memories(hour(4), 2).await.unwrap(), 2, "the oldest two");
    let ledger = harness.reopen(ledger).await;
    for (subject, at) in [(0, Some(hour(9))), (1, None), (2, None), (3, Some(hour(3)))] {
        let stored = ledger.memory(key(subject)).await.unwrap();
        assert_eq!(stored.map(|memory| memory.at), at, "{subject}");
    }
    assert_eq!(ledger.forget_memories(hour(4), 2).await.unwrap(), 1);
    assert_eq!(ledger.forget_memories(hour(4), 2).await.unwrap(), 0);
    let memory = Some(NewMemory { key: key(1), text: "seen again".to_owned() });
    ledger.append(LedgerRecord { memory, ..real(record(5), LONG, 20) }).await.unwrap();
    assert_eq!(ledger.memory(key(1)).await.unwrap().map(|memory| memory.text).as_deref(), Some("seen again"));
    for number in 0..6 {
        assert!(ledger.receipt(&hash(number)).await.unwrap().is_some(), "the receipts stay");
    }
}

/// Receipts are logged while others with the same evidence are deleted.
pub async fn of_receipts_that_are_logged_meanwhile_none_loses_its_evidence<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for round in 0..30_i64 {
        let append = {
            let ledger = Arc::clone(&ledger);
            let number = u64::try_from(round).unwrap();
            tokio::spawn(async move { ledger.append(aged(number, SHORT, 100 * round)).await.unwrap().leaf })
        };
        let deleted = {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { expire(&*ledger, 100 * round).await })
        };
        let leaf = append.await.unwrap();
        deleted.await.unwrap();
        let evidence = ledger.evidence(leaf).await.unwrap();
        assert!(evidence.len() == 2 && evidence.iter().all(|blob| blob.bytes.is_some()), "{evidence:?}");
    }
    assert_eq!(expire(&*ledger, 100_000).await.held, 0);
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 0);
}

/// The record that erases the receipt of a number.
fn erasing(number: u64, erased: u64, leaf: u64) -> LedgerRecord {
    let erases = Some(Erases { hash: hash(erased), leaf, memory: None });
    LedgerRecord { erases, ..real(record(number), "erasure", 200) }
}

fn refusal(refused: Result<ledger::AppendedRecord, LedgerError>) -> NotErasable {
    match refused {
        Err(LedgerError::NotErasable(why)) => why,
        other => panic!("{other:?}"),
    }
}

pub async fn an_erased_receipt_leaves_its_leaf_and_nothing_else<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let memory = NewMemory { key: MemoryKey::new(LONG, &word(1)), text: "of the subject".to_owned() };
    let key = memory.key;
    ledger.append(LedgerRecord { memory: Some(memory), ..aged(0, LONG, 0) }).await.unwrap();
    ledger.append(aged(1, LONG, 0)).await.unwrap();
    harness.operator_store().ask_erasure(&hash(0), Some("a wish"), hour(1)).unwrap();
    let mut record = erasing(7, 0, 0);
    record.erases = record.erases.map(|erases| Erases { memory: Some(key), ..erases });
    ledger.append(record).await.unwrap();

    assert_eq!(ledger.receipt(&hash(0)).await.unwrap(), None);
    assert!(ledger.receipt_with_inclusion(&hash(0)).await.unwrap().is_none());
    assert_eq!(ledger.short_receipts(&[hash(0), hash(1)]).await.unwrap()[0], None);
    assert!(!is_kept(&*ledger, 0).await && is_kept(&*ledger, 1).await);
    assert_eq!(ledger.memory(key).await.unwrap(), None);
    let ledger = harness.reopen(ledger).await;
    let (erased, inclusion) = ledger.erased(&hash(0)).await.unwrap().unwrap();
    assert_eq!((erased.leaf, erased.logged_by, erased.at), (0, hash(7), hour(200)));
    assert_eq!(erased.entry, aged(0, LONG, 0).entry);
    let proof: tlog::TlogProof = inclusion.to_text().parse().unwrap();
    proof.verify(&erased.entry, &verifier()).unwrap();
    assert_eq!(ledger.erased(&hash(1)).await.unwrap().map(drop), None);
    assert_eq!(ledger.erased(&hash(99)).await.unwrap().map(drop), None);
    Auditor::fetch(&*ledger).await.audit(&ledger.head());
    assert!(matches!(ledger.append(aged(0, LONG, 0)).await, Err(LedgerError::Duplicate)), "it stays logged");
    let asked = harness.operator_store().asked_erasure(&hash(0)).unwrap().unwrap();
    let done = ErasureState::Done { logged_by: hash(7), shared: 1, is_in_wal: false };
    assert_eq!((asked.state, asked.reason), (done, None), "the list is another receipt's too");
    assert_eq!(expire(&*ledger, 1000).await.requests, 2);
    harness.close(ledger).await;
    assert_eq!(harness.blobs(), 0);
}

pub async fn a_receipt_is_erased_once_and_only_where_it_is<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..3 {
        ledger.append(aged(number, LONG, 0)).await.unwrap();
    }
    assert_eq!(refusal(ledger.append(erasing(7, 99, 0)).await), NotErasable::Unknown);
    assert_eq!(refusal(ledger.append(erasing(7, 0, 1)).await), NotErasable::Unknown);
    assert_eq!(refusal(ledger.append(erasing(7, 0, 99)).await), NotErasable::Unknown);
    assert_eq!(ledger.head().size, 3, "nothing was logged");
    let appends: Vec<_> = (10..20_u64)
        .map(|number| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.append(erasing(number, 1, 1)).await })
        })
        .collect();
    let mut done = 0;
    for append in appends {
        match append.await.unwrap() {
            Ok(_) => done += 1,
            refused => assert_eq!(refusal(refused), NotErasable::Erased),
        }
    }
    assert_eq!((done, ledger.head().size), (1, 4));
    assert_eq!(refusal(ledger.append(erasing(30, 1, 1)).await), NotErasable::Erased);
}

pub async fn what_a_dispute_or_a_watch_needs_is_not_erased<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = paid(&*ledger, 1, 0).await;
    let bond = mine(&*ledger, new_bond(11, hash(1))).await;
    assert_eq!(refusal(ledger.append(erasing(7, 1, leaf)).await), NotErasable::Disputed);
    ledger.free(bond, OWNER).await.unwrap();
    end(&*ledger, 12, DisputeOutcome::Overturned, (1, leaf)).await;
    assert_eq!(refusal(ledger.append(erasing(7, 1, leaf)).await), NotErasable::Disputed);
    pay_all(&harness);
    ledger.append(erasing(7, 1, leaf)).await.unwrap();
    assert_eq!(ledger.disputes(&hash(1)).await.unwrap().len(), 1, "the dispute is still known");

    let opening = watch(&*ledger, 2, 1000).await;
    let leaf = ledger.append(opening).await.unwrap().leaf;
    assert_eq!(refusal(ledger.append(erasing(8, 2, leaf)).await), NotErasable::Watched);
    ledger.end_watch(&WatchKey(word(2)), hour(10)).await.unwrap();
    ledger.append(erasing(8, 2, leaf)).await.unwrap();
    assert_eq!(ledger.watch(&WatchKey(word(2))).await.unwrap(), None);
}

pub async fn an_erasure_is_asked_for_once_and_again_where_it_was_refused<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.append(aged(0, LONG, 0)).await.unwrap();
    let mut operator = harness.operator_store();
    assert_eq!(operator.asked_erasure(&hash(0)).unwrap(), None);
    operator.ask_erasure(&hash(1), None, hour(1)).unwrap();
    operator.ask_erasure(&hash(0), Some("a wish"), hour(2)).unwrap();
    operator.ask_erasure(&hash(0), Some("another"), hour(3)).unwrap();
    let waiting = ledger.asked_erasures(10).await.unwrap();
    let expected = AskedErasure {
        hash: hash(0),
        reason: Some("a wish".to_owned()),
        asked_at: hour(2),
        state: ErasureState::Asked,
    };
    assert_eq!(waiting.iter().map(|asked| asked.hash).collect::<Vec<_>>(), [hash(1), hash(0)]);
    assert_eq!(waiting[1], expected);
    assert_eq!(ledger.asked_erasures(1).await.unwrap().len(), 1);

    ledger.refuse_erasure(&hash(1), "there is none".to_owned(), hour(4)).await.unwrap();
    let refused = operator.asked_erasure(&hash(1)).unwrap().unwrap();
    assert_eq!(refused.state, ErasureState::Refused("there is none".to_owned()));
    assert_eq!(ledger.asked_erasures(10).await.unwrap(), [expected]);
    operator.ask_erasure(&hash(1), None, hour(5)).unwrap();
    assert_eq!(ledger.asked_erasures(10).await.unwrap().len(), 2);

    ledger.append(erasing(7, 0, 0)).await.unwrap();
    ledger.refuse_erasure(&hash(0), "too late".to_owned(), hour(6)).await.unwrap();
    operator.ask_erasure(&hash(0), None, hour(7)).unwrap();
    let done = operator.asked_erasure(&hash(0)).unwrap().unwrap();
    assert!(matches!(done.state, ErasureState::Done { .. }), "{done:?}");

    let long = "x".repeat(MAX_ERASURE_REASON + 1);
    assert!(matches!(operator.ask_erasure(&hash(2), Some(&long), hour(1)), Err(LedgerError::Unfit(_))));
    for number in 0..u64::from(MAX_ASKED_ERASURES) - 1 {
        operator.ask_erasure(&ReceiptHash(word(number)), None, hour(1)).unwrap();
    }
    assert!(matches!(operator.ask_erasure(&hash(2), None, hour(1)), Err(LedgerError::Unfit(_))));
}

/// The receipt of a change is erased while the watch that it is about runs on.
pub async fn a_watch_shows_no_change_whose_receipt_was_erased<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    super::watches::one_delivered_alert(&*ledger, harness.clock()).await;
    let key = super::watches::key(1);
    let alert = ledger.watch(&key).await.unwrap().unwrap().alerts.remove(0);
    let leaf = ledger.receipt(&alert.receipt).await.unwrap().unwrap().leaf;
    let erases = Some(Erases { hash: alert.receipt, leaf, memory: None });
    ledger.append(LedgerRecord { erases, ..real(record(900), "erasure", 200) }).await.unwrap();
    let shown = ledger.watch(&key).await.unwrap().unwrap();
    assert_eq!((shown.alerts, shown.ended_at), (Vec::new(), None));
}

/// Without a webhook there is nothing to be forgotten, and with one the alert stays.
pub async fn deliveries_are_forgotten_by_their_age_and_alerts_stay<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    super::watches::one_delivered_alert(&*ledger, harness.clock()).await;
    let key = super::watches::key(1);
    let alert = |watch: Option<ledger::Watch>| watch.unwrap().alerts.remove(0);
    assert!(alert(ledger.watch(&key).await.unwrap()).webhook.is_some());
    assert_eq!(ledger.forget_deliveries(at(-1000 * HOUR_MS), 10).await.unwrap(), 0);
    assert_eq!(ledger.forget_deliveries(at(1000 * HOUR_MS), 10).await.unwrap(), 1);
    assert_eq!(alert(ledger.watch(&key).await.unwrap()).webhook, None);
    assert_eq!(ledger.forget_deliveries(at(1000 * HOUR_MS), 10).await.unwrap(), 0);
}
