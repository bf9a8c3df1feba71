//! Refunds: the end of a dispute, which leaves them owed, their steps and their rows.
//!
//! As for [claims](crate::claims), all changes are made under the work lock, and none is sent before the last read that may
//! refuse the step.

pub(crate) mod dispute_end;
pub(crate) mod payouts;
pub(crate) mod refund_rows;
