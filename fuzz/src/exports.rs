//! Exports of trading platforms.

use grading::grade_strategy::GradeQuestion;
use receipt::json::Json;
use serde_json::{Value, json};
use trade_exports::{Decimal, FORMATS, Format, Imported, MAX_ROWS, Options, import};
use verdict::{Fields, Question as _};

/// The members of a row that are decimals in strings.
const NUMBERS: [&str; 9] =
    ["size", "entry_price", "exit_price", "fees", "pnl_net", "open_pnl", "equity_before", "max_loss", "r"];

/// Files, in the format of the first byte: refused with a place, or read to rows of a request.
///
/// - The same bytes give the same request.
/// - As many rows as positions, each with its row of the file; no row is lost without a count.
/// - Every number is a plain decimal.
/// - The rows are those of a request: what the reader of requests refuses, it refuses by a row of the file.
pub fn file(data: &[u8]) -> bool {
    let Some((first, bytes)) = data.split_first() else { return false };
    let (key, format) = FORMATS[usize::from(*first) % FORMATS.len()];
    let options = options(format);
    let Ok(imported) = import(format, bytes, &read(&options)) else { return false };
    assert_eq!(import(format, bytes, &read(&options)).as_ref(), Ok(&imported));
    check(&imported);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let question = json!({"format": key, "file": text, "import": options});
        let request = Json::from(&question);
        match GradeQuestion::read(&Fields::root(request.as_object().expect("it is an object"))) {
            Ok(question) => {
                let report = question.imported.expect("the rows are of a file");
                assert_eq!(usize::try_from(report.positions), Ok(imported.positions));
            }
            Err(error) => {
                assert_eq!(error.path.dotted(), "file");
                assert!(error.detail.starts_with("row "), "{error}");
            }
        }
    }
    true
}

/// Options with which a file of that format needs no more.
fn options(format: Format) -> Value {
    match format {
        Format::Generic => json!({"date_order": "day_first", "columns": {"rows": "fills", "time": "t",
            "instrument": "i", "side": "s", "quantity": "q", "price": "p", "fee": "f", "shorts": true}}),
        Format::Returns => json!({"date_order": "day_first"}),
        _ => json!({"date_order": "day_first", "zone": 60, "initial_equity": "1000"}),
    }
}

fn read(options: &Value) -> Options {
    serde_json::from_value(options.clone()).expect("the options are good")
}

fn check(imported: &Imported) {
    let Imported { request, lost, rows, positions, sources } = imported;
    let members = request.as_object().expect("a request is an object");
    assert_eq!(members.len(), 1, "trades or returns");
    let made = members.values().next().and_then(Value::as_array).expect("an array of rows");
    assert_eq!((made.len(), sources.len()), (*positions, *positions));
    assert!((1..=2 * MAX_ROWS).contains(positions) && *rows <= MAX_ROWS);
    for row in made {
        for name in NUMBERS {
            let Some(number) = row.get(name) else { continue };
            let text = number.as_str().expect("numbers are in strings");
            assert!(Decimal::parse(text).is_some() || text.len() > 18, "{text}");
            assert!(!text.contains(['e', 'E', '+']), "{text}");
        }
    }
    assert!(lost.iter().all(|loss| loss.rows > 0 && !loss.detail.is_empty()));
    assert!(lost.is_sorted_by(|one, other| one.code < other.code));
}
