//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use module::plans::{PLANS, Plan};
use trade_exports::{FORMATS, Format};
use trust::score::Purpose;
use verdict::Usd;

use crate::settings::SettingsArgs;

/// A notary for verdicts: signed, logged receipts that anyone can check.
#[derive(Parser, Debug)]
#[command(name = "touchstone", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Serve for trying out: loopback only, local settlement, everything marked as such.
    Dev(ServeArgs),
    /// Serve in production.
    Serve(ServeArgs),
    /// Ask a judge offline: a question a line in, a finding a line out, unsigned.
    Judge(JudgeArgs),
    /// Read a trading platform's export, and print it as a question of /grade-strategy; standard error says what is lost.
    ImportTrades(ImportTradesArgs),
    /// Verify receipts offline; exit 0 only where all hold.
    Verify(VerifyArgs),
    /// Call a route of a notary, pay where it asks for that, and print the receipt.
    Call(CallArgs),
    /// Give an agent calls, for a plan or a trial; list what was given, or end it. Takes effect at once.
    Grant(GrantArgs),
    /// List the wishes for trials.
    Trials(TrialsArgs),
    /// List what is owed after disputes, and note what was paid; works while the service runs.
    Refunds(RefundsArgs),
    /// Fetch or import sanctions lists, say which are live and how old they are, compare them; works while the service runs.
    Lists(ListsArgs),
    /// Print the notary's public keys.
    Keys(KeysArgs),
    /// Print or check the configuration.
    Config(ConfigArgs),
    /// Judge a receipt's question again on what was preserved: a case on standard input, the signed answer on standard
    /// output. `serve` runs it for disputes.
    Rerun(SettingsArgs),
    /// Say whether the name servers around the service do what it needs of them; exit 1 where none can be used.
    Doctor(SettingsArgs),
    /// Ask a running service whether it is healthy; exit 0 where receipts can be issued.
    Healthcheck(SettingsArgs),
    /// Print the OpenAPI document.
    Openapi(SettingsArgs),
    /// Study how often a judge is wrong, and how long it takes.
    Bench(BenchArgs),
    /// Print shell completions.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command into a folder.
    Man {
        /// The folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

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
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone import-trades`.
#[derive(Args, Debug)]
pub struct ImportTradesArgs {
    /// The format of the file.
    #[arg(value_parser = format_parser())]
    pub format: Format,
    /// The export; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The zone of the file's times: `Europe/Berlin`, `UTC+8`, or minutes east of UTC.
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub zone: Option<String>,
    /// The order of day and month in dates such as 03/02/2026.
    #[arg(long, value_name = "ORDER")]
    pub date_order: Option<DayAndMonth>,
    /// The currency of the record.
    #[arg(long, value_name = "NAME")]
    pub currency: Option<String>,
    /// The instrument, where the file names none.
    #[arg(long, value_name = "NAME")]
    pub instrument: Option<String>,
    /// Units of the underlying in a contract or lot, of all instruments or of one: `100`, `ES=50`.
    #[arg(long = "multiplier", value_name = "[NAME=]N")]
    pub multipliers: Vec<String>,
    /// The value in the record's currency of one unit of the prices' currency, or of the named one: `1.08`, `BNB=610`.
    #[arg(long = "fx-rate", value_name = "[NAME=]N")]
    pub fx_rates: Vec<String>,
    /// The account's equity before the first row.
    #[arg(long, value_name = "N")]
    pub initial_equity: Option<String>,
    /// A deposit, or a withdrawal below zero, that the file lacks: `2026-01-31T09:00:00Z=-1000`.
    #[arg(long = "cash-flow", value_name = "TIME=N")]
    pub cash_flows: Vec<String>,
    /// The rest of a position that counts as none, as a share of its greatest size.
    #[arg(long, value_name = "SHARE")]
    pub dust: Option<String>,
    /// A JSON file of options, as `import` of a request has them: also `columns` and `funding`. A flag replaces its
    /// member.
    #[arg(long, value_name = "FILE")]
    pub options: Option<PathBuf>,
    /// The agent of the question.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// How many strategies or variants were tried before this one was picked.
    #[arg(long, value_name = "N")]
    pub declared_trials: Option<u32>,
    /// The return of cash in a year, as a fraction.
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub risk_free: Option<String>,
    /// State that there is no market exposure, so that no benchmark is needed.
    #[arg(long)]
    pub cash: bool,
}

/// The order of day and month.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum DayAndMonth {
    DayFirst,
    MonthFirst,
}

impl DayAndMonth {
    /// The word of a request.
    pub fn word(self) -> &'static str {
        match self {
            Self::DayFirst => "day_first",
            Self::MonthFirst => "month_first",
        }
    }
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(FORMATS.iter().map(|(key, _)| *key));
    names.try_map(|name| name.parse::<Format>())
}

/// `touchstone verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Receipts as JSON, a JSON array, JSON Lines, answers of /verify, or a compact JWS; `-` is standard input.
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
    /// Say nothing about receipts that hold.
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
    /// The question, a JSON object; `-` is standard input.
    pub json: String,
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
}

/// `touchstone grant`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GrantArgs {
    #[command(subcommand)]
    pub action: Option<GrantAction>,
    #[command(flatten)]
    pub new: Option<NewGrantArgs>,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with grants that were made.
#[derive(Subcommand, Debug)]
pub enum GrantAction {
    /// List all grants and what is used of them, the newest first; JSON Lines where standard output is no terminal.
    List {
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
    /// End grants.
    Revoke {
        /// Their numbers, as `grant list` gives them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<u64>,
    },
}

/// A grant to be made.
#[derive(Args, Debug)]
pub struct NewGrantArgs {
    /// The agent's name, as it calls itself.
    #[arg(required = true, value_name = "AGENT")]
    pub agent: String,
    /// What a plan has, as /catalog lists it.
    #[arg(long, value_parser = plan_parser(), required_unless_present = "calls",
        conflicts_with_all = ["calls", "route", "per", "priority"])]
    pub plan: Option<&'static Plan>,
    /// Calls a period, instead of a plan's.
    #[arg(long, value_name = "N")]
    pub calls: Option<u32>,
    /// The period: UTC days or months [default: month]
    #[arg(long)]
    pub per: Option<Per>,
    /// The class of the calls, or `all` [default: all]
    #[arg(long, value_name = "CLASS")]
    pub route: Option<String>,
    /// Let its calls take the resolver places that are reserved.
    #[arg(long)]
    pub priority: bool,
    /// For how many days from now it is good [default: 31]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3660))]
    pub days: Option<u16>,
    /// The last UTC day on which it is good, instead of a number of days: 2026-12-31.
    #[arg(long, value_name = "DATE", conflicts_with = "days")]
    pub until: Option<String>,
    /// Networks that it is good from, with commas between [default: any; names are public]
    #[arg(long, value_name = "NETS")]
    pub from: Option<String>,
    /// The wish for a trial that it answers, as `trials list` gives it.
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
}

/// A grant's period.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Per {
    Day,
    Month,
}

fn plan_parser() -> impl TypedValueParser<Value = &'static Plan> {
    let names = PossibleValuesParser::new(PLANS.iter().map(|plan| plan.name));
    names.map(|name| PLANS.iter().find(|plan| plan.name == name).expect("only names of plans are possible"))
}

/// `touchstone trials`.
#[derive(Args, Debug)]
pub struct TrialsArgs {
    #[command(subcommand)]
    pub action: TrialsAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with wishes for trials.
#[derive(Subcommand, Debug)]
pub enum TrialsAction {
    /// List them, the newest first, with the grants that answer them; JSON Lines where standard output is no terminal.
    List {
        /// How many at most.
        #[arg(long, value_name = "N", default_value_t = 100)]
        most: u32,
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
}

/// `touchstone lists`.
#[derive(Args, Debug)]
pub struct ListsArgs {
    #[command(subcommand)]
    pub action: ListsAction,
    /// Write JSON Lines on a terminal too.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with sanctions lists. JSON Lines where standard output is no terminal.
#[derive(Subcommand, Debug)]
pub enum ListsAction {
    /// Read a publication, keep it, and make its lists live unless they are doubtful; exit 2 where one waits for `accept`.
    Import {
        /// Its files, or folders of them.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The day of the publication, where its form has none: 2026-08-20.
        #[arg(long, value_name = "D")]
        date: Option<jiff::civil::Date>,
        /// A JSON file that says what the columns of a list of your own hold: CSV with a header, or JSON Lines.
        #[arg(long, value_name = "FILE")]
        columns: Option<PathBuf>,
    },
    /// Fetch what is published now, unless it is the version that was fetched last; exit 2 where one waits for `accept`.
    Fetch {
        /// sdn, consolidated, un, eu, uk, seco or csl [default: OFAC's two, and those that the configuration names]
        #[arg(value_name = "NAME")]
        publications: Vec<watchlist::refresh::PublishedList>,
    },
    /// List all snapshots, by list, the newest publication first, with which is live and its age.
    Status,
    /// Say what changed from one snapshot to another.
    Diff {
        /// The earlier one: its id, the beginning of it, or its day.
        #[arg(value_name = "A")]
        from: String,
        /// The later one.
        #[arg(value_name = "B")]
        to: String,
    },
    /// Make a snapshot live, whatever speaks against it.
    Accept {
        /// Its id, the beginning of it, or its day.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Take a list out: it answers nothing more, and comes back only by `accept`; its snapshots stay for replays.
    Retire {
        /// What `lists status` calls it.
        #[arg(value_name = "NAME")]
        list: String,
    },
}

/// `touchstone keys`.
#[derive(Args, Debug)]
pub struct KeysArgs {
    #[command(subcommand)]
    pub action: KeysAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with the keys.
#[derive(Subcommand, Debug)]
pub enum KeysAction {
    /// Print all of them, to read.
    Show,
    /// Print the receipt keys as a JWKS, for `verify --keys`.
    Jwks,
    /// Print the log's verifier key, for `verify --log-key`.
    Log,
}

/// `touchstone config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: ConfigAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with the configuration.
#[derive(Subcommand, Debug)]
pub enum ConfigAction {
    /// Print the configuration in force.
    Print,
    /// Check the configuration and the keys; exit 0 where `serve` would start.
    Check,
}

/// `touchstone refunds`.
#[derive(Args, Debug)]
pub struct RefundsArgs {
    #[command(subcommand)]
    pub action: RefundsAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with refunds. Where payout_key is set, the service pays them by itself.
#[derive(Subcommand, Debug)]
pub enum RefundsAction {
    /// List them, the oldest first; JSON Lines where standard output is no terminal.
    List {
        /// Leave out those that are paid.
        #[arg(long)]
        owed: bool,
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
    /// Note that one was paid by a transaction of your own: one that is owed, or on its way with an authorization whose
    /// window is over.
    Pay {
        /// Its number, as `refunds list` gives it.
        #[arg(value_name = "ID")]
        id: u64,
        /// The transaction's hash.
        #[arg(long, value_name = "HASH")]
        transaction: String,
    },
    /// Write those that are owed as CSV, for a wallet that sends many payments at once.
    Export,
    /// Print what the bounty reserve has, by token; JSON Lines where standard output is no terminal.
    Reserve {
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
}

/// `touchstone dev` and `touchstone serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// For this start alone: begin an empty log under a log key that has signed another one, whose store is lost.
    // No setting, so that it does not stay: it would let the next loss of a store pass in silence.
    #[arg(long)]
    pub new_log: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}
/// `touchstone bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub action: BenchAction,
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn help(command: &mut clap::Command, path: &str, shown: &mut Vec<(String, String)>) {
        command.set_bin_name(path);
        shown.push((path.replace(' ', "_"), command.render_long_help().to_string()));
        for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
            let path = format!("{path} {}", inner.get_name());
            help(inner, &path, shown);
        }
    }

    /// The settings are the same for every command, so they are shown with the first alone.
    #[test]
    fn the_help_of_each_command_is_as_it_was() {
        let mut command = Cli::command().term_width(100);
        command.build();
        let mut shown = Vec::new();
        help(&mut command, "touchstone", &mut shown);
        assert!(shown.len() > 20, "{}", shown.len());
        for (name, text) in shown {
            let own = match text.split_once("\nSettings:\n") {
                Some((own, _)) if name != "touchstone" => own.trim_end(),
                _ => text.trim_end(),
            };
            insta::assert_snapshot!(format!("help_{name}"), own);
        }
    }
}
