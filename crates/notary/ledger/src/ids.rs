//! Numbers, states and periods of claims, refunds and grants: what errors and quotas name of them.

use receipt::time::Timestamp;

/// A claim's number. It is never given again, not even where its claim was freed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClaimId(pub u64);

/// The states of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClaimState {
    /// Bound to its request.
    Claimed,
    /// The finding is stored.
    Judged,
    /// The settlement is stored, and may have been broadcast.
    Broadcast,
    /// The money has moved.
    Settled,
    /// The receipt is in the log. The claim stays in this state.
    Delivered,
    /// The money can never move any more. The claim stays in this state, and its proof stays bound.
    Failed,
}

impl ClaimState {
    /// All states, in the order of a claim's life.
    pub const ALL: [Self; 6] =
        [Self::Claimed, Self::Judged, Self::Broadcast, Self::Settled, Self::Delivered, Self::Failed];

    /// The name that errors have.
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

/// A refund's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RefundId(pub u64);

/// The states of a refund.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RefundState {
    /// Nothing has been sent for it.
    Owed,
    /// A transfer for it is stored, and may have been broadcast.
    Sending,
    /// The money has moved. It stays so.
    Paid,
}

impl RefundState {
    /// All states, in the order of a refund's life.
    pub const ALL: [Self; 3] = [Self::Owed, Self::Sending, Self::Paid];

    /// The name that operators read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owed => "owed",
            Self::Sending => "sending",
            Self::Paid => "paid",
        }
    }
}

/// A grant's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GrantId(pub u64);

/// The period that a grant's calls are counted over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Period {
    /// A UTC day.
    Day,
    /// A UTC month.
    Month,
}

impl Period {
    /// The name that operators read and write.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
        }
    }

    /// The first day of the period that a time is in, as days since 1970-01-01 UTC.
    #[must_use]
    pub fn start(self, at: Timestamp) -> u32 {
        match self {
            Self::Day => at.unix_days(),
            Self::Month => at.unix_days_of_month_start(),
        }
    }
}
