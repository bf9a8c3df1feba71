//! Policy discovery (RFC 9989, 4.10): the record of the name, else that of its organization, else that of its public
//! suffix, the latter two found by a walk up the tree.

use dns::{Answer, Dns, Failure, Kind, Name};
use futures_util::future::join_all;
use serde::Serialize;

use super::record::{DmarcPolicy, DmarcRecord, Flaw, Psd};

/// The most names that are asked for their records (4.10).
pub const MAX_QUERIES: usize = 8;

/// The longest part of a record that is kept, in bytes.
const SHOWN: usize = 512;

/// Result of the discovery of a name's policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// Status of the name's DMARC.
    pub standing: DmarcStatus,
    /// The names asked, in the order of the walk as far as it counts.
    pub visits: Vec<QueriedName>,
}

/// Status of a name's DMARC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DmarcStatus {
    /// There is no record that applies.
    Absent,
    /// A record applies, and asks for this.
    Applies(Box<ApplicableRecord>),
    /// A record applies and asks for no processing, since it is invalid.
    Invalid {
        /// The name whose record it is.
        at: Name,
        /// Reason why it is invalid.
        flaw: Flaw,
    },
    /// A look-up failed that may have found another record, or whether the name exists.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// Reason of the failure.
        failure: Failure,
    },
}

/// The record that applies to a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApplicableRecord {
    /// The name whose record it is, without `_dmarc`.
    pub at: Name,
    /// Relation of that name to the one asked about.
    pub role: Role,
    /// The policy for the name asked about.
    pub policy: DmarcPolicy,
    /// The policy that is asked for: one step less than `policy` while that is in test mode (`t=y`).
    pub enforced: DmarcPolicy,
    /// The policy record.
    pub record: DmarcRecord,
}

/// Relation of the record's name to the name asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The name's own.
    Author,
    /// The record of the organizational domain above the name.
    Organization,
    /// The record of the public suffix above the name.
    PublicSuffix,
}

/// A name that was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QueriedName {
    /// The name, without `_dmarc`.
    pub name: Name,
    /// Number of DMARC records there; more than one count as none.
    pub records: usize,
    /// The text of the only one, shortened where it is long.
    pub record: Option<String>,
    /// Reason why the look-up failed.
    pub failure: Option<Failure>,
}

/// Finds the record that applies to a name.
pub async fn discover(dns: &dyn Dns, domain: &Name) -> Discovery {
    let (visit, own) = ask(dns, domain).await;
    let mut visits = vec![visit];
    let standing = match own {
        Ok(Some(record)) => settle(domain, Role::Author, record.own_policy(), record),
        Ok(None) => match walk(dns, domain, &mut visits).await {
            Ok(Some((at, role, record))) => inherited(dns, domain, at, role, record).await,
            Ok(None) => DmarcStatus::Absent,
            Err((name, failure)) => DmarcStatus::Unknown { name, failure },
        },
        Err(failure) => DmarcStatus::Unknown { name: domain.clone(), failure },
    };
    Discovery { standing, visits }
}

/// The names above one that are asked: its parents, or of a long name those of seven labels and fewer.
fn above(domain: &Name) -> Vec<Name> {
    let labels = domain.labels().count();
    let first = if labels < MAX_QUERIES { labels - 1 } else { MAX_QUERIES - 1 };
    (1..=first).rev().map(|count| domain.last_labels(count)).collect()
}

/// Finds the record above a name without one.
async fn walk(
    dns: &dyn Dns,
    domain: &Name,
    visits: &mut Vec<QueriedName>,
) -> Result<Option<(Name, Role, DmarcRecord)>, (Name, Failure)> {
    let names = above(domain);
    // All names are asked at once, and the answers read in order: those above the end of the walk are ignored.
    let answers = join_all(names.iter().map(|name| ask(dns, name))).await;
    let mut found: Vec<(Name, DmarcRecord)> = Vec::new();
    for (name, (visit, record)) in names.into_iter().zip(answers) {
        visits.push(visit);
        let Some(record) = record.map_err(|failure| (name.clone(), failure))? else { continue };
        match record.psd {
            Some(Psd::No) => return Ok(Some((name, Role::Organization, record))),
            Some(Psd::Yes) => {
                // The organization is one label below; that is the name asked about, or one that has been asked.
                let organization = domain.last_labels(name.labels().count() + 1);
                let record_there = found.into_iter().find(|(at, _)| *at == organization);
                return Ok(Some(match record_there {
                    Some((at, record)) => (at, Role::Organization, record),
                    None => (name, Role::PublicSuffix, record),
                }));
            }
            Some(Psd::Unknown) | None => found.push((name, record)),
        }
    }
    Ok(found.pop().map(|(name, record)| (name, Role::Organization, record)))
}

/// Applies a record from above to a name. Its policy depends on the existence of the name.
async fn inherited(dns: &dyn Dns, domain: &Name, at: Name, role: Role, record: DmarcRecord) -> DmarcStatus {
    let (existing, nonexistent) = (record.subdomain_policy(), record.nonexistent_policy());
    if record.flaw.is_some() || existing == nonexistent {
        return settle(&at, role, existing, record);
    }
    match dns.look_up(domain, Kind::A).await {
        Answer::Found { .. } | Answer::NoData => settle(&at, role, existing, record),
        Answer::NxDomain => settle(&at, role, nonexistent, record),
        Answer::Failed(failure) => DmarcStatus::Unknown { name: domain.clone(), failure },
    }
}

fn settle(at: &Name, role: Role, policy: DmarcPolicy, record: DmarcRecord) -> DmarcStatus {
    match record.flaw {
        Some(flaw) => DmarcStatus::Invalid { at: at.clone(), flaw },
        None => {
            let enforced = record.enforced(policy);
            DmarcStatus::Applies(Box::new(ApplicableRecord {
                at: at.clone(),
                role,
                policy,
                enforced,
                record,
            }))
        }
    }
}

/// The DMARC record of a name; several count as none (4.10, steps 2 and 6).
async fn ask(dns: &dyn Dns, name: &Name) -> (QueriedName, Result<Option<DmarcRecord>, Failure>) {
    let mut visit = QueriedName { name: name.clone(), records: 0, record: None, failure: None };
    // A name too long for the label has no record.
    let Ok(place) = name.below("_dmarc") else { return (visit, Ok(None)) };
    let texts = match dns.look_up(&place, Kind::Txt).await.texts().records() {
        Ok(texts) => texts,
        Err(failure) => {
            visit.failure = Some(failure);
            return (visit, Err(failure));
        }
    };
    let mut records = texts.iter().filter_map(|text| DmarcRecord::read(text).map(|record| (text, record)));
    let first = records.next();
    visit.records = records.count() + usize::from(first.is_some());
    let only = first.filter(|_| visit.records == 1);
    visit.record = only.as_ref().map(|(text, _)| {
        String::from_utf8_lossy(text.get(..text.len().min(SHOWN)).unwrap_or_default()).into_owned()
    });
    (visit, Ok(only.map(|(_, record)| record)))
}
