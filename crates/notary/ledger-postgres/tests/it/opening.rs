//! Opening a database without tables, by several replicas at once.

use crate::conformance::Harness as _;
use crate::conformance::support::{SEED, identity, record, signed};
use crate::harness::PostgresStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_open_an_empty_database_at_once_make_one_store() {
    for _ in 0..3 {
        let store = PostgresStore::without_tables();
        let (first, second, third) = tokio::join!(store.open(), store.open(), store.open());
        for (number, ledger) in (0..).zip([&first, &second, &third]) {
            signed(&ledger.head());
            assert_eq!(ledger.append(record(number)).await.unwrap().leaf, number);
        }
    }
}

#[tokio::test]
async fn replicas_of_two_notaries_that_open_an_empty_database_at_once_are_not_both_there() {
    let store = PostgresStore::without_tables();
    let (ours, theirs) = (identity(SEED), identity(8));
    let (one, other) = tokio::join!(store.open_as(SEED, &ours), store.open_as(8, &theirs));
    assert!(one.is_ok() != other.is_ok(), "the store has one pair of keys");
}
