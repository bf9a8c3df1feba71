//! The parent's witness: the DS records of the zone there, and the keys of the zone.

use futures_util::future;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::dnssec::Proof;
use hickory_resolver::proto::dnssec::rdata::{DNSKEY, DNSSECRData, DS};
use hickory_resolver::proto::op::{Message, Query};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use super::validation::Validator;
use super::walk::ValidationWalk;
use super::{Delegation, Dnskey, Ds, LookFailure, MAX_RECORDS, Parent};

/// The apex of the zone that a name is in: the owner of the SOA record in the answer for it. An alias has the SOA of
/// what it leads to; then it is the signer of the alias.
pub(super) async fn zone_of(walk: &ValidationWalk, name: &Name) -> Result<Name, LookFailure> {
    let answer = walk.ask(Query::query(name.clone(), RecordType::SOA)).await?;
    let is_apex = |record: &&Record| record.record_type() == RecordType::SOA && record.name.zone_of(name);
    let apex = answer.answers.iter().chain(&answer.authorities).find(is_apex).map(|record| &record.name);
    let signer = || answer.answers.iter().find_map(|record| signer_at(record, name));
    apex.or_else(signer).cloned().ok_or(LookFailure::Unusable)
}

fn signer_at<'a>(record: &'a Record, name: &Name) -> Option<&'a Name> {
    match &record.data {
        RData::DNSSEC(DNSSECRData::RRSIG(signature)) if record.name == *name => {
            let signer = &signature.input().signer_name;
            signer.zone_of(name).then_some(signer)
        }
        _ => None,
    }
}

impl Delegation {
    pub(super) fn failed(trouble: LookFailure) -> Self {
        Self { parent: Parent::Failed(trouble), ds: Vec::new(), keys: Vec::new() }
    }

    /// Asks the parent, through the validation, and the zone.
    pub(super) async fn look(walk: &ValidationWalk, validator: &Validator, zone: &Name) -> Self {
        let question = |kind| Query::query(zone.clone(), kind);
        let (parent, keys) =
            future::join(validator.answer(question(RecordType::DS)), walk.ask(question(RecordType::DNSKEY)))
                .await;
        let (parent, ds) = match parent {
            Ok(answer) => heard(&answer, zone, true),
            // The denial exists, and its signatures do not hold.
            Err(NetError::Dns(DnsError::Nsec { response, .. })) => heard(&response, zone, false),
            Err(_) => (Parent::Failed(walk.trouble().unwrap_or(LookFailure::GaveUp)), Vec::new()),
        };
        // Hickory says bogus of DS records in an unsigned zone, and so of all names below them.
        let is_below_unsigned = parent == Parent::FoundUnproven
            && validator.prove(&zone.base_name(), RecordType::SOA).await == super::SecurityStatus::Insecure;
        let parent = if is_below_unsigned { Parent::FoundInsecure } else { parent };
        let keys = keys.map(|answer| records(&answer, zone, key)).unwrap_or_default();
        Self { parent, ds, keys }
    }
}

/// The parent's records in an answer; `holds` is true where hickory found nothing wrong with a denial in it.
fn heard(answer: &Message, zone: &Name, holds: bool) -> (Parent, Vec<Ds>) {
    let found = records(answer, zone, ds);
    let (records, kind) = if found.is_empty() {
        (&answer.authorities, RecordType::SOA)
    } else {
        (&answer.answers, RecordType::DS)
    };
    let least = records.iter().filter(|record| record.record_type() == kind).map(|record| record.proof).min();
    let parent = match (found.is_empty(), least) {
        (true, Some(Proof::Secure)) if holds => Parent::None,
        (true, _) => Parent::NoneUnproven,
        (false, Some(Proof::Secure)) => Parent::Found,
        (false, _) => Parent::FoundUnproven,
    };
    (parent, found)
}

/// Records at the zone's apex, ascending, once each, up to the bound.
fn records<T: Ord>(answer: &Message, zone: &Name, read: impl Fn(&RData) -> Option<T>) -> Vec<T> {
    let own = answer.answers.iter().filter(|record| record.name == *zone);
    let mut records: Vec<T> = own.filter_map(|record| read(&record.data)).collect();
    records.sort_unstable();
    records.dedup();
    records.truncate(MAX_RECORDS);
    records
}

fn ds(data: &RData) -> Option<Ds> {
    let RData::DNSSEC(DNSSECRData::DS(ds)) = data else { return None };
    let of = |ds: &DS| Ds {
        key_tag: ds.key_tag(),
        algorithm: ds.algorithm().into(),
        digest_type: ds.digest_type().into(),
    };
    Some(of(ds))
}

fn key(data: &RData) -> Option<Dnskey> {
    let RData::DNSSEC(DNSSECRData::DNSKEY(key)) = data else { return None };
    let of = |key: &DNSKEY| {
        let algorithm = hickory_resolver::proto::dnssec::PublicKey::algorithm(key.public_key()).into();
        Some(Dnskey { key_tag: key.calculate_key_tag().ok()?, algorithm, flags: key.flags() })
    };
    of(key)
}
