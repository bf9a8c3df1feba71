//! The request of `POST /grade-strategy`, and what it cannot say.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::error::{ImportError, Problem, shown};
use crate::lost::{Loss, LossCode, Losses};
use crate::options::{Funding, Options};
use crate::trade::Trade;
use crate::{Decimal, MAX_ROWS, scale};

const NO_EQUITY: &str = "the file has no equity, without which days have no returns; set `initial_equity`";
const FROM_DEPOSITS: &str = "the equity is what the deposits, withdrawals and profits of the file make it, from zero; set \
                             `initial_equity` if the account is older than the file";
const NOT_POSITIVE: &str = "the equity by deposits and profits is not above zero, and was left out; set `initial_equity` or add to \
                            `cash_flows`";
const NO_BENCHMARK: &str = "no export has the benchmark's returns; add `benchmark_return`, or `benchmark`: `cash` where there is no \
                            market exposure";
const IDENTICAL: &str =
    "trades that are the same in all members were merged, since a request must not have one twice";
const FEES_MISSING: &str =
    "no row has a fee: profits may be before fees; if they are, add `fees` and take them off `pnl_net`";

/// The request, and what is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The members `trades` or `returns` of a request; the caller adds `agent`.
    pub request: Value,
    /// The losses, and the questions that the file leaves open.
    pub lost: Vec<Loss>,
    /// Number of rows that were read.
    pub rows: usize,
    /// Number of trades or days of the request.
    pub positions: usize,
    /// Of each trade or day of the request: the first row of the file that it is made of.
    pub sources: Vec<u32>,
}

/// Everything that a format reads of a file.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) rows: usize,
    pub(crate) trades: Vec<Trade>,
    pub(crate) currency: Option<String>,
    /// Deposits and withdrawals of the file.
    pub(crate) flows: Vec<(Timestamp, Decimal)>,
    /// True if sizes may be lots or contracts, whose multiplier the stated profits show.
    pub(crate) has_lots: bool,
    /// Equity before the first row, where the file states it.
    pub(crate) initial_equity: Option<Decimal>,
}

impl Record {
    /// Builds the request.
    pub(crate) fn imported(mut self, options: &Options, mut losses: Losses) -> Result<Imported, ImportError> {
        if self.trades.is_empty() {
            return Err(
                Problem::Nothing { what: "trade of which a result or an opening is known" }.anywhere()
            );
        }
        for (option, entries) in
            [("funding", options.funding.len()), ("cash_flows", options.cash_flows.len())]
        {
            if entries > MAX_ROWS {
                let detail = format!("has more than {MAX_ROWS} entries");
                return Err(Problem::Option { option, detail }.anywhere());
            }
        }
        fund(&mut self.trades, &options.funding)?;
        if let Some(name) = &options.instrument {
            self.trades.iter_mut().for_each(|trade| {
                trade.instrument.get_or_insert_with(|| name.clone());
            });
        }
        check(&self.trades, self.currency.as_deref())?;
        scale::apply(&mut self.trades, self.has_lots, options, &mut losses);
        let mut trades = merged(self.trades, &mut losses)?;
        trades.sort_by(|one, other| {
            (one.closed_at, one.row, &one.id).cmp(&(other.closed_at, other.row, &other.id))
        });
        unique_ids(&mut trades);
        let flows =
            self.flows.into_iter().chain(options.cash_flows.iter().map(|flow| (flow.at, flow.amount)));
        let initial = options.initial_equity.or(self.initial_equity);
        equity(&mut trades, initial, flows.collect(), &mut losses)?;
        if trades.iter().all(|trade| trade.fees.is_none_or(Decimal::is_zero)) {
            losses.add(LossCode::FeesMissing, trades.len(), FEES_MISSING);
        }
        losses.add(
            LossCode::NoBenchmark,
            trades.iter().filter(|trade| trade.benchmark.is_none()).count(),
            NO_BENCHMARK,
        );
        let unnamed = trades.iter().filter(|trade| trade.instrument.is_none()).count();
        losses.add(
            LossCode::InstrumentMissing,
            unnamed,
            "the file does not name the instrument; set `instrument`",
        );
        let currency = self.currency.as_deref();
        let rows: Vec<Value> = trades.iter().map(|trade| trade.to_json(currency)).collect();
        Ok(Imported {
            positions: rows.len(),
            sources: trades.iter().map(|trade| trade.row).collect(),
            request: json!({ "trades": rows }),
            lost: losses.told(),
            rows: self.rows,
        })
    }
}

/// The most characters of a name in a request.
const MAX_NAME_CHARS: usize = 128;

/// Checks what a request must not have: names that are too long, and closes before openings.
fn check(trades: &[Trade], currency: Option<&str>) -> Result<(), ImportError> {
    let is_good = |name: &str| !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS;
    let expected = "a name of 1 to 128 characters";
    for trade in trades {
        if trade.opened_at.zip(trade.closed_at).is_some_and(|(opened, closed)| closed < opened) {
            return Err(Problem::ClosedBeforeOpened.of(trade.row, "closed_at"));
        }
        let names = [("instrument", trade.instrument.as_deref()), ("currency", currency)];
        if let Some((column, name)) =
            names.into_iter().find_map(|(column, name)| Some((column, name.filter(|name| !is_good(name))?)))
        {
            return Err(Problem::cell(name, expected).of(trade.row, column));
        }
    }
    Ok(())
}

/// The most openings before a payment that are looked at for one that is still open.
const MAX_OVERLAP: usize = 1_000;

/// Adds funding to the positions that were open when it was paid.
fn fund(trades: &mut [Trade], funding: &[Funding]) -> Result<(), ImportError> {
    let mut by_opening: HashMap<String, BTreeMap<(Timestamp, usize), usize>> = HashMap::new();
    for (index, trade) in trades.iter().enumerate() {
        if let (Some(instrument), Some(opened)) = (&trade.instrument, trade.opened_at) {
            by_opening.entry(instrument.clone()).or_default().insert((opened, index), index);
        }
    }
    for (at, payment) in funding.iter().enumerate() {
        let row = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let known = by_opening.get(&payment.instrument);
        let before = known.map(|known| known.range(..=(payment.at, usize::MAX)).rev().take(MAX_OVERLAP));
        let is_open =
            |trade: &Trade| trade.is_open || trade.closed_at.is_some_and(|closed| closed >= payment.at);
        let found = before.and_then(|mut before| {
            before.find_map(|(_, index)| Some(*index).filter(|index| trades.get(*index).is_some_and(is_open)))
        });
        let Some(trade) = found.and_then(|index| trades.get_mut(index)) else {
            let instrument = shown(&payment.instrument);
            return Err(Problem::FundingWithoutPosition { instrument }.of(row, "funding"));
        };
        let too_great = || {
            let detail = format!("makes an amount beyond 10^18 with its entry {row}");
            Problem::Option { option: "funding", detail }.anywhere()
        };
        trade.fees = Some(trade.fees.unwrap_or_default().minus(payment.amount).ok_or_else(too_great)?);
        trade.pnl_net = match trade.pnl_net {
            Some(net) => Some(net.plus(payment.amount).ok_or_else(too_great)?),
            None => None,
        };
    }
    Ok(())
}

/// Merges trades that are the same in all members but their ids, until none is.
fn merged(trades: Vec<Trade>, losses: &mut Losses) -> Result<Vec<Trade>, ImportError> {
    let mut trades = trades;
    loop {
        let before = trades.len();
        let mut kept: Vec<Trade> = Vec::with_capacity(before);
        let mut places: HashMap<Trade, (usize, i64)> = HashMap::new();
        for trade in trades {
            let key = Trade { row: 0, id: String::new(), ..trade.clone() };
            if trade.closed_at.is_none() {
                kept.push(trade);
                continue;
            }
            let place = places.entry(key).or_insert((kept.len(), 0));
            place.1 += 1;
            if place.1 == 1 {
                kept.push(trade);
            }
        }
        for (single, (place, count)) in places {
            let Some(trade) = kept.get_mut(place).filter(|_| count > 1) else { continue };
            let times = |number: Option<Decimal>| match number {
                Some(number) => number
                    .times(Decimal::whole(count))
                    .map(Some)
                    .ok_or_else(|| Problem::TooGreat.at(trade.row)),
                None => Ok(None),
            };
            let (size, fees, pnl_net, max_loss) =
                (times(single.size)?, times(single.fees)?, times(single.pnl_net)?, times(single.max_loss)?);
            (trade.size, trade.fees, trade.pnl_net, trade.max_loss) = (size, fees, pnl_net, max_loss);
        }
        losses.add(LossCode::IdenticalMerged, before - kept.len(), IDENTICAL);
        if kept.len() == before {
            return Ok(kept);
        }
        trades = kept;
    }
}

fn unique_ids(trades: &mut [Trade]) {
    let mut known = HashSet::new();
    for trade in trades {
        trade.id = trade.id.chars().take(MAX_NAME_CHARS - 16).collect();
        if trade.id.is_empty() {
            trade.id = format!("row-{}", trade.row);
        }
        let mut name = trade.id.clone();
        let mut count = 1;
        while !known.insert(name.clone()) {
            count += 1;
            name = format!("{}-{}-{count}", trade.id, trade.row);
        }
        trade.id = name;
    }
}

/// Sets the equity before each close: the initial one, with what was paid in and earned before that moment.
fn equity(
    trades: &mut [Trade],
    initial: Option<Decimal>,
    mut flows: Vec<(Timestamp, Decimal)>,
    losses: &mut Losses,
) -> Result<(), ImportError> {
    let lacking = trades.iter().filter(|trade| !trade.is_open && trade.equity_before.is_none()).count();
    if lacking == 0 {
        return Ok(());
    }
    if initial.is_none() && flows.is_empty() {
        losses.add(LossCode::NoEquity, lacking, NO_EQUITY);
        return Ok(());
    }
    if initial.is_none() {
        losses.count(LossCode::EquityFromDeposits, FROM_DEPOSITS);
    }
    flows.sort();
    let mut flows = flows.into_iter().peekable();
    let mut equity = initial.unwrap_or_default();
    let mut index = 0;
    // Trades are in order of close; those without one come first.
    while let Some(closed) = trades.get(index).map(|trade| trade.closed_at) {
        let end = trades.iter().skip(index).take_while(|trade| trade.closed_at == closed).count() + index;
        let row = trades.get(index).map_or(0, |trade| trade.row);
        let too_great = || Problem::TooGreat.at(row);
        while let Some((_, amount)) = closed.and_then(|closed| flows.next_if(|(at, _)| *at <= closed)) {
            equity = equity.plus(amount).ok_or_else(too_great)?;
        }
        let before = equity;
        for trade in trades.iter_mut().take(end).skip(index).filter(|trade| !trade.is_open) {
            if trade.equity_before.is_none() && before.is_positive() {
                trade.equity_before = Some(before);
            } else if trade.equity_before.is_none() {
                losses.count(LossCode::EquityNotPositive, NOT_POSITIVE);
            }
            equity = equity.plus(trade.pnl_net.unwrap_or_default()).ok_or_else(too_great)?;
        }
        index = end;
    }
    Ok(())
}
