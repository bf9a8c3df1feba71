//! The record of each generator.

use super::generator::Generator;
use crate::days::{Series, benchmark, edge, selection};
use crate::market::Market;
use crate::random::Random;
use crate::record::{CopyCosts, Record, Rows};
use crate::trades::ledger::{Ledger, liquid};
use crate::trades::one_bet::{LONGEST_TIMED_HOLD, ONE_BET_DAYS};
use crate::trades::{copied, doubling, holds, intraday, one_bet};

/// The yearly Sharpe ratio of a market that a record has nothing to do with.
const USUAL_MARKET: f64 = 0.5;

/// Results before they are rows.
enum Made<'a> {
    Trades(Ledger<'a>, CopyCosts),
    Days(Series, Vec<Vec<f64>>),
}

impl<'a> From<Ledger<'a>> for Made<'a> {
    fn from(ledger: Ledger<'a>) -> Self {
        Self::Trades(ledger, liquid())
    }
}

impl<'a> From<(Ledger<'a>, CopyCosts)> for Made<'a> {
    fn from((ledger, costs): (Ledger<'a>, CopyCosts)) -> Self {
        Self::Trades(ledger, costs)
    }
}

impl From<Series> for Made<'_> {
    fn from(series: Series) -> Self {
        Self::Days(series, Vec::new())
    }
}

/// Draws a record of `days` trading days with all that its owner could state.
pub(super) fn generate(generator: Generator, days: usize, random: &mut Random) -> Record {
    let market = Market::new(market_sharpe(generator), market_days(generator, days), random);
    let mut record = Record {
        rows: Rows::Days(Vec::new()),
        declared_trials: None,
        cash_is_benchmark: false,
        risk_free: if generator.is_interest() { benchmark::CASH } else { 0.0 },
        alternatives: Vec::new(),
        costs: None,
    };
    match made(generator, &market, random) {
        Made::Trades(ledger, costs) => {
            record.rows = Rows::Trades { trades: ledger.trades, marks: ledger.marks };
            record.costs = Some(costs);
        }
        Made::Days(series, alternatives) => {
            record.cash_is_benchmark = series.b.is_empty();
            record.rows = Rows::Days(series.rows());
            record.alternatives = alternatives;
        }
    }
    record
}

/// The market's yearly Sharpe ratio.
fn market_sharpe(generator: Generator) -> f64 {
    match generator {
        Generator::Book { market, .. }
        | Generator::Swing { market }
        | Generator::IndexLate { market }
        | Generator::IndexEarly { market }
        | Generator::IndexAveraged { market, .. }
        | Generator::IndexAsCash { market }
        | Generator::LeveredBeta { market }
        | Generator::SwitchingBeta { market } => market,
        _ => USUAL_MARKET,
    }
}

/// Number of days of the market that the record needs.
fn market_days(generator: Generator, days: usize) -> usize {
    match generator {
        Generator::OneBet { .. } => ONE_BET_DAYS,
        Generator::TimedCloses => LONGEST_TIMED_HOLD + days,
        Generator::Overlapping { hold, .. } => hold + days,
        _ => days,
    }
}

/// Draws the results of a generator.
fn made<'a>(generator: Generator, market: &'a Market, random: &mut Random) -> Made<'a> {
    let b = market.of_record();
    let days = b.len();
    let beside = |x: Vec<f64>| Series::new(x, b);
    match generator {
        Generator::Book { edge, .. } => holds::book(market, edge, random).into(),
        Generator::Swing { .. } => holds::swing(market, random).into(),
        Generator::OneBet { won } => one_bet::one_bet(market, won, random).into(),
        Generator::Doubling => doubling::doubling(market, random).into(),
        Generator::TimedCloses => one_bet::timed_closes(market, random).into(),
        Generator::Overlapping { hold, instruments } => {
            holds::overlapping(market, hold, instruments, random).into()
        }
        Generator::DayTrader { edge } => intraday::day_trader(market, edge, random).into(),
        Generator::StoppedDaily { edge } => intraday::stopped_daily(market, edge, random).into(),
        Generator::Bets { chance } => intraday::bets(market, chance, random).into(),
        Generator::ShortVolatility { years } => intraday::short_volatility(market, years, random).into(),
        Generator::EqualLots => doubling::equal_lots(market, random).into(),
        Generator::FeesLeftOut => intraday::fees_left_out(market, random).into(),
        Generator::CopiedMixed => copied::mixed(market, random).into(),
        Generator::CopiedScalper => copied::scalper(market, random).into(),
        Generator::CopiedLevered { leverage } => copied::levered(market, leverage, random).into(),
        Generator::CopiedBest { leaders } => copied::best_leader(market, leaders, random).into(),
        Generator::IndexLate { .. } => benchmark::late(market, random).into(),
        Generator::IndexEarly { .. } => benchmark::early(market, random).into(),
        Generator::IndexAveraged { days, .. } => benchmark::averaged(market, days, random).into(),
        Generator::IndexAsCash { .. } => benchmark::index_as_cash(market, random).into(),
        Generator::LeveredBeta { .. } => benchmark::levered_beta(market, random).into(),
        Generator::SwitchingBeta { .. } => benchmark::switching_beta(market, random).into(),
        Generator::TreasuryBills => benchmark::treasury_bills(days, random).into(),
        Generator::Carry => benchmark::carry(market, random).into(),
        Generator::BestOf { trials } => beside(selection::best(trials, days, random)).into(),
        Generator::WinnersPasted => beside(selection::winners_pasted(days, random)).into(),
        Generator::HalfPasted => beside(selection::half_pasted(days, random)).into(),
        Generator::BestWindow => beside(selection::cut(days, random)).into(),
        Generator::BeforeCosts => beside(edge::returns(edge::Noise::StudentT(5), 3.0, b, random)).into(),
        Generator::Wandering => beside(edge::wandering(days, random)).into(),
        Generator::Regimes => beside(edge::regimes(days, random)).into(),
        Generator::LookAhead { share } => beside(edge::look_ahead(share, days, random)).into(),
        Generator::Returns { noise, sharpe } => beside(edge::returns(noise, sharpe, b, random)).into(),
        Generator::EdgeAmong { variants, sharpe } => {
            let (x, alternatives) = edge::among(variants, sharpe, days, random);
            Made::Days(beside(x), alternatives)
        }
    }
}
