//! Options as callers write them.

use serde_json::{Value, json};
use trade_exports::{Format, Options, Problem, Zone};

use crate::common::{read, refused, rows};

fn parse(options: Value) -> Result<Options, serde_json::Error> {
    serde_json::from_value(options)
}

#[test]
fn unknown_members_and_zones_are_refused() {
    for wrong in [
        json!({"zonne": 0}),
        json!({"zone": "Europe/Atlantis"}),
        json!({"zone": 5_000}),
        json!({"multiplier": "ten"}),
        json!({"columns": {"rows": "fills", "tiem": "x"}}),
        json!({"columns": {"rows": "orders"}}),
        json!({"date_order": "year_first"}),
    ] {
        assert!(parse(wrong.clone()).is_err(), "{wrong}");
    }
    for right in
        [json!({}), json!({"zone": -300}), json!({"zone": "Asia/Tokyo"}), json!({"zone": "UTC+5:30"})]
    {
        assert!(parse(right.clone()).is_ok(), "{right}");
    }
    assert_eq!(parse(json!({"zone": "UTC+8"})).unwrap().zone, Zone::minutes(480));
}

#[test]
fn equity_follows_deposits_and_profits() {
    let file = "i,o,c,n\nX,2026-01-05T09:00:00Z,2026-01-05T10:00:00Z,10\nX,2026-01-06T09:00:00Z,2026-01-06T10:00:00Z,-5
X,2026-01-07T09:00:00Z,2026-01-07T10:00:00Z,1\n";
    let columns =
        json!({"rows": "trades", "instrument": "i", "opened_at": "o", "closed_at": "c", "pnl_net": "n"});
    let flows = json!([{"at": "2026-01-06T00:00:00Z", "amount": 100}]);
    let options = json!({"columns": columns, "initial_equity": "1000", "cash_flows": flows});
    let imported = read(Format::Generic, file, options);
    let equity: Vec<&str> =
        rows(&imported).iter().map(|row| row["equity_before"].as_str().unwrap()).collect();
    assert_eq!(equity, ["1000", "1110", "1105"]);
}

#[test]
fn the_map_of_columns_must_be_there_and_name_columns_of_the_file() {
    let file = b"a,b\n2026-01-05,0.1\n";
    assert!(matches!(refused(Format::Generic, file, json!({})).2, Problem::Option { option: "columns", .. }));
    let map = json!({"columns": {"rows": "returns", "date": "a", "r": "c"}});
    let (_, column, problem) = refused(Format::Generic, file, map);
    assert!(column.as_deref() == Some("c") && matches!(problem, Problem::MissingColumn { .. }), "{problem}");
    let by_number = json!({"columns": {"rows": "returns", "header": false, "date": "1", "r": "2"}});
    assert_eq!(read(Format::Generic, "2026-01-05,0.1\n", by_number).positions, 1);
}
