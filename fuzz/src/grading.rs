//! Track records to grade.

use grading::Settled;
use grading::copy_trade::CopyQuestion;
use grading::grade_strategy::GradeQuestion;
use receipt::json::{Json, Object, parse};
use verdict::{Fields, Question};

const MEMBERS: [&str; 14] = [
    "trades",
    "returns",
    "format",
    "file",
    "file_base64",
    "import",
    "marks",
    "greatest_notional",
    "declared_trials",
    "periods_per_year",
    "risk_free",
    "benchmark",
    "alternatives",
    "costs",
];

/// Records: refused at a member that there is, or read to settlement units in order of day.
///
/// - The order of the rows makes no difference to what is graded, nor does the spelling of the JSON.
/// - A record without all that a step needs has no units; a finite one has finite units.
/// - A record with costs is read as the same one without.
pub fn question(data: &[u8]) -> bool {
    let Ok(tree) = parse(data) else { return false };
    let Json::Object(request) = &tree else { return false };
    let copied = read::<CopyQuestion>(request);
    let graded = match read::<GradeQuestion>(request) {
        Ok(question) => question.settled,
        Err(member) => {
            assert!(MEMBERS.iter().any(|known| member.split('.').next() == Some(known)), "{member}");
            assert!(copied.is_err(), "a copied record is graded too");
            return false;
        }
    };
    // A copier copies trades, and no marks of an account.
    if let Ok(copied) = copied
        && request.get("marks").is_none()
    {
        assert_eq!(text(&copied.settled), text(&graded));
    }
    check(&graded);
    let canonical = parse(&tree.canonical()).expect("a canonical form is I-JSON");
    let canonical = canonical.as_object().expect("an object stays one");
    let again = read::<GradeQuestion>(canonical).expect("the spelling makes no difference");
    assert_eq!(text(&again.settled), text(&graded));
    let turned = read::<GradeQuestion>(&turned(request)).expect("the order makes no difference");
    assert_eq!(text(&turned.settled), text(&graded));
    true
}

fn read<Q: Question>(request: &Object) -> Result<Q, String> {
    Q::read(&Fields::root(request)).map_err(|error| error.path.dotted())
}

/// The record, its beginning and the numbers of its rows, with every bit of its doubles; not where a member was first missing, since that
/// is the caller's order.
fn text(settled: &Settled) -> String {
    let missing: Vec<_> = settled.missing.iter().map(|missing| (missing.field, missing.rows)).collect();
    format!("{:?} {:?} {:?} {missing:?}", settled.record, settled.rows, settled.beginning)
}

fn check(settled: &Settled) {
    let Settled { record, rows, missing, beginning } = settled;
    assert_eq!(beginning.is_some(), record.units.len() >= grading::BEGINNING);
    assert_eq!(rows.given, rows.settled + rows.unsettled);
    assert!(record.units.len() <= rows.settled as usize);
    assert!(missing.is_empty() || record.units.is_empty());
    assert!(missing.iter().all(|missing| (1..=rows.given).contains(&missing.rows)));
    assert!(record.units.is_sorted_by(|one, other| one.day < other.day));
    let numbers = record.units.iter().flat_map(|unit| [Some(unit.x), unit.b, unit.max_loss]);
    assert!(numbers.flatten().all(f64::is_finite));
    assert!(record.alternatives.iter().all(|variant| variant.len() == record.units.len()));
    let _cost = settled.cost(0);
}

/// The request with its rows in the opposite order.
fn turned(request: &Object) -> Object {
    let mut turned = Object::new();
    for (name, value) in request.iter() {
        let value = match value {
            Json::Array(rows) if matches!(name, "trades" | "returns") => {
                Json::Array(rows.iter().rev().cloned().collect())
            }
            other => other.clone(),
        };
        turned.insert(name, value);
    }
    turned
}
