//! The look: all probes run concurrently within one timeout, and concurrent questions about one name share it.
//!
//! What a look takes is bounded by itself, and what all take by how many there are: no look waits for places that another
//! holds at servers that never answer. Networks alone are shared, so that none is flooded.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use brand_names::look_alike;
use dns::{Dns, Kind, Name, RecordingResolver, ServerFault, ServerHealth};
use domain_name::{DomainName, PublicSuffixes, Rules, Subject};
use futures_util::FutureExt as _;
use futures_util::future::join;
use moka::Expiry;
use moka::future::Cache;
use probe::ct::{self, Certificates, CtObservation};
use probe::elapsed::millis;
use probe::payee::{self, PayeeProbe};
use probe::registry::{Registry, RegistryObservation, RegistryResult};
use probe::site::{ProbeFailure, SiteObservation};
use probe::tls::TlsObservation;
use probe::whois::{self, Whois, WhoisObservation};
use probe::{dnssec, registry, site, tls};
use threat_feeds::Feeds;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::{EvidenceBlob, Timestamp};

use super::facts::ways;
use super::finding::{OtherEvidence, find};
use super::observations::{DomainObservations, ProbeResult};
use super::pace::Pace;
use super::payee::{LABEL, PayeeStatements};
use super::question::TrustQuestion;
use crate::popularity::PopularityList;
use crate::records::{self, Alias};
use crate::score::{Destination, ModelVersion};

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
/// Maximum number of domains whose statements about payees are cached.
const KEPT_STATEMENTS: u64 = 1024;
/// Maximum number of concurrent looks; see [`at_once`].
pub const AT_ONCE: usize = 256;
/// Maximum number of connections of one look, open or opening.
pub const CONNECTIONS: usize = SITE_CONNECTIONS + registry::CONNECTIONS + ct::CONNECTIONS;
/// Most connections of one look that lead to the domain's own servers.
pub(super) const SITE_CONNECTIONS: usize = tls::CONNECTIONS + site::CONNECTIONS + payee::CONNECTIONS;
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
    /// The name servers behind `dns`; `None` if its answers come from elsewhere.
    pub servers: Option<Arc<ServerHealth>>,
    /// Probe of the zone's DNSSEC signatures.
    pub dnssec: dnssec::DnssecProbe,
    /// Probe of the certificate and the TLS versions.
    pub tls: tls::TlsProbe,
    /// Probe of the site's pages.
    pub site: site::SiteProbe,
    /// RDAP client for the domain's registration.
    pub registry: Registry,
    /// WHOIS client for top-level domains without RDAP; `None` if the operator has not turned it on.
    pub whois: Option<Whois>,
    /// Client of a search service of certificate transparency; `None` if none is configured.
    pub certificates: Option<Certificates>,
    /// Probe of the domain's statements about its payees.
    pub payee: PayeeProbe,
    /// The feeds of bad domains.
    pub feeds: Feeds,
    /// The popularity list; `None` if none is configured.
    pub popularity: Option<Arc<PopularityList>>,
    /// The public suffixes, by which the sites where redirects end are told apart.
    pub suffixes: Arc<PublicSuffixes>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotLooked {
    /// A name server denies what exists.
    Denied(ServerFault),
    /// All places are taken.
    Places,
    /// Too many names below one registrable name have been looked at within a minute.
    Names,
}

/// The probes, and what they saw a moment ago.
pub(super) struct Looks {
    probes: Probes,
    kept: Cache<DomainName, Arc<KeptLook>>,
    /// The statements about payees, kept for half a minute.
    statements: Cache<DomainName, Arc<PayeeStatements>>,
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
            statements: Cache::builder().max_capacity(KEPT_STATEMENTS).time_to_live(KEEP_FAILED).build(),
            pace: Pace::default(),
            places: Semaphore::new(probes.at_once),
            starts: Semaphore::new(STARTING),
            probes,
        }
    }

    /// Observes a domain, or returns the observation that is cached or that another caller waits for.
    pub(super) async fn at(&self, subject: &Subject, at: Timestamp) -> Result<Arc<KeptLook>, NotLooked> {
        let looking = async {
            self.probes.believes_its_servers().await?;
            if !self.pace.admits(subject) {
                return Err(NotLooked::Names);
            }
            let places = async { (self.places.acquire().await, self.starts.acquire().await) };
            let Ok((Ok(_place), Ok(start))) = timeout(WAIT, places).await else {
                return Err(NotLooked::Places);
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
        self.kept.try_get_with_by_ref(&subject.name, looking).await.map_err(|why| (*why).clone())
    }
}

impl Looks {
    /// Reads the domain's statements about its payees, or returns those that are cached or that another caller waits for.
    pub(super) async fn statements(
        &self,
        subject: &Subject,
        question: &TrustQuestion,
    ) -> Result<(PayeeStatements, [u8; 32]), NotLooked> {
        // The look at the same name counts against the pace.
        let reading = async {
            self.probes.believes_its_servers().await?;
            let Ok(Ok(_place)) = timeout(WAIT, self.places.acquire()).await else {
                return Err(NotLooked::Places);
            };
            Ok(Arc::new(self.probes.payee_statements(subject).await))
        };
        let read = self.statements.try_get_with_by_ref(&subject.name, reading).await;
        let read = read.map_err(|why| (*why).clone())?;
        let statements = (*read).clone().with_names(question.names(), &subject.registrable);
        let sha256 = statements.to_blob().sha256();
        Ok((statements, sha256))
    }
}

impl Probes {
    /// Returns an error if a name server denies what exists: all that it is asked for would seem to be missing, and so the
    /// domain's own fault. Servers that do not answer at all leave it unknown, and the finding says so.
    async fn believes_its_servers(&self) -> Result<(), NotLooked> {
        let Some(servers) = &self.servers else { return Ok(()) };
        match servers.check().await {
            Err(fault @ ServerFault::Denies { .. }) => Err(NotLooked::Denied(fault)),
            Ok(()) | Err(ServerFault::Silent) => Ok(()),
        }
    }

    async fn look(&self, subject: &Subject, observed_at: Timestamp) -> KeptLook {
        let recorder = RecordingResolver::of(&*self.dns);
        let of_records = timed(RECORDS, records::read(&recorder, subject, observed_at));
        let of_zone = timed(TOTAL, self.dnssec.look(&subject.registrable));
        let of_tls = timed(TOTAL, self.tls.look(&subject.name, observed_at));
        let of_site = timed(TOTAL, self.site.look(&subject.name, &subject.registrable));
        let of_registry = self.registration(subject, observed_at);
        let of_certificates = self.first_certificates(subject, observed_at);
        let of_others = join(of_registry, of_certificates);
        let ((dns, dnssec), (tls, (site, ((registry, whois), certificates)))) =
            join(join(of_records, of_zone), join(of_tls, join(of_site, of_others))).await;
        let alias = dns.seen.as_ref().map_or(Alias::Unknown, |records| records.alias.clone());
        let is_whole = !recorder.has_failed()
            && dns.seen.is_some()
            && dnssec.seen.is_some()
            && tls.seen.as_ref().is_some_and(TlsObservation::is_whole)
            && site.seen.as_ref().is_some_and(|site| !site.has_gaps())
            && registry.seen.as_ref().is_some_and(|registry| !registry.has_gaps())
            && whois.as_ref().is_none_or(|whois| !whois.has_gaps())
            && certificates.as_ref().is_none_or(|found| !found.has_gaps());
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
            feeds: self.feeds.look(subject, observed_at.into()),
            model: ModelVersion::V2,
            popularity: self.popularity.as_ref().map(|list| list.look_up(&subject.registrable)),
            destination: None,
            whois,
            certificates,
            tables: None,
        };
        let destination = seen
            .site
            .seen
            .as_ref()
            .and_then(|site| destination(site, subject, &self.suffixes, &self.feeds, observed_at.into()));
        let tables = Some(seen.look_up_in_tables(&alias));
        let seen = DomainObservations { destination, tables, ..seen };
        let seen = legible(seen, |seen| {
            let question = TrustQuestion::of(seen.name.clone());
            drop(find(seen, [0; 32], &question, &OtherEvidence::default(), observed_at));
        });
        let leads_nowhere = |site: &SiteObservation| site.https.failure() == Some(ProbeFailure::NoAddress);
        let asked_nobody = seen.site.seen.as_ref().is_some_and(leads_nowhere);
        KeptLook { blob: seen.blob(), seen, keep, asked_nobody }
    }
}

impl Probes {
    /// The first certificates of the registrable name, where a source is configured.
    async fn first_certificates(&self, subject: &Subject, at: Timestamp) -> Option<CtObservation> {
        let certificates = self.certificates.as_ref()?;
        timed(ct::LOOK, certificates.look(&subject.registrable, at)).await.seen
    }

    /// The domain's statements about its payees.
    async fn payee_statements(&self, subject: &Subject) -> PayeeStatements {
        let recorder = RecordingResolver::of(&*self.dns);
        let of_dns = timed(RECORDS, async {
            if let Ok(at) = Name::from(&subject.name).below(LABEL) {
                drop(recorder.look_up(&at, Kind::Txt).await);
            }
        });
        let of_documents = timed(payee::LOOK, self.payee.look(&subject.name, &subject.registrable));
        let (documents, _) = join(of_documents, of_dns).await;
        PayeeStatements { documents, dns: recorder.into_transcript(), brand_of_another: None }
    }

    /// The registration over RDAP, or over WHOIS where the top-level domain is known to have no RDAP, which takes no time to
    /// tell.
    async fn registration(
        &self,
        subject: &Subject,
        at: Timestamp,
    ) -> (ProbeResult<RegistryObservation>, Option<WhoisObservation>) {
        let registry = timed(TOTAL, self.registry.look(&subject.registered, at)).await;
        let has_rdap = registry.seen.as_ref().is_none_or(|seen| {
            !matches!(seen.end, RegistryResult::NoService | RegistryResult::ServiceUnknown)
        });
        let whois = match &self.whois {
            Some(whois) if !has_rdap => timed(whois::LOOK, whois.look(&subject.registered, at)).await.seen,
            _ => None,
        };
        (registry, whois)
    }
}

/// Returns the site that the redirects lead to and that matters most: a host on the way that is on a feed or resembles a brand,
/// or else the end of the way, if that is another registrable name or was not reached. Hosts are looked up by their names
/// alone, at this time. `None` if the way stays below the registrable name.
#[must_use]
pub fn destination(
    site: &SiteObservation,
    subject: &Subject,
    suffixes: &PublicSuffixes,
    feeds: &Feeds,
    at: SystemTime,
) -> Option<Destination> {
    let (hosts, end) = ways(site, &subject.registrable);
    let looked_up = |host: &String| {
        // An address in place of a name resembles nothing, and is on no feed of names.
        let elsewhere = Subject::parse(host, suffixes, &Rules::default()).ok();
        Destination {
            host: host.clone(),
            look_alike: elsewhere.as_ref().and_then(look_alike),
            feeds: elsewhere.map(|other| feeds.look(&other, at)).unwrap_or_default(),
        }
    };
    let is_bad = |found: &Destination| {
        found.look_alike.is_some() || found.feeds.iter().any(|feed| feed.entry.is_some())
    };
    hosts.iter().map(looked_up).find(is_bad).or_else(|| end.as_ref().map(looked_up))
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
    use super::*;
    use dns::DnsTranscript;

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
            model: ModelVersion::V2,
            popularity: None,
            destination: None,
            whois: None,
            certificates: None,
            tables: None,
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
        assert_eq!([0, 1024, 4096, 20_000, u64::MAX].map(at_once), [1, 12, 48, 235, AT_ONCE]);
    }
}
