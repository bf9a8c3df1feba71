//! All rows, checked against each other.

use std::collections::HashSet;

use receipt::json::{Json, Path};
use serde_json::json;
use verdict::{AnyField, Array, Field, FieldError, Fields, MAX_WANTED_RECEIPTS, Raw, Reason, Words};

use super::cash::{CashRates, RISK_FREE_RATE, read_cash};
use super::closes::{Close, Closes};
use super::commitment;
use super::import::{FILE, FILE_BASE64, FORMAT, IMPORT, Import};
use super::marks::{self, Mark};
use super::returns::Return;
use super::row::{Row, in_row, number, path_of};
use super::schema;
use super::time::Instant;
use super::trade::Trade;

/// Maximum number of rows of `trades` or of `returns`.
pub const MOST_ROWS: usize = 200_000;
/// Maximum number of trials that may be declared.
pub const MOST_TRIALS: u32 = 1_000_000;
/// Maximum number of variants.
pub const MOST_ALTERNATIVES: usize = 256;
/// Maximum number of returns of all variants together: 250 variants of 2,000 days. Each is read about a thousand times.
pub const MOST_OF_VARIANTS: usize = 500_000;
/// Maximum number of settlement units in a year.
pub const MOST_PERIODS: f64 = 366.0;

pub(super) const TRADES: Field<Array> = Field::array("trades", 0..=MOST_ROWS, schema::trade)
    .describe("Settled trades, in any order; or `returns`, or a file, but one of them alone.");
pub(super) const RETURNS: Field<Array> =
    Field::array("returns", 0..=MOST_ROWS, schema::row).describe("Net returns by UTC day, in any order.");
const MARKS: Field<Array> = Field::array("marks", 0..=MOST_ROWS, schema::mark).describe(
    "What the account was worth at the end of each UTC day, beside `trades`: from the first close to the last, or more. They \
     are graded in place of the closes, which positions held over days need.",
);
const GREATEST_NOTIONAL: Field<Raw> = Field::raw("greatest_notional", || {
    let text = schema::text_of(r"0\.0*[1-9][0-9]*|[1-9][0-9]{0,5}(?:\.[0-9]+)?|1000000");
    json!({"oneOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MOST_NOTIONAL}, text]})
})
.describe(
    "The most that was held at one time, as a multiple of the equity: 1 for an account without leverage that was wholly invested. It \
     stands in for `max_loss` where the profit survives the loss of all of it once in three times the record. Trades with sizes, \
     prices and times give it themselves.",
);
/// Maximum multiple of the equity that can have been held.
const MOST_NOTIONAL: f64 = 1e6;
const DECLARED_TRIALS: Field<Raw> = Field::raw("declared_trials", || {
    let number = json!({"type": "integer", "minimum": 1, "maximum": MOST_TRIALS});
    json!({"oneOf": [number, schema::text_of("[1-9][0-9]{0,5}")]})
})
.describe(
    "How many strategies or variants were tried before this one was picked. Absent, it is taken for \
     1,000, and the answer says for how many the profit holds.",
);
const PERIODS_PER_YEAR: Field<Raw> = Field::raw("periods_per_year", || {
    let whole = "[1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-5]";
    let text = schema::text_of(&format!(r"(?:{whole})(?:\.[0-9]+)?|0\.0*[1-9][0-9]*|366"));
    json!({"oneOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 366}, text]})
})
.describe(
    "Settlement days in a year. Absent, or more than 15 % away from it, it is their number over the years from the first to the last.",
);
const BENCHMARK: Field<Words<Option<Declared>>> =
    Field::words("benchmark", &[("series", Some(Declared::Series)), ("cash", Some(Declared::Cash))])
        .describe(
            "`series`: the rows have the benchmark's returns, which is taken where they do. `cash`: the \
             caller's signed word that there is no market exposure; it counts only where no row has a \
             benchmark's return.",
        )
        .or(None);
const ALTERNATIVES: Field<Array> = Field::array(
    "alternatives",
    0..=MOST_ALTERNATIVES,
    || json!({"type": "array", "items": {"oneOf": schema::number()}}),
)
.describe(
    "The returns of all variants that were tried, each with one for every settlement day, in order of \
     day; at most 500,000 in all.",
);

/// The members of a record, all optional; [`one_source`](super::one_source) requires one source of rows.
pub const FIELDS: [&dyn AnyField; 13] = [
    &TRADES,
    &RETURNS,
    &FORMAT,
    &FILE,
    &FILE_BASE64,
    &IMPORT,
    &MARKS,
    &GREATEST_NOTIONAL,
    &DECLARED_TRIALS,
    &PERIODS_PER_YEAR,
    &RISK_FREE_RATE,
    &BENCHMARK,
    &ALTERNATIVES,
];

/// The members of a record as the caller sent them.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The rows of the record.
    pub rows: Rows,
    /// The number of strategies that were tried, as the caller declares it; `None` if not given.
    pub declared_trials: Option<u32>,
    /// Number of settlement units in a year, at most [`MOST_PERIODS`]; `None` if not given.
    pub periods_per_year: Option<f64>,
    /// What the account was worth at the end of each day, in order of day; empty if not given.
    pub marks: Vec<Mark>,
    /// The greatest notional that was held at one time, as a multiple of the equity; `None` if not given.
    pub greatest_notional: Option<f64>,
    /// The return of cash in a year, as a fraction; `None` if not given.
    pub risk_free: Option<CashRates>,
    /// The benchmark that the caller declares; `None` if not given.
    pub benchmark: Option<Declared>,
    /// The return series of all variants that were tried, in order of day.
    pub alternatives: Vec<Vec<f64>>,
    /// The times at which trades closed, which are compared with the time of the question.
    pub closes: Closes,
    /// The file that the rows were read of; `None` if the caller sent rows.
    pub import: Option<Import>,
}

/// The rows of a record, in one of two forms.
#[derive(Clone, PartialEq, Debug)]
pub enum Rows {
    Trades(Vec<Trade>),
    Returns(Vec<Return>),
}

/// The benchmark that a caller declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// The rows have the benchmark's returns.
    Series,
    /// There is no market exposure, so the benchmark's return is zero.
    Cash,
}

impl Input {
    /// Reads a record from a question's fields.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong.
    pub fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let mut input = Self::read_unmarked(fields)?;
        input.marks = read_marks(fields, &input.rows)?;
        let close =
            |mark: &Mark| Close::of_row(Instant { day: mark.day, nanos: 0 }, (MARKS.name, mark.row, "date"));
        let last = input.marks.last().map(close);
        input.closes.settled = input.closes.settled.into_iter().chain(last).max_by_key(|close| close.at);
        Ok(input)
    }

    /// Reads a record from a question's fields, and no marks.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong.
    pub fn read_unmarked(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let import = Import::read(fields)?;
        let (rows, closes) = match &import {
            None => read_rows(fields)?,
            Some(import) => {
                let (rows, closes) = read_rows(&import.fields()).map_err(|error| import.at_file(error))?;
                (rows, closes.of_file(import))
            }
        };
        Ok(Self {
            rows,
            closes,
            import,
            marks: Vec::new(),
            greatest_notional: Row(fields.clone()).within(
                GREATEST_NOTIONAL.name,
                |notional| notional > 0.0 && notional <= MOST_NOTIONAL,
                "must be above 0 and at most 1000000",
            )?,
            declared_trials: read_trials(fields)?,
            periods_per_year: Row(fields.clone()).within(
                PERIODS_PER_YEAR.name,
                |periods| periods > 0.0 && periods <= MOST_PERIODS,
                "must be above 0 and at most 366",
            )?,
            risk_free: read_cash(fields)?,
            benchmark: fields.choice(&BENCHMARK)?,
            alternatives: read_alternatives(fields)?,
        })
    }
}

fn read_rows(fields: &Fields<'_>) -> Result<(Rows, Closes), FieldError> {
    match (fields.value(TRADES.name), fields.value(RETURNS.name)) {
        (None, None) => Err(fields.error(
            "trades",
            Reason::Missing,
            "is required, or `returns`, or `format` and `file` in its place",
        )),
        (Some(_), Some(_)) => {
            Err(fields.error("returns", Reason::Contradictory, "must not be there beside `trades`"))
        }
        (Some(_), None) => {
            let trades = read_array(fields, &TRADES, Trade::read)?;
            check_trades(&trades)?;
            check_commitments(fields, &trades)?;
            let closes = |settled: bool| {
                let is_one = move |trade: &&Trade| trade.is_settled() == settled;
                let closes = trades.iter().enumerate();
                closes.filter_map(move |(row, trade)| Some((Some(trade).filter(is_one)?.closed_at?, row)))
            };
            let close = |(at, row)| Close::of_row(at, ("trades", row, "closed_at"));
            let closes =
                Closes { settled: closes(true).max().map(close), open: closes(false).min().map(close) };
            Ok((Rows::Trades(trades), closes))
        }
        (None, Some(_)) => {
            let returns = read_array(fields, &RETURNS, Return::read)?;
            check_returns(&returns)?;
            let days = returns.iter().enumerate().filter_map(|(row, unit)| Some((unit.day?, row)));
            let close = |(day, row)| Close::of_row(Instant { day, nanos: 0 }, ("returns", row, "date"));
            let closes = Closes { settled: days.max().map(close), open: None };
            Ok((Rows::Returns(returns), closes))
        }
    }
}

/// Reads the marks in order of day, and holds them against the trades.
fn read_marks(fields: &Fields<'_>, rows: &Rows) -> Result<Vec<Mark>, FieldError> {
    let mut marks = read_array(fields, &MARKS, Mark::read)?;
    let trades = match rows {
        Rows::Trades(trades) => trades,
        Rows::Returns(_) if marks.is_empty() => return Ok(marks),
        Rows::Returns(_) => {
            let detail = "must not be there beside `returns`, which are of marks by themselves";
            return Err(fields.error(MARKS.name, Reason::Contradictory, detail));
        }
    };
    marks.iter_mut().enumerate().for_each(|(row, mark)| mark.row = row);
    marks.sort_by_key(|mark| mark.day);
    if let Some(pair) = marks.windows(2).find(|pair| pair[0].day == pair[1].day) {
        let detail = "must not be given twice".to_owned();
        let path = path_of(MARKS.name, pair[1].row, "date");
        return Err(FieldError { path, reason: Reason::Duplicate, detail });
    }
    marks::check(&marks, trades)?;
    Ok(marks)
}

fn read_array<T>(
    fields: &Fields<'_>,
    field: &Field<Array>,
    read: impl Fn(Fields<'_>) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let (name, rows) = (field.name, fields.array(field, "elements")?.unwrap_or_default());
    let read_row = |(index, row): (usize, &Json)| match row {
        Json::Object(object) => read(Fields::root(object)).map_err(in_row(name, index)),
        _ => Err(in_row(name, index)(FieldError {
            path: Path::root(),
            reason: Reason::WrongType,
            detail: "must be an object".to_owned(),
        })),
    };
    rows.iter().enumerate().map(read_row).collect()
}

/// One trade under two names, or two under one, would count twice; amounts of two currencies cannot be added.
fn check_trades(trades: &[Trade]) -> Result<(), FieldError> {
    let (mut names, mut contents) = (HashSet::new(), HashSet::new());
    let mut currency = None;
    for (index, trade) in trades.iter().enumerate() {
        let error = |name: &str, reason, detail: &str| {
            let mut path = Path::root();
            path.push_name(name);
            Err(in_row("trades", index)(FieldError { path, reason, detail: detail.to_owned() }))
        };
        if trade.trade_id.as_ref().is_some_and(|name| !names.insert(name)) {
            return error("trade_id", Reason::Duplicate, "must not be given twice");
        }
        if trade.content().is_some_and(|content| !contents.insert(content)) {
            return error(
                "trade_id",
                Reason::Duplicate,
                "must not name a trade that is given under another name too",
            );
        }
        if let Some(this) = &trade.currency
            && *currency.get_or_insert(this) != this
        {
            return error("currency", Reason::Contradictory, "must be the same for all trades");
        }
    }
    Ok(())
}

/// One commitment for two trades would let the better one be chosen afterwards.
fn check_commitments(fields: &Fields<'_>, trades: &[Trade]) -> Result<(), FieldError> {
    let mut receipts = HashSet::new();
    for (index, trade) in trades.iter().enumerate() {
        let Some(commitment) = &trade.commitment else { continue };
        if !receipts.insert(commitment.receipt) {
            let mut path = path_of(TRADES.name, index, commitment::NAME);
            path.push_name("receipt_hash");
            let detail = "must not be that of another trade's commitment".to_owned();
            return Err(FieldError { path, reason: Reason::Duplicate, detail });
        }
        if receipts.len() > MAX_WANTED_RECEIPTS {
            let detail = format!("must have at most {MAX_WANTED_RECEIPTS} commitments");
            return Err(fields.error(TRADES.name, Reason::TooLong, detail));
        }
    }
    Ok(())
}

fn check_returns(returns: &[Return]) -> Result<(), FieldError> {
    let mut days = HashSet::new();
    let again = returns.iter().position(|row| row.day.is_some_and(|day| !days.insert(day)));
    again.map_or(Ok(()), |index| {
        let mut path = Path::root();
        path.push_name("date");
        let detail = "must not be given twice".to_owned();
        Err(in_row("returns", index)(FieldError { path, reason: Reason::Duplicate, detail }))
    })
}

fn read_trials(fields: &Fields<'_>) -> Result<Option<u32>, FieldError> {
    let is_good = |trials: f64| trials.fract() == 0.0 && (1.0..=f64::from(MOST_TRIALS)).contains(&trials);
    let detail = "must be an integer from 1 to 1000000";
    let trials = Row(fields.clone()).within(DECLARED_TRIALS.name, is_good, detail)?;
    // It is an integer within the range.
    Ok(trials.map(|trials| trials as u32))
}

fn read_alternatives(fields: &Fields<'_>) -> Result<Vec<Vec<f64>>, FieldError> {
    let variants = fields.array(&ALTERNATIVES, "elements")?.unwrap_or_default();
    let returns: usize = variants.iter().filter_map(Json::as_array).map(<[Json]>::len).sum();
    if returns > MOST_OF_VARIANTS {
        let detail = format!("must have at most {MOST_OF_VARIANTS} returns in all");
        return Err(fields.error("alternatives", Reason::TooLong, detail));
    }
    variants.iter().enumerate().map(|(at, variant)| read_variant(fields, at, variant)).collect()
}

fn read_variant(fields: &Fields<'_>, at: usize, variant: &Json) -> Result<Vec<f64>, FieldError> {
    let error = |index: Option<usize>, reason, detail: &str| {
        let mut error = fields.error("alternatives", reason, detail);
        error.path.push_index(at);
        index.into_iter().for_each(|index| error.path.push_index(index));
        error
    };
    let Json::Array(values) = variant else {
        return Err(error(None, Reason::WrongType, "must be an array of numbers"));
    };
    let read = |(index, value)| number(value).map_err(|(reason, detail)| error(Some(index), reason, detail));
    values.iter().enumerate().map(read).collect()
}

/// Checks that every variant has a return for each of `units` units.
///
/// # Errors
/// [`FieldError`] for the first variant of another length.
pub fn check_alternatives(alternatives: &[Vec<f64>], units: usize) -> Result<(), FieldError> {
    let Some(at) = alternatives.iter().position(|variant| variant.len() != units) else { return Ok(()) };
    let mut path = Path::root();
    path.push_name("alternatives");
    path.push_index(at);
    let detail = format!("must have a return for each of the {units} settlement days");
    Err(FieldError { path, reason: Reason::OutOfRange, detail })
}
