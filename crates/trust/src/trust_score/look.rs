//! The look: every probe at once, within one bound, once for all who ask about the same name at the same time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fetch::Limits;
use futures_util::future::join;
use moka::Expiry;
use moka::future::Cache;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::{EvidenceBlob, Timestamp};

use super::seen::{Look, Seen};
use crate::dns::{Dns, Recorder};
use crate::domain::{DomainName, Subject};
use crate::elapsed::millis;
use crate::registry::Registry;
use crate::tls::TlsSeen;
use crate::{dnssec, records, site, tls};

/// For all probes together: what has not been seen by then is unknown.
pub const TOTAL: Duration = Duration::from_millis(1800);
/// For the look-ups of records.
pub const RECORDS: Duration = Duration::from_millis(1600);
/// The longest that a look is kept; the least time to live of the records may be less.
pub const KEEP: Duration = Duration::from_secs(300);
/// The longest that a look is kept of which something failed.
pub const KEEP_FAILED: Duration = Duration::from_secs(30);
/// The shortest, also where the records say less: whoever asks again at once hears the same.
pub const KEEP_LEAST: Duration = Duration::from_secs(5);
/// The most bytes of evidence of all looks that are kept.
pub const KEPT_BYTES: u64 = 64 << 20;
/// The most domains that are looked at at once.
pub const AT_ONCE: usize = 256;
/// How long a look waits for its place.
pub const WAIT: Duration = Duration::from_millis(500);

/// Who looks at what.
pub struct Probes {
    /// The name servers.
    pub dns: Arc<dyn Dns>,
    /// The zone's signatures.
    pub dnssec: dnssec::Probe,
    /// The certificate and the protocol.
    pub tls: tls::Probe,
    /// The pages.
    pub site: site::Probe,
    /// The registry.
    pub registry: Registry,
}

/// What was seen, as it is kept for who asks next.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) seen: Seen,
    pub(super) blob: EvidenceBlob,
    keep: Duration,
}

/// All places are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Busy;

/// The probes, and what they saw a moment ago.
pub(super) struct Looks {
    probes: Probes,
    kept: Cache<DomainName, Arc<Looked>>,
    places: Semaphore,
}

/// As long as the records themselves allow.
struct ByTtl;

impl Expiry<DomainName, Arc<Looked>> for ByTtl {
    fn expire_after_create(&self, _: &DomainName, looked: &Arc<Looked>, _: Instant) -> Option<Duration> {
        Some(looked.keep)
    }
}

impl Looks {
    pub(super) fn new(probes: Probes) -> Self {
        let weight = |_: &DomainName, looked: &Arc<Looked>| {
            u32::try_from(looked.blob.bytes().map_or(0, <[u8]>::len)).unwrap_or(u32::MAX)
        };
        let kept = Cache::builder().max_capacity(KEPT_BYTES).weigher(weight).expire_after(ByTtl).build();
        Self { probes, kept, places: Semaphore::new(AT_ONCE) }
    }

    /// Looks, unless somebody else does or just did.
    pub(super) async fn at(&self, subject: &Subject, at: Timestamp) -> Result<Arc<Looked>, Busy> {
        let looking = async {
            let place = timeout(WAIT, self.places.acquire()).await;
            let Ok(Ok(_place)) = place else { return Err(Busy) };
            Ok(Arc::new(self.probes.look(subject, at).await))
        };
        self.kept.try_get_with_by_ref(&subject.name, looking).await.map_err(|busy| *busy)
    }
}

impl Probes {
    async fn look(&self, subject: &Subject, observed_at: Timestamp) -> Looked {
        let recorder = Recorder::of(&*self.dns);
        let of_records = timed(RECORDS, records::read(&recorder, subject));
        let of_zone = timed(TOTAL, self.dnssec.look(&subject.registrable));
        let of_tls = timed(TOTAL, self.tls.look(&subject.name, observed_at));
        let of_site = timed(TOTAL, self.site.look(&subject.name));
        let of_registry = timed(TOTAL, self.registry.look(&subject.registered, observed_at));
        let ((dns, dnssec), (tls, (site, registry))) =
            join(join(of_records, of_zone), join(of_tls, join(of_site, of_registry))).await;
        let is_whole = !recorder.has_failed()
            && dnssec.seen.is_some()
            && tls.seen.as_ref().is_some_and(TlsSeen::is_whole)
            && site.seen.as_ref().is_some_and(|site| !site.has_gaps())
            && registry.seen.as_ref().is_some_and(|registry| !registry.has_gaps());
        let longest = if is_whole { KEEP } else { KEEP_FAILED };
        let keep = longest.min(Duration::from_secs(recorder.ttl().into())).max(KEEP_LEAST);
        let seen = Seen {
            name: subject.name.clone(),
            registrable: subject.registrable.clone(),
            registered: subject.registered.clone(),
            observed_at,
            // What was heard counts, also where some of it did not come in time.
            dns: Look { elapsed_ms: dns.elapsed_ms, seen: Some(recorder.into_tape()) },
            dnssec,
            tls,
            site,
            registry,
        };
        Looked { blob: seen.blob(), seen, keep }
    }
}

async fn timed<T>(most: Duration, probe: impl Future<Output = T>) -> Look<T> {
    let started = tokio::time::Instant::now();
    let seen = timeout(most, probe).await.ok();
    Look { elapsed_ms: millis(started.elapsed()), seen }
}

/// The bounds on what the probes fetch. Domains are many behind few networks, so a network has more places than where
/// callers name documents.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        resolve: Duration::from_millis(800),
        connect: Duration::from_millis(1200),
        total: Duration::from_millis(1600),
        wire_bytes: 512 << 10,
        decoded_bytes: 1 << 20,
        redirects: 5,
        addresses: 4,
        // Registries: all domains of a top-level domain are asked about at one host.
        per_host: 64,
        waiting_per_host: 512,
        per_network: 256,
        waiting_per_network: 2048,
        in_all: 512,
        reserved: 0,
        hosts: 4096,
        wait: Duration::from_millis(1500),
        ..Limits::default()
    }
}
