//! Time of `find` on ordinary and hostile texts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

fn texts(c: &mut Criterion) {
    let prose = "The keeper of the key wrote: see https://example.org/a?b=1, then token by token. ";
    for (name, unit, size) in [
        ("prose-8k", prose, 8192),
        ("prose-256k", prose, 262_144),
        ("prefixes", "ghp_", 262_144),
        ("begin", "-----BEGIN", 262_144),
        ("begin-key", "-----BEGIN RSA PRIVATE KEY-----", 262_144),
        ("digits", "4", 262_144),
        ("letter", "a", 262_144),
        ("curl", "curl ", 262_144),
        ("assigned", "key=", 262_144),
        ("assigned-values", "key=\"a1b2c3d4e5f6a7b8c9\" ", 262_144),
        ("quoted", "\"9f3c07a1e5b8d2460f1c9ae37b5d8264\"", 262_144),
        ("names", "sl.", 262_144),
        ("inner-anchors", "1:AQ~_mmk-us1", 262_144),
        ("jwt", "eyJ", 262_144),
        ("words", "abandon ", 262_144),
        ("url", "://a:", 262_144),
    ] {
        let text: String = unit.chars().cycle().take(size).collect();
        c.bench_function(name, |b| b.iter(|| secrets::find(black_box(&text))));
    }
}

criterion_group!(benches, texts);
criterion_main!(benches);
