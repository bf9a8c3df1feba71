//! Policy discovery (RFC 9989, 4.10): the record of the name, or otherwise that of its organizational domain, or
//! otherwise that of its public suffix. The latter two are found by a walk up the tree.

use dns::{Answer, Dns, Failure, Kind, Name};
use futures_util::future::join_all;
use serde::Serialize;

use super::record::{DmarcPolicy, DmarcRecord, Flaw, Psd};

/// The most names whose records are looked up (RFC 9989, 4.10).
pub const MAX_QUERIES: usize = 8;

/// The longest part of a record that is kept, in bytes.
const SHOWN: usize = 512;

/// The result of policy discovery for a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// The DMARC status of the name.
    pub standing: DmarcStatus,
    /// The queried names, in the order of the walk, as far as they matter for the result.
    pub visits: Vec<QueriedName>,
}

/// Status of a name's DMARC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DmarcStatus {
    /// There is no record that applies.
    Absent,
    /// This record applies.
    Applies(Box<ApplicableRecord>),
    /// A record applies, but it is invalid and has no effect.
    Invalid {
        /// The name that has the record.
        at: Name,
        /// The reason why it is invalid.
        flaw: Flaw,
    },
    /// A look-up failed that could have found another record, or could have shown whether the name exists.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// The reason of the failure.
        failure: Failure,
    },
}

/// The record that applies to a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApplicableRecord {
    /// The name that has the record, without `_dmarc`.
    pub at: Name,
    /// The relation of that name to the requested name.
    pub role: Role,
    /// The policy for the requested name.
    pub policy: DmarcPolicy,
    /// The effective policy: one step weaker than `policy` in test mode (`t=y`).
    pub enforced: DmarcPolicy,
    /// The policy record.
    pub record: DmarcRecord,
}

/// The relation of the record's name to the requested name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The record is at the requested name itself.
    Author,
    /// The record of the organizational domain above the name.
    Organization,
    /// The record of the public suffix above the name.
    PublicSuffix,
}

/// A name whose records were looked up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QueriedName {
    /// The name, without `_dmarc`.
    pub name: Name,
    /// The number of DMARC records at the name. Several records count as none.
    pub records: usize,
    /// The text of the only record, shortened if it is long; `None` where there is not exactly one.
    pub record: Option<String>,
    /// The reason why the look-up failed; `None` where it succeeded.
    pub failure: Option<Failure>,
}

/// Finds the DMARC record that applies to a name.
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
