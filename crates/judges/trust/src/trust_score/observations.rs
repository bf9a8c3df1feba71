//! All observations of a domain: the evidence from which a finding is made, now and in a replay.

use brand_names::LookAlike;
use dns::DnsTranscript;
use domain_name::{DomainName, Subject};
use probe::ct::CtObservation;
use probe::dangling::dangling;
use probe::dnssec::DnssecObservation;
use probe::registry::RegistryObservation;
use probe::site::SiteObservation;
use probe::tls::TlsObservation;
use probe::whois::{KnownCreation, WhoisObservation};
use serde::{Deserialize, Serialize};
use threat_feeds::FeedLookUp;
use verdict::{EvidenceBlob, EvidenceMissing, Timestamp};

use crate::popularity::PopularityLookUp;
use crate::records::Alias;
use crate::score::{CaaIssuer, Destination, ModelVersion, caa_issuer};

/// The role of the evidence.
const ROLE: &str = "observations";

/// Observations of a domain by all probes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DomainObservations {
    /// The name of the question.
    pub name: DomainName,
    /// The name that belongs to one owner: one label below a public suffix, platforms' suffixes included.
    pub registrable: DomainName,
    /// The name that was registered at a registry: one label below a suffix of the list's ICANN section.
    pub registered: DomainName,
    /// The well-known name that the name resembles; `None` if there is none. It is stored because the lists of
    /// well-known names and confusable letters change, and a replay uses the lists of its time. Evidence without this
    /// member is invalid.
    #[serde(deserialize_with = "Option::deserialize")]
    pub look_alike: Option<LookAlike>,
    /// Time of the observation.
    pub observed_at: Timestamp,
    /// DNS answers of the name servers.
    pub dns: ProbeResult<DnsTranscript>,
    /// Observation of the zone's DNSSEC signatures.
    pub dnssec: ProbeResult<DnssecObservation>,
    /// Observation of the certificate and the TLS versions.
    pub tls: ProbeResult<TlsObservation>,
    /// Observation of the site's pages.
    pub site: ProbeResult<SiteObservation>,
    /// Observation of the registration, over RDAP.
    pub registry: ProbeResult<RegistryObservation>,
    /// Result of the look-up in each feed of bad domains; empty if no feed is configured.
    #[serde(default)]
    pub feeds: Vec<FeedLookUp>,
    /// The version of the rules at the time of the look.
    #[serde(default)]
    pub model: ModelVersion,
    /// Result of the look-up on the popularity list; `None` if none is configured.
    #[serde(default)]
    pub popularity: Option<PopularityLookUp>,
    /// The other site where the redirects end; `None` if they stay.
    #[serde(default)]
    pub destination: Option<Destination>,
    /// Observation of the registration, over WHOIS; `None` if the operator has not turned it on, or the top-level domain has
    /// a service of RDAP.
    #[serde(default)]
    pub whois: Option<WhoisObservation>,
    /// Observation of the logs of certificate transparency; `None` if no source is configured, or it did not answer in time.
    #[serde(default)]
    pub certificates: Option<CtObservation>,
    /// What the tables of the time say of the observations; `None` in evidence of before they were kept.
    #[serde(default)]
    pub tables: Option<TableLookUps>,
}

/// The results of looking observations up in tables that are part of the program, and that a later version may change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableLookUps {
    /// The issuer of the certificate, as CAA names it.
    pub caa_issuer: Option<CaaIssuer>,
    /// The hosting platform to whose names the alias leads.
    pub alias_platform: Option<String>,
}

/// Result of one probe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProbeResult<T> {
    /// Duration of the probe, in milliseconds.
    pub elapsed_ms: u32,
    /// The observation; `None` if the probe did not end within its timeout.
    pub seen: Option<T>,
}

impl<T> ProbeResult<T> {
    /// The same probe, as if it had not ended in time.
    pub(super) fn unseen(self) -> Self {
        Self { seen: None, ..self }
    }
}

impl DomainObservations {
    /// Returns the domain of the observations.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let (name, registrable) = (self.name.clone(), self.registrable.clone());
        Subject { name, registrable, registered: self.registered.clone() }
    }

    /// Returns the time of the first certificate in the logs of certificate transparency; `None` if it is not known.
    #[must_use]
    pub fn first_certificate(&self) -> Option<Timestamp> {
        self.certificates.as_ref()?.first_seen()
    }

    /// Returns the begin of the registration that WHOIS states; `None` if it is not known.
    #[must_use]
    pub fn whois_since(&self) -> Option<Timestamp> {
        match self.whois.as_ref()?.created() {
            KnownCreation::At(at) => Some(at),
            KnownCreation::Unknown(_) => None,
        }
    }

    /// Looks the observations up in the tables of this program.
    pub(super) fn look_up_in_tables(&self, alias: &Alias) -> TableLookUps {
        TableLookUps {
            caa_issuer: self.tls.seen.as_ref().and_then(caa_issuer),
            alias_platform: match alias {
                Alias::Of(target) => dangling(&target.to_string(), false, None),
                Alias::None | Alias::Unknown => None,
            }
            .map(|found| found.platform.to_owned()),
        }
    }

    /// Serializes the observations as evidence.
    #[must_use]
    pub fn blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(ROLE, serde_json::to_vec(self).expect("what was seen is plain data"))
    }

    /// Reads the observations from evidence, and returns them with their SHA-256.
    ///
    /// # Errors
    /// [`EvidenceMissing`] if the evidence has no observations, or they cannot be read.
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
