//! Pairing of fills, by the format `generic`.

use proptest::prelude::*;
use serde_json::{Value, json};
use trade_exports::{Format, LossCode};

use crate::common::{decimal, lost, read, rows, settled, sum};

fn map() -> Value {
    json!({"rows": "fills", "time": "t", "instrument": "i", "side": "s", "quantity": "q", "price": "p", "fee": "f", "shorts": true})
}

fn file(rows: &[&str]) -> String {
    format!("t,i,s,q,p,f\n{}\n", rows.join("\n"))
}

#[test]
fn identical_partial_fills_count_each() {
    let fills = file(&[
        "2026-01-05T10:00:00Z,X,buy,1,100,0.1",
        "2026-01-05T10:00:00Z,X,buy,1,100,0.1",
        "2026-01-05T11:00:00Z,X,sell,1,110,0.1",
        "2026-01-05T11:00:00Z,X,sell,1,110,0.1",
    ]);
    let imported = read(Format::Generic, &fills, json!({"columns": map()}));
    assert_eq!((imported.positions, sum(&imported, "pnl_net")), (1, decimal("19.6")));
    assert_eq!(rows(&imported)[0]["size"], "2");
}

#[test]
fn a_fill_through_zero_closes_and_opens() {
    let fills = file(&[
        "2026-01-05T10:00:00Z,X,buy,1,100,0",
        "2026-01-05T11:00:00Z,X,sell,3,110,0.3",
        "2026-01-05T12:00:00Z,X,buy,2,105,0",
    ]);
    let imported = read(Format::Generic, &fills, json!({"columns": map()}));
    let [long, short] = rows(&imported) else { panic!("two trades") };
    assert_eq!(
        (&long["pnl_net"], &short["pnl_net"], &short["size"]),
        (&json!("9.9"), &json!("9.8"), &json!("2"))
    );
}

#[test]
fn a_file_that_begins_with_its_last_row_is_turned_round() {
    let fills = file(&["2026-01-05T11:00:00Z,X,sell,1,110,0", "2026-01-05T10:00:00Z,X,buy,1,100,0"]);
    let imported = read(Format::Generic, &fills, json!({"columns": map()}));
    assert_eq!((&rows(&imported)[0]["side"], settled(&imported)), (&json!("long"), 1));
}

#[test]
fn a_rest_that_is_open_hides_no_loss() {
    let fills = file(&["2026-01-05T10:00:00Z,X,buy,10,100,1", "2026-01-05T11:00:00Z,X,sell,9,50,0.9"]);
    let imported = read(Format::Generic, &fills, json!({"columns": map()}));
    let [open, closed] = rows(&imported) else { panic!("two rows") };
    assert_eq!((&open["settled"], &open["size"], open.get("pnl_net")), (&json!(false), &json!("1"), None));
    assert_eq!((&closed["pnl_net"], &closed["fees"]), (&json!("-451.8"), &json!("1.8")));
    assert_eq!(lost(&imported, LossCode::OpenPositions), 1);
    let imported = read(Format::Generic, &fills, json!({"columns": map(), "dust": "0.1"}));
    assert_eq!((settled(&imported), lost(&imported, LossCode::DustLeft)), (1, 1));
}

#[test]
fn funding_belongs_to_the_position_that_was_open() {
    let fills = file(&["2026-01-05T10:00:00Z,X,buy,1,100,0", "2026-01-05T12:00:00Z,X,sell,1,110,0"]);
    let funding = json!([{"at": "2026-01-05T11:00:00Z", "amount": "-0.25", "instrument": "X"},
        {"at": "2026-01-05T12:00:00Z", "amount": "1", "instrument": "X"}]);
    let imported = read(Format::Generic, &fills, json!({"columns": map(), "funding": funding}));
    let row = &rows(&imported)[0];
    assert_eq!(
        (&row["pnl_net"], &row["fees"], &row["fee_is_rebate"]),
        (&json!("10.75"), &json!("-0.75"), &json!(true))
    );
}

#[test]
fn trades_that_are_the_same_in_all_members_are_merged() {
    let columns = json!({"rows": "trades", "instrument": "i", "side": "s", "opened_at": "o", "closed_at": "c", "quantity": "q",
        "entry_price": "e", "exit_price": "x", "pnl_net": "n"});
    let row = "X,long,2026-01-05T10:00:00Z,2026-01-05T11:00:00Z,1,100,110,10";
    let twice = row.replace(",1,100,110,10", ",2,100,110,20");
    let file = format!("i,s,o,c,q,e,x,n\n{row}\n{row}\n{twice}\n");
    let imported = read(Format::Generic, &file, json!({"columns": columns}));
    assert_eq!((imported.positions, &rows(&imported)[0]["size"]), (1, &json!("4")));
    assert_eq!((sum(&imported, "pnl_net"), lost(&imported, LossCode::IdenticalMerged)), (decimal("40"), 2));
}

#[test]
fn a_hundred_thousand_fills_of_one_second_are_paired() {
    let pair = ["2026-01-05T10:00:00Z,X,buy,1,100,0", "2026-01-05T10:00:00Z,X,sell,1,101,0"];
    let all: Vec<&str> = pair.into_iter().cycle().take(100_000).collect();
    let imported = read(Format::Generic, &file(&all), json!({"columns": map()}));
    assert_eq!((imported.positions, sum(&imported, "pnl_net")), (1, decimal("50000")));
}

proptest! {
    #[test]
    fn profits_are_what_was_sold_less_what_was_bought(fills in prop::collection::vec((-9_i64..10, 1_i64..500, 0_i64..9), 1..40)) {
        let held: i64 = fills.iter().map(|(size, _, _)| size).sum();
        let fills: Vec<_> = fills.into_iter().chain([(-held, 77, 1)]).filter(|(size, _, _)| *size != 0).collect();
        prop_assume!(!fills.is_empty());
        let minute = |at: usize| format!("2026-01-05T{:02}:{:02}:00Z", at / 60, at % 60);
        let lines: Vec<String> = fills.iter().enumerate().map(|(at, (size, price, fee))| {
            let side = if *size > 0 { "buy" } else { "sell" };
            format!("{},X,{side},{},{price},{fee}", minute(at), size.abs())
        }).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let imported = read(Format::Generic, &file(&lines), json!({"columns": map()}));
        let expected: i64 = fills.iter().map(|(size, price, fee)| -size * price - fee).sum();
        prop_assert_eq!(sum(&imported, "pnl_net"), decimal(&expected.to_string()));
        prop_assert_eq!(settled(&imported), imported.positions);
    }
}
