//! The columns of any CSV file, as its owner names them.

use schemars::JsonSchema;
use serde::Deserialize;

/// A map of columns. Each member names a column of the file's header, or is the number of a column from 1 where the file
/// has no header. As JSON, unknown members are refused.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnMap {
    /// What a row is.
    pub rows: RowKind,
    /// The character between cells, a comma by default.
    #[serde(default = "comma")]
    pub delimiter: char,
    /// True if numbers have a decimal comma.
    #[serde(default)]
    pub decimal_comma: bool,
    /// False if the first row is no header. Columns are then named `1`, `2` and so on.
    #[serde(default = "yes")]
    pub header: bool,
    /// Only rows whose cell in a column is one of these values are read.
    pub only: Option<RowFilter>,
    /// Instrument.
    pub instrument: Option<String>,
    /// Currency of the amounts.
    pub currency: Option<String>,
    /// Side: of a fill one of `buy_words` and `sell_words`, of a trade also `long` and `short`.
    pub side: Option<String>,
    /// Size. Without `side`, that of a sale or a short position is below zero.
    pub quantity: Option<String>,
    /// Id of the fill or trade.
    pub id: Option<String>,
    /// Fee. A cost is above zero, or below where `fee_is_negative` is true.
    pub fee: Option<String>,
    /// True if a cost is below zero in the column `fee`.
    #[serde(default)]
    pub fee_is_negative: bool,
    /// Currency of the fee.
    pub fee_currency: Option<String>,
    /// Of a fill: its time.
    pub time: Option<String>,
    /// Of a fill: its day, where `time` is a time of day.
    pub day: Option<String>,
    /// Of a fill: its price.
    pub price: Option<String>,
    /// Of a fill: price times size, where there is no price.
    pub total: Option<String>,
    /// Of a trade: time of the opening.
    pub opened_at: Option<String>,
    /// Of a trade: time of the close.
    pub closed_at: Option<String>,
    /// Of a trade: price of the opening.
    pub entry_price: Option<String>,
    /// Of a trade: price of the close.
    pub exit_price: Option<String>,
    /// Of a trade: profit after fees.
    pub pnl_net: Option<String>,
    /// Of a trade: profit before fees. Of a fill: the profit of what it closes, before fees.
    pub pnl_gross: Option<String>,
    /// Of a trade: the greatest possible loss.
    pub max_loss: Option<String>,
    /// Of a trade: equity before its close.
    pub equity_before: Option<String>,
    /// Of a return: its day.
    pub date: Option<String>,
    /// Of a return: the return as a fraction.
    pub r: Option<String>,
    /// Of a return or trade: the benchmark's return as a fraction.
    pub benchmark: Option<String>,
    /// Words for a buy or a long position, beside `buy`, `b` and `long`; letter case does not matter.
    #[serde(default)]
    pub buy_words: Vec<String>,
    /// Words for a sale or a short position, beside `sell`, `s` and `short`.
    #[serde(default)]
    pub sell_words: Vec<String>,
    /// True if fills may sell more than is held: a margin or derivatives account.
    #[serde(default)]
    pub shorts: bool,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A purchase or sale.
    Fills,
    /// A position with its opening and close.
    Trades,
    /// A day's return.
    Returns,
}

/// The rows that are read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowFilter {
    /// Name of the column.
    pub column: String,
    /// The values of rows that are read.
    pub values: Vec<String>,
}

fn comma() -> char {
    ','
}

fn yes() -> bool {
    true
}
