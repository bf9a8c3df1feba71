//! Used quotas of days gone by, which are deleted a bounded number at a time.

use std::sync::mpsc;

use ledger::Ledger as _;
use ledger::back_end::KeptSince;

use super::store_faults::{Store, record};

/// More than two batches may forget.
const OLD: u32 = 2 * KeptSince::MAX_FORGOTTEN + 500;

/// The used quotas, and those of grants, that the store has.
fn stored(store: &Store) -> (u32, u32) {
    let (answer, counts) = mpsc::channel();
    store.inspect(move |log_writer| {
        let select = "SELECT (SELECT count(*) FROM uses), (SELECT count(*) FROM grant_uses)";
        let both = log_writer.connection.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?)));
        answer.send(both.unwrap()).unwrap();
    });
    counts.recv().unwrap()
}

#[tokio::test]
async fn no_batch_waits_until_all_used_quotas_of_a_day_gone_by_are_deleted() {
    let mut store = Store::new();
    store.inspect(|log_writer| {
        let numbers = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)";
        let uses = format!("INSERT INTO uses {numbers} SELECT 1, CAST(n AS BLOB), 1 FROM number");
        let of_grants = format!("INSERT INTO grant_uses {numbers} SELECT 1, n, 1 FROM number");
        log_writer.connection.execute(&uses, [OLD]).unwrap();
        log_writer.connection.execute(&of_grants, [OLD]).unwrap();
    });
    let ledger = store.reopen();
    assert_eq!(stored(&store), (OLD, OLD), "the start waits for none of it");
    let most = KeptSince::MAX_FORGOTTEN;
    for (number, left) in [OLD - most, OLD - 2 * most, 0, 0].into_iter().enumerate() {
        ledger.append(record(number as u64, None)).await.unwrap();
        assert_eq!(stored(&store), (left, left));
    }
}
