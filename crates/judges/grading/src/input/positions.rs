//! Positions: trades of one instrument that overlap, merged from flat to flat.
//!
//! A record of 120 closes may be one bet that was sold in slices, and closes of positions that are still open elsewhere may be
//! timed. So an edge needs positions, not closes, and marks of what is held over night.

use std::collections::BTreeMap;

use super::time::Instant;
use super::trade::Trade;
use crate::grade::GradeReason;
use crate::record::Reservation;
use crate::statistics::performance::quantile;

/// The fewest positions of a record that can be an edge.
pub const FEWEST: usize = 30;
/// The longest median hold, in days, of a record that is graded by its closes.
const LONGEST_HOLD_DAYS: f64 = 1.0;

/// A position: an instrument held from flat to flat.
#[derive(Clone, PartialEq, Debug)]
pub struct Position<'t> {
    /// The first opening.
    pub opened: Instant,
    /// The last close.
    pub closed: Instant,
    /// The trades of the position, in order of opening.
    pub trades: Vec<&'t Trade>,
}

impl Position<'_> {
    /// The instrument that was held.
    pub fn instrument(&self) -> Option<&str> {
        self.trades.first()?.instrument.as_deref()
    }

    /// The profit of all its trades over the equity; `None` if an equity is not known.
    pub fn profit(&self) -> Option<f64> {
        self.trades.iter().try_fold(0.0, |sum, trade| Some(sum + trade.pnl_net? / trade.equity_before?))
    }

    /// The greatest notional that was open at one time, in currency; `None` if that of a trade is not known.
    pub fn notional(&self) -> Option<f64> {
        greatest_at_once(self.trades.iter().map(|trade| (*trade, trade.notional())))
    }
}

/// The greatest sum of an amount of the trades that were open at one time; `None` if an amount is not known. A trade that closes
/// at the moment at which another opens is not open together with it.
pub fn greatest_at_once<'t>(trades: impl Iterator<Item = (&'t Trade, Option<f64>)>) -> Option<f64> {
    // At one moment closes come before openings, and the close of a trade without a hold after its opening.
    const CLOSE: u8 = 0;
    const OPEN: u8 = 1;
    const CLOSE_AT_ONCE: u8 = 2;
    let mut events = Vec::new();
    for (trade, amount) in trades {
        let amount = amount?;
        let (opened, closed) = trade.hold()?;
        events.push((opened, OPEN, amount));
        events.push((closed, if opened < closed { CLOSE } else { CLOSE_AT_ONCE }, -amount));
    }
    // Sums of one order give the same bits, whatever the order of the rows.
    events.sort_by(|one, other| {
        (one.0, one.1).cmp(&(other.0, other.1)).then_with(|| one.2.total_cmp(&other.2))
    });
    let (mut open, mut greatest) = (0.0_f64, 0.0_f64);
    for (_, _, amount) in events {
        open += amount;
        greatest = greatest.max(open);
    }
    Some(greatest).filter(|sum| sum.is_finite())
}

/// Returns the reservations of a record that is graded by marks: what was held still has to be many positions, but how long each
/// was held does not matter.
pub fn of_marks(settled: &[&Trade]) -> Vec<Reservation> {
    let is_of_closes =
        |reservation: &Reservation| matches!(reservation, Reservation::NoResult(GradeReason::MarksMissing));
    let with_results = |reservation| match reservation {
        Reservation::NoResult(reason) => Reservation::NeverRealEdge(reason),
        other => other,
    };
    reserved(settled).into_iter().filter(|it| !is_of_closes(it)).map(with_results).collect()
}

/// Returns the reservations that follow from what was held, and how long.
pub fn reserved(settled: &[&Trade]) -> Vec<Reservation> {
    // A bet on an event has its whole result on one day, whenever it was placed.
    let is_bet = |trade: &&Trade| trade.outcome.is_some();
    if settled.iter().any(|trade| trade.opened_at.is_none() && !is_bet(trade)) {
        return vec![Reservation::NeverRealEdge(GradeReason::HoldsUnknown)];
    }
    let positions = positions(settled);
    let mut reservations = Vec::new();
    if positions.len() < FEWEST {
        reservations.push(Reservation::NoResult(GradeReason::TooFewPositions));
    }
    let held: Vec<f64> =
        positions.iter().map(|position| position.closed.in_days() - position.opened.in_days()).collect();
    // The median of no positions is no number, and above nothing.
    if quantile(&held, 0.5) > LONGEST_HOLD_DAYS {
        reservations.push(Reservation::NoResult(GradeReason::MarksMissing));
    }
    reservations
}

/// Merges the trades of each instrument whose holds overlap or follow one another at one moment. Trades without an instrument
/// are taken for those of one, and one without an opening for a hold of no time. In order of instrument, then of time.
pub fn positions<'t>(settled: &[&'t Trade]) -> Vec<Position<'t>> {
    let mut of: BTreeMap<Option<&str>, Vec<(Instant, Instant, &Trade)>> = BTreeMap::new();
    for trade in settled {
        let Some((opened, closed)) = trade.hold() else { continue };
        of.entry(trade.instrument.as_deref()).or_default().push((opened, closed, trade));
    }
    let mut merged: Vec<Position<'_>> = Vec::new();
    for mut held in of.into_values() {
        held.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)).then_with(|| one.2.order(other.2)));
        let first = merged.len();
        for (opened, closed, trade) in held {
            match merged.get_mut(first..).and_then(<[Position<'_>]>::last_mut) {
                Some(last) if opened <= last.closed => {
                    last.closed = last.closed.max(closed);
                    last.trades.push(trade);
                }
                _ => merged.push(Position { opened, closed, trades: vec![trade] }),
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade(instrument: &str, opened: &str, closed: &str) -> Trade {
        let row = format!(
            r#"{{"instrument": "{instrument}", "opened_at": "{opened}Z", "closed_at": "{closed}Z", "settled": true, "pnl_net": 1}}"#
        );
        let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else {
            panic!()
        };
        Trade::read(verdict::Fields::root(&row)).unwrap()
    }

    fn reasons(trades: &[Trade]) -> Vec<GradeReason> {
        let trades: Vec<&Trade> = trades.iter().collect();
        let reason = |reservation: &Reservation| match reservation {
            Reservation::NeverRealEdge(reason) | Reservation::NoResult(reason) => *reason,
            other => panic!("{other:?}"),
        };
        reserved(&trades).iter().map(reason).collect()
    }

    #[test]
    fn slices_of_one_position_are_one_and_days_of_one_instrument_are_many() {
        let day = |at: i32| format!("2024-{:02}-{:02}", 1 + at / 28, 1 + at % 28);
        let slices: Vec<Trade> =
            (0..120).map(|at| trade("X", "2024-01-01T00:00:00", &format!("{}T20:00:00", day(at)))).collect();
        assert_eq!(reasons(&slices), [GradeReason::TooFewPositions, GradeReason::MarksMissing]);
        let days: Vec<Trade> = (0..120)
            .map(|at| trade("X", &format!("{}T09:00:00", day(at)), &format!("{}T16:00:00", day(at))))
            .collect();
        assert!(reasons(&days).is_empty());
        let nights: Vec<Trade> =
            (0..40).map(|at| trade(&format!("{at}"), "2024-01-01T09:00:00", "2024-01-09T16:00:00")).collect();
        assert_eq!(reasons(&nights), [GradeReason::MarksMissing], "forty instruments, held for a week");
    }

    #[test]
    fn the_median_hold_of_an_even_number_of_positions_is_the_mean_of_the_middle_two() {
        let held = |hours: [i32; 40]| {
            let trade = |(at, hours): (usize, &i32)| {
                let (days, hours) = (1 + hours / 24, hours % 24);
                trade(&format!("{at}"), "2024-01-01T00:00:00", &format!("2024-01-{days:02}T{hours:02}:00:00"))
            };
            reasons(&hours.iter().enumerate().map(trade).collect::<Vec<_>>())
        };
        let halves = |short, long| std::array::from_fn(|at| if at % 2 == 0 { short } else { long });
        assert!(held(halves(12, 36)).is_empty(), "a day between them");
        assert_eq!(held(halves(13, 36)), [GradeReason::MarksMissing]);
    }

    #[test]
    fn holds_that_are_not_said_are_no_ground_for_an_edge() {
        let mut unopened = trade("X", "2024-01-01T09:00:00", "2024-01-01T10:00:00");
        unopened.opened_at = None;
        assert_eq!(reasons(&[unopened]), [GradeReason::HoldsUnknown]);
    }

    #[test]
    fn what_is_open_at_one_time_is_summed_and_what_follows_at_a_moment_is_not() {
        let sized = |opened: &str, closed: &str, notional: f64| {
            let day = |time: &str| format!("2024-01-01T{time}");
            let trade = trade("X", &day(opened), &day(closed));
            Trade { size: Some(notional), entry_price: Some(1.0), equity_before: Some(100.0), ..trade }
        };
        let trades = [
            sized("09:00:00", "10:00:00", 100.0),
            sized("09:30:00", "09:45:00", 200.0),
            sized("10:00:00", "11:00:00", 250.0),
            sized("12:00:00", "12:00:00", 150.0),
        ];
        let merged = positions(&trades.iter().collect::<Vec<_>>());
        let sizes: Vec<Option<f64>> = merged.iter().map(Position::notional).collect();
        assert_eq!(sizes, [Some(300.0), Some(150.0)]);
        assert_eq!(merged[0].trades.len(), 3);
        assert_eq!(merged[0].profit(), Some(0.03));
        let unsized_one = Trade { size: None, ..trades[0].clone() };
        assert_eq!(positions(&[&unsized_one])[0].notional(), None);
    }
}
