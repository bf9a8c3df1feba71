//! Temporary.
use grading::Verdict;
use grading::calibration::{Cell, Process, simulate};
use grading::rule::{Asked, rule};
use rayon::prelude::*;
const U997: [f64; 5] = [5.809, 7.007, 7.902, 8.650, 9.305];
const U99: [f64; 5] = [4.605, 5.638, 6.406, 7.045, 7.605];
const U95: [f64; 5] = [2.996, 3.744, 4.296, 4.754, 5.154];
fn main() {
    let records: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let first: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut cells = Vec::new();
    for (process, sharpe) in [(Process::LeftSkewed, 0.0), (Process::StudentT3, 0.0), (Process::StudentT5, 2.0), (Process::GarchWithBenchmark, 2.0), (Process::Autoregressive, 2.0), (Process::StudentT5, 3.0), (Process::GarchWithBenchmark, 3.0), (Process::Flip, 2.0)] {
        for units in [60, 90, 120, 180, 250, 756, 1260] {
            let n = if process == Process::LeftSkewed { 3 * records } else { records };
            cells.push((n, Cell { process, units, sharpe, declared: Some(1), max_loss: false }));
        }
    }
    println!("process units sharpe | in force | u95 u99 u997 | const 3 4 5");
    for (records, cell) in cells {
        let rows: Vec<[u32; 7]> = (0..u64::from(records)).into_par_iter().map(|n| {
            let record = simulate(&cell, first + n);
            if rule(&record, Asked { resamples: 1_999, ..Asked::default() }).verdict != Verdict::RealEdge { return [0; 7]; }
            let x: Vec<f64> = record.units.iter().map(|u| u.x).collect();
            let sum: f64 = x.iter().sum();
            let least = -x.iter().copied().fold(f64::INFINITY, f64::min);
            let m = x.iter().filter(|x| **x <= -0.5 * least).count();
            let of = |u: &[f64; 5]| u32::from(sum > u.get(m).copied().unwrap_or(1.0) * least);
            let c = |k: f64| u32::from(sum > k * least);
            [1, of(&U95), of(&U99), of(&U997), c(3.0), c(4.0), c(5.0)]
        }).collect();
        let sum = rows.iter().fold([0; 7], |mut s, r| { for i in 0..7 { s[i] += r[i]; } s });
        let p: Vec<String> = sum.iter().map(|c| format!("{:.2}", 100.0 * f64::from(*c) / f64::from(records))).collect();
        println!("{} {} {} | {}", cell.process.name(), cell.units, cell.sharpe, p.join(" "));
    }
}
