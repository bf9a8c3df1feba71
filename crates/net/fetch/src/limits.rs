//! The bounds on all waits, sizes and counts of fetches.

use std::time::Duration;

/// The bounds on one fetch, and on all fetches of one [`crate::Fetcher`] together. The service publishes the defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest time of a name lookup, for each hop. Default 2 s.
    pub resolve: Duration,
    /// The longest time of the TCP connection and the TLS handshake together, for each hop. Default 2 s.
    pub connect: Duration,
    /// The longest time of the whole fetch: waits for slots, lookups, connections, redirects and body. Default 5 s.
    pub total: Duration,
    /// The most bytes of a response's body as transferred, before content decoding. Default 1 MiB.
    pub wire_bytes: usize,
    /// The most bytes of a response's body after content decoding. Default 4 MiB.
    pub decoded_bytes: usize,
    /// The most bytes of the status line and the header fields of a response. Default 32 KiB.
    pub head_bytes: usize,
    /// The most header fields of a response. Default 100.
    pub head_fields: usize,
    /// The most redirects that are followed. Default 3.
    pub redirects: usize,
    /// The most addresses of one host that are tried. Default 8.
    pub addresses: usize,
    /// The most simultaneous fetches from one host. Default 4.
    pub per_host: usize,
    /// The most fetches that wait for a slot of one host; a further one fails at once with [`crate::FetchError::Busy`].
    /// Default 32.
    pub waiting_per_host: usize,
    /// The most open connections to one network, which is an IPv4 /24 or an IPv6 /48. Default 16, a quarter of
    /// `in_all`: many good sources share the network of one content delivery service, and a slow network must not
    /// occupy all slots.
    pub per_network: usize,
    /// The most fetches that wait for a slot of one network; a further one fails at once with
    /// [`crate::FetchError::Busy`]. Default 32.
    pub waiting_per_network: usize,
    /// The most simultaneous lookups and connections in all. Default 64.
    pub in_all: usize,
    /// The number of slots of `in_all` that only callers with [`crate::Priority::High`] may take. Default 8.
    pub reserved: usize,
    /// The most hosts with a fetch that runs or waits, and likewise the most networks. Default 1024.
    pub hosts: usize,
    /// The longest wait of one hop for all its slots together. Default 1 s.
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
