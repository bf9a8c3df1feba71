//! A platform's export in place of rows: read by `trade-exports` into the rows that the caller would have sent.
//!
//! The rows go through the same reading and the same checks. An error in them names the row of the file, since the request
//! has no rows.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::json::{Json, Object, Path, Segment};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};
use trade_exports::{
    FORMATS, Format, ImportError, Imported, Loss, LossCode, MAX_BYTES, Options, Problem, RULES, import,
};
use verdict::{Field, FieldError, Fields, Raw, Reason, Text, Words};

use super::read::{Input, RETURNS, TRADES};
use super::settle::{Missing, Settled, settle};

pub(super) const FORMAT: Field<Words<Format>> =
    Field::words("format", &FORMATS).describe("The format of `file` or `file_base64`.");
pub(super) const FILE: Field<Text> = Field::text("file", 1..=MAX_BYTES).describe(
    "The text of a platform's export, in place of `trades` and `returns`. It is read to such rows, and graded as they are.",
);
pub(super) const FILE_BASE64: Field<Text> = Field::text("file_base64", 4..=MAX_BYTES.div_ceil(3) * 4)
    .form("^[A-Za-z0-9+/]+={0,2}$", "must be standard base64 with its padding (RFC 4648, section 4)")
    .describe("The same in base64, for files that are no UTF-8.");
pub(super) const IMPORT: Field<Raw> = Field::raw("import", || {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Options>().to_value();
    if let Some(members) = schema.as_object_mut() {
        members.retain(|name, _| !["$schema", "title"].contains(&name.as_str()));
    }
    schema
})
.describe("What the file does not say and its owner knows: zone of its times, equity before it, multipliers and so on.");

/// Returns the JSON Schema keyword that requires exactly one source of rows.
pub fn one_source() -> Value {
    let format = FORMAT.name;
    json!({"oneOf": [
        {"required": [TRADES.name]},
        {"required": [RETURNS.name]},
        {"required": [format, FILE.name]},
        {"required": [format, FILE_BASE64.name]},
    ]})
}

/// The report on an imported file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ImportReport {
    /// The format, as the request names it.
    pub format: Cow<'static, str>,
    /// Number of rows of the file that were read.
    pub rows: u32,
    /// Number of trades or days that they make.
    pub positions: u32,
    /// What the file does not say, or says and a record cannot hold.
    pub lost: Vec<ImportLoss>,
}

/// A kind of loss, and how often it occurred.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ImportLoss {
    /// The kind of loss.
    pub code: LossCode,
    /// Number of rows or positions that it concerns.
    pub count: u32,
    /// What is lost, and what to send instead.
    pub sentence: String,
}

/// The rows of a file, and where each stands in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    rows: Object,
    /// The row of the file of each trade or day.
    sources: Vec<u32>,
    /// The member of the request that has the file.
    member: &'static str,
    /// What the finding says of the file.
    pub report: ImportReport,
}

impl Import {
    /// Reads the file of a request; `None` if there is none.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Option<Self>, FieldError> {
        let has = |name: &str| fields.value(name).is_some();
        let contradictory = |name, other| {
            Err(fields.error(name, Reason::Contradictory, format!("must not be there beside `{other}`")))
        };
        let (member, bytes) = match (fields.optional_text(&FILE)?, fields.value(FILE_BASE64.name)) {
            (None, None) => {
                let alone = [FORMAT.name, IMPORT.name].into_iter().find(|name| has(name));
                return alone.map_or(Ok(None), |name| {
                    let detail = "must not be there without `file` or `file_base64`";
                    Err(fields.error(name, Reason::Contradictory, detail))
                });
            }
            (Some(_), Some(_)) => return contradictory(FILE_BASE64.name, FILE.name),
            (Some(text), None) => (FILE.name, Cow::Borrowed(text.as_bytes())),
            (None, Some(_)) => {
                (FILE_BASE64.name, Cow::Owned(fields.parse(&FILE_BASE64, |text| STANDARD.decode(text).ok())?))
            }
        };
        if let Some(other) = [TRADES.name, RETURNS.name].into_iter().find(|name| has(name)) {
            return contradictory(member, other);
        }
        let format = fields.choice(&FORMAT)?;
        let options = read_options(fields)?;
        let imported =
            import(format, &bytes, &options).map_err(|error| wrong_file(fields, member, &error))?;
        Ok(Some(Self::of(imported, format, member)))
    }

    fn of(imported: Imported, format: Format, member: &'static str) -> Self {
        let Imported { request, lost, rows, positions, sources } = imported;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let lost = lost.into_iter().map(|Loss { code, detail, rows }| ImportLoss {
            code,
            count: rows,
            sentence: detail,
        });
        let report = ImportReport {
            format: format.key().into(),
            rows: count(rows),
            positions: count(positions),
            lost: lost.collect(),
        };
        let rows = match Json::from(&request) {
            Json::Object(rows) => rows,
            _ => Object::new(),
        };
        Self { rows, sources, member, report }
    }

    /// The rows, as a request has them.
    pub(super) fn fields(&self) -> Fields<'_> {
        Fields::root(&self.rows)
    }

    /// The same error at the file: its detail names the row of the file and the member of the row that was made of it.
    pub(super) fn at_file(&self, error: FieldError) -> FieldError {
        let mut path = Path::root();
        path.push_name(self.member);
        let detail = match (self.source(&error.path), error.path.segments().last()) {
            (Some(row), Some(Segment::Name(member))) => format!("row {row}: `{member}` {}", error.detail),
            (Some(row), _) => format!("row {row}: {}", error.detail),
            (None, _) => error.detail,
        };
        FieldError { path, reason: error.reason, detail }
    }

    /// Says of each member that rows lack where the first such row stands in the file.
    fn place(&self, missing: &mut [Missing]) {
        for missing in missing {
            let index = missing.first.split('.').find_map(|part| part.parse::<usize>().ok());
            if let Some(row) = index.and_then(|index| self.sources.get(index)) {
                missing.first = format!("{}, row {row}", self.member);
            }
        }
    }

    /// The row of the file that the path of a row leads to.
    fn source(&self, path: &Path) -> Option<u32> {
        let index = path.segments().iter().find_map(|segment| match segment {
            Segment::Index(index) => Some(*index),
            Segment::Name(_) => None,
        });
        self.sources.get(index?).copied()
    }
}

/// Settles a record; what rows of a file lack is placed in the file.
///
/// # Errors
/// Those of [`settle`].
pub fn settle_input(input: &Input) -> Result<Settled, FieldError> {
    let mut settled = settle(input)?;
    if let Some(import) = &input.import {
        import.place(&mut settled.missing);
    }
    Ok(settled)
}

/// Returns the name and version of all rules that decided: those of the importer too, where a file was read.
#[must_use]
pub fn with_import_rules(
    rules: impl Into<Cow<'static, str>>,
    report: Option<&ImportReport>,
) -> Cow<'static, str> {
    let rules = rules.into();
    if report.is_some() { format!("{rules}, {RULES}").into() } else { rules }
}

fn read_options(fields: &Fields<'_>) -> Result<Options, FieldError> {
    let Some(value) = fields.value(IMPORT.name) else { return Ok(Options::default()) };
    let Value::Object(members) = Value::from(value.clone()) else {
        return Err(fields.error(IMPORT.name, Reason::WrongType, "must be an object"));
    };
    Options::from_members(members).map_err(|wrong| {
        let mut error = fields.error(IMPORT.name, Reason::Malformed, wrong.detail);
        if !wrong.option.is_empty() {
            error.path.push_name(wrong.option);
        }
        wrong.index.into_iter().for_each(|index| error.path.push_index(index));
        error
    })
}

/// The error of a file, or of the option that it is about.
fn wrong_file(fields: &Fields<'_>, member: &str, error: &ImportError) -> FieldError {
    let ImportError { row, column, problem, .. } = error;
    let of_option = |option: &str, index: Option<u32>, detail: &str| {
        let mut error = fields.error(IMPORT.name, Reason::Malformed, detail);
        error.path.push_name(option);
        index
            .and_then(|index| usize::try_from(index).ok())
            .into_iter()
            .for_each(|index| error.path.push_index(index));
        error
    };
    let detail = problem.to_string();
    match problem {
        Problem::Option { option, detail } => return of_option(option, None, detail),
        Problem::FundingWithoutPosition { .. } => {
            return of_option("funding", row.map(|row| row.saturating_sub(1)), &detail);
        }
        _ => {}
    }
    let place = match (row, column) {
        (Some(row), Some(column)) => format!("row {row}, column `{column}`: "),
        (Some(row), None) => format!("row {row}: "),
        (None, Some(column)) => format!("column `{column}`: "),
        (None, None) => String::new(),
    };
    let reason = match problem {
        Problem::TooLarge { .. } | Problem::TooManyRows => Reason::TooLong,
        _ => Reason::Malformed,
    };
    fields.error(member, reason, format!("{place}{detail}"))
}
