//! Our own witness: hickory's validation, from the trust anchor down.

use hickory_resolver::net::dnssec::DnssecDnsHandle;
use hickory_resolver::net::xfer::FirstAnswer as _;
use hickory_resolver::net::{DnsError, DnsHandle as _, NetError};
use hickory_resolver::proto::dnssec::Proof as WireProof;
use hickory_resolver::proto::op::{DnsRequestOptions, DnsResponse, Message, Query};
use hickory_resolver::proto::rr::{Name, Record, RecordType};

use super::walk::ValidationWalk;
use super::{Anchors, LookFailure, Parent, SecurityStatus, hickory_workarounds};

/// hickory on one look's walk.
pub(super) struct Validator(DnssecDnsHandle<ValidationWalk>);

impl Validator {
    pub(super) fn new(walk: &ValidationWalk, anchors: &Anchors) -> Self {
        Self(DnssecDnsHandle::with_trust_anchor(walk.clone(), anchors.keys()))
    }

    /// The answer, each record with its proof.
    pub(super) async fn answer(&self, question: Query) -> Result<DnsResponse, NetError> {
        let mut options = DnsRequestOptions::default();
        options.edns_set_dnssec_ok = true;
        self.0.lookup(question, options).first_answer().await
    }

    /// Proof of the name's own records of a type, or that there are none.
    pub(super) async fn prove(&self, name: &Name, kind: RecordType) -> SecurityStatus {
        match self.answer(Query::query(name.clone(), kind)).await {
            Ok(answer) => judge(&answer, name, kind),
            Err(NetError::Dns(DnsError::Nsec { response, .. }))
                if hickory_workarounds::is_proven(&response, name, kind) =>
            {
                SecurityStatus::Secure
            }
            Err(NetError::Dns(DnsError::Nsec { proof, .. })) => proof.into(),
            Err(_) => SecurityStatus::Failed(LookFailure::GaveUp),
        }
    }
}

impl From<WireProof> for SecurityStatus {
    fn from(proof: WireProof) -> Self {
        match proof {
            WireProof::Secure => Self::Secure,
            WireProof::Insecure => Self::Insecure,
            WireProof::Bogus => Self::Bogus,
            WireProof::Indeterminate => Self::Indeterminate,
        }
    }
}

/// The least that is said of the records at the name: those of the type, or the alias that stands for them. What an
/// alias leads to may be in another zone, and says nothing of this one. Where there are none, the zone's SOA record
/// stands for the denial, which hickory has checked by then.
fn judge(answer: &Message, name: &Name, kind: RecordType) -> SecurityStatus {
    let is_own =
        |record: &&Record| record.name == *name && [kind, RecordType::CNAME].contains(&record.record_type());
    let is_soa = |record: &&Record| record.record_type() == RecordType::SOA && record.name.zone_of(name);
    let own = answer.answers.iter().filter(is_own).map(|record| record.proof).min();
    let proof = own.or_else(|| answer.authorities.iter().filter(is_soa).map(|record| record.proof).min());
    proof.map_or(SecurityStatus::Failed(LookFailure::Unusable), SecurityStatus::from)
}

impl SecurityStatus {
    /// Corrects a proof of a name below a zone that is proven to be unsigned: nothing there is bogus, which hickory
    /// says of a zone whose DS records are in such a one.
    pub(super) fn below(self, parent: Parent) -> Self {
        if self == Self::Bogus && parent == Parent::FoundInsecure { Self::Insecure } else { self }
    }

    /// Corrects a proof after a failure: a record that is not proven counts as failed then, since hickory says bogus of
    /// a record that it could not fetch.
    pub(super) fn or_failed(self, trouble: Option<LookFailure>) -> Self {
        match (self, trouble) {
            (Self::Bogus | Self::Indeterminate | Self::Failed(LookFailure::GaveUp), Some(trouble)) => {
                Self::Failed(trouble)
            }
            _ => self,
        }
    }
}
