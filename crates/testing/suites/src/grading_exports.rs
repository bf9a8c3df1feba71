//! Exports of trading platforms: `grading/exports/documented`, files whose round trips and sums are known
//! (`expected.json`), and `grading/exports/real`, each of which ends in a question that is graded, or in a sentence that
//! names what is wrong or missing.
//!
//! A file's kind is the beginning of its name. Its questions have the file itself, so that it is read as a caller's is.

use std::borrow::Cow;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use grading::grade_strategy::{GradeFinding, GradeJudge, GradeQuestion};
use receipt::json::Json;
use serde_json::{Map, Value, json};
use trade_exports::{Decimal, Format, Imported, Options, Problem, import};
use verdict::{Clock as _, FieldError, Fields, Judge as _, Question as _, SystemClock, Timestamp};

use crate::grading_kinds::{Kind, kind_of};
use crate::outcome::Outcome;

/// The most bytes of a file once it is unpacked.
const MAX_UNPACKED: u64 = 64 << 20;
/// The most that two sums may differ in, since the expected ones are sums of doubles.
const TOLERANCE: &str = "0.000001";
/// The same for each round trip of Kraken, whose files have fees of five places.
const KRAKEN_TOLERANCE: &str = "0.00001";

/// Runs the suite if `dir/grading/exports` is there.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("grading/exports");
    if !folder.is_dir() {
        return Vec::new();
    }
    let at = SystemClock::start().now();
    let mut outcome = Outcome { name: "grading/exports".to_owned(), ..Outcome::default() };
    documented(&folder.join("documented"), at, &mut outcome);
    real(&folder.join("real"), at, &mut outcome);
    vec![outcome]
}

fn count(outcome: &mut Outcome, file: &str, checked: Result<(), String>) {
    let fault = checked.err();
    outcome.check(fault.is_none(), || format!("{file}: {}", fault.unwrap_or_default()));
}

/// Every file that `expected.json` names has the round trips and the sums that it expects, and is graded.
fn documented(folder: &Path, at: Timestamp, outcome: &mut Outcome) {
    let Ok(expected) = fs::read(folder.join("expected.json")) else { return };
    let expected: Map<String, Value> = match serde_json::from_slice(&expected) {
        Ok(expected) => expected,
        Err(error) => return count(outcome, "documented/expected.json", Err(error.to_string())),
    };
    for (file, sums) in &expected {
        let checked = bytes_of(&folder.join(file)).and_then(|bytes| check_sums(file, &bytes, sums, at));
        count(outcome, &format!("documented/{file}"), checked);
    }
}

fn check_sums(file: &str, bytes: &[u8], expected: &Value, at: Timestamp) -> Result<(), String> {
    let Some(Kind { format, mut options, .. }) = kind_of(file) else {
        return Err("no format is known for a name that begins so".to_owned());
    };
    // Without the order of day and month, the file itself must decide it, or it must be asked for.
    if let Some(order) = expected.get("date_order").and_then(Value::as_str) {
        match read(file, bytes, format, &options) {
            Ok(imported) => compare(&imported, format, expected)?,
            Err(error) if matches!(error.problem, Problem::DateOrder { .. }) => {}
            Err(error) => return Err(error.to_string()),
        }
        options["date_order"] = order.replace(' ', "_").into();
    }
    let imported = read(file, bytes, format, &options).map_err(|error| error.to_string())?;
    compare(&imported, format, expected)?;
    graded(&question(bytes, format, &options), at).map(drop).map_err(|error| error.to_string())
}

/// Compares the settled trades with what is expected of the file.
fn compare(imported: &Imported, format: Format, expected: &Value) -> Result<(), String> {
    let rows =
        imported.request.get("trades").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let settled: Vec<&Value> = rows.iter().filter(|row| row["settled"] == true).collect();
    let trips = settled.len();
    if expected["round_trips"].as_u64() != u64::try_from(trips).ok() {
        return Err(format!("{trips} round trips, not {}", expected["round_trips"]));
    }
    let sum = |member: &str| {
        let numbers = settled.iter().filter_map(|row| row.get(member)?.as_str().and_then(Decimal::parse));
        numbers.into_iter().try_fold(Decimal::ZERO, Decimal::plus).unwrap_or_default()
    };
    let number = |name: &str| expected.get(name).and_then(|number| Decimal::parse(&number.to_string()));
    let (net, fees) = (sum("pnl_net"), sum("fees"));
    let each = Decimal::parse(KRAKEN_TOLERANCE).unwrap_or_default();
    let rounded = each.times(Decimal::whole(i64::try_from(trips).unwrap_or(i64::MAX)));
    let most = match format {
        Format::KrakenTrades => rounded,
        _ => Decimal::parse(TOLERANCE),
    };
    let near = |one: Option<Decimal>, other: Decimal| {
        one.and_then(|one| one.minus(other)).is_some_and(|gap| Some(gap.abs()) <= most)
    };
    for (name, found) in [
        ("gross_pnl", net.plus(fees)),
        ("fees", Some(fees)),
        ("net_pnl", Some(net)),
        ("usdt_change", Some(net)),
    ] {
        if let Some(expected) = number(name).filter(|expected| !near(found, *expected)) {
            return Err(format!("{name} is {}, not {expected}", found.unwrap_or_default()));
        }
    }
    let first = settled.first().and_then(|row| row.get("equity_before")?.as_str()).and_then(Decimal::parse);
    match number("deposits") {
        Some(deposits) if !near(first, deposits) => {
            Err(format!("the first equity is {}, not {deposits}", first.unwrap_or_default()))
        }
        _ => Ok(()),
    }
}

/// Every file of a kind that is known is graded; every other one is refused by a sentence, in whatever format.
fn real(folder: &Path, at: Timestamp, outcome: &mut Outcome) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    files.sort();
    for file in files {
        let checked = bytes_of(&folder.join(&file)).and_then(|bytes| match kind_of(&file) {
            Some(kind) => check_known(&file, &bytes, &kind, at),
            None => check_unknown(&bytes, at),
        });
        count(outcome, &format!("real/{file}"), checked);
    }
}

fn check_known(file: &str, bytes: &[u8], kind: &Kind, at: Timestamp) -> Result<(), String> {
    let Kind { format, options, profit } = kind;
    let finding = graded(&question(bytes, *format, options), at).map_err(|error| error.to_string())?;
    let report = finding.imported.ok_or("the finding does not say what was imported")?;
    if report.format != format.key() || finding.rows.given != report.positions {
        return Err(format!("the finding says {report:?} of {:?}", finding.rows));
    }
    let Some(expected) = profit(bytes)? else { return Ok(()) };
    let imported = read(file, bytes, *format, options).map_err(|error| error.to_string())?;
    let rows =
        imported.request.get("trades").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let stated = rows.iter().filter_map(|row| row.get("pnl_net")?.as_str().and_then(Decimal::parse));
    let found = stated.into_iter().try_fold(Decimal::ZERO, Decimal::plus).unwrap_or_default();
    if found == expected {
        Ok(())
    } else {
        Err(format!("the profits make {found}, and the file's {expected}"))
    }
}

/// A file of no kind that is known: refused in each format, or graded if it is one after all.
fn check_unknown(bytes: &[u8], at: Timestamp) -> Result<(), String> {
    for (key, format) in trade_exports::FORMATS {
        let Err(error) = graded(&question(bytes, format, &json!({})), at) else { continue };
        let place = error.path.dotted();
        let is_named = place == "file" || place == "file_base64" || place.starts_with("import.");
        if !is_named || error.detail.is_empty() {
            return Err(format!("{key}: {error}"));
        }
    }
    Ok(())
}

fn read(
    file: &str,
    bytes: &[u8],
    format: Format,
    options: &Value,
) -> Result<Imported, trade_exports::ImportError> {
    let options: Options = serde_json::from_value(options.clone()).expect("options of this program");
    import(format, bytes, &Options { file: file.to_owned(), ..options })
}

/// The question of a caller that has the file; what is no UTF-8 is in base64.
fn question(bytes: &[u8], format: Format, options: &Value) -> Value {
    let (name, file) = match std::str::from_utf8(bytes) {
        Ok(text) => ("file", Cow::Borrowed(text)),
        Err(_) => ("file_base64", STANDARD.encode(bytes).into()),
    };
    json!({ "agent": "suite", "format": format.key(), name: file, "import": options })
}

fn graded(question: &Value, at: Timestamp) -> Result<GradeFinding, FieldError> {
    let request = Json::from(question);
    let question = GradeQuestion::read(&Fields::root(request.as_object().expect("it is an object")))?;
    question.admit(at)?;
    Ok(GradeJudge.replay(&question, &[], at).expect("it needs no evidence"))
}

/// The bytes of a file, unpacked where its name ends in `.gz`.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    let read = GzDecoder::new(&*bytes).take(MAX_UNPACKED).read_to_end(&mut unpacked);
    read.map(|_| unpacked).map_err(|error| error.to_string())
}
