//! The log: receipts and all that is logged with them, in one transaction a batch.

pub(crate) mod append;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod head;
pub(crate) mod parts;
pub(crate) mod quota_rows;
pub(crate) mod reads;
pub(crate) mod rows;
pub(crate) mod signing;
pub(crate) mod stored;
