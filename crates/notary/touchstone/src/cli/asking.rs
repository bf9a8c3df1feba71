//! The arguments of the commands that ask a judge or a notary, and that verify its answers.

use std::path::PathBuf;

use clap::Args;
use verdict::Usd;

use crate::settings::SettingsArgs;

/// `touchstone judge`.
#[derive(Args, Debug)]
pub struct JudgeArgs {
    /// The class: `claim-verdict`, ...
    pub class: String,
    /// JSON Lines to read; standard input where absent or `-`.
    #[arg(long = "in", value_name = "F")]
    pub input: Option<PathBuf>,
    /// JSON Lines to write; standard output where absent or `-`.
    #[arg(long = "out", value_name = "F")]
    pub output: Option<PathBuf>,
    /// How many questions are judged at once; as many as there are cores where absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Say nothing of the progress.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Receipts as JSON, a JSON array, JSON Lines, answers of /verify, or a compact JWS, `-` is standard input; or archives of
    /// `export`, which without keys of the notary at hand are checked with their own.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The notary's keys as a JWKS file; the data folder's keys where absent.
    #[arg(long, value_name = "F")]
    pub keys: Option<PathBuf>,
    /// The log's verifier key, as `service.json` publishes it.
    #[arg(long, value_name = "VKEY")]
    pub log_key: Option<String>,
    /// Fetch the keys of the notary at this address, and of its log.
    #[arg(long, value_name = "URL", conflicts_with_all = ["keys", "log_key"])]
    pub url: Option<String>,
    /// Check that a quorum of witnesses has cosigned the checkpoint too: a policy file, as /log/policy publishes it.
    #[arg(long, value_name = "F")]
    pub policy: Option<PathBuf>,
    /// The `.tlog-proof` of the receipt in FILE, in place of the proof in it.
    #[arg(long, value_name = "F")]
    pub proof: Option<PathBuf>,
    /// Check who says when the receipt in FILE was said: its `.times`, with --stamped-under or --policy.
    #[arg(long, value_name = "F")]
    pub times: Option<PathBuf>,
    /// PEM file of the roots of the time-stamping authority that you believe. With --url each receipt's `.times` is fetched; an
    /// archive has its tokens in it.
    #[arg(long, value_name = "F")]
    pub stamped_under: Option<PathBuf>,
    /// Say nothing about receipts that hold, nor of the progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print a JSON object a receipt, with its outcome and its checks.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone call`.
#[derive(Args, Debug)]
pub struct CallArgs {
    /// The route: `commit`, `/claim-verdict`, ...
    pub route: String,
    /// The question, a JSON object; `-` is standard input. With --get also `key=value` as often as needed, or nothing.
    #[arg(value_name = "JSON", required_unless_present = "get")]
    pub question: Vec<String>,
    /// Ask by GET, with the question as a query: `call --get trust-score domain=example.com`, `call --get stats`.
    #[arg(long)]
    pub get: bool,
    /// The notary's address.
    #[arg(long, env = "TOUCHSTONE_SERVER", value_name = "U", default_value = "http://127.0.0.1:8402")]
    pub server: String,
    /// The file of the key to pay with, 64 hexadecimal digits, mode 0600; or `dev`, which the development profile gave
    /// its money to. Without one nothing is paid.
    #[arg(long, env = "TOUCHSTONE_WALLET", value_name = "F")]
    pub wallet: Option<PathBuf>,
    /// The most that is paid for the call, in USDC.
    #[arg(long, env = "TOUCHSTONE_MAX_AMOUNT", value_name = "A", default_value = "1.00")]
    pub max_amount: Usd,
    /// The most seconds that a request may take until its answer is whole, 1 to 600; a paid one is sent again.
    #[arg(long, env = "TOUCHSTONE_TIMEOUT", value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u16).range(1..=600))]
    pub timeout: u16,
}

/// `touchstone mcp`.
#[derive(Args, Debug)]
pub struct McpArgs {
    /// The notary's address.
    #[arg(long, env = "TOUCHSTONE_SERVER", value_name = "URL", default_value = "http://127.0.0.1:8402")]
    pub notary: String,
    /// The file of the key to pay with, 64 hexadecimal digits, mode 0600; or `dev`, which the development profile gave
    /// its money to. Without one nothing is paid.
    #[arg(long, env = "TOUCHSTONE_WALLET", value_name = "F")]
    pub wallet: Option<PathBuf>,
    /// The tools that the assistant has, by name: `scan-text,agent-clearance,verify`. All of the notary's where absent.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// The most that is paid in all while the command runs, in USDC.
    #[arg(long, env = "TOUCHSTONE_BUDGET", value_name = "A", default_value = "1.00")]
    pub budget: Usd,
    /// The most seconds that a request may take until its answer is whole, 1 to 600; a paid one is sent again.
    #[arg(long, env = "TOUCHSTONE_TIMEOUT", value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u16).range(1..=600))]
    pub timeout: u16,
}
