//! The look: all probes run concurrently within one timeout, and concurrent questions about one name share it.
//!
//! What a look takes is bounded by itself, and what all take by how many there are: no look waits for places that another
//! holds at servers that never answer. Networks alone are shared, so that none is flooded.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brand_names::look_alike;
use dns::{Dns, RecordingResolver};
use domain_name::{DomainName, Subject};
use futures_util::FutureExt as _;
use futures_util::future::join;
use moka::Expiry;
use moka::future::Cache;
use probe::elapsed::millis;
use probe::registry::Registry;
use probe::site::{ProbeFailure, SiteObservation};
use probe::tls::TlsObservation;
use probe::{dnssec, registry, site, tls};
use threat_feeds::Feeds;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::{EvidenceBlob, Timestamp};

use super::finding::find;
use super::observations::{DomainObservations, ProbeResult};
use super::pace::Pace;
use crate::records;

/// Timeout of all probes together; a part that was not observed by then is unknown.
pub const TOTAL: Duration = Duration::from_millis(1800);
/// Timeout of the look-ups of records.
pub const RECORDS: Duration = Duration::from_millis(1600);
/// Maximum time for which a look is cached; the lowest TTL of its records may shorten it.
pub const KEEP: Duration = Duration::from_secs(300);
/// Maximum time for which a look with a failed part is cached.
pub const KEEP_FAILED: Duration = Duration::from_secs(30);
/// Minimum time for which a look is cached, even if the TTL of its records is lower, so that an immediate repetition
/// costs nothing.
pub const KEEP_LEAST: Duration = Duration::from_secs(5);
/// Maximum size of the evidence of all cached looks, in bytes.
pub const KEPT_BYTES: u64 = 64 << 20;
/// Maximum number of concurrent looks; see [`at_once`].
pub const AT_ONCE: usize = 256;
/// Maximum number of connections of one look, open or opening.
pub const CONNECTIONS: usize = SITE_CONNECTIONS + registry::CONNECTIONS;
/// Most connections of one look that lead to the domain's own servers.
pub(super) const SITE_CONNECTIONS: usize = tls::CONNECTIONS + site::CONNECTIONS;
/// The files that one look opens where nothing answers: a question is sent once more, from another port, and what is to
/// be connected to is looked up in both families.
const FILES: usize =
    2 * (RecordingResolver::AT_ONCE + dnssec::DnssecProbe::AT_ONCE + dnssec::DnssecProbe::WORD + CONNECTIONS);
/// Maximum number of looks that begin concurrently. Each begins with much processor time, so a larger number would
/// delay all of them.
pub const STARTING: usize = 32;
/// Time after which a look no longer counts against [`STARTING`], so that a look that waits for a server does not delay
/// others.
pub const START: Duration = Duration::from_millis(200);
/// Maximum wait of a look for its turn. It is longer than all of [`AT_ONCE`] take to begin.
pub const WAIT: Duration = Duration::from_secs(2);

/// The probes of a look and their limits.
pub struct Probes {
    /// Source of DNS answers.
    pub dns: Arc<dyn Dns>,
    /// Probe of the zone's DNSSEC signatures.
    pub dnssec: dnssec::DnssecProbe,
    /// Probe of the certificate and the TLS versions.
    pub tls: tls::TlsProbe,
    /// Probe of the site's pages.
    pub site: site::SiteProbe,
    /// RDAP client for the domain's registration.
    pub registry: Registry,
    /// The feeds of bad domains.
    pub feeds: Feeds,
    /// Maximum number of concurrent looks, as [`at_once`] returns it.
    pub at_once: usize,
}

/// Observations, as they are kept for whoever asks next.
#[derive(Debug)]
pub(super) struct KeptLook {
    pub(super) seen: DomainObservations,
    pub(super) blob: EvidenceBlob,
    keep: Duration,
    /// The name leads nowhere, so that no site was asked for anything.
    asked_nobody: bool,
}

/// Reason why a domain was not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Busy {
    /// All places are taken.
    Places,
    /// Too many names below one registrable name have been looked at within a minute.
    Names,
}

/// The probes, and what they saw a moment ago.
pub(super) struct Looks {
    probes: Probes,
    kept: Cache<DomainName, Arc<KeptLook>>,
    pace: Pace,
    places: Semaphore,
    starts: Semaphore,
}

/// Expiry by the time to live of the records.
struct ByTtl;

impl Expiry<DomainName, Arc<KeptLook>> for ByTtl {
    fn expire_after_create(&self, _: &DomainName, looked: &Arc<KeptLook>, _: Instant) -> Option<Duration> {
        Some(looked.keep)
    }
}

impl Looks {
    pub(super) fn new(probes: Probes) -> Self {
        let weight = |_: &DomainName, looked: &Arc<KeptLook>| {
            u32::try_from(looked.blob.bytes().map_or(0, <[u8]>::len)).unwrap_or(u32::MAX)
        };
        let kept = Cache::builder().max_capacity(KEPT_BYTES).weigher(weight).expire_after(ByTtl).build();
        Self {
            kept,
            pace: Pace::default(),
            places: Semaphore::new(probes.at_once),
            starts: Semaphore::new(STARTING),
            probes,
        }
    }

    /// Observes a domain, or returns the observation that is cached or that another caller waits for.
    pub(super) async fn at(&self, subject: &Subject, at: Timestamp) -> Result<Arc<KeptLook>, Busy> {
        let looking = async {
            if !self.pace.admits(subject) {
                return Err(Busy::Names);
            }
            let places = async { (self.places.acquire().await, self.starts.acquire().await) };
            let Ok((Ok(_place), Ok(start))) = timeout(WAIT, places).await else {
                return Err(Busy::Places);
            };
            let mut look = pin!(self.probes.look(subject, at));
            let looked = match timeout(START, &mut look).await {
                Ok(looked) => looked,
                Err(_) => {
                    drop(start);
                    look.await
                }
            };
            if looked.asked_nobody {
                self.pace.release(subject);
            }
            Ok(Arc::new(looked))
        };
        self.kept.try_get_with_by_ref(&subject.name, looking).await.map_err(|busy| *busy)
    }
}

impl Probes {
    async fn look(&self, subject: &Subject, observed_at: Timestamp) -> KeptLook {
        let recorder = RecordingResolver::of(&*self.dns);
        let of_records = timed(RECORDS, records::read(&recorder, subject, observed_at));
        let of_zone = timed(TOTAL, self.dnssec.look(&subject.registrable));
        let of_tls = timed(TOTAL, self.tls.look(&subject.name, observed_at));
        let of_site = timed(TOTAL, self.site.look(&subject.name, &subject.registrable));
        let of_registry = timed(TOTAL, self.registry.look(&subject.registered, observed_at));
        let ((dns, dnssec), (tls, (site, registry))) =
            join(join(of_records, of_zone), join(of_tls, join(of_site, of_registry))).await;
        let is_whole = !recorder.has_failed()
            && dns.seen.is_some()
            && dnssec.seen.is_some()
            && tls.seen.as_ref().is_some_and(TlsObservation::is_whole)
            && site.seen.as_ref().is_some_and(|site| !site.has_gaps())
            && registry.seen.as_ref().is_some_and(|registry| !registry.has_gaps());
        let longest = if is_whole { KEEP } else { KEEP_FAILED };
        let keep = longest.min(Duration::from_secs(recorder.ttl().into())).max(KEEP_LEAST);
        let seen = DomainObservations {
            name: subject.name.clone(),
            registrable: subject.registrable.clone(),
            registered: subject.registered.clone(),
            look_alike: look_alike(subject),
            observed_at,
            // The answers received count, also where some did not come in time.
            dns: ProbeResult { elapsed_ms: dns.elapsed_ms, seen: Some(recorder.into_transcript()) },
            dnssec,
            tls,
            site,
            registry,
            feeds: self.feeds.look(subject),
        };
        let seen = legible(seen, |seen| drop(find(seen, [0; 32], observed_at)));
        let leads_nowhere = |site: &SiteObservation| site.https.failure() == Some(ProbeFailure::NoAddress);
        let asked_nobody = seen.site.seen.as_ref().is_some_and(leads_nowhere);
        KeptLook { blob: seen.blob(), seen, keep, asked_nobody }
    }
}

/// Runs a probe for at most `most`. Libraries of others parse untrusted input there; a panic of theirs ends this probe
/// alone.
async fn timed<T>(most: Duration, probe: impl Future<Output = T>) -> ProbeResult<T> {
    let started = tokio::time::Instant::now();
    let ended = AssertUnwindSafe(timeout(most, probe)).catch_unwind().await;
    let seen = match ended {
        Ok(in_time) => in_time.ok(),
        Err(_) => {
            tracing::error!("a probe has panicked");
            None
        }
    };
    ProbeResult { elapsed_ms: millis(started.elapsed()), seen }
}

/// The observations, or if they make a rule panic, nothing seen: a verdict that is `INCOMPLETE`, now and in replays.
fn legible(seen: DomainObservations, judge: impl Fn(&DomainObservations)) -> DomainObservations {
    if catch_unwind(AssertUnwindSafe(|| judge(&seen))).is_ok() {
        return seen;
    }
    tracing::error!("a rule has panicked");
    DomainObservations {
        tls: seen.tls.unseen(),
        site: seen.site.unseen(),
        registry: seen.registry.unseen(),
        dnssec: seen.dnssec.unseen(),
        dns: seen.dns.unseen(),
        ..seen
    }
}

/// Returns the number of concurrent looks for a number of file descriptors that callers' connections leave free. A
/// fifth of these is reserved for the store and other fetches. The result is at most [`AT_ONCE`]; further looks wait,
/// or are refused with a request to retry.
#[must_use]
pub fn at_once(files: u64) -> usize {
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    (files / 5 * 4 / FILES).clamp(1, AT_ONCE)
}

#[cfg(test)]
mod tests {
    use dns::DnsTranscript;
    use probe::registry::{RegistryObservation, RegistryResult};

    use super::*;

    /// The name servers and the registry were heard.
    fn seen() -> DomainObservations {
        let name = DomainName::parse("example.com").unwrap();
        let (end, list) = (RegistryResult::NoService, None);
        let registry =
            RegistryObservation { name: name.clone(), list, end, observed_at: None, elapsed_ms: 0 };
        DomainObservations {
            name: name.clone(),
            registrable: name.clone(),
            registered: name,
            look_alike: None,
            observed_at: Timestamp::EPOCH,
            dns: ProbeResult { elapsed_ms: 7, seen: Some(DnsTranscript::default()) },
            dnssec: ProbeResult { elapsed_ms: 7, seen: None },
            tls: ProbeResult { elapsed_ms: 7, seen: None },
            site: ProbeResult { elapsed_ms: 7, seen: None },
            registry: ProbeResult { elapsed_ms: 7, seen: Some(registry) },
            feeds: Vec::new(),
        }
    }

    #[tokio::test]
    async fn a_probe_that_panics_has_seen_nothing() {
        let mistaken: ProbeResult<()> = timed(TOTAL, async { panic!("a mistake") }).await;
        assert_eq!(mistaken.seen, None);
        assert_eq!(timed(TOTAL, async { 7 }).await.seen, Some(7));
    }

    #[test]
    fn of_what_makes_a_rule_panic_nothing_was_seen() {
        let nothing = legible(seen(), |_| panic!("a mistake"));
        let (dns, registry) = (seen().dns.unseen(), seen().registry.unseen());
        assert_eq!(nothing, DomainObservations { dns, registry, ..seen() });
        assert_eq!(legible(seen(), |_| {}), seen());
    }

    #[test]
    fn where_few_files_may_be_open_fewer_domains_are_looked_at() {
        assert_eq!([0, 1024, 4096, 20_000, u64::MAX].map(at_once), [1, 13, 52, AT_ONCE, AT_ONCE]);
    }
}
