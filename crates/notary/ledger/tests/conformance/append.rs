//! Appending: what was appended is there, once, whole and proven.

use std::collections::BTreeSet;
use std::sync::Arc;

use ledger::{
    ClaimState, ClassCount, CounterKey, DayCount, LedgerError, LedgerRecord, MAX_RECORD_BYTES,
    MAX_SHORT_PAYLOAD, MAX_SHORT_RECEIPTS, MemoryKey, NewMemory, StoredBlob, StoredReceipt, TrialRequest,
};
use receipt::time::Timestamp;
use verdict::{MAX_MEMORY_BYTES, Memory};

use super::Harness;
use super::payer::{at, claim_in};
use super::support::*;

pub async fn an_appended_receipt_is_found_by_its_hash_with_its_request_and_evidence<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..3).await;
    let mut given = record(3);
    given.evidence = vec![blob("body", b"the page"), blob("list", b"the list")];
    let (signature, addresses) = (given.signature, [given.evidence[0].sha256(), given.evidence[1].sha256()]);
    let appended = ledger.append(given).await.unwrap();
    assert_eq!((appended.leaf, appended.inclusion.leaf), (3, 3));

    let stored = StoredReceipt { leaf: 3, payload: payload(3), signature };
    assert_eq!(ledger.receipt(&hash(3)).await.unwrap().unwrap(), stored);
    let (found, inclusion) = ledger.receipt_with_inclusion(&hash(3)).await.unwrap().unwrap();
    assert_eq!(found, stored);
    assert_eq!(verified(3, &inclusion).size(), 4);
    assert_eq!(ledger.request(3).await.unwrap().unwrap(), stored_request(3));
    let blobs = [("body", &b"the page"[..]), ("list", b"the list")].into_iter().zip(addresses);
    let blobs: Vec<_> = blobs
        .map(|((role, bytes), sha256)| StoredBlob { role: role.into(), sha256, bytes: Some(bytes.into()) })
        .collect();
    assert_eq!(ledger.evidence(3).await.unwrap(), blobs);
    assert!(ledger.evidence(2).await.unwrap().is_empty());
}

pub async fn an_unknown_hash_is_found_nowhere<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..2).await;
    let mut similar = hash(1);
    similar.0[31] ^= 1;
    for unknown in [hash(2), similar] {
        assert!(ledger.receipt(&unknown).await.unwrap().is_none());
        assert!(ledger.receipt_with_inclusion(&unknown).await.unwrap().is_none());
    }
    assert!(ledger.request(2).await.unwrap().is_none());
}

pub async fn short_receipts_are_found_together_in_the_order_of_their_hashes_and_no_long_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..3).await;
    for (number, bytes) in [(3, MAX_SHORT_PAYLOAD), (4, MAX_SHORT_PAYLOAD + 1)] {
        ledger.append(LedgerRecord { payload: vec![b' '; bytes], ..record(number) }).await.unwrap();
    }
    let hashes = [2, 7, 0, 4, 3, 2].map(hash);
    let mut expected = Vec::new();
    for (hash, is_short) in hashes.iter().zip([true, true, true, false, true, true]) {
        expected.push(ledger.receipt(hash).await.unwrap().filter(|_| is_short));
    }
    assert_eq!(ledger.short_receipts(&hashes).await.unwrap(), expected);
    assert_eq!(expected.iter().flatten().count(), 4);
    assert!(ledger.short_receipts(&[]).await.unwrap().is_empty());
    let many = vec![hash(0); MAX_SHORT_RECEIPTS + 1];
    assert_eq!(ledger.short_receipts(&many).await.unwrap().len(), MAX_SHORT_RECEIPTS);
    assert_eq!(harness.reopen(ledger).await.short_receipts(&hashes).await.unwrap(), expected);
}

pub async fn each_append_is_proven_under_its_own_checkpoint_and_under_later_ones<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..20 {
        let appended = ledger.append(record(number)).await.unwrap();
        assert_eq!(verified(number, &appended.inclusion).size(), number + 1);
        assert_eq!(signed(&ledger.head()).size(), number + 1);
    }
    for (number, appended) in append_all(&ledger, 20..600).await {
        assert!(verified(number, &appended.inclusion).size() > appended.leaf);
        let later = ledger.inclusion(appended.leaf).await.unwrap();
        assert_eq!(verified(number, &later).size(), 600);
    }
}

pub async fn concurrent_appends_land_in_few_transactions_and_all_verify<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let appended = append_all(&ledger, 0..256).await;
    let checkpoints: BTreeSet<u64> =
        appended.iter().map(|(number, appended)| verified(*number, &appended.inclusion).size()).collect();
    // A checkpoint is a transaction. One by one they would be 256.
    assert!(checkpoints.len() <= 128, "{} transactions", checkpoints.len());
    let leaves: BTreeSet<u64> = appended.iter().map(|(_, appended)| appended.leaf).collect();
    assert!(leaves.into_iter().eq(0..256));
}

pub async fn an_append_that_was_never_polled_changes_nothing<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut unsent = record(0);
    unsent.reservation = reserve(&*ledger, "scout", harness.clock(), 1).await;
    drop(ledger.append(unsent));
    assert!(reserve(&*ledger, "scout", harness.clock(), 1).await.is_some());
    ledger.append(record(1)).await.unwrap();
    assert!(ledger.receipt(&hash(0)).await.unwrap().is_none());
}

pub async fn a_caller_that_goes_away_does_not_undo_its_append<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..20 {
        let mut sent = record(number);
        sent.reservation = reserve(&*ledger, "scout", harness.clock(), 100).await;
        let append = tokio::time::timeout(std::time::Duration::ZERO, ledger.append(sent));
        drop(append.await);
    }
    // What comes later in the queue is answered later: by now all of the above were decided on. Where two ledgers are used
    // in turn, each of them has one of these.
    for number in 100..102 {
        ledger.append(record(number)).await.unwrap();
    }
    let appended = ledger.append(record(102)).await.unwrap();
    let mut logged = 0;
    for number in 0..20 {
        logged += u64::from(ledger.receipt(&hash(number)).await.unwrap().is_some());
    }
    assert_eq!(logged + 2, appended.leaf, "a receipt is logged whole or not at all");
    let mut free = Vec::new();
    while let Some(reservation) = reserve(&*ledger, "scout", harness.clock(), 100).await {
        free.push(reservation);
    }
    assert_eq!(
        free.len() as u64,
        100 - logged,
        "each logged receipt used up one reservation, the others none"
    );
}

pub async fn a_record_too_large_is_refused_and_its_neighbours_are_not<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let neighbours = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move { append_all(&ledger, 0..50).await }
    });
    let (mut long, mut large) = (record(100), record(101));
    long.entry = vec![b'x'; 65_536];
    large.evidence = vec![blob("body", &vec![b'x'; MAX_RECORD_BYTES])];
    for bad in [long, large] {
        let refused = ledger.append(bad).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
    }
    assert_eq!(neighbours.await.unwrap().len(), 50);
    assert_eq!(ledger.head().size, 50);
    let mut longest = record(102);
    longest.entry = vec![b'x'; 65_535];
    ledger.append(longest).await.unwrap();
    let auditor = Auditor::fetch(&*ledger).await;
    auditor.audit(&ledger.head());
    assert_eq!(auditor.entries[50].len(), 65_535);
}

pub async fn a_receipt_is_logged_once_and_its_neighbours_are_logged_too<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..3).await;
    // Every hash twice, all at once: within one batch and across batches.
    let appends: Vec<_> = (0..40)
        .map(|number| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.append(record(number / 2)).await })
        })
        .collect();
    let mut leaves = BTreeSet::new();
    for append in appends {
        match append.await.unwrap() {
            Ok(appended) => assert!(leaves.insert(appended.leaf)),
            Err(refused) => assert!(matches!(refused, LedgerError::Duplicate), "{refused}"),
        }
    }
    assert!(leaves.into_iter().eq(3..20));
    Auditor::fetch(&*ledger).await.audit(&ledger.head());
    assert!(ledger.is_writable());
}

pub async fn receipts_are_counted_by_class_and_by_payment<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    assert!(ledger.counts().await.unwrap().is_empty());
    for number in [0, 1] {
        claim_in(&*ledger, number, ClaimState::Delivered).await;
    }
    for (number, class) in [(2, "commit"), (3, "trust-score")] {
        ledger.append(LedgerRecord { class, ..record(number) }).await.unwrap();
    }
    ledger.append(record(0)).await.unwrap_err();
    let mut counts = ledger.counts().await.unwrap();
    counts.sort_by(|a, b| a.class.cmp(&b.class));
    let count = |class: &str, free, paid| ClassCount { class: class.to_owned(), free, paid };
    assert_eq!(counts, [count("commit", 1, 2), count("trust-score", 1, 0)]);
}

pub async fn receipts_and_income_are_counted_by_day_and_class<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let today = at(0).unix_days();
    claim_in(&*ledger, 0, ClaimState::Delivered).await;
    for (number, class, days) in [(1, "commit", 0), (2, "trust-score", 0), (3, "commit", 2)] {
        let signed_at = at(days * DAY_MS);
        ledger.append(LedgerRecord { class, signed_at, ..record(number) }).await.unwrap();
    }
    ledger.append(record(0)).await.unwrap_err();
    let ledger = harness.reopen(ledger).await;
    let line = |after: u32, class: &str, free, paid, income| DayCount {
        day: today + after,
        class: class.to_owned(),
        free,
        paid,
        income,
    };
    let later = line(2, "commit", 1, 0, 0);
    let all = vec![line(0, "commit", 1, 1, 100_000), line(0, "trust-score", 1, 0, 0), later.clone()];
    assert_eq!(ledger.days(0).await.unwrap(), all);
    assert_eq!(ledger.days(today + 1).await.unwrap(), [later]);
    assert!(ledger.days(today + 3).await.unwrap().is_empty());
}

pub async fn counters_count_the_receipts_that_were_logged_and_nothing_else<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let agent = CounterKey::of_agent("commit", "scout");
    let [one, other] = [1, 2].map(|subject| CounterKey::of_subject("commit", &[subject; 32]));
    assert_eq!(ledger.counted(&[agent, one]).await.unwrap(), [0, 0]);
    let counted = |number, counters: &[CounterKey]| {
        ledger.append(LedgerRecord { counters: counters.to_vec(), ..record(number) })
    };
    for (number, subject) in [(0, one), (1, one), (2, other)] {
        counted(number, &[agent, subject]).await.unwrap();
    }
    counted(3, &[agent]).await.unwrap();
    counted(0, &[agent, one]).await.unwrap_err();
    let refused = counted(4, &[agent, one, other]).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
    let ledger = harness.reopen(ledger).await;
    assert_eq!(ledger.counted(&[agent, one]).await.unwrap(), [4, 2]);
    assert_eq!(ledger.counted(&[other, agent, one]).await.unwrap(), [1, 4], "so many are read at a time");
}

pub async fn a_memory_is_stored_with_its_receipt_alone_and_replaced_by_the_next<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let key = MemoryKey::new("trust-score", &[1; 32]);
    let other = MemoryKey::new("commit", &[1; 32]);
    assert_eq!(ledger.memory(key).await.unwrap(), None);
    let signed = |number: u64| Timestamp::from_millis(START_MS + number.cast_signed()).unwrap();
    let remembering = |number, key, text: &str| {
        let memory = Some(NewMemory { key, text: text.to_owned() });
        ledger.append(LedgerRecord { memory, signed_at: signed(number), ..record(number) })
    };
    let memory = |number, text: &str| Some(Memory { text: text.to_owned(), at: signed(number) });
    remembering(0, key, "first").await.unwrap();
    remembering(1, other, "of another class").await.unwrap();
    assert_eq!(ledger.memory(key).await.unwrap(), memory(0, "first"));
    remembering(2, key, "").await.unwrap();
    ledger.append(record(3)).await.unwrap();
    remembering(0, key, "of a receipt that is there already").await.unwrap_err();
    let refused = remembering(4, key, &"a".repeat(MAX_MEMORY_BYTES + 1)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
    let crashed = harness.after_a_crash().await;
    drop(ledger);
    let ledger = crashed.open().await;
    assert_eq!(ledger.memory(key).await.unwrap(), memory(2, ""));
    assert_eq!(ledger.memory(other).await.unwrap(), memory(1, "of another class"));
}

pub async fn of_memories_in_one_transaction_the_last_stays<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let key = MemoryKey::new("trust-score", &[1; 32]);
    let appends: Vec<_> = (0..20)
        .map(|number: u64| {
            let ledger = Arc::clone(&ledger);
            let memory = Some(NewMemory { key, text: number.to_string() });
            tokio::spawn(async move { ledger.append(LedgerRecord { memory, ..record(number) }).await })
        })
        .collect();
    let mut last = None;
    for (append, number) in appends.into_iter().zip(0..) {
        last = last.max(Some((append.await.unwrap().unwrap().leaf, number)));
    }
    let stored = ledger.memory(key).await.unwrap().unwrap();
    assert_eq!(Some(stored.text), last.map(|(_, number)| number.to_string()));
}

pub async fn a_leaf_past_the_head_is_refused_as_such<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..3).await;
    for leaf in [3, 4, u64::MAX] {
        let refused = ledger.inclusion(leaf).await.unwrap_err();
        assert!(matches!(refused, LedgerError::NoSuchLeaf(past) if past == leaf), "{refused}");
    }
}

pub async fn wishes_for_trials_are_kept_and_given_newest_first<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let wish = |number: i64| TrialRequest {
        request_id: format!("req-{number}"),
        agent: "scout".to_owned(),
        endpoint: (number == 1).then(|| "/commit".to_owned()),
        contact: None,
        reason: Some("to try it".to_owned()),
        at: Timestamp::from_millis(START_MS + number).unwrap(),
    };
    for number in 0..3 {
        ledger.request_trial(wish(number), None).await.unwrap();
    }
    let ledger = harness.reopen(ledger).await;
    assert_eq!(ledger.trials(2).await.unwrap(), [wish(2), wish(1)]);
    assert_eq!(ledger.trials(100).await.unwrap().len(), 3);
    assert_eq!(ledger.head().size, 0, "a wish is not a receipt");
    let operator_store = harness.operator_store();
    assert_eq!(operator_store.trials(2).unwrap(), [wish(2), wish(1)]);
    assert_eq!(
        (operator_store.trial("req-1").unwrap(), operator_store.trial("req-3").unwrap()),
        (Some(wish(1)), None)
    );
}
