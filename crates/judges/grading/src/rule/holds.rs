//! Step 6: tests that the alpha holds throughout the record, rather than in one stretch or a few units.

use super::alpha::Alpha;
use super::sample::Sample;
use super::sheet::StatisticSheet;
use super::{GradeRuling, ONE_SIDED_95};
use crate::grade::GradeReason;
use crate::statistics::distribution::{chi_square_sf, student_t_sf};
use crate::statistics::moments::sum;
use crate::statistics::stability::{SeriesPart, cochran_q, mean_shift};
use crate::statistics::{count, whole};

const OWN: &str = "the rule's own";
const NEWEY_WEST: &str = "Newey and West 1987";
/// Number of subperiods.
pub const PARTS: usize = 4;
/// The 95% point of the greatest Wald statistic for one parameter, 15% trimmed (Andrews 1993, table 1).
const SHIFT: f64 = 8.85;
/// The fewest units of a benchmark half that are looked at.
const HALF: usize = 15;

/// A step's reason where it does not pass.
type Step = fn(&Sample, &Alpha, &mut StatisticSheet) -> Option<GradeReason>;

/// Tests that alpha is stable. All steps run; the first that does not pass gives the reason.
pub fn holds(sample: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Result<(), GradeRuling> {
    let steps: [Step; 6] = [subperiods, best_subperiod, last_third, shift, benchmark_halves, concentration];
    let failed = steps.iter().fold(None, |first, step| first.or(step(sample, alpha, sheet)));
    failed.map_or(Ok(()), |reason| Err(GradeRuling::luck(reason)))
}

/// Returns the four subperiods of a series, equal in length up to one unit.
pub fn parts(series: &[f64]) -> [&[f64]; PARTS] {
    let at = |part: usize| series.len() * part / PARTS;
    std::array::from_fn(|part| &series[at(part)..at(part + 1)])
}

/// Three of four equal subperiods earn, and none loses by more than chance.
fn subperiods(_: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let parts = parts(&alpha.series).map(SeriesPart::of);
    let earning = count(parts.iter().filter(|part| part.mean > 0.0).count());
    let worst =
        parts.iter().map(SeriesPart::t).fold(f64::INFINITY, |worst, t| if t < worst { t } else { worst });
    let holds = sheet.at_least("subperiods.earning", earning, 3.0, OWN)
        & sheet.at_least("subperiods.worst_t", worst, -ONE_SIDED_95, NEWEY_WEST);
    (!holds).then_some(GradeReason::Subperiods)
}

/// It earns without the best subperiod; by more than chance where the subperiods differ.
fn best_subperiod(_: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let slices = parts(&alpha.series);
    let parts = slices.map(SeriesPart::of);
    let differ = chi_square_sf(cochran_q(&parts), 3);
    sheet.reported("subperiods.homogeneity_p", differ, "Cochran 1954");
    let level = if differ > 0.10 { 0.10 } else { 0.01 };
    let best = parts.iter().enumerate().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).map_or(0, |(at, _)| at);
    let rest: Vec<&[f64]> =
        slices.iter().enumerate().filter(|(at, _)| *at != best).map(|(_, s)| *s).collect();
    let rest = rest.concat();
    let p = student_t_sf(SeriesPart::of(&rest).t(), count(rest.len()) - 1.0);
    (!sheet.at_most("subperiods.p_without_best", p, level, NEWEY_WEST)).then_some(GradeReason::BestSubperiod)
}

/// It still earns in the last third.
fn last_third(_: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let last = &alpha.series[alpha.series.len() * 2 / 3..];
    (!sheet.at_least("last_third.t", SeriesPart::of(last).t(), 0.5, NEWEY_WEST))
        .then_some(GradeReason::LastThird)
}

/// If the mean shifted, tests that the record earns after the shift.
fn shift(_: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let Some(shift) = mean_shift(&alpha.series) else {
        sheet.at_most("mean_shift.wald", f64::NAN, SHIFT, "Andrews 1993");
        return Some(GradeReason::MeanShift);
    };
    if sheet.at_most("mean_shift.wald", shift.statistic, SHIFT, "Andrews 1993") {
        return None;
    }
    let after = SeriesPart::of(&alpha.series[shift.at..]).t();
    (!sheet.at_least("mean_shift.t_after", after, 1.28, NEWEY_WEST)).then_some(GradeReason::MeanShift)
}

/// It loses neither where the benchmark does well nor where it does badly.
fn benchmark_halves(sample: &Sample, alpha: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let b = sample.b.as_deref()?;
    let median = crate::statistics::performance::quantile(b, 0.5);
    let half = |above: bool| -> Vec<f64> {
        let rows = alpha.series.iter().zip(b).filter(|(_, b)| (**b > median) == above);
        rows.map(|(a, _)| *a).collect()
    };
    let mut holds = true;
    for (id, above) in [("benchmark_halves.t_above", true), ("benchmark_halves.t_below", false)] {
        let series = half(above);
        if series.len() >= HALF {
            holds &= sheet.at_least(id, SeriesPart::of(&series).t(), -ONE_SIDED_95, NEWEY_WEST);
        }
    }
    (!holds).then_some(GradeReason::BenchmarkHalves)
}

/// The profit is not that of a few units.
fn concentration(sample: &Sample, _: &Alpha, sheet: &mut StatisticSheet) -> Option<GradeReason> {
    let mut sorted = sample.x.clone();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let profit = sum(&sample.x);
    let largest = sorted.first().map_or(f64::NAN, |x| x / profit);
    let best = whole(libm::ceil(0.01 * count(sorted.len())), sorted.len());
    let rest = sum(&sorted[best..]);
    let won: Vec<f64> = sorted.iter().copied().filter(|x| *x > 0.0).collect();
    let squares: Vec<f64> = won.iter().map(|x| x * x).collect();
    let effective = sum(&won) * sum(&won) / sum(&squares);
    let holds = sheet.at_most("concentration.largest_share", largest, 0.5, OWN)
        & sheet.above("concentration.profit_without_best", rest, 0.0, OWN)
        & sheet.at_least("concentration.effective_winners", effective, 10.0, "Herfindahl and Hirschman");
    (!holds).then_some(GradeReason::Concentration)
}
