//! The stationary bootstrap on one core: 10,000 resamples of 1,000 returns, by mean block length; and a whole grade.
//!
//! `cargo bench -p grading --bench bootstrap`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use grading::bootstrap::{Seed, Stationary};
use grading::{Benchmark, PossibleLosses, Reservations, SettlementUnit, TrackRecord};
use simulated_returns::{Process, Returns, YEAR};

fn simulate(units: usize) -> Returns {
    simulated_returns::simulate(Process::GarchWithBenchmark, units, 2.0, 0)
}

fn resamples(criterion: &mut Criterion) {
    let series = simulate(1_000).x;
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    let mut group = criterion.benchmark_group("10,000 resamples of 1,000 returns");
    group.sample_size(50);
    for block in [1.0, 1.2, 2.0, 10.0, 30.0] {
        let stationary = Stationary::new(series.len(), block);
        group.bench_function(BenchmarkId::from_parameter(block), |bencher| {
            bencher
                .iter(|| one_core.install(|| stationary.moments(black_box(&series), 10_000, Seed([1; 32]))));
        });
    }
    group.finish();
}

fn whole_grade(criterion: &mut Criterion) {
    let made = simulate(2_000);
    let rows = (0..).zip(made.x.into_iter().zip(made.b));
    let record = TrackRecord {
        units: rows.map(|(day, (x, b))| SettlementUnit { day, x, b: Some(b), max_loss: None }).collect(),
        declared_trials: Some(1),
        periods_per_year: YEAR,
        benchmark: Benchmark::Series,
        lacks_risk_free: false,
        possible: PossibleLosses::default(),
        cash: Vec::new(),
        reservations: Reservations::default(),
        open_losses: Vec::new(),
        unreconciled_equity: Vec::new(),
        alternatives: Vec::new(),
    };
    let mut group = criterion.benchmark_group("grade");
    group.sample_size(20);
    group.bench_function("2,000 units", |bencher| bencher.iter(|| grading::grade(black_box(&record))));
    group.finish();
}

criterion_group!(benches, resamples, whole_grade);
criterion_main!(benches);
