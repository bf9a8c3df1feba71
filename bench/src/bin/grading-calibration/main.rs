//! How often the rule that grades is wrong, and how often it sees an edge, on simulated records whose truth is known.
//! The same table on any machine; about seven minutes on two cores.
//!
//! `cargo run --release -p bench --bin grading-calibration [-- --seed 1 --records 700]`

mod study;
mod table;

use clap::Parser;

use study::{Study, cells};

/// Grades simulated records whose truth is known, and prints the rates of each verdict.
#[derive(Parser, Debug)]
#[command(name = "grading-calibration")]
struct Cli {
    /// Records of each kind.
    #[arg(long, value_name = "N", default_value_t = 700, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    records: u32,
    /// Which records are simulated: another number, other records.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u32,
}

fn main() {
    let Cli { records, seed } = Cli::parse();
    table::table(&Study { records, seed }, &cells(), |line| println!("{line}"));
}
