//! What a proof of payment costs before anybody looks at a chain. `cargo bench -p payment`

#![allow(clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use payment::payer::Demand;
use payment::{
    Address, B256, Code, Header, Network, Proof, Quote, RequestIdentity, Terms, Wallet, check, extensions,
};
use verdict::Usd;

const NOW: u64 = 1_795_223_300;
const PRICES: [Usd; 1] = [Usd::from_cents(10)];

fn terms() -> Terms {
    Terms::new(Network::base(), Address::repeat_byte(0x20))
}

/// A v2 payload as clients send it: the terms and extensions echoed.
fn proof() -> String {
    let terms = terms();
    let quote = Quote {
        terms: &terms,
        price: PRICES[0],
        error: Code::PaymentRequired,
        resource: "https://notary.example/commit",
        description: "commits to a value",
    };
    let required = quote.header(&[extensions::payment_identifier()]);
    let wallet = Wallet::from_bytes([7; 32]).unwrap();
    Demand::decode(required.as_bytes()).unwrap().pay(&wallet, NOW, B256::repeat_byte(9), None)
}

fn proofs(c: &mut Criterion) {
    let (terms, header) = (terms(), proof());
    let body = br#"{"agent":"me","content":"hello"}"#;
    let mut group = c.benchmark_group("v2 proof");
    group.throughput(Throughput::Elements(1));
    group.bench_function("decode and read", |b| {
        b.iter(|| {
            let proof = Proof::decode(Header::PaymentSignature, black_box(header.as_bytes())).unwrap();
            proof.evidence(terms.network()).unwrap()
        })
    });
    group.bench_function("decode, read and check", |b| {
        b.iter(|| {
            let proof = Proof::decode(Header::PaymentSignature, black_box(header.as_bytes())).unwrap();
            let evidence = proof.evidence(terms.network()).unwrap();
            let request = RequestIdentity::new("POST", "/commit", "", body);
            let signed = check::new_proof(&evidence, &terms, &PRICES, NOW, &request).unwrap();
            assert_eq!(signed, check::ProofSigner::ByAccount);
        })
    });
    group.finish();
}

criterion_group!(benches, proofs);
criterion_main!(benches);
