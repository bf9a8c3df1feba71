//! OKX: trading history (CSV).
//!
//! The first line has the account and the zone: `UID:000,Account Type:Main,Time Zone:UTC+8`. Columns: `id`, `Order id`, `Time`,
//! `Trade Type`, `Symbol`, `Action`, `Amount`, `Trading Unit`, `Filled Price`, `PnL`, `Fee` (below zero for a cost), `Fee Unit`. A spot
//! trade has two rows, one for each coin; a fee may be in the coin that was bought. Derivatives have one row, with `PnL` before
//! fees and sizes in contracts.

use super::within;
use crate::error::ImportError;
use crate::fill::{Effect, Fill};
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::{Options, Zone};
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, Table, moment};
use crate::{Decimal, Format, Imported};

const FUNDING: &str = "funding of derivatives is in another file; add it to `funding`";

struct Columns {
    time: Column,
    kind: Column,
    symbol: Column,
    action: Column,
    amount: Column,
    unit: Column,
    price: Column,
    profit: Column,
    fee: Column,
    fee_unit: Column,
}

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table =
        super::table_with(Format::OkxTrading, content, &["Trade Type", "Symbol", "Action", "Filled Price"])?;
    let columns = Columns {
        time: table.need(&["Time"])?,
        kind: table.need(&["Trade Type"])?,
        symbol: table.need(&["Symbol"])?,
        action: table.need(&["Action"])?,
        amount: table.need(&["Amount"])?,
        unit: table.need(&["Trading Unit"])?,
        price: table.need(&["Filled Price"])?,
        profit: table.need(&["PnL"])?,
        fee: table.need(&["Fee"])?,
        fee_unit: table.need(&["Fee Unit"])?,
    };
    let first = content.lines().next().unwrap_or_default();
    let zone =
        first.split(',').find_map(|part| part.trim().strip_prefix("Time Zone:")).and_then(Zone::of_text);
    let mut losses = Losses::default();
    let clock = table.clock(options, zone, &[&columns.time], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills: Vec<Fill> = Vec::new();
    let (mut has_shorts, mut derivatives) = (false, 0);
    for row in &table.rows {
        let mut names = row.text(&columns.symbol).split('-');
        let (base, quote) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let is_spot = matches!(row.text(&columns.kind).to_ascii_lowercase().as_str(), "spot" | "margin");
        has_shorts |= !row.text(&columns.kind).eq_ignore_ascii_case("spot");
        let settle = if quote == "USD" && !is_spot { base } else { quote };
        let rate = money.rate(row.number, &columns.symbol.name, settle)?;
        if is_spot && row.text(&columns.unit) != base {
            quote_row(&table, row, &columns, fills.last_mut(), rate)?;
            continue;
        }
        let at = moment(&clock, row, &columns.time, &mut losses)?.at;
        let (is_buy, effect) = action(row, &columns.action)?;
        let size = table.positive(row, &columns.amount)?;
        let size = if is_buy { size } else { size.negated() };
        let unit = within(table.positive(row, &columns.price)?.times(rate), row.number)?;
        let mut fill = Fill::new(row.number, at, row.text(&columns.symbol), size, unit);
        fill.effect = effect;
        let fee = table.number(row, &columns.fee)?.unwrap_or_default().negated();
        let fee_unit = row.text(&columns.fee_unit);
        if is_spot && is_buy && fee_unit == base {
            fill.fee_in_kind = fee;
        } else if fee_unit == settle {
            fill.fee = within(fee.times(rate), row.number)?;
        } else {
            fill.fee = money.fee(fee, fee_unit, &mut losses).unwrap_or_default();
        }
        if !is_spot {
            derivatives += 1;
            let profit = table.number(row, &columns.profit)?.unwrap_or_default();
            fill.profit = Some(within(profit.times(rate), row.number)?);
        }
        fills.push(fill);
    }
    if options.funding.is_empty() {
        losses.add(LossCode::FundingElsewhere, derivatives, FUNDING);
    }
    let trades = pair(fills, has_shorts, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, has_lots: true, ..Record::default() }
        .imported(options, losses)
}

/// The second row of a spot trade: its fee belongs to the first.
fn quote_row(
    table: &Table,
    row: &Row,
    columns: &Columns,
    fill: Option<&mut Fill>,
    rate: Decimal,
) -> Result<(), ImportError> {
    let fee = table.number(row, &columns.fee)?.unwrap_or_default().negated();
    let Some(fill) = fill else {
        return Err(row.error(&columns.unit, "the symbol's first coin, in the first row of a spot trade"));
    };
    fill.fee = within(fee.times(rate).and_then(|fee| fill.fee.plus(fee)), row.number)?;
    Ok(())
}

/// True for a purchase; and what it does.
fn action(row: &Row, column: &Column) -> Result<(bool, Effect), ImportError> {
    match row.text(column).to_ascii_lowercase().as_str() {
        "buy" => Ok((true, Effect::Net)),
        "sell" => Ok((false, Effect::Net)),
        "open long" => Ok((true, Effect::Open)),
        "open short" => Ok((false, Effect::Open)),
        "close long" => Ok((false, Effect::Close)),
        "close short" => Ok((true, Effect::Close)),
        _ => {
            Err(row.error(column, "`Buy`, `Sell`, `Open long`, `Close long`, `Open short` or `Close short`"))
        }
    }
}
