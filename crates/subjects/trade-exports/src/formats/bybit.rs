//! Bybit: closed P&L of derivatives (CSV).
//!
//! Columns: `Contracts`, `Market` or `Symbol`; `Closing Direction` (that of the closing order: `Sell` closes a long position);
//! `Qty`; `Entry Price`; `Exit Price`; `Closed P&L` (after fees); `Trade Time(UTC+0)`; `Opening Fee`, `Closing Fee` and `Funding Fee`
//! in newer ones. The opening time is not there.

use super::{is_buy, within, zone_of_header};
use crate::error::ImportError;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::request::Record;
use crate::table::moment;
use crate::trade::{Side, Trade};
use crate::{Decimal, Format, Imported};

const FEES: &str =
    "fees are the difference between the stated profit and that of the prices, which may hold funding too";
const OPENING: &str = "the file has no times of openings, so holding times are not known";
/// The greatest share of the value at opening and close that a fee is taken to be.
const MOST_FEE: &str = "0.02";

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::BybitClosedPnl, content, &["Closing Direction", "Closed P&L"])?;
    let instrument = table.need(&["Contracts", "Market", "Symbol"])?;
    let [direction, size] = [table.need(&["Closing Direction"])?, table.need(&["Qty", "Quantity"])?];
    let [entry, exit, profit] =
        [table.need(&["Entry Price"])?, table.need(&["Exit Price"])?, table.need(&["Closed P&L"])?];
    let time = table
        .find_bracketed(&["Trade Time", "Filled Time", "Closed Time"])
        .ok_or_else(|| table.missing("Trade Time"))?;
    let fee_columns: Vec<_> =
        ["Opening Fee", "Closing Fee", "Funding Fee"].iter().filter_map(|name| table.find(&[name])).collect();
    let mut losses = Losses::default();
    let clock = table.clock(options, zone_of_header(&time.name), &[&time], &mut losses)?;
    let mut money = Money::new(options);
    let mut trades = Vec::new();
    for row in &table.rows {
        let rate = money.rate(row.number, &profit.name, "")?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let side = if is_buy(row, &direction)? { Side::Short } else { Side::Long };
        let net = amount(table.need_number(row, &profit)?)?;
        let mut trade = Trade {
            row: row.number,
            instrument: Some(row.text(&instrument).to_owned()).filter(|name| !name.is_empty()),
            side: Some(side),
            closed_at: Some(moment(&clock, row, &time, &mut losses)?.at),
            size: Some(table.positive(row, &size)?),
            entry_price: Some(amount(table.price(row, &entry)?)?),
            exit_price: Some(amount(table.price(row, &exit)?)?),
            pnl_net: Some(net),
            ..Trade::default()
        };
        if fee_columns.is_empty() {
            trade.fees = derived_fee(&trade, options);
            losses.add(LossCode::FeesDerived, usize::from(trade.fees.is_some()), FEES);
        } else {
            let mut fees = Decimal::ZERO;
            for column in &fee_columns {
                let fee = table.number(row, column)?.unwrap_or_default();
                fees = within(fees.plus(amount(fee)?), row.number)?;
            }
            trade.fees = Some(fees);
        }
        losses.count(LossCode::OpeningTimeMissing, OPENING);
        trades.push(trade);
    }
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}

/// The profit by prices less the stated one, if it is small enough to be fees: an inverse contract has another formula.
fn derived_fee(trade: &Trade, options: &Options) -> Option<Decimal> {
    let multiplier = options.multiplier_of(trade.instrument.as_deref()?).unwrap_or(Decimal::ONE);
    let fee = trade.gross(multiplier)?.minus(trade.pnl_net?)?;
    let turnover = trade.entry_price?.plus(trade.exit_price?)?.times(trade.size?)?.times(multiplier)?;
    let most = turnover.times(Decimal::parse(MOST_FEE)?)?;
    Some(fee).filter(|fee| fee.abs() <= most)
}
