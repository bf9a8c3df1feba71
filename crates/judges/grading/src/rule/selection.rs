//! Steps 4 and 5: tests that chance and the number of trials do not explain alpha, and else names the explanation.

use super::alpha::Alpha;
use super::sample::Sample;
use super::sheet::StatisticSheet;
use super::{GradeRuling, MATERIAL_SHARPE, MOST_TRIALS};
use crate::grade::GradeReason;
use crate::statistics::distribution::student_t_sf;

/// Source of alpha and beta.
pub const DIMSON: &str = "Dimson 1979; ordinary least squares";

/// The p-values of the alpha, before and after correction for trials, and the level that they are compared with.
pub struct Significance {
    level: f64,
    p: f64,
    p_of_trials: f64,
}

/// Returns the probability that the best of `trials` trials without an edge has a p-value of at most `p` (Sidak 1967).
pub fn of_trials(p: f64, trials: u32) -> f64 {
    -libm::expm1(f64::from(trials) * libm::log1p(-p))
}

/// Returns the greatest number of trials for which that is at most `level`; `None` where it is not for one.
pub fn most_trials(p: f64, level: f64) -> Option<u32> {
    if !(p > 0.0 && p <= level) {
        return None;
    }
    let most = libm::floor(libm::log1p(-level) / libm::log1p(-p)).max(1.0);
    // At most a thousand million.
    Some(most.min(MOST_TRIALS) as u32)
}

impl Significance {
    /// Computes the p-values, and records them in the sheet.
    pub fn of(alpha: &Alpha, trials: u32, sheet: &mut StatisticSheet) -> Self {
        let level = alpha.level;
        let source = "Lopez de Prado, Lipton and Zoonekynd 2025; AR(1) variance";
        sheet.reported("alpha.mean", alpha.moments.mean, DIMSON);
        sheet.reported("alpha.beta", alpha.beta, DIMSON);
        sheet.reported("alpha.sharpe", alpha.moments.sharpe(), "Sharpe 1994");
        sheet.at_most("alpha.p_newey_west", alpha.p_newey_west, level, "Newey and West 1987");
        sheet.at_most("alpha.p_sharpe_at_zero", alpha.p_at_zero, level, source);
        if let Some(p) = alpha.p_cosine {
            sheet.at_most("alpha.p_cosines", p, level, "Lazarus, Lewis, Stock and Watson 2018");
        }
        sheet.at_most(
            "alpha.p_sharpe_at_observed",
            alpha.p_at_observed,
            level,
            "Bailey and Lopez de Prado 2012",
        );
        let p = alpha.p();
        let p_of_trials = of_trials(p, trials);
        sheet.at_most("alpha.p_of_trials", p_of_trials, level, "Sidak 1967");
        Self { level, p, p_of_trials }
    }

    /// Returns true if alpha is significant after the correction for trials.
    pub fn holds(&self) -> bool {
        self.p <= self.level && self.p_of_trials <= self.level
    }
}

/// Rules on a record whose alpha is not significant, with the cause that explains its profit.
pub fn explained(
    sample: &Sample,
    alpha: &Alpha,
    significance: &Significance,
    declared: bool,
    sheet: &mut StatisticSheet,
) -> GradeRuling {
    let moments = &sample.moments;
    let p_of_returns = student_t_sf(moments.mean / sample.error, moments.n - 1.0);
    let share = alpha.moments.mean / moments.mean;
    sheet.reported("returns.p_newey_west", p_of_returns, "Newey and West 1987");
    sheet.reported("alpha.share_of_mean", share, "the rule's own");
    if p_of_returns <= 0.05 && significance.p > 0.10 && share < 0.5 {
        return GradeRuling::luck(GradeReason::BenchmarkExplains);
    }
    match (significance.p <= significance.level, declared) {
        (true, true) => return GradeRuling::luck(GradeReason::SelectionExplains),
        (true, false) => return GradeRuling::insufficient(GradeReason::TrialsUndeclared),
        (false, _) => {}
    }
    let highest = sample.highest_sharpe(alpha.moments.mean);
    if sheet.at_least("alpha.highest_sharpe", highest, MATERIAL_SHARPE, "Lo 2002") {
        GradeRuling::insufficient(GradeReason::Underpowered)
    } else {
        GradeRuling::luck(GradeReason::MaterialEdgeExcluded)
    }
}
