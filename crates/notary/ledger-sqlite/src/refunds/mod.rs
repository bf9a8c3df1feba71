//! Refunds: the end of a dispute, which leaves them owed, their steps and their rows.

pub(crate) mod dispute_end;
pub(crate) mod payouts;
pub(crate) mod refund_rows;
