//! The list of tables against the schemas of both back ends.

use std::collections::{BTreeMap, BTreeSet};

use ledger_postgres::PostgresStoreConnection;
use store_transfer::tables::{Form, Kind, NOT_COPIED, TABLES};

use crate::stores::TestStore;

/// Each column of each table: its type, and whether it may be empty.
type Schema = BTreeMap<String, BTreeMap<String, (Kind, bool)>>;

fn expected(is_sqlite: bool) -> Schema {
    let mut schema = Schema::new();
    for table in TABLES.iter().filter(|table| table.form != Form::Numbers || !is_sqlite) {
        let name = if is_sqlite && table.form == Form::OfDays { "days" } else { table.name };
        let columns = schema.entry(name.to_owned()).or_default();
        columns.extend(
            table.columns.iter().map(|column| (column.name.to_owned(), (column.kind, column.is_optional))),
        );
        if table.form == Form::OneRow {
            columns.insert(if is_sqlite { "only" } else { "only_one" }.to_owned(), (Kind::Int, false));
        }
    }
    schema
}

fn of_store(rows: impl IntoIterator<Item = (String, String, String, bool)>) -> Schema {
    let not_copied: BTreeSet<&str> = NOT_COPIED.iter().map(|(name, _)| *name).collect();
    let mut schema = Schema::new();
    for (table, column, kind, is_optional) in rows {
        if not_copied.contains(&*table) {
            continue;
        }
        let kind = match kind.to_lowercase().as_str() {
            "integer" | "bigint" => Kind::Int,
            "text" => Kind::Text,
            "blob" | "bytea" => Kind::Bytes,
            other => panic!("{table}.{column} is of the type {other}, which is not copied"),
        };
        schema.entry(table).or_default().insert(column, (kind, is_optional));
    }
    schema
}

#[test]
fn every_table_and_column_of_sqlite_is_copied_or_named_as_one_that_is_not() {
    let store = TestStore::sqlite();
    let TestStore::Sqlite(path, _) = &store else { unreachable!() };
    drop(ledger_sqlite::SqliteStoreFile::lock(path).unwrap());
    let connection = rusqlite::Connection::open(path).unwrap();
    // A key that is the row's id, or of a table without rowid, is never empty.
    let select = "SELECT t.name, c.name, c.type, c.\"notnull\" = 0 AND c.pk = 0 FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
        WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_schema' AND NOT (t.name = 'blobs' AND c.name = 'id')";
    let mut statement = connection.prepare(select).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    let rows: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
    assert_eq!(of_store(rows), expected(true));
}

#[test]
fn every_table_and_column_of_postgresql_is_copied_or_named_as_one_that_is_not() {
    let store = TestStore::postgres();
    let TestStore::Postgres(config, database) = &store else { unreachable!() };
    PostgresStoreConnection::open(config).unwrap().migrate().unwrap();
    let select = "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
        WHERE table_schema = current_schema()";
    let rows = database.sql(select);
    let rows = rows.lines().map(|line| {
        let columns: Vec<&str> = line.split('|').collect();
        (columns[0].to_owned(), columns[1].to_owned(), columns[2].to_owned(), columns[3] == "YES")
    });
    assert_eq!(of_store(rows), expected(false));
}

#[test]
fn a_table_that_is_not_copied_has_a_reason_and_is_in_no_other_list() {
    for (name, reason) in NOT_COPIED {
        assert!(!reason.is_empty() && TABLES.iter().all(|table| table.name != *name), "{name}");
    }
}
