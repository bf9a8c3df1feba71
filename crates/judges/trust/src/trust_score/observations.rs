//! All observations of a domain: the evidence from which a finding is made, now and in a replay.

use dns::DnsTranscript;
use domain_name::feed::FeedLookUp;
use domain_name::{DomainName, LookAlike, Subject};
use probe::dnssec::DnssecObservation;
use probe::registry::RegistryObservation;
use probe::site::SiteObservation;
use probe::tls::TlsObservation;
use serde::{Deserialize, Serialize};
use verdict::{EvidenceBlob, EvidenceMissing, Timestamp};

/// The role of the evidence.
const ROLE: &str = "observations";

/// Observations of a domain by all probes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DomainObservations {
    /// The name that was looked at.
    pub name: DomainName,
    /// The name that is somebody's own.
    pub registrable: DomainName,
    /// The name that a registry knows.
    pub registered: DomainName,
    /// The well-known name that it resembles. What names are well known changes, and so does what letters look alike: a
    /// replay goes by what was known then. Evidence without it is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub look_alike: Option<LookAlike>,
    /// Time of the look.
    pub observed_at: Timestamp,
    /// Answers of the name servers.
    pub dns: ProbeResult<DnsTranscript>,
    /// Observation of the zone's signatures.
    pub dnssec: ProbeResult<DnssecObservation>,
    /// The certificate and the protocol.
    pub tls: ProbeResult<TlsObservation>,
    /// Observation of the pages.
    pub site: ProbeResult<SiteObservation>,
    /// Observation of the registration.
    pub registry: ProbeResult<RegistryObservation>,
    /// Entries of the feeds of bad domains.
    #[serde(default)]
    pub feeds: Vec<FeedLookUp>,
}

/// Result of one probe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProbeResult<T> {
    /// Time taken, in milliseconds.
    pub elapsed_ms: u32,
    /// The observation; `None` where the probe did not end in time.
    pub seen: Option<T>,
}

impl DomainObservations {
    /// The domain that was looked at.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let (name, registrable) = (self.name.clone(), self.registrable.clone());
        Subject { name, registrable, registered: self.registered.clone() }
    }

    /// Serializes the observations as evidence.
    #[must_use]
    pub fn blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(ROLE, serde_json::to_vec(self).expect("what was seen is plain data"))
    }

    /// Reads observations from evidence, with the SHA-256 that it is kept under.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn of(evidence: &[EvidenceBlob]) -> Result<(Self, [u8; 32]), EvidenceMissing> {
        let missing = |what: &str| EvidenceMissing(what.to_owned());
        let blob = evidence.iter().find(|blob| blob.role() == ROLE);
        let blob = blob.ok_or_else(|| missing("what was seen of the domain"))?;
        let bytes = blob.bytes().ok_or_else(|| missing("what was seen of the domain"))?;
        let seen = serde_json::from_slice(bytes)
            .map_err(|_| missing("what was seen of the domain, in a form that can be read"))?;
        Ok((seen, blob.sha256()))
    }
}
