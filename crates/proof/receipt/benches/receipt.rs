//! Benchmarks of the request and the verification, without the network and the store. `cargo bench -p receipt`

#![allow(clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ed25519_dalek::Signature;
use std::hint::black_box;

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{Sample, finding};
use receipt::json::{from_serialize, parse, parse_lenient};
use receipt::verify::Verifier;

fn json(c: &mut Criterion) {
    let sample = Sample::new();
    let tree = parse(&sample.receipt).unwrap();
    let trades: Vec<_> = (0..20_000)
        .map(|n| serde_json::json!({"opened": n * 60, "pnl_net": f64::from(n) / 100.0, "side": "long"}))
        .collect();
    let large = serde_json::json!({ "agent": "a", "trades": trades }).to_string().into_bytes();
    let mut group = c.benchmark_group("json");
    group.throughput(Throughput::Bytes(sample.receipt.len() as u64));
    group.bench_function("parse a receipt", |b| b.iter(|| parse(black_box(&sample.receipt))));
    group.bench_function("canonical form of a receipt", |b| b.iter(|| black_box(&tree).canonical()));
    group.bench_function("the same by serde_json_canonicalizer", |b| {
        b.iter(|| serde_json_canonicalizer::to_vec(black_box(&tree)).unwrap())
    });
    group.bench_function("tree of a finding", |b| {
        let finding = finding();
        b.iter(|| from_serialize(black_box(&finding)).unwrap())
    });
    group.throughput(Throughput::Bytes(large.len() as u64));
    group.bench_function("parse 20,000 trades", |b| b.iter(|| parse(black_box(&large))));
    group.bench_function("parse 20,000 trades leniently", |b| b.iter(|| parse_lenient(black_box(&large))));
    group.finish();
}

fn signatures(c: &mut Criterion) {
    let sample = Sample::new();
    let message = vec![b'a'; 2000];
    let signature = sample.signer.key().sign(&message);
    let key = receipt::VerifyingKey::new(sample.published.key).unwrap();
    let dalek = ed25519_dalek::VerifyingKey::from_bytes(&sample.published.key.0).unwrap();
    let aws =
        aws_lc_rs::signature::ParsedPublicKey::new(&aws_lc_rs::signature::ED25519, sample.published.key.0)
            .unwrap();
    let mut group = c.benchmark_group("Ed25519 over 2,000 bytes");
    group.bench_function("sign", |b| b.iter(|| sample.signer.key().sign(black_box(&message))));
    group.bench_function("VerifyingKey::verify", |b| b.iter(|| key.verify(black_box(&message), &signature)));
    group.bench_function("ed25519-dalek verify_strict", |b| {
        b.iter(|| dalek.verify_strict(black_box(&message), &Signature::from_bytes(&signature)))
    });
    group.bench_function("ed25519-dalek verify", |b| {
        use ed25519_dalek::Verifier as _;
        b.iter(|| dalek.verify(black_box(&message), &Signature::from_bytes(&signature)))
    });
    group.bench_function("aws-lc-rs", |b| b.iter(|| aws.verify_sig(black_box(&message), &signature)));
    group.finish();
}

fn receipts(c: &mut Criterion) {
    let sample = Sample::new();
    let verifier = sample.verifier();
    let mut group = c.benchmark_group("receipt");
    group.throughput(Throughput::Elements(1));
    group.bench_function("sign, with hash and JSON", |b| {
        b.iter(|| sample.signer.sign(black_box(sample.payload.clone())).to_json(Some(&sample.proof)))
    });
    group.bench_function("verify, checkpoint known", |b| {
        b.iter(|| verifier.verify(black_box(&sample.receipt)))
    });
    group.bench_function("verify, checkpoint new", |b| {
        b.iter_batched(
            || sample.verifier(),
            |verifier: Verifier| verifier.verify(black_box(&sample.receipt)),
            criterion::BatchSize::SmallInput,
        )
    });
    group.finish();
}

criterion_group!(benches, json, signatures, receipts);
criterion_main!(benches);
