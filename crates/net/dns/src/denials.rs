//! Denials without the zone's SOA.
//!
//! By RFC 2308 (section 2.2), an answer without any record is a denial too, and some stubs and caches give no other.
//! hickory's error does not distinguish it from an answer without usable records. A resolver that has removed records
//! of another name, as unbound does, also gives such an answer. So the question is asked once more and the whole answer
//! is read. It counts as a denial only if the server also leaves the SOA out of a denial that is known to be true.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::proto::op::{Message, Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RData, Record as WireRecord, RecordType};
use moka::future::Cache;
use tokio::time::timeout;

use crate::servers::{QueryMode, ServerPool};
use crate::{Answer, Failure, MAX_ALIASES, Record, Resolver};

/// The most questions about one look-up: of the name, and of what it is an alias of.
const QUESTIONS: usize = 2;
/// A name that has no records but NS and SOA (RFC 3172, section 2), so that every other type is denied.
const SURE: &str = "in-addr.arpa.";
/// The most times that it is asked for: a cache may leave the SOA out of what it has kept alone.
const SURE_QUESTIONS: usize = 2;
/// Most pairs of a server and a type for which it is remembered if the SOA is left out.
const CACHE: u64 = 256;

/// Finds out the meaning of an answer without records.
pub(crate) struct DenialChecker {
    servers: Arc<ServerPool>,
    /// True for a server that leaves the SOA out of a denial that is certain.
    leaves_out: Cache<(SocketAddr, RecordType), bool>,
}

impl DenialChecker {
    /// Seconds for which a denial without SOA, and so without a time to live, is kept.
    pub(crate) const KEEP_SECONDS: u32 = 30;

    pub(crate) fn new(servers: Arc<ServerPool>) -> Self {
        let keep = Duration::from_secs(Self::KEEP_SECONDS.into());
        let leaves_out = Cache::builder().max_capacity(CACHE).time_to_live(keep).build();
        Self { servers, leaves_out }
    }

    /// Puts a question once more that was answered without records and without SOA.
    pub(crate) async fn settle(&self, name: &Name, kind: RecordType) -> Answer<Record> {
        match timeout(Resolver::PATIENCE, self.is_denied(name, kind)).await {
            Ok(Ok(true)) => Answer::NoData,
            Ok(Ok(false)) => Answer::Failed(Failure::Unusable),
            Ok(Err(failure)) => Answer::Failed(failure),
            Err(_) => Answer::Failed(Failure::TimedOut),
        }
    }

    async fn is_denied(&self, name: &Name, kind: RecordType) -> Result<bool, Failure> {
        let mut name = name.clone();
        for _ in 0..QUESTIONS {
            let question = Query::query(name.clone(), kind);
            let (server, answer) = self.servers.ask(&question, QueryMode::Plain).await?;
            match EmptyAnswer::by(&answer, &name, kind) {
                EmptyAnswer::Denial => return Ok(true),
                EmptyAnswer::Nothing => return Ok(self.leaves_out(server, kind).await),
                EmptyAnswer::LeadsTo(target) => name = target,
                EmptyAnswer::Other => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Asks again next time where a server did not answer.
    async fn leaves_out(&self, server: SocketAddr, kind: RecordType) -> bool {
        let asked = leaves_out(&self.servers, server, kind);
        self.leaves_out.optionally_get_with((server, kind), asked).await.unwrap_or(false)
    }
}

/// True if a server leaves the SOA out of a denial that is certain; `None` where it does not deny it.
pub(crate) async fn leaves_out(servers: &ServerPool, server: SocketAddr, kind: RecordType) -> Option<bool> {
    let question = Query::query(Name::from_ascii(SURE).ok()?, kind);
    for _ in 0..SURE_QUESTIONS {
        let answer = servers.ask_one(server, &question, QueryMode::Plain).await.ok()?;
        if is_bare(&answer)? {
            return Some(true);
        }
    }
    Some(false)
}

/// True if a denial has no record at all; `None` of an answer that is no denial.
fn is_bare(answer: &Message) -> Option<bool> {
    let denies = matches!(answer.metadata.response_code, ResponseCode::NoError | ResponseCode::NXDomain);
    (denies && answer.answers.is_empty()).then_some(answer.authorities.is_empty())
}

/// Meaning of an answer without the records that were asked for.
#[derive(PartialEq, Eq, Debug)]
enum EmptyAnswer {
    /// A denial: it has the zone's SOA.
    Denial,
    /// Undecided: it has no record at all.
    Nothing,
    /// An alias, without the records of its target.
    LeadsTo(Name),
    /// Something else, such as records of another name or other name servers to ask.
    Other,
}

impl EmptyAnswer {
    fn by(answer: &Message, name: &Name, kind: RecordType) -> Self {
        let flags = &answer.metadata;
        // A server that neither recursed nor is authoritative proves nothing.
        let knows = flags.recursion_available || flags.authoritative;
        if flags.response_code != ResponseCode::NoError || flags.truncation || !knows {
            return Self::Other;
        }
        let Some(end) = end_of_aliases(&answer.answers, name, kind) else { return Self::Other };
        let is_own_soa = |record: &WireRecord| record.record_type().is_soa() && record.name.zone_of(end);
        if answer.authorities.iter().any(is_own_soa) {
            Self::Denial
        } else if !answer.authorities.is_empty() || !answer.additionals.is_empty() {
            Self::Other
        } else if answer.answers.is_empty() {
            Self::Nothing
        } else {
            Self::LeadsTo(end.clone())
        }
    }
}

/// End of the chain of aliases that begins at the name; `None` where one of the records is no alias on the way.
fn end_of_aliases<'a>(records: &'a [WireRecord], name: &'a Name, kind: RecordType) -> Option<&'a Name> {
    if records.len() > MAX_ALIASES || kind == RecordType::CNAME && !records.is_empty() {
        return None;
    }
    let alias = |owner: &Name| {
        records.iter().find_map(|record| match &record.data {
            RData::CNAME(target) if record.name == *owner => Some(&target.0),
            _ => None,
        })
    };
    let (mut end, mut links) = (name, 0);
    // More links than records are a loop.
    while let Some(target) = alias(end).filter(|_| links <= records.len()) {
        (end, links) = (target, links + 1);
    }
    (links == records.len()).then_some(end)
}
