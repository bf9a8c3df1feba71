//! Checks that the profits add up to the equity that they are measured by.

use super::trade::Trade;

/// The least that a day's equity may differ from that of the day before and its profit: a cent, since exports round.
const TOLERANCE: f64 = 0.01;
/// The same, of the equity: a tenth of a percent, for interest and fees that no trade has.
const RELATIVE_TOLERANCE: f64 = 0.001;

/// Returns the equity of each day if some day's equity is not the equity of the day before plus its profit; else an
/// empty list.
///
/// Deposits and withdrawals cause such a difference, and no row reports them. So does an equity that is overstated on
/// losing days, which makes their losses look small.
pub fn unreconciled(days: &[&[(usize, &Trade)]]) -> Vec<f64> {
    let profit =
        |day: &[(usize, &Trade)]| day.iter().fold(0.0, |sum, (_, trade)| sum + trade.pnl_net.unwrap_or(0.0));
    let stated: Option<Vec<f64>> = days.iter().map(|day| day.first()?.1.equity_before).collect();
    // If one is missing, nothing is graded.
    let Some(stated) = stated else { return Vec::new() };
    let reconciles = stated.windows(2).zip(days).all(|(equity, day)| {
        let expected = equity[0] + profit(day);
        (equity[1] - expected).abs() <= TOLERANCE.max(RELATIVE_TOLERANCE * expected.abs())
    });
    if reconciles { Vec::new() } else { stated }
}
