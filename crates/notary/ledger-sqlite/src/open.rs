//! Opening a store: its files, its settings, its schema, its keys, and the check of its log.

use std::path::Path;
use std::sync::Arc;

use ledger::back_end::KeptSince;
use ledger::rules::log::signed_head;
use ledger::{Identity, LedgerError, LogKeyRing, QuotaCounter};
use receipt::time::Timestamp;
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};

use super::files::{BUSY_TIMEOUT, cannot_open};
use crate::claims::claim_steps;
use crate::failure::ConnectionError;
use crate::grants::grant_rows;
use crate::identity_rows;
use crate::log::check;
use crate::log::commit::LogWriter;
use crate::log::index::RecentKeys;
use crate::log::rows;
use crate::mark_row;
use crate::refunds::payouts;
use crate::shared_rows;
use crate::watches::watch_steps;

const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("migrations/schema.sql")),
    M::up(include_str!("migrations/budgets.sql")),
    M::up(include_str!("migrations/fees_given_back.sql")),
    M::up(include_str!("migrations/claims_by_payer.sql")),
    M::up(include_str!("migrations/refunds_by_day.sql")),
    // Payer and nonce of the payment that is given back, where nobody knows the index of its transfer (which is 0 then).
    M::up("ALTER TABLE refunds ADD COLUMN authorization BLOB"),
    // Each change of a claim's state writes each index of the unfinished ones, and there are at most 1,024: one will do.
    M::up("DROP INDEX unfinished"),
    // SHA-256 of the request as it was sent, where it is not stored so.
    M::up("ALTER TABLE claim_works ADD COLUMN redacted_from BLOB"),
    M::up(include_str!("migrations/counters.sql")),
    M::up(include_str!("migrations/memories.sql")),
    // Watches that are due by the time of their last screening.
    M::up("CREATE INDEX watched_at ON watches (class, screened_at) WHERE ended_at IS NULL"),
    M::up(include_str!("migrations/days.sql")),
    M::up("CREATE INDEX watch_receipts ON watches (receipt)"),
    // The other public keys, and the prices, a line a class.
    M::up(
        "ALTER TABLE identity ADD COLUMN rerun_kid TEXT;
        ALTER TABLE identity ADD COLUMN webhook_key TEXT;
        ALTER TABLE identity ADD COLUMN prices TEXT",
    ),
    M::up(include_str!("migrations/shared.sql")),
    M::up(include_str!("migrations/mark.sql")),
    M::up(include_str!("migrations/cosigned.sql")),
    M::up(include_str!("migrations/retention.sql")),
    M::up(include_str!("migrations/key_records.sql")),
    M::up(include_str!("migrations/stamped.sql")),
    // Memories by their age, by which they are deleted.
    M::up("CREATE INDEX memories_at ON memories (at)"),
    M::up(include_str!("migrations/logged_stamps.sql")),
];

/// Opens the writing connection, migrates and checks all that can be checked before serving.
pub(crate) fn log_writer(
    path: &Path,
    log_keys: LogKeyRing,
    identity: &Identity,
    at: Timestamp,
) -> Result<LogWriter, ConnectionError> {
    let mut connection = Connection::open(path)?;
    configure(&connection).map_err(|error| unusable(path, error))?;
    migrate(&mut connection, path)?;
    mark_row::is_archive(&connection, path)?;
    if !is_bound(&connection, identity)? {
        found(&mut connection, &log_keys, identity, at)?;
    }
    let head = check::stored_head(&connection, &log_keys.known())?;
    let edge = check::right_edge(&connection, &head)?;
    let recent = RecentKeys::read(&connection)?;
    claim_steps::end_leases(&connection)?;
    payouts::end_leases(&connection)?;
    watch_steps::end_leases(&connection)?;
    shared_rows::end_leases(&connection)?;
    Ok(LogWriter::new(connection, edge, Arc::new(head), recent, log_keys)?)
}

/// An error of SQLite about a file that it cannot use at all, as the error of opening the store.
fn unusable(path: &Path, ConnectionError(error): ConnectionError) -> LedgerError {
    match error {
        LedgerError::Store(error) => cannot_open(path, error),
        other => other,
    }
}

/// Sets a connection up for durability: a commit is in the WAL and synced before it returns. The journal mode and the
/// sync level are read back, since SQLite ignores a value that it does not support.
pub(crate) fn configure(connection: &Connection) -> Result<(), ConnectionError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let synchronous: u8 = connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    if mode != "wal" || synchronous != 2 {
        return Err(LedgerError::Corrupt(format!(
            "it must be in WAL mode and synchronous FULL (2), and is in mode {mode} and synchronous {synchronous}"
        )).into());
    }
    // On macOS a plain sync does not reach the disk itself, so this asks for one that does.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    // What is deleted is overwritten with zeros, also in pages that become free: erased bytes must not stay in the file.
    connection.pragma_update_and_check(None, "secure_delete", "ON", |_| Ok(()))?;
    // Not within a commit: see `wal`.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// Opens a second connection to a store that is there, whether or not a process has it open. It makes no file, and
/// moves no pages while a process does.
pub(crate) fn beside(path: &Path) -> Result<Connection, ConnectionError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags);
    let connection = opened.map_err(|error| cannot_open(path, error))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = MIGRATIONS.len();
    if usize::try_from(version).ok() != Some(known) {
        let why = format!("its schema is of version {version}, and this program's of version {known}");
        return Err(cannot_open(path, why).into());
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// See [`SqliteLedger::stored_identity`](crate::SqliteLedger::stored_identity).
pub(crate) fn stored_identity(path: &Path) -> Result<Option<Identity>, ConnectionError> {
    if !path.try_exists().map_err(|error| cannot_open(path, error))? {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, error))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    refuse_later_version(&connection, path)?;
    let has_table = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)";
    if !connection.query_row(has_table, ["identity"], |row| row.get(0))? {
        return Ok(None);
    }
    if connection.query_row(has_table, ["mark"], |row| row.get(0))? {
        mark_row::is_archive(&connection, path)?;
    }
    identity_rows::bound(&connection)
}

/// Refuses a store that a later program has migrated.
fn refuse_later_version(connection: &Connection, path: &Path) -> Result<(), ConnectionError> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = MIGRATIONS.len();
    if usize::try_from(version).is_ok_and(|version| version > known) {
        let why =
            format!("its schema is of version {version}, and this program knows versions up to {known}");
        return Err(cannot_open(path, why).into());
    }
    Ok(())
}

pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), ConnectionError> {
    refuse_later_version(connection, path)?;
    Ok(Migrations::from_slice(MIGRATIONS).to_latest(connection).map_err(|error| cannot_open(path, error))?)
}

/// Says whether the store is bound to keys; fails where they are others. What may change is stored: see
/// [`Identity::changes`].
fn is_bound(connection: &Connection, identity: &Identity) -> Result<bool, ConnectionError> {
    let Some(stored) = identity_rows::bound(connection)? else { return Ok(false) };
    for change in identity_rows::adopt(connection, identity, &stored)? {
        tracing::info!(change, "the store is bound to what has changed");
    }
    Ok(true)
}

/// Binds a new store to its keys and signs the empty log.
fn found(
    connection: &mut Connection,
    log_keys: &LogKeyRing,
    identity: &Identity,
    at: Timestamp,
) -> Result<(), ConnectionError> {
    let is_used: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM head) OR EXISTS (SELECT 1 FROM leaves) OR EXISTS (SELECT 1 FROM receipts)",
        [],
        |row| row.get(0),
    )?;
    if is_used {
        return Err(
            LedgerError::Corrupt("it has a log, but not the keys that it was made with".to_owned()).into()
        );
    }
    let transaction = connection.transaction()?;
    identity_rows::insert(&transaction, identity)?;
    let signers = log_keys.signers(identity.log_vkeys())?;
    rows::write_head(&transaction, &signed_head(&signers, 0, tlog::EMPTY_ROOT, at)?, 0, 0)?;
    Ok(transaction.commit()?)
}

/// Restores what was used up of budgets lately.
///
/// The log's time decides, not the clock's: a clock that is wrong at the start must not give calls anew.
pub(crate) fn quotas(connection: &Connection, latest: Timestamp) -> Result<QuotaCounter, ConnectionError> {
    let quotas = QuotaCounter::default();
    let since = KeptSince::of(latest.unix_days());
    let mut statement = connection.prepare("SELECT day, id, amount FROM uses WHERE day >= ? ORDER BY day")?;
    let mut rows = statement.query([since.day])?;
    while let Some(row) = rows.next()? {
        quotas.restore(row.get(0)?, row.get(1)?, row.get(2)?);
    }
    grant_rows::restore(connection, &quotas, since.grants)?;
    Ok(quotas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::money;

    /// Three payments of 100,000 by one agent on day 1; the receipt of one was overturned on day 3, of one bought with
    /// another token on day 4. Bonds were owed back too, which were never revenue.
    const BEFORE: &str = "
        INSERT INTO claims (id, state, owner, lease_until, chain_id, payer, fingerprint, class, agent, symbol, amount, bond)
        VALUES (1, 4, x'', 0, 1, x'', x'', 'commit', 'scout', 'USDC', 100000, 0),
               (2, 4, x'', 0, 1, x'', x'', 'commit', 'scout', 'USDC', 100000, 0),
               (3, 4, x'', 0, 1, x'', x'', 'commit', 'scout', 'EURC', 100000, 0),
               (4, 4, x'', 0, 1, x'', x'', 'dispute', 'critic', 'USDC', 1000000, 1);
        INSERT INTO revenue (symbol, class, income, bonds)
        VALUES ('USDC', 'commit', 200000, 0), ('EURC', 'commit', 100000, 0), ('USDC', 'dispute', 0, 1000000);
        INSERT INTO settled (agent, day, amount) VALUES ('scout', 1, 300000);
        INSERT INTO refunds (claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state, origin, log_index,
            settlement, owed_at, lease_until)
        VALUES (1, 1, x'', x'', 1, 'USDC', x'', 100000, 2, x'', 0, 'local', 3 * 86400000, 0),
               (3, 1, x'', x'', 1, 'EURC', x'', 100000, 0, x'', 0, 'local', 4 * 86400000, 0),
               (4, 0, x'', x'', 1, 'USDC', x'', 1000000, 0, x'', 0, 'local', 3 * 86400000, 0);";

    #[test]
    fn in_an_old_store_fees_that_were_owed_back_are_taken_out_of_what_was_earned() {
        let mut connection = Connection::open_in_memory().unwrap();
        Migrations::from_slice(&MIGRATIONS[..1]).to_latest(&mut connection).unwrap();
        connection.execute_batch(BEFORE).unwrap();
        migrate(&mut connection, Path::new("store")).unwrap();
        let revenue = money::revenue(&connection).unwrap();
        let mut lines: Vec<_> =
            revenue.iter().map(|line| (&*line.symbol, &*line.class, line.income, line.bonds)).collect();
        lines.sort_unstable();
        let expected =
            [("EURC", "commit", 0, 0), ("USDC", "commit", 100_000, 0), ("USDC", "dispute", 0, 1_000_000)];
        assert_eq!(lines, expected);
        let settled = [1, 2, 5].map(|since| money::settled_by(&connection, "scout", since).unwrap());
        assert_eq!(settled, [100_000, 0, 0], "never less than nothing");
    }
}
