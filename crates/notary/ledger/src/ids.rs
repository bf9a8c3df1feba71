//! Numbers, states and periods of claims, refunds and grants.

use receipt::time::Timestamp;

/// The number of a claim. It is never reused, not even after the claim was freed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClaimId(pub u64);

/// The states of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClaimState {
    /// The proof is bound to its request.
    Claimed,
    /// The finding is stored.
    Judged,
    /// The settlement is stored and may have been broadcast.
    Broadcast,
    /// The money has moved.
    Settled,
    /// The receipt is in the log. This state is final.
    Delivered,
    /// The money can never move. This state is final, and the proof stays bound.
    Failed,
}

impl ClaimState {
    /// All states, in the order of a claim's life.
    pub const ALL: [Self; 6] =
        [Self::Claimed, Self::Judged, Self::Broadcast, Self::Settled, Self::Delivered, Self::Failed];

    /// The name of the state in error messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Judged => "judged",
            Self::Broadcast => "broadcast",
            Self::Settled => "settled",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

/// The number of a refund.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RefundId(pub u64);

/// The states of a refund.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RefundState {
    /// No transfer was sent for the refund.
    Owed,
    /// A transfer for the refund is stored and may have been broadcast.
    Sending,
    /// The money has moved. This state is final.
    Paid,
}

impl RefundState {
    /// All states, in the order of a refund's life.
    pub const ALL: [Self; 3] = [Self::Owed, Self::Sending, Self::Paid];

    /// The name of the state for operators.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owed => "owed",
            Self::Sending => "sending",
            Self::Paid => "paid",
        }
    }
}

/// The number of a grant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GrantId(pub u64);

/// The period over which the calls of a grant are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Period {
    /// A UTC day.
    Day,
    /// A UTC month.
    Month,
}

impl Period {
    /// The name of the period for operators.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
        }
    }

    /// The first day of the period that contains a time, in days since 1970-01-01 UTC.
    #[must_use]
    pub fn start(self, at: Timestamp) -> u32 {
        match self {
            Self::Day => at.unix_days(),
            Self::Month => at.unix_days_of_month_start(),
        }
    }
}
