//! The mark of a store whose log does not go on in it.

use ledger::{MarkKind, TransferMark};

use crate::columns::Columns as _;
use crate::config::PostgresConfig;
use crate::connection::{Connection, Result};

/// Refuses a store that was moved or is not whole. Returns true if it is an archive.
pub(crate) async fn is_archive(connection: Connection<'_>, config: &PostgresConfig) -> Result<bool> {
    let Some(row) = connection.maybe("SELECT kind, place, size FROM mark", &[]).await? else {
        return Ok(false);
    };
    let mark = TransferMark::read(row.try_get(0)?, row.try_get(1)?, row.unsigned(2)?)?;
    mark.check_usable(&config.place())?;
    Ok(mark.kind == MarkKind::Archive)
}
