//! Fills a store through the ledger, so that each of its tables has rows.

use std::collections::BTreeMap;

use ledger::{
    ClaimState, ClientNetwork, CosignedCheckpoint, CounterKey, CurrentEdition, DisputeOutcome, DueClass,
    Erases, Grant, GrantId, KeyStep, Ledger, LedgerRecord, MemoryKey, NewMemory, NewWatch, RetentionTerms,
    Screening, SharedContent, StampedCheckpoint, TrialRequest, WatchChange, WatchKey, WatchStep, Webhook,
};
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::sign::log_entry;

use crate::conformance::disputer::{end_record, new_bond};
use crate::conformance::payer::{
    OWNER, PAYER, at, authorization, bring, claim_in, local_payment, mine, new_claim, paid_record,
    take_over_now, word,
};
use crate::conformance::support::{DAY_MS, ManualClock, blob, new_grant, record, reserve};
use crate::stores::{BASE_URL, TestStore, signer};

/// A record whose receipt is signed, and whose log entry is the receipt's.
pub fn real(record: LedgerRecord) -> LedgerRecord {
    let signer = signer();
    let kid = signer.kid().as_str().to_owned();
    let envelope = Envelope {
        class: record.class,
        iss: BASE_URL,
        kid: &kid,
        agent: "scout",
        request_hash: sha256(&record.request),
        is_request_redacted: false,
        verdict: "CONFIRMED",
        payment: None::<&()>,
        reference: None,
        salt: [0; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: record.signed_at,
    };
    let of = String::from_utf8(record.payload.clone()).unwrap();
    let signed = signer.sign(envelope.payload(&serde_json::json!({ "of": of })).unwrap());
    let entry = log_entry(record.class, &signed.hash, &kid, record.signed_at, None);
    LedgerRecord {
        hash: signed.hash,
        payload: signed.payload,
        signature: signed.signature,
        entry,
        kid,
        ..record
    }
}

pub fn real_hash(number: u64) -> ReceiptHash {
    real(record(number)).hash
}

/// Appends receipts of these numbers.
pub async fn append(ledger: &dyn Ledger, numbers: impl IntoIterator<Item = u64>) {
    let appends = numbers.into_iter().map(|number| ledger.append(real(record(number))));
    for appended in futures_util::future::join_all(appends).await {
        appended.unwrap();
    }
}

/// Fills an empty store: over 600 receipts, and rows in every table.
pub async fn fill(store: &TestStore) {
    store.with(async |ledger| append(ledger, 0..600).await).await;
    let clock = ManualClock::start();
    let grant = store.operator().grant(&[new_grant("a", 1_000_000, &clock)]).unwrap()[0];
    store
        .with(async |ledger| {
            evidence(ledger, &clock).await;
            money(ledger).await;
            watches(ledger, &clock, grant).await;
            shared(ledger).await;
            retention(ledger).await;
        })
        .await;
    store.operator().ask_erasure(&real_hash(6), Some("a wish"), at(1)).unwrap();
}

async fn evidence(ledger: &dyn Ledger, clock: &ManualClock) {
    let reservation = reserve(ledger, "scout", clock, 5).await;
    assert!(reservation.is_some());
    let memory =
        NewMemory { key: MemoryKey::new("commit", &word(1)), text: "seen \u{1F50D} before".to_owned() };
    let rich = LedgerRecord {
        evidence: vec![blob("page", b"a page"), blob("list", &[0, 255, 10, 13])],
        counters: vec![CounterKey::of_agent("commit", "scout")],
        memory: Some(memory),
        reservation,
        key: Some(KeyStep::Introduced { name: signer().kid().as_str().to_owned() }),
        ..record(1000)
    };
    ledger.append(real(rich)).await.unwrap();
    let trial = TrialRequest {
        request_id: "ab".repeat(16),
        agent: "scout".to_owned(),
        endpoint: None,
        contact: Some("someone@example.org".to_owned()),
        reason: Some("to \u{e9}valuate".to_owned()),
        at: at(3),
    };
    ledger.request_trial(trial, None).await.unwrap();
}

async fn money(ledger: &dyn Ledger) {
    ledger.note_prices(at(0), &[("commit", 100_000)]).await.unwrap();
    for (number, state) in (2000..).zip(&ClaimState::ALL[..4]) {
        claim_in(ledger, number, *state).await;
    }
    claim_in(ledger, 2010, ClaimState::Failed).await;
    let freed = mine(ledger, new_claim(authorization(2011))).await;
    ledger.free(freed, OWNER).await.unwrap();

    ledger.local_open(PAYER, 10_000_000).await.unwrap();
    let id = claim_in(ledger, 2020, ClaimState::Judged).await;
    ledger.settle_local(id, OWNER, local_payment(2020)).await.unwrap();
    ledger.append(real(paid_record(2020, id))).await.unwrap();

    let id = claim_in(ledger, 2021, ClaimState::Settled).await;
    let paid = real(paid_record(2021, id));
    let hash = paid.hash;
    let leaf = ledger.append(paid).await.unwrap().leaf;
    for (number, outcome) in [(2030, DisputeOutcome::Upheld), (2031, DisputeOutcome::Overturned)] {
        let id = mine(ledger, new_bond(number, hash)).await;
        bring(ledger, id, number, ClaimState::Settled).await;
        ledger.append(real(end_record(number, id, outcome, leaf))).await.unwrap();
    }
}

fn screening(verdict: &str, edition: u8) -> Screening {
    Screening::new(verdict.to_owned(), &[format!("{edition:064x}")], at(0))
}

async fn watches(ledger: &dyn Ledger, clock: &ManualClock, grant: GrantId) {
    let network =
        ClientNetwork { narrow: "192.0.2.1/32".parse().unwrap(), wide: "192.0.2.0/24".parse().unwrap() };
    for number in 3000..3003_u64 {
        let host = format!("h{number}.example");
        let new = NewWatch {
            key: WatchKey(word(number)),
            agent: "a".to_owned(),
            network: Some(network),
            class: "screen-entity".to_owned(),
            until: at(30 * DAY_MS),
            webhook: Some(Webhook { url: format!("https://{host}/hook"), host }),
            screened: screening("NO_MATCH", 1),
        };
        let terms = new_grant("a", 1_000_000, clock);
        let grant = Grant { id: grant, terms, revoked_at: None };
        let reservation = ledger.reserve_granted(&grant, 1, at(0)).await.unwrap();
        let record = LedgerRecord {
            class: "watch",
            watch: Some(WatchStep::Opened(new)),
            reservation,
            ..record(number)
        };
        ledger.append(real(record)).await.unwrap();
    }
    let edition = screening("", 2).edition;
    let due = CurrentEdition { class: "screen-entity".to_owned(), edition, day: 0, lists: None };
    let taken =
        ledger.take_watches(take_over_now(clock, OWNER, 2), vec![DueClass::OtherEdition(due)]).await.unwrap();
    assert_eq!(taken.len(), 2);
    for (number, watch) in (3010..).zip(taken) {
        let change = WatchChange { id: watch.id, owner: OWNER, screened: screening("MATCH", 2) };
        let record = LedgerRecord {
            class: "screen-entity",
            watch: Some(WatchStep::Changed(change)),
            ..record(number)
        };
        ledger.append(real(record)).await.unwrap();
    }
}

/// Some requests are gone, some are looked at again later, and a receipt is erased.
async fn retention(ledger: &dyn Ledger) {
    let terms =
        |class: &str| RetentionTerms { default_ms: DAY_MS, classes: BTreeMap::from([(class.to_owned(), 1)]) };
    let expired = ledger.expire_requests(terms("claim-verdict"), at(2)).await.unwrap();
    assert!(expired.requests > 0, "{expired:?}");
    let kept = ledger.expire_requests(terms("another"), at(2)).await.unwrap();
    assert_eq!(kept.requests, 0);
    let leaf = ledger.receipt(&real_hash(5)).await.unwrap().unwrap().leaf;
    let erases = Some(Erases { hash: real_hash(5), leaf, memory: None });
    ledger.append(real(LedgerRecord { class: "erasure", erases, ..record(4000) })).await.unwrap();
}

async fn shared(ledger: &dyn Ledger) {
    ledger.set_shared_value("key", 0, b"value".to_vec()).await.unwrap();
    let root = ledger.root_at(1).await.unwrap().unwrap();
    let checkpoint = CosignedCheckpoint { size: 1, root, note: "cosigned".into(), at: at(0) };
    assert!(ledger.record_cosigned(checkpoint).await.unwrap());
    let checkpoint =
        StampedCheckpoint { size: 1, root, note: "stamped".into(), answer: vec![0x30, 0xff], at: at(0) };
    assert!(ledger.record_stamped(checkpoint).await.unwrap());
    ledger.note_logged_stamp(1, 1, real_hash(5)).await.unwrap();
    ledger.remember("kind", word(1), b"note".to_vec(), at(0), at(DAY_MS)).await.unwrap();
    let bytes = b"the bytes of a list";
    let chunk = ledger.put_chunk(bytes.to_vec(), at(0)).await.unwrap();
    let content = SharedContent { sha256: sha256(bytes), length: bytes.len() as u64, chunks: vec![chunk] };
    // By their bytes in this order, and by the rules of most languages in another.
    for path in ["B/list", "a/list", "\u{e4}/list"] {
        ledger.put_file("lists", path, 0, Some(content.clone()), at(0)).await.unwrap();
    }
    ledger.put_file("lists", "B/list", 1, None, at(1)).await.unwrap();
}
