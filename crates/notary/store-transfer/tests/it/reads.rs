//! A store is read in parts, whichever back end it is kept in.

use store_transfer::{Row, StoreReader, TransferError, Value};

use crate::fill::fill;
use crate::stores::TestStore;

/// All rows of a table, in windows of this many leaves, or at once.
fn rows(reader: &mut StoreReader, table: &'static str, window: Option<u64>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut each = |row: Row| -> Result<(), TransferError> {
        rows.push(row);
        Ok(())
    };
    let size = reader.head().size;
    match window {
        None => reader.rows(table, &mut each).unwrap(),
        Some(window) => {
            for first in (0..size).step_by(usize::try_from(window).unwrap()) {
                reader.rows_of_leaves(table, first..first + window, &mut each).unwrap();
            }
        }
    }
    rows
}

#[tokio::test]
async fn the_rows_of_leaves_are_those_of_the_table_and_bytes_are_found_by_their_hash() {
    for store in [TestStore::sqlite(), TestStore::postgres()] {
        fill(&store).await;
        let place = store.place();
        tokio::task::spawn_blocking(move || {
            let mut reader = StoreReader::open(&place).unwrap();
            for table in ["leaves", "receipts", "requests", "evidence"] {
                let all = rows(&mut reader, table, None);
                assert!(!all.is_empty());
                for window in [256, 1024] {
                    assert_eq!(rows(&mut reader, table, Some(window)), all, "{table}");
                }
            }
            let page = receipt::hash::sha256(b"a page");
            let mut found = Vec::new();
            let add = |address, bytes| {
                found.push((address, bytes));
                Ok::<(), TransferError>(())
            };
            reader.blobs(&[page, [0; 32]], add).unwrap();
            assert_eq!(found, [(page, b"a page".to_vec())]);
            let of_table: Vec<(u64, Row)> = rows(&mut reader, "requests", None)
                .into_iter()
                .map(|row| (row[0].unsigned().unwrap(), row))
                .collect();
            let leaves: Vec<u64> = of_table.iter().map(|(leaf, _)| *leaf).chain([1 << 40]).collect();
            reader.release().unwrap();
            let mut found = Vec::new();
            let add = |leaf, body: Vec<u8>, judged_at| {
                let number = i64::try_from(leaf).unwrap();
                found.push((leaf, vec![Value::Int(number), Value::Bytes(body), Value::Int(judged_at)]));
                Ok::<(), TransferError>(())
            };
            reader.requests(&leaves, add).unwrap();
            assert_eq!(found, of_table, "after the release too");
        })
        .await
        .unwrap();
    }
}
