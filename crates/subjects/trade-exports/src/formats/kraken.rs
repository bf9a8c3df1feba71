//! Kraken: `trades.csv` of the history export.
//!
//! Columns: `txid`, `pair`, `time` (UTC), `type`, `price`, `cost`, `fee` (in the quote currency), `vol`, `margin`. The pair joins
//! the names of two assets, some with the prefix `X` or `Z`: `XXBTZEUR` is XBT in EUR.

use std::collections::HashSet;

use super::{is_buy, within};
use crate::error::{ImportError, Problem};
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::{Options, Zone};
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, moment};
use crate::{Decimal, Format, Imported};

const DUPLICATES: &str = "rows with an id that an earlier row has were left out";
/// Quote assets as the end of a pair, and their names.
const QUOTES: [(&str, &str); 19] = [
    ("ZUSD", "USD"),
    ("ZEUR", "EUR"),
    ("ZGBP", "GBP"),
    ("ZJPY", "JPY"),
    ("ZCAD", "CAD"),
    ("ZAUD", "AUD"),
    ("XXBT", "XBT"),
    ("XETH", "ETH"),
    ("USDT", "USDT"),
    ("USDC", "USDC"),
    ("USD", "USD"),
    ("EUR", "EUR"),
    ("GBP", "GBP"),
    ("JPY", "JPY"),
    ("CAD", "CAD"),
    ("AUD", "AUD"),
    ("CHF", "CHF"),
    ("XBT", "XBT"),
    ("ETH", "ETH"),
];

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::KrakenTrades, content, &["txid", "pair", "time", "type", "vol"])?;
    let [id, instrument, time] = [table.need(&["txid"])?, table.need(&["pair"])?, table.need(&["time"])?];
    let [side, price, fee, vol] =
        [table.need(&["type"])?, table.need(&["price"])?, table.need(&["fee"])?, table.need(&["vol"])?];
    let margin = table.find(&["margin"]);
    let mut losses = Losses::default();
    let clock = table.clock(options, Some(Zone::utc()), &[&time], &mut losses)?;
    let mut money = Money::new(options);
    let mut known = HashSet::new();
    let (mut fills, mut has_margin) = (Vec::new(), false);
    for row in &table.rows {
        if !row.text(&id).is_empty() && !known.insert(row.text(&id)) {
            losses.count(LossCode::DuplicateIds, DUPLICATES);
            continue;
        }
        let rate = money.rate(row.number, &instrument.name, quote(row, &instrument)?)?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let size = table.positive(row, &vol)?;
        let size = if is_buy(row, &side)? { size } else { size.negated() };
        let at = moment(&clock, row, &time, &mut losses)?.at;
        let unit = amount(table.positive(row, &price)?)?;
        let mut fill = Fill::new(row.number, at, row.text(&instrument), size, unit);
        fill.fee = amount(table.number(row, &fee)?.unwrap_or_default())?;
        has_margin |= table.maybe(row, margin.as_ref())?.is_some_and(|margin| margin.is_positive());
        fills.push(fill);
    }
    let trades = pair(fills, has_margin, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}

fn quote<'a>(row: &'a Row, column: &Column) -> Result<&'a str, ImportError> {
    let pair = row.text(column);
    if let Some((_, quote)) = pair.split_once('/') {
        return Ok(quote);
    }
    let known = QUOTES.iter().find(|(end, _)| pair.len() > end.len() && pair.ends_with(end));
    known.map(|&(_, name)| name).ok_or_else(|| {
        Problem::cell(pair, "a pair of assets with a known quote, such as XXBTZEUR or XBT/EUR")
            .of(row.number, &column.name)
    })
}
