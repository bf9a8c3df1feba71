//! Proofs of payment.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use payment::check::new_proof;
use payment::payer::Demand;
use payment::{Header, Network, Proof, RequestIdentity, Terms, local_payee};
use verdict::Usd;

use crate::split::number;

/// Any header's value is refused or read, and what is read never panics on the way to a verdict. The bytes after the time
/// are a header's value as they are, and in base64 too.
pub fn proof(data: &[u8]) -> bool {
    let (now, value) = number(data);
    let coded = BASE64_STANDARD.encode(value);
    let accepted = [value, coded.as_bytes()].map(|value| judge(value, now));
    accepted.contains(&true)
}

fn judge(value: &[u8], now: u64) -> bool {
    let terms = Terms::new(Network::base(), local_payee());
    let request = RequestIdentity::new("POST", "/commit", "", b"{}");
    let mut accepted = false;
    for header in Header::ALL {
        let proof = match Proof::decode(header, value) {
            Ok(proof) => proof,
            Err(malformed) => {
                assert_eq!(malformed.header, header);
                continue;
            }
        };
        let Ok(evidence) = proof.evidence(terms.network()) else { continue };
        assert!(!evidence.payer().is_zero());
        let _judged = new_proof(&evidence, &terms, &[Usd::from_cents(2)], now, &request);
        accepted = true;
    }
    let _demand = Demand::decode(value);
    accepted
}
