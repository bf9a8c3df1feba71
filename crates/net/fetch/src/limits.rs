//! The bound on every wait, size and count.

use std::time::Duration;

/// Bounds on a fetch and on all fetches of one [`crate::Fetcher`] together. The defaults are those that
/// the service publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// For one hop's name lookup. Default 2 s.
    pub resolve: Duration,
    /// For one hop's TCP connection and TLS handshake together. Default 2 s.
    pub connect: Duration,
    /// For the whole fetch: places, lookups, connections, redirects and body. Default 5 s.
    pub total: Duration,
    /// Bytes of a response's body as transferred, before decoding. Default 1 MiB.
    pub wire_bytes: usize,
    /// Bytes of a response's body after decoding. Default 4 MiB.
    pub decoded_bytes: usize,
    /// Bytes of a response's head. Default 32 KiB.
    pub head_bytes: usize,
    /// Fields of a response's head. Default 100.
    pub head_fields: usize,
    /// Redirects followed. Default 3.
    pub redirects: usize,
    /// Addresses of one host that are tried before giving up. Default 8.
    pub addresses: usize,
    /// Fetches under way at once to one host. Default 4.
    pub per_host: usize,
    /// Fetches that may wait for one host's places; the next is turned away at once. Default 32.
    pub waiting_per_host: usize,
    /// Connections open at once to one network: an IPv4 /24 or an IPv6 /48. Default 16, a quarter of all: the
    /// many good sources behind one front share a network, and a bad one must not have all places.
    pub per_network: usize,
    /// Fetches that may wait for one network's places; the next is turned away at once. Default 32.
    pub waiting_per_network: usize,
    /// Lookups and connections under way at once in all. Default 64.
    pub in_all: usize,
    /// Those of `in_all` that only callers with [`crate::Priority::High`] may take. Default 8.
    pub reserved: usize,
    /// Hosts with a fetch under way or waiting; networks too. Default 1024.
    pub hosts: usize,
    /// For all places that one hop takes among the above. Default 1 s.
    pub wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            resolve: Duration::from_secs(2),
            connect: Duration::from_secs(2),
            total: Duration::from_secs(5),
            wire_bytes: 1 << 20,
            decoded_bytes: 4 << 20,
            head_bytes: 32 << 10,
            head_fields: 100,
            redirects: 3,
            addresses: 8,
            per_host: 4,
            waiting_per_host: 32,
            per_network: 16,
            waiting_per_network: 32,
            in_all: 64,
            reserved: 8,
            hosts: 1024,
            wait: Duration::from_secs(1),
        }
    }
}
