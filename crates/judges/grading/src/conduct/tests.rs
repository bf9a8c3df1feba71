use proptest::prelude::*;

use super::*;

/// A row: instrument, side, opening and close in minutes of 2024, entry and exit price, size; the equity is 1,000.
type Row = (&'static str, bool, u32, u32, f64, f64, f64);

fn trade((instrument, is_long, opened, closed, entry, exit, size): Row) -> Trade {
    let time = |minute: u32| {
        let at = jiff::Timestamp::from_second(1_704_067_200 + i64::from(minute) * 60).unwrap();
        at.to_string()
    };
    let side = if is_long { "long" } else { "short" };
    let pnl = (exit - entry) * size * if is_long { 1.0 } else { -1.0 };
    let row = format!(
        r#"{{"instrument": "{instrument}", "side": "{side}", "opened_at": "{}", "closed_at": "{}", "settled": true,
            "size": {size}, "entry_price": {entry}, "exit_price": {exit}, "fees": 0, "pnl_net": {pnl}, "equity_before": 1000}}"#,
        time(opened),
        time(closed),
    );
    let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else { panic!() };
    Trade::read(verdict::Fields::root(&row)).unwrap()
}

fn conduct(rows: &[Row]) -> Conduct {
    let trades: Vec<Trade> = rows.iter().map(|row| trade(*row)).collect();
    Conduct::of(&trades.iter().collect::<Vec<_>>())
}

/// Tosses of a fair coin: a bit of a hash of their number.
fn is_won(at: u32) -> bool {
    let mut bits = at.wrapping_add(0x9e37_79b9);
    bits = (bits ^ bits >> 16).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 13).wrapping_mul(0xc2b2_ae35);
    (bits >> 16) & 1 == 0
}

/// Tosses one after the other, of a size by the number of losses in a row; `lots` rows make each size.
fn tosses(size: impl Fn(u32) -> f64, in_lots: bool) -> Vec<Row> {
    let mut losses = 0;
    let mut rows = Vec::new();
    for at in 0..200 {
        let exit = if is_won(at) { 101.0 } else { 99.0 };
        let size = size(losses.min(5));
        let lots = if in_lots { size.round() as u32 } else { 1 };
        for _ in 0..lots {
            rows.push(("X", true, at * 60, at * 60 + 30, 100.0, exit, size / f64::from(lots)));
        }
        losses = if is_won(at) { 0 } else { losses + 1 };
    }
    rows
}

#[test]
fn stakes_that_double_after_losses_are_a_martingale_in_any_lots() {
    for in_lots in [false, true] {
        let doubled = conduct(&tosses(|losses| f64::from(1_u32 << losses), in_lots));
        assert!(doubled.is_martingale(), "{doubled:?}");
        assert!(doubled.size_after_loss.unwrap() > 0.5 && doubled.largest_over_median.unwrap() > 4.0);
        let constant = conduct(&tosses(|_| 4.0, in_lots));
        assert_eq!((constant.size_after_loss, constant.largest_over_median), (Some(0.0), Some(1.0)));
        assert!(!constant.is_martingale());
    }
    // Less after a loss is the opposite.
    assert!(!conduct(&tosses(|losses| 1.0 / f64::from(1_u32 << losses), false)).is_martingale());
}

#[test]
fn stakes_that_double_show_in_the_results_where_sizes_are_not_given_or_not_true() {
    let rows = tosses(|losses| f64::from(1_u32 << losses), false);
    let trades: Vec<Trade> = rows.iter().map(|row| trade(*row)).collect();
    let bare = |trade: &Trade| Trade { exit_price: None, ..trade.clone() };
    let unsized_ones: Vec<Trade> = trades.iter().map(|row| Trade { size: None, ..bare(row) }).collect();
    let untrue: Vec<Trade> = trades.iter().map(|row| Trade { size: Some(1.0), ..bare(row) }).collect();
    for trades in [unsized_ones, untrue] {
        let found = Conduct::of(&trades.iter().collect::<Vec<_>>());
        assert!(found.is_martingale(), "{found:?}");
    }
}

#[test]
fn gains_that_are_larger_than_losses_are_no_martingale_though_they_alternate() {
    let rows: Vec<Row> = (0..200)
        .map(|at| {
            let exit = if at % 3 == 2 { 99.0 } else { 101.5 + f64::from(at % 7) / 10.0 };
            ("X", true, at * 60, at * 60 + 30, 100.0, exit, 1.0)
        })
        .collect();
    let bare = |row: &Row| Trade { exit_price: None, ..trade(*row) };
    let trades: Vec<Trade> = rows.iter().map(bare).collect();
    assert!(!Conduct::of(&trades.iter().collect::<Vec<_>>()).is_martingale());
}

#[test]
fn a_year_of_larger_stakes_is_no_martingale() {
    let mut rows = tosses(|_| 1.0, false);
    rows.iter_mut().skip(100).for_each(|row| row.6 = 8.0);
    let found = conduct(&rows);
    assert!(!found.is_martingale() && found.size_after_loss.unwrap() < MARTINGALE, "{found:?}");
}

#[test]
fn another_instrument_between_does_not_hide_a_martingale() {
    let mut rows = Vec::new();
    for (at, row) in tosses(|losses| f64::from(1_u32 << losses), false).into_iter().enumerate() {
        let minute = row.3;
        rows.push(row);
        let exit = if is_won(u32::try_from(at).unwrap() + 7_919) { 50.1 } else { 49.9 };
        rows.push(("NOISE", true, minute + 5, minute + 10, 50.0, exit, 3.0));
    }
    assert!(conduct(&rows).is_martingale());
}

/// Positions of ten lots, each lot at a price further by a step; all close together.
fn ladder(step: f64) -> Vec<Row> {
    let lots = |position: u32| {
        (0..10).map(move |lot| {
            let entry = 100.0 + step * f64::from(lot);
            ("X", true, position * 1_000 + lot, position * 1_000 + 500, entry, 100.0 + step, 1.0)
        })
    };
    (0..25).flat_map(lots).collect()
}

#[test]
fn positions_that_are_added_to_at_a_loss_are_a_grid_and_those_added_to_at_a_gain_are_not() {
    let grid = conduct(&ladder(-0.1));
    assert_eq!((grid.added_to_losers, grid.is_martingale()), (Some(1.0), true));
    let pyramid = conduct(&ladder(0.1));
    assert_eq!((pyramid.added_to_losers, pyramid.is_martingale()), (Some(0.0), false));
    // Three parts are no fourfold position.
    let parts: Vec<Row> = ladder(-0.1).into_iter().filter(|row| row.2 % 1_000 < 3).collect();
    assert!(!conduct(&parts).is_martingale());
    let short: Vec<Row> =
        ladder(0.1).into_iter().map(|row| (row.0, false, row.2, row.3, row.4, row.5, row.6)).collect();
    assert!(conduct(&short).is_martingale(), "a short position loses as prices rise");
}

proptest! {
    #[test]
    fn the_order_of_rows_makes_no_difference(sizes in proptest::collection::vec(1_u32..50, 3..60), turn in 0_usize..60) {
        let rows: Vec<Row> = sizes.iter().enumerate().map(|(at, size)| {
            let minute = u32::try_from(at).unwrap() * 37;
            let exit = if is_won(*size) { 101.0 } else { 98.0 };
            (["X", "Y"][at % 2], at % 3 == 0, minute, minute + size, 100.0, exit, f64::from(*size))
        }).collect();
        let mut turned = rows.clone();
        turned.rotate_left(turn % rows.len());
        prop_assert_eq!(conduct(&rows), conduct(&turned));
    }
}

/// A trader whose sizes are drawn without regard to results: spread over a factor of ten, and more volatile in one half.
fn drawn(seed: u64) -> Vec<Row> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
    };
    let count = 40 + u32::try_from(seed % 200).unwrap();
    (0..count)
        .map(|at| {
            let wide = if at * 2 < count { 1.0 } else { 3.0 };
            let size = 10_f64.powf(uniform()) / wide;
            let exit = 100.0 + wide * (uniform() + uniform() - 1.0);
            (["X", "Y"][(at % 2) as usize], uniform() < 0.5, at * 60, at * 60 + 30, 100.0, exit, size)
        })
        .collect()
}

#[test]
fn sizes_that_are_drawn_without_regard_to_losses_are_no_martingale() {
    for unpriced in [false, true] {
        let called = (1..=1_000).filter(|seed| {
            let trades = drawn(*seed).into_iter().map(trade);
            let exit = |trade: Trade| if unpriced { Trade { exit_price: None, ..trade } } else { trade };
            let trades: Vec<Trade> = trades.map(exit).collect();
            Conduct::of(&trades.iter().collect::<Vec<_>>()).is_martingale()
        });
        let called = called.count();
        assert!(called <= 1, "{called} of 1,000");
    }
}
