//! Interactive Brokers: Flex Query, XML, with the section Trades.
//!
//! Attributes of `Trade`: `symbol`, `conid`, `assetCategory`, `currency`, `fxRateToBase`, `multiplier`, `dateTime` or `tradeDate` and
//! `tradeTime`, `quantity` (below zero for a sale), `tradePrice`, `ibCommission` and `taxes` (below zero for a cost), `fifoPnlRealized`
//! (after fees), `openCloseIndicator`, `levelOfDetail`. Times are of the zone of the query. `CashTransaction` has dividends, interest
//! and deposits.

use super::within;
use crate::clock::Clock;
use crate::error::{ImportError, Problem};
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::pair::pair;
use crate::request::Record;
use crate::xml::{Element, elements};
use crate::{Decimal, Format, Imported, text};

const CASH: &str = "dividends, interest and charges belong to no trade and were left out; a record as `returns`, by the daily net asset \
                    value, has them";
const EXCHANGES: &str = "exchanges of currencies were left out";
const SUMMARIES: &str = "summaries and lots, which repeat the executions, were left out";

const ELEMENTS: [&str; 4] = ["FlexQueryResponse", "Trade", "CashTransaction", "AccountInformation"];
const ATTRIBUTES: [&str; 18] = [
    "assetCategory",
    "symbol",
    "conid",
    "currency",
    "fxRateToBase",
    "multiplier",
    "dateTime",
    "tradeDate",
    "tradeTime",
    "quantity",
    "tradePrice",
    "ibCommission",
    "taxes",
    "fifoPnlRealized",
    "openCloseIndicator",
    "levelOfDetail",
    "type",
    "amount",
];

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let found = elements(content, &ELEMENTS, &ATTRIBUTES)?;
    if found.first().is_none_or(|root| root.name != "FlexQueryResponse") {
        let missing = "the element `FlexQueryResponse`".to_owned();
        return Err(Problem::OtherFormat { format: Format::IbkrFlex, missing }.anywhere());
    }
    let mut losses = Losses::default();
    let times: Vec<(u32, String)> =
        found.iter().filter(|one| one.name == "Trade").map(|trade| (trade.number, time_of(trade))).collect();
    let dates = times.iter().map(|(number, time)| (*number, "dateTime", time.as_str()));
    let clock = Clock::new(options, None, dates, &mut losses)?;
    let mut money = Money::new(options);
    let is_mixed = found.iter().filter(|one| one.name == "Trade").any(|trade| {
        let first = found.iter().find(|one| one.name == "Trade").map(|first| first.text("currency"));
        first != Some(trade.text("currency"))
    });
    let base = found
        .iter()
        .find(|one| one.name == "AccountInformation")
        .map_or("", |account| account.text("currency"));
    let (mut fills, mut record) = (Vec::new(), Record::default());
    // Cash comes before trades in some statements, and needs their currency.
    let (trades, others): (Vec<_>, Vec<_>) = found.iter().partition(|element| element.name == "Trade");
    for element in trades.into_iter().chain(others) {
        match element.name.as_str() {
            "Trade" => {
                record.rows += 1;
                let base = is_mixed.then_some(base);
                fills.extend(fill(element, base, &clock, &mut money, options, &mut losses)?);
            }
            "CashTransaction" => {
                record.rows += 1;
                let currency = if is_mixed { None } else { money.currency() };
                cash(element, currency, &clock, &mut record, &mut losses)?;
            }
            _ => {}
        }
    }
    record.trades = pair(fills, true, options, &mut losses)?;
    record.currency = money.named(&mut losses);
    record.imported(options, losses)
}

fn time_of(trade: &Element) -> String {
    match (trade.text("dateTime"), trade.text("tradeDate"), trade.text("tradeTime")) {
        ("", day, time) => format!("{day} {time}").trim().to_owned(),
        (at, _, _) => at.to_owned(),
    }
}

fn number(element: &Element, name: &str) -> Result<Option<Decimal>, ImportError> {
    let value = element.text(name);
    if value.is_empty() {
        return Ok(None);
    }
    let wrong = || Problem::cell(value, "a plain number, such as -12.50").of(element.number, name);
    text::number(value, false).map(Some).ok_or_else(wrong)
}

fn fill(
    trade: &Element,
    base: Option<&str>,
    clock: &Clock,
    money: &mut Money<'_>,
    options: &Options,
    losses: &mut Losses,
) -> Result<Option<Fill>, ImportError> {
    if !matches!(trade.text("levelOfDetail"), "" | "EXECUTION") {
        losses.count(LossCode::RowsLeftOut, SUMMARIES);
        return Ok(None);
    }
    if trade.text("assetCategory") == "CASH" {
        losses.count(LossCode::CurrencyExchangesLeftOut, EXCHANGES);
        return Ok(None);
    }
    let row = trade.number;
    let need = |name: &'static str| {
        number(trade, name)?.ok_or_else(|| Problem::EmptyCell { expected: "a number" }.of(row, name))
    };
    let to_base = number(trade, "fxRateToBase")?.filter(|rate| rate.is_positive());
    let rate = match (base, to_base) {
        // Trades in several currencies are converted to that of the account.
        (Some(base), Some(to_base)) => within(
            money
                .rate(row, "currency", base)
                .ok()
                .or(Some(Decimal::ONE))
                .and_then(|rate| to_base.times(rate)),
            row,
        )?,
        _ => money.rate(row, "currency", trade.text("currency"))?,
    };
    let at = clock.moment(row, "dateTime", &time_of(trade), losses)?.at;
    let (size, price) = (need("quantity")?, need("tradePrice")?);
    let wrong =
        |name: &str, value: Decimal, expected| Problem::cell(&value.to_string(), expected).of(row, name);
    if size.is_zero() {
        return Err(wrong("quantity", size, "a size other than zero"));
    }
    if price.is_negative() {
        return Err(wrong("tradePrice", price, "a price of zero or above"));
    }
    let name = Some(trade.text("symbol")).filter(|name| !name.is_empty()).unwrap_or(trade.text("conid"));
    let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    // Sizes are in units of the underlying, unless the options have a multiplier.
    let own = number(trade, "multiplier")?.filter(|multiplier| multiplier.is_positive());
    let factor = if options.multiplier_of(&name).is_some() { None } else { own };
    let size = within(size.times(factor.unwrap_or(Decimal::ONE)), row)?;
    let mut fill = Fill::new(row, at, &name, size, within(price.times(rate), row)?);
    let costs =
        number(trade, "ibCommission")?.unwrap_or_default().plus(number(trade, "taxes")?.unwrap_or_default());
    fill.fee = within(costs.and_then(|costs| costs.negated().times(rate)), row)?;
    let is_close = trade.text("openCloseIndicator").starts_with('C');
    if is_close {
        // It is after the fees of opening and close: with those of the close added back it is before that fill's fee, and a
        // position of which the file has the opening is counted by its prices.
        let stated = number(trade, "fifoPnlRealized")?;
        let stated = stated.map(|stated| within(stated.times(rate), row)).transpose()?;
        fill.orphan_profit = stated.map(|stated| within(stated.plus(fill.fee), row)).transpose()?;
        fill.is_close = true;
    }
    Ok(Some(fill))
}

/// Reads a deposit or withdrawal. In a record of one currency it must be in that; else it is converted to the account's.
fn cash(
    element: &Element,
    currency: Option<&str>,
    clock: &Clock,
    record: &mut Record,
    losses: &mut Losses,
) -> Result<(), ImportError> {
    let is_deposit = matches!(element.text("type"), "Deposits/Withdrawals" | "Deposits & Withdrawals");
    if !is_deposit || currency.is_some_and(|currency| currency != element.text("currency")) {
        losses.count(LossCode::CashLeftOut, CASH);
        return Ok(());
    }
    let amount = number(element, "amount")?.unwrap_or_default();
    let to_base = number(element, "fxRateToBase")?.unwrap_or(Decimal::ONE);
    let rate = if currency.is_some() { Decimal::ONE } else { to_base };
    let at = clock.moment(element.number, "dateTime", element.text("dateTime"), losses)?.at;
    record.flows.push((at, within(amount.times(rate), element.number)?));
    Ok(())
}
