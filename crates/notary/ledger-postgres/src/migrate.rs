//! The schema of a store: migrations, each applied once, in order.
//!
//! Replicas of two versions run side by side during an upgrade. So a store has two numbers: the version of its schema, and
//! the oldest version of the program's schema that may still write to it. A migration that only adds leaves the second
//! number as it is; one that changes what older programs rely on raises it, and is applied once they have stopped.

use tokio_postgres::error::SqlState;

use crate::config::PostgresConfig;
use crate::connection::{Connection, Result};
use crate::failure::ConnectionError;

/// A step of the schema.
struct Migration {
    sql: &'static str,
    /// The oldest version that may write to a store after this step.
    oldest_writer: i64,
}

/// All steps; the version of a schema is the number of those that were applied. They are never changed once released.
const MIGRATIONS: &[Migration] = &[
    Migration { sql: include_str!("migrations/0001_schema.sql"), oldest_writer: 1 },
    // A program that does not know marks may use a store without one: see the file.
    Migration { sql: include_str!("migrations/0002_mark.sql"), oldest_writer: 1 },
    // A program that does not know cosigned checkpoints collects none, and serves its own.
    Migration { sql: include_str!("migrations/0003_cosigned.sql"), oldest_writer: 1 },
    // It only adds. A program that does not know erased receipts cannot read them, and reads and writes all else.
    Migration { sql: include_str!("migrations/0004_retention.sql"), oldest_writer: 1 },
    // A program that does not know records of keys is not ready for another key, and no key changes while one serves.
    Migration { sql: include_str!("migrations/0005_key_records.sql"), oldest_writer: 1 },
    // A program that does not know stamped checkpoints asks for no tokens.
    Migration { sql: include_str!("migrations/0006_stamped.sql"), oldest_writer: 1 },
    Migration { sql: include_str!("migrations/0007_memories_at.sql"), oldest_writer: 1 },
    // A program that does not know logged tokens logs none.
    Migration { sql: include_str!("migrations/0008_logged_stamps.sql"), oldest_writer: 1 },
];

const PREPARE: &str = "CREATE TABLE IF NOT EXISTS schema_version (
        only_one      BIGINT PRIMARY KEY CHECK (only_one = 1),
        version       BIGINT NOT NULL,
        oldest_writer BIGINT NOT NULL
    );
    INSERT INTO schema_version (only_one, version, oldest_writer) VALUES (1, 0, 0) ON CONFLICT (only_one) DO NOTHING";

/// The number of times that the first table is made: of two replicas that start at once, one may be told that it is there.
const ATTEMPTS: u32 = 5;

/// The version of this program's schema.
pub(crate) fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("a program has few migrations")
}

/// Brings a store to this program's version, or leaves one of a later version that this program may write to.
pub(crate) async fn migrate(connection: Connection<'_>, config: &PostgresConfig) -> Result<()> {
    for attempt in 1.. {
        match connection.batch(PREPARE).await {
            Ok(()) => break,
            Err(error) if attempt < ATTEMPTS && is_made_by_another(&error) => {}
            Err(error) => return Err(error),
        }
    }
    connection.batch("BEGIN; SET LOCAL statement_timeout = 0").await?;
    let row = connection.one("SELECT version, oldest_writer FROM schema_version FOR UPDATE", &[]).await?;
    let (version, oldest_writer): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    refuse_later(version, oldest_writer, config)?;
    for (number, migration) in (1_i64..).zip(MIGRATIONS).skip(usize::try_from(version).unwrap_or(usize::MAX))
    {
        connection.migrate(migration.sql).await?;
        let update = "UPDATE schema_version SET version = $1, oldest_writer = greatest(oldest_writer, $2)";
        connection.run(update, &[&number, &migration.oldest_writer]).await?;
        tracing::info!(version = number, "the store's schema was migrated");
    }
    connection.batch("COMMIT").await
}

/// Returns true if the database has the tables of a store.
pub(crate) async fn is_store(connection: Connection<'_>) -> Result<bool> {
    has_table(connection, "identity").await
}

/// Returns true if the database has a table of this name.
pub(crate) async fn has_table(connection: Connection<'_>, name: &str) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_name = $1)";
    Ok(connection.one(select, &[&name]).await?.try_get(0)?)
}

/// Refuses a store that this program may not write to.
pub(crate) async fn check_compatible(connection: Connection<'_>, config: &PostgresConfig) -> Result<()> {
    let row = connection.one("SELECT version, oldest_writer FROM schema_version", &[]).await?;
    refuse_later(row.try_get(0)?, row.try_get(1)?, config)
}

/// Refuses a store for an operator's commands, which migrate nothing.
pub(crate) async fn check_for_operator(connection: Connection<'_>, config: &PostgresConfig) -> Result<()> {
    if !is_store(connection).await? {
        return Err(config.error("it is no store yet: start the service first").into());
    }
    let row = connection.one("SELECT version FROM schema_version", &[]).await?;
    let (version, known): (i64, i64) = (row.try_get(0)?, known_version());
    if version < known {
        let why = format!("its schema is of version {version}, and this program's of version {known}");
        return Err(config.error(why).into());
    }
    check_compatible(connection, config).await
}

fn refuse_later(version: i64, oldest_writer: i64, config: &PostgresConfig) -> Result<()> {
    let known = known_version();
    if known >= oldest_writer {
        return Ok(());
    }
    let why = format!(
        "its schema is of version {version}, and this program's of version {known}; programs from version \
         {oldest_writer} on may use it"
    );
    Err(config.error(why).into())
}

fn is_made_by_another(error: &ConnectionError) -> bool {
    let states = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ];
    matches!(error, ConnectionError::Postgres(error) if error.code().is_some_and(|state| states.contains(state)))
}
