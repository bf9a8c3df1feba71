//! Hyperliquid: the answer of the info API to `userFills` (JSON), and the trade history of the web page (CSV).
//!
//! JSON members: `coin`, `px`, `sz`, `side` (`B`, `A`), `time` (milliseconds), `startPosition`, `dir`, `closedPnl` (before fees),
//! `fee`, `feeToken`, `tid`. CSV columns: `time,coin,dir,px,sz,ntl,fee,closedPnl`, with `closedPnl` after the fill's own fee, and
//! times of the browser's zone, day first or month first. Funding is in another file in both.

use std::collections::HashSet;

use jiff::Timestamp;

use super::hyperliquid_json::{Cell, RawFill};
use super::within;
use crate::error::{ImportError, Problem};
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::pair::pair;
use crate::request::Record;
use crate::table::moment;
use crate::{Decimal, Format, Imported};

const COIN: &str = "USDC";
const FUNDING: &str = "funding is in another file; add it to `funding`";
const DUPLICATES: &str = "fills with an id that an earlier row has were left out";

/// Reads the answer to `userFills`.
pub(super) fn fills(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let rows = RawFill::read_all(content)?;
    let mut losses = Losses::default();
    let mut money = Money::new(options);
    let mut known = HashSet::new();
    let mut fills = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let fill = JsonFill { row: u32::try_from(at + 1).unwrap_or(u32::MAX), raw: row };
        let id = row.tid.number();
        if id.is_some_and(|id| !known.insert((id, row.side.text().unwrap_or_default().to_owned()))) {
            losses.count(LossCode::DuplicateIds, DUPLICATES);
            continue;
        }
        fills.push(fill.read(&mut money, &mut losses)?);
    }
    finish(fills, rows.len(), money, options, losses)
}

/// A fill of the API.
struct JsonFill<'a> {
    row: u32,
    raw: &'a RawFill,
}

impl<'a> JsonFill<'a> {
    fn text(&self, name: &str, cell: &'a Cell) -> Result<&'a str, ImportError> {
        cell.text().ok_or_else(|| Problem::EmptyCell { expected: "a string" }.of(self.row, name))
    }

    fn number(&self, name: &str, cell: &Cell) -> Result<Decimal, ImportError> {
        let text =
            cell.text().ok_or_else(|| Problem::EmptyCell { expected: "a string" }.of(self.row, name))?;
        Decimal::parse(text).ok_or_else(|| Problem::cell(text, "a decimal, such as 1.5").of(self.row, name))
    }

    fn positive(&self, name: &str, cell: &Cell) -> Result<Decimal, ImportError> {
        let number = self.number(name, cell)?;
        let wrong = || Problem::cell(&number.to_string(), "above zero").of(self.row, name);
        Some(number).filter(|number| number.is_positive()).ok_or_else(wrong)
    }

    fn read(&self, money: &mut Money<'_>, losses: &mut Losses) -> Result<Fill, ImportError> {
        let raw = self.raw;
        let coin = self.text("coin", &raw.coin)?;
        let at = raw.time.number().and_then(|millis| Timestamp::from_millisecond(millis).ok());
        let at = at.filter(|at| (0..4_102_444_800).contains(&at.as_second()));
        let at =
            at.ok_or_else(|| Problem::EmptyCell { expected: "a time in milliseconds" }.of(self.row, "time"))?;
        let rate = money.rate(self.row, "feeToken", COIN)?;
        let amount = |number: Decimal| within(number.times(rate), self.row);
        let size = self.positive("sz", &raw.sz)?;
        let size = match self.text("side", &raw.side)? {
            "B" => size,
            "A" => size.negated(),
            other => return Err(Problem::cell(other, "`A` or `B`").of(self.row, "side")),
        };
        let mut fill = Fill::new(self.row, at, coin, size, amount(self.positive("px", &raw.px)?)?);
        fill.profit = Some(amount(self.number("closedPnl", &raw.closed_pnl)?)?);
        let is_spot = coin.starts_with('@') || coin.contains('/');
        if is_spot {
            fill.profit = None;
        } else {
            fill.start = Some(self.number("startPosition", &raw.start_position)?);
        }
        let (fee, token) = (self.number("fee", &raw.fee)?, raw.fee_token.text().unwrap_or(COIN));
        if is_spot
            && token != COIN
            && fill.is_buy()
            && coin.split('/').next().is_some_and(|base| base == token || coin.starts_with('@'))
        {
            fill.fee_in_kind = fee;
        } else if token == COIN {
            fill.fee = amount(fee)?;
        } else {
            fill.fee = money.fee(fee, token, losses).unwrap_or_default();
        }
        Ok(fill)
    }
}

/// Reads the export of the web page.
pub(super) fn csv(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table =
        super::table_with(Format::HyperliquidCsv, content, &["coin", "dir", "px", "sz", "closedPnl"])?;
    let [time, coin, dir, px, sz, fee, profit] = [
        table.need(&["time"])?,
        table.need(&["coin"])?,
        table.need(&["dir"])?,
        table.need(&["px"])?,
        table.need(&["sz"])?,
        table.need(&["fee"])?,
        table.need(&["closedPnl"])?,
    ];
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&time], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills = Vec::new();
    for row in &table.rows {
        let rate = money.rate(row.number, &fee.name, COIN)?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let is_buy = match row.text(&dir) {
            "Open Long"
            | "Close Short"
            | "Short > Long"
            | "Buy"
            | "Liquidated Isolated Short"
            | "Liquidated Cross Short" => true,
            "Open Short"
            | "Close Long"
            | "Long > Short"
            | "Sell"
            | "Liquidated Isolated Long"
            | "Liquidated Cross Long" => false,
            _ => return Err(row.error(&dir, "a direction, such as `Open Long`")),
        };
        let size = table.positive(row, &sz)?;
        let size = if is_buy { size } else { size.negated() };
        let at = moment(&clock, row, &time, &mut losses)?.at;
        let mut fill = Fill::new(row.number, at, row.text(&coin), size, amount(table.positive(row, &px)?)?);
        fill.fee = amount(table.need_number(row, &fee)?)?;
        // It is after the fee of the fill itself.
        let net = amount(table.need_number(row, &profit)?)?;
        let is_spot = matches!(row.text(&dir), "Buy" | "Sell");
        fill.profit = Some(within(net.plus(fill.fee), row.number)?).filter(|_| !is_spot);
        fills.push(fill);
    }
    finish(fills, table.rows.len(), money, options, losses)
}

fn finish(
    fills: Vec<Fill>,
    rows: usize,
    money: Money<'_>,
    options: &Options,
    mut losses: Losses,
) -> Result<Imported, ImportError> {
    if options.funding.is_empty() {
        losses.add(LossCode::FundingElsewhere, fills.len(), FUNDING);
    }
    let trades = pair(fills, true, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows, trades, currency, ..Record::default() }.imported(options, losses)
}
