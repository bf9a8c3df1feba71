//! The names by which claims are unique: see [`ClaimName`].

use ledger::ClaimId;
use ledger::back_end::ClaimName;

use crate::columns::row_id;
use crate::connection::{Connection, Result};

/// Returns true if a claim has this name.
pub(crate) async fn is_bound(connection: Connection<'_>, name: &ClaimName) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM claim_names WHERE name = $1)";
    Ok(connection.one(select, &[&name.as_slice()]).await?.try_get(0)?)
}

/// Binds names that are free.
pub(crate) async fn bind(connection: Connection<'_>, names: &[ClaimName], id: ClaimId) -> Result<()> {
    let insert = "INSERT INTO claim_names (name, claim)
        SELECT given.name, $2::BIGINT FROM unnest($1::BYTEA[]) AS given (name)";
    connection.run(insert, &[&slices(names), &row_id(id.0)]).await?;
    Ok(())
}

/// Frees names, where they are this claim's.
pub(crate) async fn unbind(connection: Connection<'_>, names: &[ClaimName], id: ClaimId) -> Result<()> {
    let delete = "DELETE FROM claim_names WHERE name = ANY($1) AND claim = $2";
    connection.run(delete, &[&slices(names), &row_id(id.0)]).await?;
    Ok(())
}

/// Names as the parameter of a statement, a `BYTEA[]`.
pub(super) fn slices(names: &[ClaimName]) -> Vec<&[u8]> {
    names.iter().map(ClaimName::as_slice).collect()
}
