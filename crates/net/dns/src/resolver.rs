//! A resolver that asks name servers by hickory-resolver.
//!
//! The library returns "no records" also for an answer with records of another name, for a chain of aliases that is too
//! long, and for a referral. Here only three answers count as "no record exists": a negative answer with the zone's SOA
//! (RFC 2308, 2.2), NXDOMAIN, and an answer that [`DenialChecker`] finds to be a denial. The chain of aliases of a
//! positive answer is followed again, from the name of the question.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fetch::name_servers;
use hickory_resolver::config::ResolveHosts;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError, NoRecords};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name as WireName, RData, Record as WireRecord, RecordType};
use hickory_resolver::{ResolverBuilder, TokioResolver};

use crate::denials::DenialChecker;
use crate::servers::{ServerPool, system_servers};
use crate::{Answer, Caa, Dns, Exchange, Failure, Kind, MAX_ALIASES, Mx, Name, Record, Tlsa, with_ttl};

/// A client of name servers that resolve recursively. It does not limit the number of simultaneous questions; a
/// [`RecordingResolver`](super::RecordingResolver) does.
#[derive(Clone)]
pub struct Resolver {
    hickory: TokioResolver,
    denials: Arc<DenialChecker>,
}

/// The configuration of the name servers cannot be used. The text is for the log.
#[derive(Debug, thiserror::Error)]
#[error("failed to set up the resolver: {0}")]
pub struct ResolverError(String);

impl Resolver {
    /// The longest time for which an answer is cached, and the largest time to live that is reported for an answer.
    pub const KEEP: Duration = Duration::from_secs(300);
    /// The longest wait for one answer. The question is then asked once more; both attempts fit into the time of a
    /// probe.
    pub const PATIENCE: Duration = Duration::from_millis(600);
    /// Bound on cached answers.
    const CACHE: u64 = 4096;

    /// A resolver that asks the name servers of the system's configuration.
    ///
    /// # Errors
    /// The system has no configuration of name servers, or it cannot be used.
    pub fn from_system() -> Result<Self, ResolverError> {
        let builder = TokioResolver::builder_tokio().map_err(|error| ResolverError(error.to_string()))?;
        Self::build(builder, system_servers())
    }

    /// A resolver that asks these name servers over UDP, and over TCP where an answer is truncated.
    ///
    /// # Errors
    /// The addresses cannot be used as name servers.
    pub fn at(servers: &[SocketAddr]) -> Result<Self, ResolverError> {
        let config = name_servers(servers);
        let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        Self::build(builder, servers.to_vec())
    }

    fn build(
        mut builder: ResolverBuilder<TokioRuntimeProvider>,
        servers: Vec<SocketAddr>,
    ) -> Result<Self, ResolverError> {
        let options = builder.options_mut();
        options.use_hosts_file = ResolveHosts::Never;
        options.cache_size = Self::CACHE;
        options.positive_max_ttl = Some(Self::KEEP);
        options.negative_max_ttl = Some(Self::KEEP);
        options.timeout = Self::PATIENCE;
        options.attempts = 1;
        options.edns0 = true;
        // The chain of aliases is checked here.
        options.preserve_intermediates = true;
        let hickory = builder.build().map_err(|error| ResolverError(error.to_string()))?;
        Ok(Self { hickory, denials: Arc::new(DenialChecker::new(ServerPool::new(servers))) })
    }
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Resolver").finish_non_exhaustive()
    }
}

#[async_trait]
impl Dns for Resolver {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        self.look_up_with_ttl(name, kind).await.0
    }

    async fn look_up_with_ttl(&self, name: &Name, kind: Kind) -> (Answer<Record>, u32) {
        let answer = self.ask(name, kind).await;
        count(&answer.0);
        answer
    }
}

impl Resolver {
    async fn ask(&self, name: &Name, kind: Kind) -> (Answer<Record>, u32) {
        // A name made of labels is absolute, so the search list does not apply.
        let Ok(asked) = WireName::from_labels(name.labels().map(str::as_bytes)) else {
            return (Answer::Failed(Failure::Unusable), u32::MAX);
        };
        match self.hickory.lookup(asked.clone(), record_type(kind)).await {
            Ok(found) => with_ttl(positive(&asked, kind, found.answers())),
            Err(NetError::Dns(DnsError::NoRecordsFound(none))) => match denial(&none) {
                Some(answer) => (answer, none.negative_ttl.unwrap_or(DenialChecker::KEEP_SECONDS)),
                None => (self.denials.settle(&asked, record_type(kind)).await, DenialChecker::KEEP_SECONDS),
            },
            Err(error) => (Answer::Failed(failure(&error)), u32::MAX),
        }
    }
}

/// Counts the outcome of a look-up, as `fetch` counts those of host names.
fn count(answer: &Answer<Record>) {
    let outcome = match answer {
        Answer::Found { .. } => "found",
        Answer::NxDomain | Answer::NoData => "none",
        Answer::Failed(Failure::TimedOut) => "timeout",
        Answer::Failed(_) => "failed",
    };
    metrics::counter!("touchstone_dns_lookups_total", "outcome" => outcome).increment(1);
}

fn record_type(kind: Kind) -> RecordType {
    match kind {
        Kind::Txt => RecordType::TXT,
        Kind::A => RecordType::A,
        Kind::Aaaa => RecordType::AAAA,
        Kind::Mx => RecordType::MX,
        Kind::Ptr => RecordType::PTR,
        Kind::Caa => RecordType::CAA,
        Kind::Ns => RecordType::NS,
        Kind::Tlsa => RecordType::TLSA,
        Kind::Cname => RecordType::CNAME,
    }
}

/// The records at the end of the chain that begins at the name asked.
fn positive(asked: &WireName, kind: Kind, answers: &[WireRecord]) -> Answer<Record> {
    let (mut name, mut ttl) = (asked, u32::MAX);
    for _ in 0..=MAX_ALIASES {
        let alias = answers.iter().find_map(|record| match &record.data {
            RData::CNAME(target) if kind != Kind::Cname && record.name == *name => {
                Some((&target.0, record.ttl))
            }
            _ => None,
        });
        if let Some((target, alias_ttl)) = alias {
            (name, ttl) = (target, ttl.min(alias_ttl));
            continue;
        }
        let mut records = Vec::new();
        let of_kind =
            |record: &&WireRecord| record.name == *name && record.record_type() == record_type(kind);
        for record in answers.iter().filter(of_kind) {
            ttl = ttl.min(record.ttl);
            records.extend(read(&record.data));
        }
        return if records.is_empty() {
            Answer::Failed(Failure::Unusable)
        } else {
            Answer::Found { records, ttl }
        };
    }
    Answer::Failed(Failure::Unusable)
}

/// Meaning of an answer without records; `None` where hickory does not tell a denial without SOA from records of
/// another name: of both it gives no authorities, and of the latter also where there are some.
fn denial(none: &NoRecords) -> Option<Answer<Record>> {
    match none.response_code {
        // The response code alone is enough, also without SOA (RFC 2308, section 2.1).
        ResponseCode::NXDomain => Some(Answer::NxDomain),
        ResponseCode::NoError if none.authorities.is_none() => None,
        ResponseCode::NoError if none.soa.is_some() => Some(Answer::NoData),
        _ => Some(Answer::Failed(Failure::Unusable)),
    }
}

fn failure(error: &NetError) -> Failure {
    match error {
        NetError::Dns(DnsError::ResponseCode(ResponseCode::ServFail) | DnsError::DnssecBogus) => {
            Failure::ServFail
        }
        NetError::Dns(DnsError::ResponseCode(_)) => Failure::Refused,
        NetError::Timeout => Failure::TimedOut,
        NetError::NoConnections | NetError::Io(_) | NetError::Busy => Failure::Unreachable,
        _ => Failure::Unusable,
    }
}

fn read(data: &RData) -> Option<Record> {
    match data {
        RData::TXT(text) => Some(Record::Txt(text.txt_data.concat())),
        RData::A(address) => Some(Record::A(address.0)),
        RData::AAAA(address) => Some(Record::Aaaa(address.0)),
        RData::MX(mx) => Some(Record::Mx(Mx { preference: mx.preference, exchange: exchange(&mx.exchange) })),
        RData::PTR(name) => from_wire(&name.0).map(Record::Ptr),
        RData::NS(name) => from_wire(&name.0).map(Record::Ns),
        RData::CNAME(name) => from_wire(&name.0).map(Record::Cname),
        RData::TLSA(tlsa) => Some(Record::Tlsa(Tlsa {
            usage: tlsa.cert_usage.into(),
            selector: tlsa.selector.into(),
            matching: tlsa.matching.into(),
            data: tlsa.cert_data.clone(),
        })),
        RData::CAA(caa) => {
            let (flags, tag) = (caa.flags(), caa.tag.clone().into_bytes());
            Some(Record::Caa(Caa { flags, tag, value: caa.value.clone() }))
        }
        _ => None,
    }
}

fn exchange(name: &WireName) -> Exchange {
    if name.is_root() { Exchange::Root } else { from_wire(name).map_or(Exchange::Unusable, Exchange::Host) }
}

/// A name of the wire; `None` where it is the root's, or has bytes that no [`Name`] has.
fn from_wire(name: &WireName) -> Option<Name> {
    let labels: Option<Vec<&str>> =
        name.iter().map(|label| str::from_utf8(label).ok().filter(|label| !label.contains('.'))).collect();
    Name::parse(&labels?.join(".")).ok()
}
