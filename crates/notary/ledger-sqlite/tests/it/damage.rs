//! Damaged stores are refused at the start, each with a message that says what is wrong.

use ledger::LedgerError;
use tlog::Checkpoint;

use crate::conformance::Harness as _;
use crate::conformance::support::*;
use crate::harness::SqliteStore;

/// 600 leaves: two full tiles, 88 leaves on the right edge, two hashes on level 1.
const SIZE: u64 = 600;

async fn sound() -> SqliteStore {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    append_all(&ledger, 0..SIZE - 50).await;
    for number in SIZE - 50..SIZE {
        ledger.append(record(number)).await.unwrap();
    }
    store
}

/// The error of a store that is opened after this statement was run on it.
async fn after(statement: &str) -> String {
    let store = sound().await;
    store.connection().execute_batch(statement).unwrap();
    refusal(&store).await
}

async fn refusal(store: &SqliteStore) -> String {
    match store.open_as(SEED, &identity(SEED)).await {
        Ok(ledger) => panic!("opened at {}", ledger.head().size),
        Err(error) => {
            assert!(matches!(error, LedgerError::Corrupt(_) | LedgerError::Open { .. }), "{error:?}");
            error.to_string()
        }
    }
}

macro_rules! refused {
    ($($name:ident: $statement:expr => $message:expr;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                let message = after($statement).await;
                assert!(message.contains($message), "{message}");
            }
        )*
    };
}

refused! {
    a_changed_entry_on_the_right_edge_is_refused:
        "UPDATE leaves SET entries = CAST(replace(entries, 'n', 'm') AS BLOB) WHERE leaf = (SELECT max(leaf) FROM leaves)"
        => "the log's right edge gives the root";
    a_changed_hash_in_a_full_tile_is_refused:
        "UPDATE tiles SET hashes = CAST(x'00' || substr(hashes, 2) AS BLOB) WHERE number = 1"
        => "full tile 1 of level 0 was changed";
    a_changed_node_over_the_groups_of_a_full_tile_is_refused:
        "UPDATE tiles SET upper = CAST(substr(upper, 1, 31 * 32 - 1) || x'00' AS BLOB) WHERE number = 0"
        => "full tile 0 of level 0 was changed";
    a_changed_node_in_a_group_of_a_full_tile_is_refused:
        "UPDATE groups SET nodes = CAST(x'00' || substr(nodes, 2) AS BLOB) WHERE number = 31"
        => "full tile 1 of level 0 was changed";
    a_missing_group_is_refused:
        "DELETE FROM groups WHERE number = 17" => "group 17 is not there";
    a_group_past_the_head_is_refused:
        "INSERT INTO groups SELECT 32, nodes FROM groups WHERE number = 31" => "32 groups, the store has 33";
    a_short_full_tile_is_refused:
        "UPDATE tiles SET hashes = substr(hashes, 1, 8160) WHERE number = 0"
        => "full tile 0 of level 0 has another number of hashes";
    full_tiles_in_each_others_places_are_refused:
        "UPDATE tiles SET number = 9 WHERE number = 0; UPDATE tiles SET number = 0 WHERE number = 1;
         UPDATE tiles SET number = 1 WHERE number = 9; UPDATE groups SET number = number + 100;
         UPDATE groups SET number = (number - 100 + 16) % 32"
        => "the log's right edge gives the root";
    a_missing_full_tile_is_refused:
        "DELETE FROM tiles WHERE number = 0" => "full tile 0 of level 0 is not there";
    a_missing_last_tile_is_refused:
        "DELETE FROM tiles WHERE number = 1" => "has 2 full tiles, the store has 1";
    a_tile_past_the_head_is_refused:
        "INSERT INTO tiles SELECT level, 2, upper, hashes FROM tiles WHERE number = 1"
        => "has 2 full tiles, the store has 3";
    a_missing_leaf_is_refused:
        "DELETE FROM leaves WHERE leaf = 550" => "leaves 512..600 are not all there";
    a_missing_last_leaf_is_refused:
        "DELETE FROM leaves WHERE leaf = 599" => "the checkpoint is over 600 leaves, the store has 599";
    a_leaf_past_the_head_is_refused:
        "INSERT INTO leaves VALUES (600, 1, x'000100')" => "the checkpoint is over 600 leaves, the store has 601";
    a_changed_checkpoint_is_refused:
        "UPDATE head SET checkpoint = replace(checkpoint, char(10) || '600' || char(10), char(10) || '599' || char(10))"
        => "the last checkpoint: ";
    a_head_at_another_size_than_its_checkpoint_is_refused:
        "UPDATE head SET size = 599"
        => "the stored head is at size 599";
    a_head_with_another_root_than_its_checkpoint_is_refused:
        "UPDATE head SET root = zeroblob(32)" => "its checkpoint at size 600";
    a_head_without_a_time_is_refused:
        "UPDATE head SET latest = -1" => "the greatest time in the log is -1 ms";
    a_store_without_its_keys_is_refused_and_not_founded_anew:
        "DELETE FROM identity" => "not the keys that it was made with";
    a_store_of_a_newer_schema_is_refused:
        "PRAGMA user_version = 99" => "its schema is of version 99, and this program knows versions up to ";
}

#[tokio::test]
async fn a_log_that_was_set_back_to_an_earlier_signed_checkpoint_is_refused() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    append_all(&ledger, 0..500).await;
    let earlier = ledger.head();
    append_all(&ledger, 500..SIZE).await;
    drop(ledger);
    assert!(Checkpoint::open(&earlier.checkpoint, &[verifier()]).is_ok());
    let statement = "UPDATE head SET size = ?, root = ?, checkpoint = ?";
    store.connection().execute(statement, (earlier.size, earlier.root.0, &*earlier.checkpoint)).unwrap();
    let message = refusal(&store).await;
    assert!(message.contains("the checkpoint is over 500 leaves, the store has 600"), "{message}");
}

#[tokio::test]
async fn a_truncated_file_and_a_file_of_another_kind_are_refused() {
    let store = sound().await;
    let file = std::fs::OpenOptions::new().write(true).open(store.path()).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    let message = refusal(&store).await;
    assert!(message.contains("malformed"), "{message}");
    std::fs::write(store.path(), [b'x'; 8192]).unwrap();
    let message = refusal(&store).await;
    assert!(message.contains("not a database"), "{message}");
}
