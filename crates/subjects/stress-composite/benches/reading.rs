//! The built-in composite over thirty years of daily data: `cargo bench -p stress-composite --bench reading`.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::civil::{Date, date};
use stress_composite::{YieldCurve, built_in, is_business_day, vix_history};

/// The business days of thirty years.
fn days() -> Vec<Date> {
    let all = date(1996, 1, 2).series(jiff::Span::new().days(1));
    all.take_while(|day| day.year() < 2026).filter(|day| is_business_day(*day)).collect()
}

/// Values of two decimals that swing, with a part that looks like chance.
fn value(at: usize, seed: u64, level: f64) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ seed) >> 40;
    level + 0.3 * level * (at as f64 / 130.0).sin() + level * (mixed % 1000) as f64 / 10_000.0
}

fn files() -> (String, String) {
    let (mut vix, mut yields) =
        (String::from("DATE,OPEN,HIGH,LOW,CLOSE\n"), String::from("Date,3 Mo,2 Yr,10 Yr\n"));
    for (at, day) in days().iter().enumerate() {
        let close = value(at, 1, 18.0);
        let _ = writeln!(vix, "{day},{close:.2},{close:.2},{close:.2},{close:.2}");
        let _ = writeln!(
            yields,
            "{day},{:.2},{:.2},{:.2}",
            value(at, 2, 3.0),
            value(at, 3, 3.5),
            value(at, 4, 4.0)
        );
    }
    (vix, yields)
}

fn reading(criterion: &mut Criterion) {
    let (vix, yields) = files();
    let as_of = date(2025, 12, 31);
    let mut group = criterion.benchmark_group("composite over 30 years");
    let read = |vix: &str, yields: &str| {
        let vix = vix_history(vix.as_bytes()).expect("the file is one of the VIX");
        let curve = YieldCurve::read([yields.as_bytes()]).expect("the file is one of yields");
        (vix, curve)
    };
    let (index, curve) = read(&vix, &yields);
    let found = built_in(&index, &curve, None).read(as_of);
    assert_eq!(found.inputs.len(), 5, "all series count");
    group.bench_function("reading", |bencher| {
        bencher.iter(|| built_in(black_box(&index), black_box(&curve), None).read(as_of));
    });
    group.bench_function("files and reading", |bencher| {
        bencher.iter(|| {
            let (index, curve) = read(black_box(&vix), black_box(&yields));
            built_in(&index, &curve, None).read(as_of)
        });
    });
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
