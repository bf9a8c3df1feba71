//! Answers made from a wildcard.

use hickory_resolver::proto::dnssec::rdata::{DNSSECRData, NSEC};
use hickory_resolver::proto::op::Message;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

/// Whether an answer that hickory takes for bogus is a wildcard's, and the proof that goes with it holds (RFC 4035,
/// section 5.3.4): nothing is at the name, or between it and the wildcard.
///
/// hickory 0.26.3 wants the wildcard itself proven away, which it never is where it stands one label above the name
/// (its pull request 3812 has the failing test). The signatures are hickory's to verify: only records that it has found
/// secure count here. With NSEC3 its own proof is right.
pub(super) fn is_proven(answer: &Message, name: &Name, kind: RecordType) -> bool {
    let own: Vec<&Record> = answer.answers.iter().filter(|record| record.name == *name).collect();
    let is_secure = |record: &&Record| record.proof.is_secure();
    let (signatures, records): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|own| labels_signed(own).is_some());
    let mut wanted =
        records.iter().filter(|own| [kind, RecordType::CNAME].contains(&own.record_type())).peekable();
    if wanted.peek().is_none() || !wanted.all(is_secure) {
        return false;
    }
    // Of the signatures, hickory marks the one that held.
    let Some(above) = signatures.into_iter().filter(is_secure).filter_map(labels_signed).min() else {
        return false;
    };
    let is_expanded = above < name.num_labels();
    let nsecs = answer.authorities.iter().filter(is_secure).filter_map(nsec);
    is_expanded
        && nsecs
            .into_iter()
            .any(|(owner, nsec)| covers(owner, nsec, name) && encloses(owner, nsec, name) <= above)
}

/// How many labels of its name a signature was made over: for a wildcard's, those above the asterisk.
fn labels_signed(record: &Record) -> Option<u8> {
    match &record.data {
        RData::DNSSEC(DNSSECRData::RRSIG(signature)) => Some(signature.input().num_labels),
        _ => None,
    }
}

fn nsec(record: &Record) -> Option<(&Name, &NSEC)> {
    match &record.data {
        RData::DNSSEC(DNSSECRData::NSEC(nsec)) => Some((&record.name, nsec)),
        _ => None,
    }
}

/// Whether there is no such name: it lies between the NSEC record's owner and the next name, or after the zone's last.
/// One at a zone cut or a DNAME says nothing of what is below (RFC 6840, section 4.1).
fn covers(owner: &Name, nsec: &NSEC, name: &Name) -> bool {
    let next = nsec.next_domain_name();
    let is_last = next <= owner;
    let is_below_cut = nsec.is_ancestor_delegation() && owner.zone_of(name);
    !is_below_cut && owner < name && (name < next || is_last && next.zone_of(name))
}

/// How many labels the deepest name has that is above this one and is there, as the record beside it shows.
fn encloses(owner: &Name, nsec: &NSEC, name: &Name) -> u8 {
    let shared = |other: &Name| {
        let pairs = name.iter().rev().zip(other.iter().rev());
        pairs
            .take_while(|(one, other)| one.eq_ignore_ascii_case(other))
            .fold(0_u8, |count, _| count.saturating_add(1))
    };
    shared(owner).max(shared(nsec.next_domain_name()))
}

#[cfg(test)]
mod tests {
    use hickory_resolver::proto::rr::RecordType;

    use super::*;

    fn name(text: &str) -> Name {
        Name::from_ascii(text).unwrap()
    }

    /// Whether the span of an NSEC record shows that an answer from the wildcard with so many labels above it is right.
    fn shows(owner: &str, next: &str, types: &[RecordType], of: &str, above: u8) -> bool {
        let (owner, name) = (name(owner), name(of));
        let nsec = NSEC::new(self::name(next), types.iter().copied());
        covers(&owner, &nsec, &name) && encloses(&owner, &nsec, &name) <= above
    }

    #[test]
    fn nothing_may_be_at_the_name_or_between_it_and_the_wildcard() {
        let a = &[RecordType::A][..];
        // *.example. for x.example., right above it.
        assert!(shows("*.example.", "z.example.", a, "x.example.", 1));
        assert!(shows("b.example.", "z.example.", a, "X.example.", 1));
        // The zone's last record.
        assert!(shows("b.example.", "example.", a, "x.example.", 1));
        assert!(!shows("b.other.", "other.", a, "x.example.", 1));
        // The name is there, or elsewhere.
        assert!(!shows("x.example.", "z.example.", a, "x.example.", 1));
        assert!(!shows("a.example.", "x.example.", a, "x.example.", 1));
        assert!(!shows("a.example.", "b.example.", a, "x.example.", 1));
        // *.example. for y.x.example., though x.example. is there: as owner, or as what is above the next name.
        assert!(shows("b.example.", "z.example.", a, "y.x.example.", 1));
        assert!(!shows("x.example.", "z.example.", a, "y.x.example.", 1));
        assert!(!shows("b.example.", "z.x.example.", a, "y.x.example.", 1));
        // *.x.example. may answer for it then.
        assert!(shows("*.x.example.", "z.example.", a, "y.x.example.", 2));
    }

    #[test]
    fn a_record_at_a_zone_cut_says_nothing_of_what_is_below() {
        let cut = &[RecordType::NS][..];
        assert!(!shows("x.example.", "z.example.", cut, "y.x.example.", 2));
        assert!(!shows("x.example.", "z.example.", &[RecordType::DNAME], "y.x.example.", 2));
        assert!(shows("x.example.", "z.example.", cut, "y.example.", 1));
    }
}
