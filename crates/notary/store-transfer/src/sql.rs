//! The statements that both back ends need, made from the list of tables.

use ledger::TransferMark;

use crate::error::Result;
use crate::store::{Head, Mark, StoreState};
use crate::tables::{Column, Form, Kind, NUMBERS, Table};

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| format!("\"{}\"", column.name)).collect::<Vec<_>>().join(", ")
}

/// The rows of `days` that a table is made of, where it is.
fn filter(table: &Table) -> String {
    if table.form != Form::OfDays {
        return String::new();
    }
    let columns = table.columns[table.key..].iter().map(|column| format!("\"{}\" <> 0", column.name));
    format!(" WHERE {}", columns.collect::<Vec<_>>().join(" OR "))
}

/// Texts are ordered by their bytes, whatever the database's collation.
fn order(table: &Table, postgres: bool, descending: bool) -> String {
    if table.key == 0 {
        return String::new();
    }
    let columns = table.columns[..table.key].iter().map(|column| {
        let collation = if postgres && column.kind == Kind::Text { " COLLATE \"C\"" } else { "" };
        format!("\"{}\"{collation}{}", column.name, if descending { " DESC" } else { "" })
    });
    format!(" ORDER BY {}", columns.collect::<Vec<_>>().join(", "))
}

fn number_names() -> String {
    NUMBERS.map(|name| format!("'{name}'")).join(", ")
}

fn table_in_sqlite(table: &Table) -> &'static str {
    if table.form == Form::OfDays { "days" } else { table.name }
}

/// The rows of a table, in the order of its key.
pub(crate) fn select_sqlite(table: &Table) -> String {
    if table.form == Form::Numbers {
        let each = NUMBERS.map(|name| {
            format!("SELECT '{name}' AS name, coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{name}'), 0)")
        });
        return format!("{} ORDER BY name", each.join(" UNION ALL "));
    }
    let (columns, from) = (names(table.columns), table_in_sqlite(table));
    format!("SELECT {columns} FROM {from}{}{}", filter(table), order(table, false, false))
}

/// The rows of a table whose `leaf`, which its key begins with, is at least the first parameter and less than the second.
pub(crate) fn select_leaves(table: &Table, is_postgres: bool) -> String {
    let (from, to) = if is_postgres { ("$1", "$2") } else { ("?1", "?2") };
    let (columns, name, order) = (names(table.columns), table.name, order(table, is_postgres, false));
    format!("SELECT {columns} FROM {name} WHERE leaf >= {from} AND leaf < {to}{order}")
}

/// The rows of a table, in the order of its key.
pub(crate) fn select_postgres(table: &Table) -> String {
    let only = if table.form == Form::Numbers {
        format!(" WHERE name IN ({})", number_names())
    } else {
        filter(table)
    };
    let (columns, name) = (names(table.columns), table.name);
    format!("SELECT {columns} FROM {name}{only}{}", order(table, true, false))
}

/// The last key of a table; `None` where its rows are written again.
pub(crate) fn last_key_sqlite(table: &Table) -> Option<String> {
    last_key(table, false)
}

/// The last key of a table; `None` where its rows are written again.
pub(crate) fn last_key_postgres(table: &Table) -> Option<String> {
    last_key(table, true)
}

fn last_key(table: &Table, postgres: bool) -> Option<String> {
    (table.form == Form::Plain).then(|| {
        let columns = names(&table.columns[..table.key]);
        format!("SELECT {columns} FROM {}{} LIMIT 1", table.name, order(table, postgres, true))
    })
}

/// What is done where a row of the same key is there: rows that are resumed by key are not, those of other forms are the same
/// or older.
fn on_conflict(table: &Table) -> String {
    match table.form {
        Form::Plain => " ON CONFLICT DO NOTHING".to_owned(),
        Form::OneRow => String::new(),
        Form::OfDays | Form::Numbers => {
            let key = names(&table.columns[..table.key]);
            let set = table.columns[table.key..]
                .iter()
                .map(|column| format!("\"{0}\" = excluded.\"{0}\"", column.name));
            format!(" ON CONFLICT ({key}) DO UPDATE SET {}", set.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Writes a row, whose values are parameters.
pub(crate) fn insert_sqlite(table: &Table) -> String {
    let (columns, name) = (names(table.columns), table_in_sqlite(table));
    let places = vec!["?"; table.columns.len()].join(", ");
    match table.form {
        Form::OneRow => format!("INSERT OR REPLACE INTO {name} (only, {columns}) VALUES (1, {places})"),
        _ => format!("INSERT INTO {name} ({columns}) VALUES ({places}){}", on_conflict(table)),
    }
}

/// Writes rows, the values of each column being an array.
pub(crate) fn insert_postgres(table: &Table) -> String {
    let (columns, name) = (names(table.columns), table.name);
    let arrays = table.columns.iter().enumerate().map(|(number, column)| {
        let kind = match column.kind {
            Kind::Int => "BIGINT",
            Kind::Text => "TEXT",
            Kind::Bytes => "BYTEA",
        };
        format!("${}::{kind}[]", number + 1)
    });
    let arrays = arrays.collect::<Vec<_>>().join(", ");
    match table.form {
        Form::OneRow => {
            let set = table.columns.iter().map(|column| format!("\"{0}\" = excluded.\"{0}\"", column.name));
            let set = set.collect::<Vec<_>>().join(", ");
            format!(
                "INSERT INTO {name} (only_one, {columns}) SELECT 1, rows.* FROM unnest({arrays}) AS rows
                ON CONFLICT (only_one) DO UPDATE SET {set}"
            )
        }
        _ => format!("INSERT INTO {name} ({columns}) SELECT * FROM unnest({arrays}){}", on_conflict(table)),
    }
}

/// Where a store stands, by its mark (kind, place and head) and its head.
pub(crate) fn state(mark: Option<(String, String, Head)>, head: Option<Head>) -> Result<StoreState> {
    Ok(match (mark, head) {
        (Some((kind, place, head)), _) => {
            let kind = TransferMark::read(&kind, place.clone(), head.size)?.kind;
            StoreState::Marked(Mark { kind, place, head })
        }
        (None, Some(head)) => StoreState::Live(head),
        (None, None) => StoreState::Empty,
    })
}

/// The length of the request at a leaf, in SQLite.
pub(crate) const LENGTH_OF_REQUEST: &str = "SELECT length(body) FROM requests WHERE leaf = ?";
/// The length of the bytes with a SHA-256, in SQLite.
pub(crate) const LENGTH_OF_BLOB: &str = "SELECT length(bytes) FROM blobs WHERE sha256 = ?";
/// The request at a leaf, in SQLite.
pub(crate) const REQUEST: &str = "SELECT body, judged_at FROM requests WHERE leaf = ?";
/// The bytes with a SHA-256, in SQLite.
pub(crate) const BLOB: &str = "SELECT bytes, 0 FROM blobs WHERE sha256 = ?";

/// The lengths of the requests at leaves, in PostgreSQL.
pub(crate) const LENGTHS_OF_REQUESTS: &str =
    "SELECT leaf, length(body)::BIGINT FROM requests WHERE leaf = ANY($1::BIGINT[])";
/// The lengths of the bytes with these SHA-256, in PostgreSQL.
pub(crate) const LENGTHS_OF_BLOBS: &str =
    "SELECT sha256, length(bytes)::BIGINT FROM blobs WHERE sha256 = ANY($1::BYTEA[])";
/// The requests at leaves, in PostgreSQL.
pub(crate) const REQUESTS: &str = "SELECT leaf, body, judged_at FROM requests WHERE leaf = ANY($1::BIGINT[])";
/// The bytes with these SHA-256, in PostgreSQL.
pub(crate) const BLOBS: &str = "SELECT sha256, bytes, 0::BIGINT FROM blobs WHERE sha256 = ANY($1::BYTEA[])";
