//! Trades that are not settled: the verdicts that they rule out, and their possible losses.
//!
//! Which of its trades a record shows as open is its caller's word, and so is how these stand. A caller who calls
//! losing trades open must gain nothing by it: each counts for a loss at least as great as any that settled.

use super::trade::Trade;
use crate::grade::GradeReason;
use crate::record::Reservation;

/// One in so many trades may be unsettled.
const MOST_UNSETTLED: usize = 5;

fn open(trades: &[Trade]) -> impl Iterator<Item = &Trade> {
    trades.iter().filter(|trade| !trade.is_settled())
}

/// Returns the reservations that follow from open trades.
pub fn reserved(trades: &[Trade]) -> Vec<Reservation> {
    let mut reservations = Vec::new();
    if open(trades).count() * MOST_UNSETTLED > trades.len() {
        reservations.push(Reservation::Insufficient(GradeReason::UnsettledShare));
    }
    if open(trades).any(|trade| trade.open_pnl.is_none()) {
        reservations.push(Reservation::NeverRealEdge(GradeReason::OpenPnlMissing));
    }
    reservations
}

/// Returns the possible losses of the open trades as fractions of the equity, largest first. Each is the maximum of the
/// loss so far, the trade's stated maximum loss, and the largest loss of a settled trade.
pub fn losses(trades: &[Trade], days: &[&[(usize, &Trade)]]) -> Vec<f64> {
    let equity_of = |day: &[(usize, &Trade)]| day.first().and_then(|(_, first)| first.equity_before);
    let Some(equity) = days.last().and_then(|day| equity_of(day)) else { return Vec::new() };
    let settled = days.iter().filter_map(|day| Some((equity_of(day)?, day)));
    let worst = settled.fold(0.0_f64, |worst, (equity, day)| {
        day.iter().fold(worst, |worst, (_, trade)| worst.max(-trade.pnl_net.unwrap_or(0.0) / equity))
    });
    let loss = |trade: &Trade| {
        let so_far = -trade.open_pnl.unwrap_or(0.0);
        worst.max(so_far.max(trade.max_loss.unwrap_or(0.0)) / equity)
    };
    let mut losses: Vec<f64> = open(trades).map(loss).collect();
    // The order of the rows must not matter.
    losses.sort_unstable_by(|one, other| other.total_cmp(one));
    losses
}
