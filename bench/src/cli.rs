//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::attack::kind::Attack;

/// Measures a notary on this machine, over loopback.
#[derive(Parser, Debug)]
#[command(name = "bench", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub options: Options,
}

/// What to measure.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Receipts a second: signed, durable, logged, proof in the answer; beside a bare server.
    Receipts,
    /// Receipts a second of three replicas over one PostgreSQL, limits on; beside a loop that only inserts. Not in `all`.
    Replicas,
    /// A million claims of payments and free calls that race over three ledgers; fails unless each is granted exactly as often
    /// as it may. Not in `all`.
    Race(RaceArgs),
    /// Paid calls a second, settled in the embedded ledger.
    Paid,
    /// How long one client alone waits for a paid call on a real chain (anvil).
    Chain,
    /// How long one client alone waits for a receipt.
    Idle,
    /// How long a reader waits for a page, and what readers cost one client that calls.
    Pages,
    /// `GET /verify?hash=` a second, over a big store.
    Verify,
    /// Checkpoints, tiles and entry bundles a second, over a big store.
    Log,
    /// From start to the first `/health`, and memory at rest, with a big store.
    Start,
    /// `touchstone verify` on a file of receipts: receipts a core-second.
    Offline,
    /// `touchstone export` and `touchstone verify` of the whole big store. Not in `all`.
    Archive,
    /// How a store grows whose requests and evidence are deleted after their time. Not in `all`.
    Retention,
    /// How long the disk takes to make 64 KiB durable.
    Fsync,
    /// All of the above.
    All,
    /// Domain trust on a small internet of this machine's own: alive, with dead probes, 200 domains at once.
    Trust,
    /// How long one client alone waits for the grade of a record of 2,000 days.
    Grading,
    /// Attackers from many addresses against one honest client; fails where a goal is missed (`bench/attack.sh`).
    Attack(AttackArgs),
    /// Names screened on a list: import, start, memory, a million names through `touchstone judge`.
    Screening(ScreeningArgs),
    /// The bare server that `receipts` compares with.
    #[command(hide = true)]
    Bare(BareArgs),
}

/// How to measure; the defaults are those of the published figures.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The binary under test [default: `touchstone` beside this one]
    #[arg(long, value_name = "FILE", global = true)]
    pub touchstone: Option<PathBuf>,
    /// A folder on a real disk for stores and scratch data [default: `bench-store` in the target folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub folder: Option<PathBuf>,
    /// Connections that ask at once.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024), global = true)]
    pub connections: u16,
    /// Seconds that are measured in one round [default: 5; of an attack: 15]
    #[arg(long, global = true)]
    pub seconds: Option<f64>,
    /// Seconds of load before each round that are not counted.
    #[arg(long, default_value_t = 1.0, global = true)]
    pub warm_up: f64,
    /// Rounds; medians are reported.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100), global = true)]
    pub rounds: u16,
    /// Distinct signed questions.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub questions: u32,
    /// Receipts in the big store.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000), global = true)]
    pub receipts: u32,
    /// Receipts in the file that is verified offline.
    #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000), global = true)]
    pub archive: u32,
    /// The source's commit, for the report's heading.
    #[arg(long, value_name = "HASH", global = true)]
    pub commit: Option<String>,
}

impl Options {
    /// The seconds that are measured in one round.
    pub fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(5.0)
    }
}

/// `bench race`.
#[derive(Args, Clone, Debug)]
pub struct RaceArgs {
    /// Claims and calls in all.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..=10_000_000))]
    pub calls: u64,
}

/// `bench attack`.
#[derive(Args, Clone, Debug)]
pub struct AttackArgs {
    /// The attacks, one after the other [default: all]
    #[arg(value_enum, value_name = "NAME")]
    pub attacks: Vec<Attack>,
}

/// `bench screening`.
#[derive(Args, Clone, Debug)]
pub struct ScreeningArgs {
    /// What `touchstone lists import` takes.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub lists: Vec<PathBuf>,
    /// A file of JSON Lines with a name each, as `query`.
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// How many names go through `touchstone judge`, the file's over and over.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub names: u32,
}

/// `bench bare`.
#[derive(Args, Clone, Debug)]
pub struct BareArgs {
    /// The length of the payload that is signed.
    #[arg(long)]
    pub payload_bytes: usize,
    /// The length of the proof in the answer.
    #[arg(long)]
    pub proof_bytes: usize,
}
