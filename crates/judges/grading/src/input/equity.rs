//! Checks that the profits add up to the equity that they are measured by.

use super::trade::Trade;

/// The least that a day's equity may differ from that of the day before and its profit: a cent, since exports round.
const TOLERANCE: f64 = 0.01;
/// The same, of the equity: a tenth of a percent, for interest and fees that no trade has.
const RELATIVE_TOLERANCE: f64 = 0.001;

/// The equity of each day, where some day's is not that of the day before and its profit; else nothing.
///
/// Deposits and withdrawals do that, and no row tells of these. So does an equity that is stated higher on days that
/// lose, which makes their losses small.
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
