//! Binance: spot trade history and USDT-M futures trade history (CSV).
//!
//! Spot columns: `Date(UTC)`, `Pair`, `Side`, `Price`, `Executed`, `Amount`, `Fee`, the last three with the coin as a suffix
//! (`0.0200BTC`). Futures columns: `Date(UTC)`, `Symbol`, `Side`, `Price`, `Quantity`, `Amount`, `Fee`, `Fee Coin` in some,
//! `Realized Profit` (before fees), `Quote Asset`. Funding is in the transaction history.

use super::{is_buy, within};
use crate::error::ImportError;
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::{Options, Zone};
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, moment};
use crate::{Decimal, Format, Imported, text};

const FUNDING: &str = "funding is in the transaction history, another file; add it to `funding`";
const EXPECTED: &str = "a number with its coin, such as 0.02BTC";

/// A number and the coin that follows it.
fn with_coin<'a>(row: &'a Row, column: &Column) -> Result<(Decimal, &'a str), ImportError> {
    let cell = row.text(column);
    if let Some(number) = text::number(cell, false) {
        return Ok((number, ""));
    }
    // The coin may begin with a digit, such as 1INCH: then the number cannot be told from it.
    let end = cell.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(cell.len());
    let (number, coin) = cell.split_at(end);
    if coin
        .trim_start_matches(['e', 'E'])
        .starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
    {
        return Err(row.error(column, EXPECTED));
    }
    let number = text::number(number, false).ok_or_else(|| row.error(column, EXPECTED))?;
    Ok((number, coin.trim()))
}

pub(super) fn spot(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::BinanceSpot, content, &["Pair", "Side", "Price", "Executed"])?;
    let [date, instrument, side] =
        [table.need(&["Date(UTC)", "Time(UTC)"])?, table.need(&["Pair"])?, table.need(&["Side"])?];
    let [price, executed, amount, fee] = [
        table.need(&["Price"])?,
        table.need(&["Executed"])?,
        table.need(&["Amount"])?,
        table.need(&["Fee"])?,
    ];
    let mut losses = Losses::default();
    let clock = table.clock(options, Some(Zone::utc()), &[&date], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills = Vec::new();
    for row in &table.rows {
        let (size, base) = with_coin(row, &executed)?;
        let (_, quote) = with_coin(row, &amount)?;
        let (cost, coin) = with_coin(row, &fee)?;
        if !size.is_positive() {
            return Err(row.error(&executed, "a number above zero with its coin"));
        }
        let rate = money.rate(row.number, &amount.name, quote)?;
        let unit = within(table.positive(row, &price)?.times(rate), row.number)?;
        let is_buy = is_buy(row, &side)?;
        let at = moment(&clock, row, &date, &mut losses)?.at;
        let mut fill = Fill::new(
            row.number,
            at,
            row.text(&instrument),
            if is_buy { size } else { size.negated() },
            unit,
        );
        if coin == quote || coin.is_empty() {
            fill.fee = within(cost.times(rate), row.number)?;
        } else if coin == base && is_buy {
            fill.fee_in_kind = cost;
        } else {
            fill.fee = money.fee(cost, coin, &mut losses).unwrap_or_default();
        }
        fills.push(fill);
    }
    let trades = pair(fills, false, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}

pub(super) fn futures(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::BinanceFutures, content, &["Symbol", "Side", "Realized Profit"])?;
    let [date, instrument, side] =
        [table.need(&["Date(UTC)", "Time(UTC)"])?, table.need(&["Symbol"])?, table.need(&["Side"])?];
    let [price, quantity, fee, profit] = [
        table.need(&["Price"])?,
        table.need(&["Quantity"])?,
        table.need(&["Fee"])?,
        table.need(&["Realized Profit"])?,
    ];
    let (fee_coin, quote) = (table.find(&["Fee Coin"]), table.find(&["Quote Asset"]));
    let mut losses = Losses::default();
    let clock = table.clock(options, Some(Zone::utc()), &[&date], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills = Vec::new();
    for row in &table.rows {
        let quote = row.maybe(quote.as_ref());
        let column = if quote.is_empty() { &profit.name } else { "Quote Asset" };
        let rate = money.rate(row.number, column, quote)?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let size = table.positive(row, &quantity)?;
        let size = if is_buy(row, &side)? { size } else { size.negated() };
        let at = moment(&clock, row, &date, &mut losses)?.at;
        let unit = amount(table.positive(row, &price)?)?;
        let mut fill = Fill::new(row.number, at, row.text(&instrument), size, unit);
        let (cost, suffix) = with_coin(row, &fee)?;
        let coin = if suffix.is_empty() { row.maybe(fee_coin.as_ref()) } else { suffix };
        fill.fee = if coin.is_empty() || coin == quote {
            amount(cost)?
        } else {
            money.fee(cost, coin, &mut losses).unwrap_or_default()
        };
        let (stated, _) = with_coin(row, &profit)?;
        fill.profit = Some(amount(stated)?);
        fills.push(fill);
    }
    if options.funding.is_empty() {
        losses.add(LossCode::FundingElsewhere, fills.len(), FUNDING);
    }
    let trades = pair(fills, true, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}
