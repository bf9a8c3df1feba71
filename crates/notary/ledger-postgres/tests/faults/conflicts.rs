//! Transactions that the server rolls back for the sake of another one are done again, once.

use std::sync::Arc;

use ledger::{Ledger as _, QuotaKey, QuotaRequest};
use peers::postgres::Server;

use crate::store::{UNSAFE, audited, open, session, shared, until_waiting};
use crate::support::{ManualClock, hash, place_key, record};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_loses_a_deadlock_is_logged_once() {
    let server = Server::start(&[&UNSAFE[..], &["deadlock_timeout=2s"]].concat());
    let database = server.database();
    let ledger = Arc::new(open(&database.address()).await);
    ledger.append(record(0)).await.unwrap();
    let other = session(&database.address()).await;
    // It never looks for deadlocks, so the ledger's transaction is the one that is rolled back.
    other
        .batch_execute("SET deadlock_timeout = '100s'; BEGIN; SELECT 1 FROM counts FOR UPDATE")
        .await
        .unwrap();
    let append = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move { ledger.append(record(1)).await.unwrap().leaf }
    });
    until_waiting(&database, "Lock", "INTO counts", 1).await;
    other.batch_execute("SELECT 1 FROM head FOR UPDATE; COMMIT").await.unwrap();
    assert_eq!(append.await.unwrap(), 1);
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    drop(other);
    crate::store::until("a deadlock is counted", async || database.sql(deadlocks) == "1").await;
    assert_eq!(database.sql("SELECT sum(free) FROM counts"), "2");
    assert_eq!(audited(&database.address()).await.size, 2);
}

/// Has the first insertion into a table fail, as it does on stores that roll back for the sake of another transaction.
fn rolled_back_once(table: &str) -> String {
    format!(
        "CREATE SEQUENCE attempts;
        CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER conflict BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION conflict()"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_with_a_serialization_failure_is_logged_once() {
    let (database, ledger) = shared().await;
    database.sql(&rolled_back_once("receipts"));
    assert_eq!(ledger.append(record(1)).await.unwrap().leaf, 0);
    assert_eq!(database.sql("SELECT last_value FROM attempts"), "2");
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_some());
    assert_eq!(audited(&database.address()).await.size, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_reserved_after_the_beginning_of_an_epoch_was_rolled_back_can_be_used_up() {
    let (database, first) = shared().await;
    database.sql(&rolled_back_once("epochs"));
    let ledger = open(&database.address()).await;
    let key = QuotaKey::Free(place_key("scout", &ManualClock::start()));
    let held = ledger.reserve(vec![QuotaRequest::one(key.clone(), 1)]).await.unwrap().unwrap();
    let reservation = Some(held);
    ledger.append(ledger::LedgerRecord { reservation, ..record(1) }).await.unwrap();
    assert_eq!(ledger.taken(&[key]).await.unwrap(), [1]);
    first.close().await;
}
