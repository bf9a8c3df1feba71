//! The names by which claims are unique: see [`ClaimName`].

use ledger::ClaimId;
use ledger::back_end::ClaimName;
use rusqlite::{Connection, OptionalExtension, Result, params};

/// The claim that a name is bound to.
pub(crate) fn owner_of_name(connection: &Connection, name: &ClaimName) -> Result<Option<ClaimId>> {
    let mut statement = connection.prepare_cached("SELECT claim FROM claim_names WHERE name = ?")?;
    statement.query_row([name], |row| row.get(0).map(ClaimId)).optional()
}

/// Binds a name that is free.
pub(crate) fn bind(connection: &Connection, name: &ClaimName, id: ClaimId) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO claim_names (name, claim) VALUES (?, ?)")?;
    statement.execute(params![name, id.0])?;
    Ok(())
}

/// Frees a name, where it is this claim's.
pub(crate) fn unbind(connection: &Connection, name: &ClaimName, id: ClaimId) -> Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM claim_names WHERE name = ? AND claim = ?")?;
    statement.execute(params![name, id.0])?;
    Ok(())
}
