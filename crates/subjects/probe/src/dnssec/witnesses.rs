//! The statement of each witness, derived from the evidence alone.

use super::{
    Delegation, Ds, PairedReplies, Parent, ReplySummary, ResolverAnswers, ResolverReply, SecurityStatus,
    Validation,
};

/// Response codes that are answers.
const NOERROR: u16 = 0;
const NXDOMAIN: u16 = 3;
const SERVFAIL: u16 = 2;
/// Extended errors that say bogus (RFC 8914): from "DNSSEC Bogus" to "NSEC Missing".
const SAYS_BOGUS: std::ops::RangeInclusive<u16> = 6..=12;
/// Extended errors that say that a server was not reached: what is missing then may be there.
const SAYS_UNREACHED: [u16; 2] = [22, 23];
/// Algorithms that hickory can verify.
const KNOWN_ALGORITHMS: [u8; 7] = [5, 7, 8, 10, 13, 14, 15];
const KNOWN_DIGESTS: [u8; 3] = [1, 2, 4];

impl Delegation {
    /// Returns true if the parent has DS records, none of which hickory can verify.
    #[must_use]
    pub fn is_of_unknown_algorithm(&self) -> bool {
        self.parent == Parent::Found && !self.ds.iter().any(is_known)
    }
}

impl Validation {
    /// Returns the status of the name from both proofs: secure only if both are secure, indeterminate if one proof
    /// contradicts an insecure one, and otherwise bogus if either is bogus.
    #[must_use]
    pub fn of_name(self) -> SecurityStatus {
        match (self.zone, self.address) {
            (SecurityStatus::Bogus, SecurityStatus::Insecure)
            | (SecurityStatus::Insecure, SecurityStatus::Bogus | SecurityStatus::Secure) => {
                SecurityStatus::Indeterminate
            }
            (SecurityStatus::Bogus, _) | (_, SecurityStatus::Bogus) => SecurityStatus::Bogus,
            (SecurityStatus::Secure, SecurityStatus::Insecure) => SecurityStatus::Indeterminate,
            (SecurityStatus::Secure, address) => address,
            (zone, _) => zone,
        }
    }
}

impl ResolverAnswers {
    /// Returns true if the resolver sets AD on both replies.
    #[must_use]
    pub fn vouches(&self) -> bool {
        [&self.zone, &self.address]
            .iter()
            .all(|pair| pair.checked.answer().is_some_and(|answer| answer.authentic))
    }

    /// Returns true if the resolver sets AD on neither reply, but on its reply for the root: it validates, and found no
    /// signature.
    #[must_use]
    pub fn denies(&self) -> bool {
        let checks = self.root.answer().is_some_and(|answer| answer.authentic);
        let says = |pair: &PairedReplies| pair.checked.answer().is_some_and(|answer| !answer.authentic);
        checks && says(&self.zone) && says(&self.address)
    }
}

impl PairedReplies {
    /// Returns true if the resolver fails with validation because of the signatures, and answers without validation.
    #[must_use]
    pub fn is_refused_as_bogus(&self) -> bool {
        let ResolverReply::Answered(ReplySummary { rcode: SERVFAIL, errors, .. }) = &self.checked else {
            return false;
        };
        errors.iter().any(|code| SAYS_BOGUS.contains(code))
            && !errors.iter().any(|code| SAYS_UNREACHED.contains(code))
            && self.unchecked.answer().is_some()
    }
}

impl ResolverReply {
    /// The answer, where that is records or a denial.
    fn answer(&self) -> Option<&ReplySummary> {
        match self {
            Self::Answered(answer) if [NOERROR, NXDOMAIN].contains(&answer.rcode) => Some(answer),
            Self::Answered(_) | Self::Failed(_) => None,
        }
    }
}

fn is_known(ds: &Ds) -> bool {
    KNOWN_ALGORITHMS.contains(&ds.algorithm) && KNOWN_DIGESTS.contains(&ds.digest_type)
}
