//! The state of each witness, and of the newest cosigned checkpoint, for `/health` and `status`.

use ledger::Inclusion;
use receipt::time::Timestamp;

/// The state of a witness, as the process that collects sees it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WitnessStanding {
    /// The name in the policy.
    pub name: String,
    /// The size of the last tree that it cosigned, and the time at which its answer came; `None` before the first.
    pub cosigned: Option<(u64, Timestamp)>,
    /// The error of its last answer; `None` after a cosignature.
    pub error: Option<String>,
}

/// The state of all cosigning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CosignedStanding {
    /// The size of the newest tree that a quorum has cosigned, and the time of its quorum; `None` before the first.
    pub newest: Option<(u64, Timestamp)>,
    /// True if the log has been larger than that for longer than [`LATE_AFTER`](crate::collect::LATE_AFTER).
    pub is_late: bool,
    /// True if this process collects the cosignatures, and not another replica.
    pub collects: bool,
    /// Each witness that has an address, in the order of the policy.
    pub witnesses: Vec<WitnessStanding>,
}

/// The first cosigned tree that contains a leaf.
#[derive(Clone, Debug)]
pub struct FirstCosigned {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The newest time of its cosignatures: by then the leaf was in the log.
    pub at: Timestamp,
    /// The names of the witnesses.
    pub witnesses: Vec<String>,
    /// The proof of the leaf under the cosigned checkpoint.
    pub inclusion: Inclusion,
}
