//! Bounds on the number of connections at once, in all and for one client's networks.

use std::time::Duration;

use client_network::WIDE_FACTOR;

/// The most simultaneous connections, even where the process may open more files.
pub const MAX_CONNECTIONS: usize = 16_384;
/// The least setting of the most simultaneous connections: each bound is then at least 1.
pub const MIN_CONNECTIONS: usize = 16;
/// The most simultaneous connections of one narrow network (IPv4 address, IPv6 /64).
pub const MAX_PER_NARROW: usize = 256;
/// The number of connections below which a wide network may use the first half of the reserved connections
/// ([`Bounds::kept`]).
pub const FEW: usize = 8;

/// The bounds on connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most simultaneous connections in all.
    pub all: usize,
    /// The most simultaneous connections of one narrow network (IPv4 address, IPv6 /64).
    pub narrow: usize,
    /// The most simultaneous connections of one wide network (IPv4 /24, IPv6 /48).
    pub wide: usize,
    /// The number of connections of `all` that are reserved. Half of them are reserved for wide networks with fewer
    /// than [`FEW`] connections, and half for wide networks with none.
    pub kept: usize,
    /// The most requests on one connection. The answer to the last one has `Connection: close`.
    pub requests: u32,
    /// The age after which the next answer on a connection has `Connection: close`.
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
