//! The limits on fetches from sites and registries.
//!
//! Sites and registries are asked through fetchers of their own. A registry is asked about all domains of a top-level domain
//! at one host, so that places are many; a host or a network of sites may be one that a domain's owner wants to see flooded.

use std::time::Duration;

use fetch::Limits;
use probe::registry;

use super::look::{AT_ONCE, SITE_CONNECTIONS};

/// Returns the limits on fetches from sites: the total of all looks, and a tenth of it to one network.
#[must_use]
pub fn site_limits() -> Limits {
    let in_all = AT_ONCE * SITE_CONNECTIONS;
    Limits {
        // Connections of the look itself, and of others that are redirected here.
        per_host: 8 * SITE_CONNECTIONS,
        waiting_per_host: in_all,
        per_network: in_all / 10,
        ..limits(in_all)
    }
}

/// Returns the limits on fetches from registries. One host may serve a whole top-level domain, so its share is not
/// reduced.
#[must_use]
pub fn registry_limits() -> Limits {
    let in_all = AT_ONCE * registry::CONNECTIONS;
    Limits { per_host: in_all, waiting_per_host: in_all, per_network: in_all, ..limits(in_all) }
}

fn limits(in_all: usize) -> Limits {
    Limits {
        resolve: Duration::from_millis(800),
        connect: Duration::from_millis(1200),
        total: Duration::from_millis(1600),
        wire_bytes: 512 << 10,
        decoded_bytes: 1 << 20,
        redirects: 5,
        addresses: 4,
        waiting_per_network: in_all,
        in_all,
        reserved: 0,
        hosts: in_all,
        wait: Duration::from_millis(1500),
        ..Limits::default()
    }
}
