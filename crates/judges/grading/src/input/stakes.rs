//! The greatest loss that the positions of a day could have, and the greatest notional that was held.
//!
//! The greatest losses of positions that lose apart from one another are not those of one day: twenty bets on twenty events do not
//! all fall. That they do lose apart must have been seen, by how many of them fell on one day.

use super::marks::Mark;
use super::positions::{Position, greatest_at_once, positions};
use super::trade::{Side, Trade};
use crate::record::{PossibleLosses, exceeds};

/// The least number of positions that lost half of what they could, or more, for the days on which they fell to say whether
/// they fall together.
const SEEN: usize = 20;
/// The share of what it could lose from which on a position counts as one that fell.
const DEEP: f64 = 0.5;

/// The possible and the actual loss of the trades of a day that are one position, as fractions of the day's equity.
struct Stake {
    possible: f64,
    lost: f64,
}

impl Stake {
    fn fell(&self) -> bool {
        self.lost >= DEEP * self.possible
    }
}

/// Returns what each day could lose, as a fraction of its equity, and what is known of the losses that were possible. A day of
/// which a trade does not say it has `None`.
pub fn possible_losses(days: &[&[(usize, &Trade)]]) -> (Vec<Option<f64>>, PossibleLosses) {
    let stakes: Vec<Option<Vec<Stake>>> = days.iter().map(|day| of_day(day)).collect();
    let sums: Vec<Option<f64>> = stakes.iter().map(|day| Some(sum(day.as_ref()?.iter()))).collect();
    let notional = greatest_notional(days);
    let are_given = stakes.iter().all(Option::is_some);
    let all: Vec<&Stake> = stakes.iter().flatten().flatten().collect();
    let plain = (sums.clone(), PossibleLosses { notional, ..PossibleLosses::default() });
    if !are_given {
        return plain;
    }
    // A greatest loss that was exceeded is none, of whichever position.
    if all.iter().any(|stake| exceeds(stake.lost, stake.possible)) {
        return (vec![None; days.len()], plain.1);
    }
    if all.iter().filter(|stake| stake.fell()).count() < SEEN {
        return plain;
    }
    let fallen = |day: &Vec<Stake>| day.iter().filter(|stake| stake.fell()).count();
    // One more than ever fell together.
    let at_once = 1 + stakes.iter().flatten().map(fallen).max().unwrap_or(0);
    let greatest = all.iter().fold(0.0_f64, |most, stake| most.max(stake.possible));
    let possible = PossibleLosses {
        deep: Some(all.iter().filter(|stake| stake.lost >= DEEP * greatest).count()),
        together: sums.iter().flatten().copied().reduce(f64::max),
        notional,
    };
    (stakes.iter().map(|day| day.as_ref().map(|day| largest(day, at_once))).collect(), possible)
}

/// The sum of so many of the largest, and no less than the day lost.
fn largest(day: &[Stake], at_once: usize) -> f64 {
    let mut possible: Vec<f64> = day.iter().map(|stake| stake.possible).collect();
    possible.sort_unstable_by(|one, other| other.total_cmp(one));
    let lost = day.iter().fold(0.0, |sum, stake| sum + stake.lost);
    possible.iter().take(at_once).fold(0.0, |sum, stake| sum + stake).max(lost)
}

fn sum<'s>(day: impl Iterator<Item = &'s Stake>) -> f64 {
    day.fold(0.0, |sum, stake| sum + stake.possible)
}

/// The stakes of a day: trades of one instrument whose holds overlap are one.
fn of_day(day: &[(usize, &Trade)]) -> Option<Vec<Stake>> {
    let equity = day.first()?.1.equity_before.filter(|equity| *equity > 0.0)?;
    let trades: Vec<&Trade> = day.iter().map(|(_, trade)| *trade).collect();
    let stake = |position: &Position<'_>| {
        let possible = position.trades.iter().try_fold(0.0, |sum, trade| Some(sum + trade.max_loss?))?;
        let lost = position.trades.iter().fold(0.0, |sum, trade| sum - trade.pnl_net.unwrap_or(0.0));
        Some(Stake { possible: possible / equity, lost: lost / equity })
    };
    positions(&trades).iter().map(stake).collect()
}

/// Returns what any day of a marked account could lose, as a fraction of its equity, and what is known of the losses that were
/// possible: all that was held at one time, since positions that are held over days fall on any of them.
pub fn possible_of_marks(marks: &[Mark], settled: &[&Trade]) -> (Option<f64>, PossibleLosses) {
    let equity = |trade: &Trade| {
        let opened = trade.opened_at?.day;
        let before = marks.partition_point(|mark| mark.day < opened);
        // The first mark where there is none before.
        marks.get(before.saturating_sub(1)).map(|mark| mark.equity).filter(|equity| *equity > 0.0)
    };
    let of = |amount: &dyn Fn(&Trade) -> Option<f64>| {
        greatest_at_once(
            settled.iter().map(|trade| (*trade, amount(trade).zip(equity(trade)).map(|(a, e)| a / e))),
        )
    };
    let is_exceeded =
        |trade: &&Trade| trade.max_loss.is_some_and(|most| exceeds(-trade.pnl_net.unwrap_or(0.0), most));
    let most = of(&|trade| trade.max_loss).filter(|_| !settled.iter().any(is_exceeded));
    let possible = PossibleLosses { deep: None, together: most, notional: of(&owned) };
    (most, possible)
}

/// The greatest notional that was held at one time, as a fraction of the equity before the closes; `None` if a trade does not say
/// what it was worth, or when it was opened.
fn greatest_notional(days: &[&[(usize, &Trade)]]) -> Option<f64> {
    greatest_at_once(days.iter().flat_map(|day| {
        let equity = day.first().and_then(|(_, first)| first.equity_before).filter(|equity| *equity > 0.0);
        day.iter()
            .map(move |(_, trade)| (*trade, owned(trade).zip(equity).map(|(held, equity)| held / equity)))
    }))
}

/// The notional of a trade, where that is the most that it could lose: who sold first can lose more than what it was worth.
fn owned(trade: &Trade) -> Option<f64> {
    trade.notional().filter(|_| trade.side.is_some_and(|side| side != Side::Short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade(instrument: &str, day: usize, minute: usize, pnl: f64) -> Trade {
        let row = format!(
            r#"{{"instrument": "{instrument}", "opened_at": "2024-01-{:02}T09:{minute:02}:00Z",
                "closed_at": "2024-01-{:02}T10:{minute:02}:00Z", "settled": true, "side": "long", "pnl_net": {pnl}, "max_loss": 10,
                "equity_before": 1000, "size": 2, "entry_price": 50}}"#,
            1 + day,
            1 + day,
        );
        let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else {
            panic!()
        };
        Trade::read(verdict::Fields::root(&row)).unwrap()
    }

    fn found(trades: &[Trade]) -> (Vec<Option<f64>>, PossibleLosses) {
        let rows: Vec<(usize, &Trade)> = trades.iter().enumerate().collect();
        let day = |trade: &Trade| trade.closed_at.map(|at| at.day);
        let days: Vec<&[(usize, &Trade)]> =
            rows.chunk_by(|(_, one), (_, other)| day(one) == day(other)).collect();
        possible_losses(&days)
    }

    /// Twenty bets on each of twenty days, of which these lose.
    fn bets(loses: impl Fn(usize, usize) -> bool) -> Vec<Trade> {
        let bet = |at: usize| {
            let (day, bet) = (at / 20, at % 20);
            trade(&format!("E{bet}"), day, bet, if loses(day, bet) { -10.0 } else { 1.0 })
        };
        (0..400).map(bet).collect()
    }

    #[test]
    fn positions_that_fell_apart_count_for_as_many_as_fell_together_and_one_more() {
        let (days, possible) = found(&bets(|day, bet| bet % 10 == day % 10));
        assert!(days.iter().all(|day| day.is_some_and(|day| (day - 0.03).abs() < 1e-12)), "{days:?}");
        assert_eq!(possible.deep, Some(40));
        assert!((possible.together.unwrap() - 0.2).abs() < 1e-12);
        // On one day they all fell.
        let (days, _) = found(&bets(|day, bet| day == 3 || bet % 10 == day % 10));
        assert!(days.iter().all(|day| day.is_some_and(|day| (day - 0.2).abs() < 1e-12)));
        // Too few fell to tell.
        let (days, possible) = found(&bets(|day, bet| day < 10 && bet == day));
        assert!((days[0].unwrap() - 0.2).abs() < 1e-12 && possible.deep.is_none());
    }

    #[test]
    fn slices_of_one_position_fall_together() {
        let slices: Vec<Trade> = (0..40).map(|at| trade("X", 0, at, -9.0)).collect();
        let (days, possible) = found(&slices);
        assert!((days[0].unwrap() - 0.4).abs() < 1e-12 && possible.deep.is_none(), "{days:?}");
    }

    #[test]
    fn the_greatest_notional_is_that_of_one_moment() {
        let one_after_another: Vec<Trade> = (0..5).map(|day| trade("X", day, 0, 1.0)).collect();
        assert!((found(&one_after_another).1.notional.unwrap() - 0.1).abs() < 1e-12);
        let at_once: Vec<Trade> = (0..5).map(|at| trade(&format!("E{at}"), 0, at, 1.0)).collect();
        assert!((found(&at_once).1.notional.unwrap() - 0.5).abs() < 1e-12);
        let mut unsized_trade = trade("X", 0, 0, 1.0);
        unsized_trade.size = None;
        assert_eq!(found(&[unsized_trade]).1.notional, None);
        let mut sold = trade("X", 0, 0, 1.0);
        sold.side = Some(Side::Short);
        assert_eq!(found(&[sold]).1.notional, None, "a sold option is worth little and can lose much");
    }
}
