//! The mark of a store whose log does not go on in it.

use std::path::Path;

use ledger::{LedgerError, MarkKind, TransferMark};
use rusqlite::{Connection, OptionalExtension as _};

use crate::failure::ConnectionError;

/// The mark of the store; `None` where it has none.
pub(crate) fn read(connection: &Connection) -> Result<Option<TransferMark>, ConnectionError> {
    let select = "SELECT kind, place, size FROM mark";
    let row = connection.query_row(select, [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, u64>(2)?))
    });
    let mark = row.optional()?.map(|(kind, place, size)| TransferMark::read(&kind, place, size));
    Ok(mark.transpose()?)
}

/// Refuses a store that was moved or is not whole. Returns true if it is an archive.
pub(crate) fn is_archive(connection: &Connection, path: &Path) -> Result<bool, LedgerError> {
    let Some(mark) = read(connection)? else { return Ok(false) };
    mark.check_usable(&path.display().to_string())?;
    Ok(mark.kind == MarkKind::Archive)
}
