//! Workarounds for hickory, which takes two kinds of sound answers for bogus: those of an alias, and those made from a
//! wildcard.

use data_encoding::BASE32_DNSSEC;
use hickory_resolver::proto::dnssec::rdata::{DNSSECRData, NSEC, NSEC3, RRSIG};
use hickory_resolver::proto::op::Message;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

/// The most iterations of an NSEC3 record's hash that are carried out; hickory's limit of what it calls secure.
const MAX_ITERATIONS: u16 = 100;

/// True if the records that an answer has at the name are proven, though hickory takes the answer for bogus. Made for
/// this very name, as its signature's count of labels says, it needs no other proof (RFC 4035, section 5.3); made from
/// a wildcard, it needs that nothing is at the name, or between it and the wildcard (section 5.3.4; RFC 5155, section
/// 8.8).
///
/// hickory 0.26.3 errs three times here. What an alias leads to is denied at that name, and hickory wants it denied at
/// the alias's; whether that denial holds says nothing of the zone that the alias is in. With NSEC it wants the wildcard
/// itself proven away, which it never is where it stands one label above the name (its pull request 3812 has the failing
/// test). With NSEC3 it takes any signature of the answer for the wildcard's, so that an alias made from a wildcard is
/// secure or bogus as its hash table has it. The signatures are hickory's to verify: only records that it has found
/// secure count here.
pub(super) fn is_proven(answer: &Message, name: &Name, kind: RecordType) -> bool {
    let own = || answer.answers.iter().filter(|record| record.name == *name);
    let mut wanted = own().filter(|own| [kind, RecordType::CNAME].contains(&own.record_type())).peekable();
    if wanted.peek().is_none() || !wanted.all(|record| record.proof.is_secure()) {
        return false;
    }
    // Hickory marks the signature that held.
    let held = own().filter(|record| record.proof.is_secure()).filter_map(signature);
    let Some(signature) = held.min_by_key(|signature| signature.input().num_labels) else { return false };
    // The labels above the asterisk.
    let (above, zone) = (signature.input().num_labels, &signature.input().signer_name);
    let denies = |record: &Record| match &record.data {
        RData::DNSSEC(DNSSECRData::NSEC(nsec)) => {
            covers(&record.name, nsec, name) && encloses(&record.name, nsec, name) <= above
        }
        RData::DNSSEC(DNSSECRData::NSEC3(nsec3)) => {
            record.name.base_name() == *zone
                && hash_covers(&record.name, nsec3, &name.trim_to(usize::from(above) + 1))
        }
        _ => false,
    };
    let mut proofs = answer.authorities.iter().filter(|record| record.proof.is_secure());
    zone.zone_of(name) && (above >= name.num_labels() || proofs.any(denies))
}

fn signature(record: &Record) -> Option<&RRSIG> {
    match &record.data {
        RData::DNSSEC(DNSSECRData::RRSIG(signature)) => Some(signature),
        _ => None,
    }
}

/// True if the name does not exist: it lies between the NSEC record's owner and the next name, or after the zone's
/// last. One at a zone cut or a DNAME says nothing of what is below (RFC 6840, section 4.1).
fn covers(owner: &Name, nsec: &NSEC, name: &Name) -> bool {
    let next = nsec.next_domain_name();
    let is_last = next <= owner;
    let is_below_cut = nsec.is_ancestor_delegation() && owner.zone_of(name);
    !is_below_cut && owner < name && (name < next || is_last && next.zone_of(name))
}

/// Number of labels of the closest encloser, as the NSEC record shows it.
fn encloses(owner: &Name, nsec: &NSEC, name: &Name) -> u8 {
    let shared = |other: &Name| {
        let pairs = name.iter().rev().zip(other.iter().rev());
        pairs
            .take_while(|(one, other)| one.eq_ignore_ascii_case(other))
            .fold(0_u8, |count, _| count.saturating_add(1))
    };
    shared(owner).max(shared(nsec.next_domain_name()))
}

/// True if the name does not exist: its hash lies between that of the NSEC3 record's owner and the next. Where the
/// record leaves out what is not signed (opt-out) it may be there all the same.
fn hash_covers(owner: &Name, nsec3: &NSEC3, name: &Name) -> bool {
    if nsec3.opt_out() || nsec3.iterations() > MAX_ITERATIONS {
        return false;
    }
    let first = owner.iter().next().and_then(|label| BASE32_DNSSEC.decode(label).ok());
    let hash = nsec3.hash_algorithm().hash(nsec3.salt(), name, nsec3.iterations());
    let (Some(first), Ok(hash)) = (first, hash) else { return false };
    let (first, hash, next) = (first.as_slice(), hash.as_ref(), nsec3.next_hashed_owner_name());
    if first < next { first < hash && hash < next } else { first < hash || hash < next }
}

#[cfg(test)]
mod tests {
    use hickory_resolver::proto::dnssec::rdata::sig::SigInput;
    use hickory_resolver::proto::dnssec::{Algorithm, Nsec3HashAlgorithm, Proof};
    use hickory_resolver::proto::rr::rdata::CNAME;
    use hickory_resolver::proto::rr::{RecordType, SerialNumber};

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

    /// Whether an alias at `x.example.` is proven by a signature with so many labels, and with no other proof.
    fn alias_holds(labels: u8, signer: &str, alias: Proof, signature: Proof) -> bool {
        let owner = name("x.example.");
        let input = SigInput {
            type_covered: RecordType::CNAME,
            algorithm: Algorithm::ECDSAP256SHA256,
            num_labels: labels,
            original_ttl: 60,
            sig_expiration: SerialNumber::new(2),
            sig_inception: SerialNumber::new(1),
            key_tag: 7,
            signer_name: name(signer),
        };
        let rrsig = DNSSECRData::RRSIG(RRSIG::from_sig(input, vec![0; 64]));
        let mut records = [
            Record::from_rdata(owner.clone(), 60, RData::CNAME(CNAME(name("target.example.")))),
            Record::from_rdata(owner.clone(), 60, RData::DNSSEC(rrsig)),
        ];
        (records[0].proof, records[1].proof) = (alias, signature);
        let mut answer = Message::query();
        answer.insert_answers(records.to_vec());
        is_proven(&answer, &owner, RecordType::SOA)
    }

    #[test]
    fn an_alias_that_was_signed_at_its_own_name_is_proven_whatever_it_leads_to() {
        use Proof::{Bogus, Secure};
        assert!(alias_holds(2, "example.", Secure, Secure));
        // From a wildcard, where nothing shows that it may answer.
        assert!(!alias_holds(1, "example.", Secure, Secure));
        assert!(!alias_holds(2, "example.", Bogus, Secure));
        assert!(!alias_holds(2, "example.", Secure, Bogus));
        assert!(!alias_holds(2, "other.", Secure, Secure));
    }

    #[test]
    fn a_record_at_a_zone_cut_says_nothing_of_what_is_below() {
        let cut = &[RecordType::NS][..];
        assert!(!shows("x.example.", "z.example.", cut, "y.x.example.", 2));
        assert!(!shows("x.example.", "z.example.", &[RecordType::DNAME], "y.x.example.", 2));
        assert!(shows("x.example.", "z.example.", cut, "y.example.", 1));
    }
    /// Whether the span of an NSEC3 record, in base32, shows that RFC 5155's `a.example` is not there: with its salt and
    /// iterations (appendix A) that hashes to `35mthgpgcu1qg68fab165klnsnk3dpvl`.
    fn hash_shows(owner: &str, next: &str, opt_out: bool, iterations: u16) -> bool {
        let next = BASE32_DNSSEC.decode(next.as_bytes()).unwrap();
        let salt = vec![0xaa, 0xbb, 0xcc, 0xdd];
        let nsec3 = NSEC3::new(Nsec3HashAlgorithm::SHA1, opt_out, iterations, salt, next, [RecordType::A]);
        hash_covers(&name(&format!("{owner}.example.")), &nsec3, &name("A.example."))
    }

    #[test]
    fn nothing_may_be_at_the_hash_of_the_name_below_the_wildcard() {
        let (before, own, after) = (
            "2t7b4g4vsa5smi47k61mv5bv1a22bojr",
            "35mthgpgcu1qg68fab165klnsnk3dpvl",
            "b4um86eghhds6nea196smvmlo4ors995",
        );
        assert!(hash_shows(before, after, false, 12));
        assert!(hash_shows(&before.to_uppercase(), after, false, 12));
        // The last of the zone.
        assert!(hash_shows(before, before, false, 12) && hash_shows(after, after, false, 12));
        // It is there, or elsewhere.
        assert!(!hash_shows(own, after, false, 12));
        assert!(!hash_shows(before, own, false, 12));
        assert!(!hash_shows(after, before, false, 12));
        assert!(!hash_shows("no-hash", after, false, 12));
        // It may be there, or takes too long to hash.
        assert!(!hash_shows(before, after, true, 12));
        assert!(!hash_shows(before, before, false, 101));
    }
}
