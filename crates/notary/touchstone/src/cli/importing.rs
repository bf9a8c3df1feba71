//! The arguments of `touchstone import-trades`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use trade_exports::{FORMATS, Format};

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
