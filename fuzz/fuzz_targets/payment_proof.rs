#![no_main]
//! Proofs of payment: any header's value is refused or read, and what is read never panics on the way to a verdict.

use libfuzzer_sys::fuzz_target;
use payment::check::new_proof;
use payment::payer::Demand;
use payment::{Header, Network, Proof, RequestIdentity, Terms, local_payee};
use verdict::Usd;

fuzz_target!(|input: (u64, &[u8])| {
    let (now, value) = input;
    let terms = Terms::new(Network::base(), local_payee());
    let request = RequestIdentity::new("POST", "/commit", "", b"{}");
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
    }
    let _demand = Demand::decode(value);
});
