//! Commits whose wait for a standby was cancelled: the server shows them, and nobody may be told of them.

use std::sync::Arc;

use ledger::{ClaimState, Cosigned as _, Ledger as _, Payments as _, Shared as _, Stamped as _};
use peers::postgres::{Database, Server};

use crate::payer::{claim_in, paid_record};
use crate::store::{UNSAFE, audited, open, until, until_waiting};
use crate::support::{hash, record};

fn set_standbys(database: &Database, names: &str) {
    database.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
    database.sql("SELECT pg_reload_conf()");
}

/// Nobody is waited for at the end of a test, however it ends: its database could not be removed.
struct NoStandbys<'a>(&'a Database);

impl Drop for NoStandbys<'_> {
    fn drop(&mut self) {
        set_standbys(self.0, "");
    }
}

/// Cancels the waits of all sessions for the standby: each COMMIT is acknowledged with a warning.
fn cancel_waits(database: &Database) {
    database.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_was_acknowledged_with_a_warning_is_not_handed_out_before_a_standby_has_it() {
    let server = Server::start(&UNSAFE);
    let database = server.database();
    let _at_end = NoStandbys(&database);
    let [writer, reader] = [open(&database.address()).await, open(&database.address()).await].map(Arc::new);
    let claim = claim_in(&*writer, 1, ClaimState::Settled).await;
    writer.append(record(0)).await.unwrap();
    assert!(reader.receipt(&hash(0)).await.unwrap().is_some());

    set_standbys(&database, "nobody");
    until("sessions have it", async || database.sql("SHOW synchronous_standby_names") == "nobody").await;
    let append = tokio::spawn({
        let writer = Arc::clone(&writer);
        async move { writer.append(paid_record(1, claim)).await.unwrap().leaf }
    });
    until_waiting(&database, "SyncRep", "COMMIT", 1).await;
    cancel_waits(&database);
    // Everybody sees it now.
    until("it shows", async || database.sql("SELECT size FROM head") == "2").await;
    // The outcome is asked for by a write, which waits as well.
    until_waiting(&database, "SyncRep", "COMMIT", 1).await;
    assert!(!append.is_finished());
    assert_eq!((writer.head().size, reader.head().size), (1, 1));

    let read = tokio::spawn({
        let reader = Arc::clone(&reader);
        async move { reader.receipt_with_inclusion(&hash(1)).await }
    });
    let find = tokio::spawn({
        let reader = Arc::clone(&reader);
        async move { reader.claim_by_id(claim).await }
    });
    until_waiting(&database, "SyncRep", "INTO writers", 2).await;
    cancel_waits(&database);
    assert!(read.await.unwrap().is_err(), "a receipt that a failover can take back");
    assert!(find.await.unwrap().is_err(), "a claim's checkpoint that a failover can take back");
    assert_eq!((writer.head().size, reader.head().size), (1, 1));
    assert!(!append.is_finished());

    set_standbys(&database, "");
    assert_eq!(append.await.unwrap(), 1);
    assert!(reader.receipt_with_inclusion(&hash(1)).await.unwrap().is_some());
    assert_eq!(reader.claim_by_id(claim).await.unwrap().unwrap().receipt.unwrap().leaf, 1);
    assert_eq!((writer.head().size, reader.head().size), (2, 2));
    assert_eq!(audited(&database.address()).await.size, 2);
}

/// A replica gets what it decides by once the server has confirmed that it still writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_decides_is_read_only_where_a_standby_confirms_it() {
    let server = Server::start(&UNSAFE);
    let database = server.database();
    let _at_end = NoStandbys(&database);
    let ledger = Arc::new(open(&database.address()).await);
    ledger.append(record(0)).await.unwrap();
    set_standbys(&database, "nobody");
    until("sessions have it", async || database.sql("SHOW synchronous_standby_names") == "nobody").await;
    let reads = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move {
            tokio::join!(
                ledger.key_records(),
                ledger.newest_stamped(),
                ledger.newest_cosigned(),
                ledger.shared_value("keys"),
            )
        }
    });
    until_waiting(&database, "SyncRep", "COMMIT", 1).await;
    assert!(!reads.is_finished());
    set_standbys(&database, "");
    let (keys, stamped, cosigned, value) = reads.await.unwrap();
    assert!(keys.is_ok() && stamped.is_ok() && cosigned.is_ok() && value.is_ok());
}
