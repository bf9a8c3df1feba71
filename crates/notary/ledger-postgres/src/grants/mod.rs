//! Grants: their rows and uses.

pub(crate) mod grant_rows;
