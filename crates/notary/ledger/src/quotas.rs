//! Quotas of calls that need no payment, free and granted: a part of a quota is reserved before the judging, and is
//! used up in the receipt's transaction or given back.

use std::fmt;

use ipnet::IpNet;
use receipt::time::Timestamp;

use crate::admission::short_hash;
use crate::{GrantId, Period};

/// The key of free calls: one agent from one network, on one route, on one UTC day. It contains the network because
/// anybody can use any name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FreeCallKey {
    /// The name of the agent.
    pub agent: String,
    /// The client's network.
    pub network: IpNet,
    /// The class of the route.
    pub class: &'static str,
    /// The day, in days since 1970-01-01 UTC.
    pub day: u32,
}

impl FreeCallKey {
    /// The free calls of an agent from a network on a route, on the UTC day of `at`.
    #[must_use]
    pub fn new(agent: &str, network: IpNet, class: &'static str, at: Timestamp) -> Self {
        Self { agent: agent.to_owned(), network, class, day: at.unix_days() }
    }
}

/// The key of a quota: the counted thing and its period.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum QuotaKey {
    /// The free calls of an agent from a network on a route.
    Free(FreeCallKey),
    /// The free calls of a network on a route with all names, or another action that a network may do for free a number
    /// of times a day.
    Network {
        /// The client's network, narrow or wide.
        network: IpNet,
        /// The class of the route, or the name of another counted action.
        class: &'static str,
        /// The day, in days since 1970-01-01 UTC.
        day: u32,
    },
    /// The bytes that are stored for unpaid calls of a network.
    Bytes {
        /// The client's network, narrow or wide.
        network: IpNet,
        /// The day, in days since 1970-01-01 UTC.
        day: u32,
    },
    /// The calls of a grant.
    Granted {
        /// The number of the grant.
        grant: GrantId,
        /// The period over which the calls are counted.
        period: Period,
        /// The first day of the period, in days since 1970-01-01 UTC.
        start: u32,
    },
}

impl QuotaKey {
    /// The period of the quota and its first day, in days since 1970-01-01 UTC.
    #[must_use]
    pub fn period(&self) -> (Period, u32) {
        match self {
            Self::Free(FreeCallKey { day, .. }) | Self::Network { day, .. } | Self::Bytes { day, .. } => {
                (Period::Day, *day)
            }
            Self::Granted { period, start, .. } => (*period, *start),
        }
    }

    /// The hash of the key without its period, long enough to exclude collisions.
    #[must_use]
    pub fn id(&self) -> QuotaId {
        match self {
            Self::Free(key) => short_hash(&["free", key.class, &key.network.to_string(), &key.agent]),
            Self::Network { network, class, .. } => short_hash(&["network", class, &network.to_string()]),
            Self::Bytes { network, .. } => short_hash(&["bytes", &network.to_string()]),
            Self::Granted { grant, .. } => granted_id(*grant),
        }
    }
}

/// The key of a quota, without its period: the first half of a SHA-256.
pub type QuotaId = [u8; 16];

pub(crate) fn granted_id(grant: GrantId) -> QuotaId {
    short_hash(&["", "grant", &grant.0.to_string()])
}

/// A request for a part of a quota.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuotaRequest {
    /// The key of the quota.
    pub of: QuotaKey,
    /// The requested amount, in calls or bytes.
    pub units: u64,
    /// The size of the whole quota, in the same unit.
    pub allowance: u64,
}

impl QuotaRequest {
    /// A request for one unit of a quota of `allowance` units.
    #[must_use]
    pub fn one(of: QuotaKey, allowance: u32) -> Self {
        Self { of, units: 1, allowance: u64::from(allowance) }
    }
}

/// The callback at the end of a reservation: gets its parts, and whether they were used up.
type EndCallback = Box<dyn FnOnce(&[QuotaPart], bool) + Send + Sync>;

/// A part of a reservation: units of one quota.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuotaPart {
    /// The key of the quota.
    pub of: QuotaKey,
    /// The reserved amount, in calls or bytes.
    pub reserved: u64,
    /// The amount that will be used up, in the same unit.
    pub units: u64,
}

/// A reservation of one call, with its part of every affected quota. Dropping it gives all parts back.
pub struct QuotaReservation {
    parts: Vec<QuotaPart>,
    lease: [u8; 16],
    back: Option<EndCallback>,
}

impl QuotaReservation {
    /// Makes a reservation in one quota. `back` is called once at its end, with `true` where the reservation was used
    /// up.
    #[must_use]
    pub fn new(
        of: QuotaKey,
        units: u64,
        back: impl FnOnce(&[QuotaPart], bool) + Send + Sync + 'static,
    ) -> Self {
        Self::of_parts(vec![QuotaRequest { of, units, allowance: units }], [0; 16], back)
    }

    /// Makes a reservation of what was requested. `lease` is the lease under which a back end with several processes
    /// holds it, and zeros elsewhere. `back` is called as by [`new`](Self::new).
    #[must_use]
    pub fn of_parts(
        requests: Vec<QuotaRequest>,
        lease: [u8; 16],
        back: impl FnOnce(&[QuotaPart], bool) + Send + Sync + 'static,
    ) -> Self {
        let parts = requests.into_iter().map(|QuotaRequest { of, units, .. }| QuotaPart {
            of,
            reserved: units,
            units,
        });
        Self { parts: parts.collect(), lease, back: Some(Box::new(back)) }
    }

    /// The lease under which the back end holds the reservation; see [`of_parts`](Self::of_parts).
    #[must_use]
    pub fn lease(&self) -> [u8; 16] {
        self.lease
    }

    /// The parts of the reservation, one for each quota.
    #[must_use]
    pub fn parts(&self) -> &[QuotaPart] {
        &self.parts
    }

    /// Returns true if the reservation is for a granted call.
    #[must_use]
    pub fn is_granted(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.of, QuotaKey::Granted { .. }))
    }

    /// Sets the number of bytes to be stored for the call, if a quota counts bytes. It is known only after the judging.
    pub fn store(&mut self, bytes: u64) {
        let counted = self.parts.iter_mut().filter(|part| matches!(part.of, QuotaKey::Bytes { .. }));
        counted.for_each(|part| part.units = bytes);
    }

    /// Ends the reservation as used up, once its transaction is durable.
    pub fn use_up(mut self) {
        if let Some(back) = self.back.take() {
            back(&self.parts, true);
        }
    }
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        if let Some(back) = self.back.take() {
            back(&self.parts, false);
        }
    }
}

impl fmt::Debug for QuotaReservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuotaReservation").field("parts", &self.parts).finish_non_exhaustive()
    }
}

/// The number of days for which the used calls of grants are kept: this month's and the last one's.
const KEPT_GRANT_DAYS: u32 = 62;

/// The first days for which a store keeps used quotas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptSince {
    /// The first day of daily quotas that is kept, which is yesterday, in days since 1970-01-01 UTC.
    pub day: u32,
    /// The first day of the oldest grant period that is kept, in days since 1970-01-01 UTC.
    pub grants: u32,
}

impl KeptSince {
    /// The most used quotas of each kind that a store forgets in one transaction, since the receipts of others wait for it.
    pub const MAX_FORGOTTEN: u32 = 2_000;

    /// The first days to be kept, where `today` is the day of the newest receipt in the log (days since 1970-01-01
    /// UTC). The clock is not used, because a clock that is ahead would give quotas again.
    #[must_use]
    pub fn of(today: u32) -> Self {
        Self { day: today.saturating_sub(1), grants: today.saturating_sub(KEPT_GRANT_DAYS) }
    }
}
