//! A job that makes its transaction fail every time, whatever the store does: it fails alone.

use std::sync::Arc;

use ledger::{
    ClaimFailure, ClaimState, Ledger as _, LedgerError, LedgerRecord, MemoryKey, NewMemory, Payments as _,
    TrialRequest,
};
use receipt::time::Timestamp;
use verdict::Clock as _;

use crate::payer::{OWNER, claim_in, found};
use crate::store::{audited, session, shared, until_waiting};
use crate::support::{ManualClock, hash, record};

/// Has the server refuse a row of a table that meets a condition, as it would refuse a value that no column can have.
fn refusing(table: &str, condition: &str) -> String {
    format!(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'it has no form' USING ERRCODE = '22000'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION refuse()"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_cannot_be_stored_fails_alone_in_its_batch() {
    let (database, ledger) = shared().await;
    database.sql(&refusing("receipts", "convert_from(NEW.payload, 'UTF8') LIKE '{\"number\":13,%'"));
    let ledger = Arc::new(ledger);
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; SELECT 1 FROM head FOR UPDATE").await.unwrap();
    let append = |number| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.append(record(number)).await.map(|appended| appended.leaf) })
    };
    let mut appends = vec![append(0)];
    until_waiting(&database, "Lock", "FROM head FOR UPDATE", 1).await;
    // All that comes now is one batch.
    appends.extend((1..40).map(append));
    other.batch_execute("ROLLBACK").await.unwrap();
    for (number, append) in (0..).zip(appends) {
        match append.await.unwrap() {
            Ok(_) => assert_ne!(number, 13),
            Err(error) => assert!(number == 13 && matches!(error, LedgerError::Busy), "{number}: {error}"),
        }
        assert_eq!(ledger.receipt(&hash(number)).await.unwrap().is_some(), number != 13);
    }
    assert!(ledger.is_writable());
    assert_eq!(audited(&database.address()).await.size, 39);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_cannot_be_stored_fails_alone_in_its_batch() {
    let (database, ledger) = shared().await;
    database.sql(&refusing("trials", "NEW.agent = 'agent 3'"));
    let ledger = Arc::new(ledger);
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; SELECT 1 FROM locks WHERE name = 'work' FOR UPDATE").await.unwrap();
    let request = |number: u64| {
        let ledger = Arc::clone(&ledger);
        let request = TrialRequest {
            request_id: number.to_string(),
            agent: format!("agent {number}"),
            endpoint: None,
            contact: Some("a\0b".to_owned()),
            reason: None,
            at: ManualClock::start().now(),
        };
        tokio::spawn(async move { ledger.request_trial(request, None).await })
    };
    let mut requests = vec![request(0)];
    until_waiting(&database, "Lock", "work", 1).await;
    requests.extend((1..10).map(request));
    other.batch_execute("ROLLBACK").await.unwrap();
    for (number, request) in (0..).zip(requests) {
        assert_eq!(request.await.unwrap().is_ok(), number != 3, "{number}");
    }
    assert_eq!(ledger.trials(100).await.unwrap().len(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_of_strangers_are_stored_whatever_is_in_them() {
    let (_database, ledger) = shared().await;
    let key = MemoryKey::new("trust-score", &[7; 32]);
    let memory = Some(NewMemory { key, text: "a\0b".to_owned() });
    ledger.append(ledger::LedgerRecord { memory, ..record(1) }).await.unwrap();
    assert_eq!(ledger.memory(key).await.unwrap().unwrap().text, "a\u{fffd}b");
    let id = claim_in(&ledger, 1, ClaimState::Broadcast).await;
    let failure = ClaimFailure { code: "c\0".to_owned(), detail: "\0d".to_owned() };
    ledger.failed(id, OWNER, failure).await.unwrap();
    let failure = found(&ledger, id).await.failure.unwrap();
    assert_eq!((&*failure.code, &*failure.detail), ("c\u{fffd}", "\u{fffd}d"));
}

/// The transaction that begins a day holds the lock of the log, and is no place for as much work as there may be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn used_quotas_of_days_that_are_over_are_forgotten_in_steps() {
    let (database, ledger) = shared().await;
    database.sql(
        "INSERT INTO uses (day, id, amount)
            SELECT 1, decode(lpad(to_hex(n), 32, '0'), 'hex'), 1 FROM generate_series(1, 5000) n",
    );
    let signed_at = Timestamp::from_millis(30_000 * 86_400_000).unwrap();
    for (number, left) in [(0, "3000"), (1, "1000"), (2, "0"), (3, "0")] {
        ledger.append(LedgerRecord { signed_at, ..record(number) }).await.unwrap();
        assert_eq!(database.sql("SELECT count(*) FROM uses WHERE day = 1"), left);
    }
}
