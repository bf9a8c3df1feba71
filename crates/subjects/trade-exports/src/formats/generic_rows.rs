//! Rows of any CSV file to fills and trades.

use super::within;
use crate::clock::Clock;
use crate::columns::ColumnMap;
use crate::error::{ImportError, Problem};
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, Table, moment};
use crate::trade::{Side, Trade};
use crate::{Decimal, Imported};

const OPEN: &str = "trades without a close count as open; add `open_pnl`";

/// The columns of a map, found in the header.
struct Found<'a> {
    table: &'a Table,
    map: &'a ColumnMap,
    instrument: Option<Column>,
    currency: Option<Column>,
    side: Option<Column>,
    quantity: Option<Column>,
    id: Option<Column>,
    fee: Option<Column>,
    fee_currency: Option<Column>,
    profit_gross: Option<Column>,
}

impl<'a> Found<'a> {
    fn new(table: &'a Table, map: &'a ColumnMap) -> Result<Self, ImportError> {
        Ok(Self {
            table,
            map,
            instrument: maybe(table, &map.instrument)?,
            currency: maybe(table, &map.currency)?,
            side: maybe(table, &map.side)?,
            quantity: maybe(table, &map.quantity)?,
            id: maybe(table, &map.id)?,
            fee: maybe(table, &map.fee)?,
            fee_currency: maybe(table, &map.fee_currency)?,
            profit_gross: maybe(table, &map.pnl_gross)?,
        })
    }

    fn side(&self, row: &Row) -> Result<Option<Side>, ImportError> {
        let Some(column) = &self.side else { return Ok(None) };
        let text = row.text(column);
        let is_one = |known: &[&str], words: &[String]| {
            known.iter().any(|word| text.eq_ignore_ascii_case(word))
                || words.iter().any(|word| text.to_lowercase() == word.to_lowercase())
        };
        if is_one(&["buy", "b", "long"], &self.map.buy_words) {
            return Ok(Some(Side::Long));
        }
        if is_one(&["sell", "s", "short"], &self.map.sell_words) {
            return Ok(Some(Side::Short));
        }
        Err(row.error(column, "`buy` or `sell`, or one of `buy_words` and `sell_words`"))
    }

    /// The fee in the record's currency, a cost above zero.
    fn fee(
        &self,
        row: &Row,
        money: &Money<'_>,
        rate: Decimal,
        losses: &mut Losses,
    ) -> Result<Option<Decimal>, ImportError> {
        let Some(fee) = self.table.maybe(row, self.fee.as_ref())? else { return Ok(None) };
        let fee = if self.map.fee_is_negative { fee.negated() } else { fee };
        let (coin, own) = (row.maybe(self.fee_currency.as_ref()), row.maybe(self.currency.as_ref()));
        if coin.is_empty() || coin == own {
            return within(fee.times(rate), row.number).map(Some);
        }
        Ok(Some(money.fee(fee, coin, losses).unwrap_or_default()))
    }
}

fn maybe(table: &Table, name: &Option<String>) -> Result<Option<Column>, ImportError> {
    name.as_ref().map(|name| table.need(&[name])).transpose()
}

fn need(table: &Table, member: &'static str, name: &Option<String>) -> Result<Column, ImportError> {
    match name {
        Some(name) => table.need(&[name]),
        None => {
            Err(Problem::Option { option: "columns", detail: format!("must name the column `{member}`") }
                .anywhere())
        }
    }
}

/// Purchases and sales.
pub(super) fn fills(
    table: &Table,
    map: &ColumnMap,
    options: &Options,
    mut losses: Losses,
) -> Result<Imported, ImportError> {
    let found = Found::new(table, map)?;
    let time = need(table, "time", &map.time)?;
    let day = maybe(table, &map.day)?;
    let quantity = need(table, "quantity", &map.quantity)?;
    let (price, total) = (maybe(table, &map.price)?, maybe(table, &map.total)?);
    let clock = table.clock(options, None, &[day.as_ref().unwrap_or(&time)], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills = Vec::new();
    for row in &table.rows {
        let rate = money.rate(
            row.number,
            &map.currency.clone().unwrap_or_default(),
            row.maybe(found.currency.as_ref()),
        )?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let at = match &day {
            Some(day) => {
                let text = format!("{} {}", row.text(day), row.text(&time));
                clock.moment(row.number, &time.name, &text, &mut losses)?
            }
            None => moment(&clock, row, &time, &mut losses)?,
        };
        let size = table.need_number(row, &quantity)?;
        if size.is_zero() {
            return Err(row.error(&quantity, "a size other than zero"));
        }
        let size = found.side(row)?.map_or(size, |side| side.signed(size.abs()));
        let unit = match (&price, &total) {
            (Some(price), _) => table.price(row, price)?,
            (None, Some(total)) => {
                let total = table.need_number(row, total)?.abs();
                within(total.over(size.abs()), row.number)?
            }
            (None, None) => need(table, "price", &None).map(|_| Decimal::ZERO)?,
        };
        let instrument = row.maybe(found.instrument.as_ref());
        let instrument = Some(instrument).filter(|name| !name.is_empty()).or(options.instrument.as_deref());
        let mut fill = Fill::new(row.number, at.at, instrument.unwrap_or("unnamed"), size, amount(unit)?);
        fill.fee = found.fee(row, &money, rate, &mut losses)?.unwrap_or_default();
        fill.profit = table.maybe(row, found.profit_gross.as_ref())?.map(amount).transpose()?;
        fills.push(fill);
    }
    let trades = pair(fills, map.shorts, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, has_lots: true, ..Record::default() }
        .imported(options, losses)
}

/// Columns that only trades have.
struct TradeColumns {
    opened: Option<Column>,
    closed: Column,
    entry: Option<Column>,
    exit: Option<Column>,
    net: Option<Column>,
    max_loss: Option<Column>,
    equity: Option<Column>,
    benchmark: Option<Column>,
}

/// Positions with opening and close.
pub(super) fn trades(
    table: &Table,
    map: &ColumnMap,
    options: &Options,
    mut losses: Losses,
) -> Result<Imported, ImportError> {
    let found = Found::new(table, map)?;
    let columns = TradeColumns {
        opened: maybe(table, &map.opened_at)?,
        closed: need(table, "closed_at", &map.closed_at)?,
        entry: maybe(table, &map.entry_price)?,
        exit: maybe(table, &map.exit_price)?,
        net: maybe(table, &map.pnl_net)?,
        max_loss: maybe(table, &map.max_loss)?,
        equity: maybe(table, &map.equity_before)?,
        benchmark: maybe(table, &map.benchmark)?,
    };
    let dates: Vec<&Column> = columns.opened.iter().chain([&columns.closed]).collect();
    let clock = table.clock(options, None, &dates, &mut losses)?;
    let mut money = Money::new(options);
    let mut trades = Vec::new();
    for row in &table.rows {
        trades.push(trade(&found, &columns, row, &clock, &mut money, &mut losses)?);
    }
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, has_lots: true, ..Record::default() }
        .imported(options, losses)
}

fn trade(
    found: &Found<'_>,
    columns: &TradeColumns,
    row: &Row,
    clock: &Clock,
    money: &mut Money<'_>,
    losses: &mut Losses,
) -> Result<Trade, ImportError> {
    let table = found.table;
    let currency = found.map.currency.as_deref().unwrap_or_default();
    let rate = money.rate(row.number, currency, row.maybe(found.currency.as_ref()))?;
    let amount = |column: &Option<Column>| match table.maybe(row, column.as_ref())? {
        Some(number) => within(number.times(rate), row.number).map(Some),
        None => Ok(None),
    };
    let price = |column: &Option<Column>| {
        if let Some(column) = column.as_ref().filter(|column| !row.text(column).is_empty()) {
            table.price(row, column)?;
        }
        amount(column)
    };
    let is_open = row.text(&columns.closed).is_empty();
    if is_open {
        losses.count(LossCode::OpenPositions, OPEN);
    }
    let quantity = table.maybe(row, found.quantity.as_ref())?;
    let fees = found.fee(row, money, rate, losses)?;
    let net = match (amount(&columns.net)?, amount(&found.profit_gross)?) {
        (Some(net), _) => Some(net),
        (None, Some(gross)) => Some(within(gross.minus(fees.unwrap_or_default()), row.number)?),
        (None, None) => None,
    };
    let mut trade = Trade {
        row: row.number,
        id: row.maybe(found.id.as_ref()).to_owned(),
        instrument: Some(row.maybe(found.instrument.as_ref()).to_owned()).filter(|name| !name.is_empty()),
        side: found.side(row)?.or(quantity.map(Side::of_size)),
        is_open,
        size: quantity.map(Decimal::abs),
        entry_price: price(&columns.entry)?,
        exit_price: price(&columns.exit)?.filter(|_| !is_open),
        fees,
        max_loss: amount(&columns.max_loss)?.filter(|loss| loss.is_positive()),
        equity_before: amount(&columns.equity)?.filter(|equity| equity.is_positive()),
        benchmark: table.maybe(row, columns.benchmark.as_ref())?,
        ..Trade::default()
    };
    if let Some(opened) = columns.opened.as_ref().filter(|column| !row.text(column).is_empty()) {
        trade.opened_at = Some(moment(clock, row, opened, losses)?.at);
    }
    if is_open {
        trade.open_pnl = net;
        return Ok(trade);
    }
    trade.closed_at = Some(moment(clock, row, &columns.closed, losses)?.at);
    let multiplier = money.multiplier(trade.instrument.as_deref());
    let by_prices = trade.gross(multiplier).and_then(|gross| gross.minus(trade.fees.unwrap_or_default()));
    let column = columns.net.as_ref().or(found.profit_gross.as_ref()).unwrap_or(&columns.closed);
    trade.pnl_net = Some(
        net.or(by_prices).ok_or_else(|| row.error(column, "the trade's profit, or side, size and prices"))?,
    );
    Ok(trade)
}
