//! Transactions that the server rolls back for the sake of another one are done again, once.

use std::sync::Arc;

use ledger::{Ledger as _, QuotaKey, QuotaRequest};
use peers::postgres::{Database, Server};

use crate::payer::{authorization, found, mine, new_claim};
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
        "CREATE SEQUENCE attempts_{table};
        CREATE FUNCTION conflict_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('attempts_{table}') = 1 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER conflict BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION conflict_{table}()"
    )
}

/// The number of insertions into such a table.
fn attempts(database: &Database, table: &str) -> String {
    database.sql(&format!("SELECT last_value FROM attempts_{table}"))
}

/// The statements of a batch are sent together, so that those after the one that fails are refused as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_with_a_serialization_failure_is_logged_once_whichever_statement_has_it() {
    let (database, ledger) = shared().await;
    let tables = ["receipts", "requests", "leaves", "counts", "days", "head", "edge"];
    for (number, table) in (0..).zip(tables) {
        database.sql(&rolled_back_once(table));
        assert_eq!(ledger.append(record(number)).await.unwrap().leaf, number, "{table}");
        assert_eq!(attempts(&database, table), "2", "{table}");
        assert!(ledger.receipt(&hash(number)).await.unwrap().is_some());
    }
    assert_eq!(audited(&database.address()).await.size, tables.len() as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_with_a_serialization_failure_is_made_once_whichever_statement_has_it() {
    let (database, ledger) = shared().await;
    for (number, table) in (0..).zip(["claims", "claim_works", "claim_names"]) {
        database.sql(&rolled_back_once(table));
        let id = mine(&ledger, new_claim(authorization(number))).await;
        assert_eq!(attempts(&database, table), "2", "{table}");
        assert_eq!(found(&ledger, id).await.id, id);
    }
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
