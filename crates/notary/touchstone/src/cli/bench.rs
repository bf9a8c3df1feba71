//! The arguments of `touchstone bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use trust::score::Purpose;

use crate::settings::SettingsArgs;

/// `touchstone bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub action: BenchAction,
    /// Say nothing of the progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// What a calibration grades.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StudyOf {
    /// Daily returns of processes that are known to have, or not to have, an edge.
    Returns,
    /// Records that hide something, and records with an edge.
    Records,
}

/// The studies.
#[derive(Subcommand, Debug)]
pub enum BenchAction {
    /// Grade simulated records whose truth is known, and print the rates of each verdict; the same table every time.
    GradingCalibration {
        /// Records of each kind.
        #[arg(long, value_name = "N", default_value_t = 700, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        records: u32,
        /// Seed of the simulation: another number, other records.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u32,
        /// Days of return that a process makes, or whole records of trades and days, as their owners send them.
        #[arg(long, value_name = "WHAT", default_value = "returns")]
        of: StudyOf,
        /// With `--of records`: the cells whose name has this text, and no others, such as to measure one with more records.
        #[arg(long, value_name = "TEXT", default_value = "")]
        cell: String,
    },
    /// Measure how long a whole grade takes on this machine, from the JSON of a question to that of its finding.
    GradingTime {
        /// Records of each kind.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(60..=100_000))]
        records: u32,
        /// Settlement days of a record.
        #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u16).range(1..=5_000))]
        days: u16,
    },
    /// Score simulated records for copying whose truth is known, and print the rates of each verdict; the same table every time.
    CopyCalibration {
        /// Records of each kind.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        records: u32,
        /// Seed of the simulation: another number, other records.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u32,
    },
    /// Look at lists of domains as /trust-score does, with the settings of the service, and print the share of each verdict.
    TrustPopulations {
        /// Lists of domains: a name, `rank,name` or a URL a line. With several, the first is compared with each other.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Domains that are looked at concurrently; fewer where the limit of open files is low.
        #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
        at_once: u16,
        /// The most domains of a file; all where absent.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
        /// The reason to look at them.
        #[arg(long, value_name = "PURPOSE", default_value = "pay")]
        purpose: LookPurpose,
        /// Print a line of JSON for each domain in place of the tables.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: Box<SettingsArgs>,
    },
}

/// A purpose of `/trust-score`.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookPurpose {
    /// You pay the owner, or call its interface.
    Pay,
    /// You read or cite its pages.
    Web,
    /// You exchange mail with it.
    Mail,
}

impl From<LookPurpose> for Purpose {
    fn from(purpose: LookPurpose) -> Self {
        match purpose {
            LookPurpose::Pay => Self::Pay,
            LookPurpose::Web => Self::Web,
            LookPurpose::Mail => Self::Mail,
        }
    }
}
