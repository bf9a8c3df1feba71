//! Bounds on the number of connections at once, in all and for one client's networks.

use std::time::Duration;

use client_network::WIDE_FACTOR;

/// The most connections at once, however many files may be open.
pub const MAX_CONNECTIONS: usize = 16_384;
/// The fewest connections at once that a service can be set to: each bound below is then at least 1.
pub const MIN_CONNECTIONS: usize = 16;
/// The most connections at once of one narrow network (IPv4 address, IPv6 /64).
pub const MAX_PER_NARROW: usize = 256;
/// A wide network with fewer connections than this may also take from the first half of the places that are kept.
pub const FEW: usize = 8;

/// The bounds on connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Connections at once.
    pub all: usize,
    /// Connections of one narrow network at once.
    pub narrow: usize,
    /// Connections of one wide network (IPv4 /24, IPv6 /48) at once.
    pub wide: usize,
    /// The last places of `all`. Half of them are kept for wide networks that have fewer than [`FEW`] connections, and half
    /// for those that have none.
    pub kept: usize,
    /// Requests on one connection. The answer to the last one says `Connection: close`.
    pub requests: u32,
    /// The age of a connection from which on an answer says `Connection: close`.
    pub lifetime: Duration,
}

impl Bounds {
    /// Derives all bounds from the total number of connections.
    #[must_use]
    pub fn of(all: usize) -> Self {
        let all = all.clamp(MIN_CONNECTIONS, MAX_CONNECTIONS);
        let narrow = MAX_PER_NARROW.min(all / 8);
        Self {
            all,
            narrow,
            wide: (narrow * WIDE_FACTOR as usize).min(all / 4),
            kept: all / 8,
            requests: 100_000,
            lifetime: Duration::from_secs(3600),
        }
    }

    /// The number of places that a client must leave free whose wide network has `held` connections.
    pub(super) fn left_free(&self, held: usize) -> usize {
        match held {
            0 => 0,
            held if held < FEW => self.kept / 2,
            _ => self.kept,
        }
    }
}
