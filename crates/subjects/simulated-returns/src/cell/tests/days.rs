use super::*;
use crate::days::edge::Noise;
use crate::days::selection::{LEAST_WINDOW, ratio};
use crate::market::daily;
use crate::{YEAR, days::benchmark::CASH};

/// The returns of many records, one after the other.
fn pooled(generator: Generator, days: usize, seeds: u64) -> Vec<f64> {
    records(generator, days, seeds).flat_map(day_rows).map(|day| day.r).collect()
}

/// The slope over the benchmark `lag` days before, and the yearly intercept at it.
fn slope(generator: Generator, lag: i32) -> (f64, f64) {
    let (mut x, mut b) = (Vec::new(), Vec::new());
    for record in records(generator, 756, 60) {
        let days = day_rows(record);
        for (at, day) in days.iter().enumerate() {
            let other = i32::try_from(at).unwrap() - lag;
            let other = usize::try_from(other).ok().and_then(|at| days.get(at));
            if let Some(benchmark) = other.and_then(|day| day.b) {
                x.push(day.r);
                b.push(benchmark);
            }
        }
    }
    let (slope, intercept) = fit(&x, &b);
    (slope, intercept * YEAR)
}

#[test]
fn delayed_indices_have_their_beta_a_day_away_and_nothing_else() {
    for (generator, lag) in
        [(Generator::IndexLate { market: 1.0 }, 1), (Generator::IndexEarly { market: 1.0 }, -1)]
    {
        let (beta, alpha) = slope(generator, lag);
        assert!((beta - 1.0).abs() < 0.02 && alpha.abs() < 0.02, "{generator:?}: {beta}, {alpha}");
        let (beta, alpha) = slope(generator, 0);
        // The whole premium of the market, .16 a year, looks like skill.
        assert!(beta.abs() < 0.03 && (alpha - 0.16).abs() < 0.05, "{generator:?}: {beta}, {alpha}");
    }
}

#[test]
fn averaged_indices_spread_their_beta_over_their_days() {
    for days in [5, 20] {
        let generator = Generator::IndexAveraged { market: 1.0, days };
        let betas: Vec<f64> = (0..=20).map(|lag| slope(generator, lag).0).take(days + 1).collect();
        let (outside, inside) = betas.split_last().unwrap();
        assert!(inside.iter().all(|beta| (beta * count(days) - 1.0).abs() < 0.5), "{betas:?}");
        assert!((inside.iter().sum::<f64>() - 1.0).abs() < 0.08, "{betas:?}");
        assert!(outside.abs() < 0.02, "{betas:?}");
    }
}

#[test]
fn levered_and_switching_betas_leave_no_intercept() {
    for (generator, wanted) in
        [(Generator::LeveredBeta { market: 2.0 }, 1.5), (Generator::SwitchingBeta { market: 2.0 }, 1.0)]
    {
        let (beta, alpha) = slope(generator, 0);
        assert!((beta - wanted).abs() < 0.05 && alpha.abs() < 0.03, "{generator:?}: {beta}, {alpha}");
    }
}

#[test]
fn cash_earns_five_percent_and_its_owner_may_state_it_as_benchmark() {
    for (generator, volatility) in
        [(Generator::TreasuryBills, 0.00027 * YEAR.sqrt()), (Generator::Carry, 0.02)]
    {
        let x = pooled(generator, 756, 40);
        assert!((mean(&x) * YEAR - CASH).abs() < 0.01, "{generator:?}: {}", mean(&x) * YEAR);
        assert!((spread(&x) * YEAR.sqrt() / volatility - 1.0).abs() < 0.1, "{generator:?}");
        let excess: Vec<f64> = x.iter().map(|r| r - CASH / YEAR).collect();
        assert!(z(&excess).abs() < 4.0, "{generator:?}");
        assert!(records(generator, 60, 1).all(|record| record.risk_free == CASH));
    }
    assert!(records(Generator::TreasuryBills, 60, 1).all(|record| record.cash_is_benchmark));
    assert!(records(Generator::IndexAsCash { market: 1.0 }, 60, 1).all(|record| record.cash_is_benchmark));
    assert!(records(Generator::Carry, 60, 1).all(|record| !record.cash_is_benchmark));
}

#[test]
fn returns_have_their_sharpe_ratio_and_volatility() {
    let noises =
        [Noise::Normal, Noise::StudentT(5), Noise::StudentT(3), Noise::Autoregressive(0.2), Noise::Garch];
    for noise in noises {
        for sharpe in [-1.0, 0.0, 0.5, 3.0] {
            let x = pooled(Generator::Returns { noise, sharpe }, 756, 200);
            assert!((spread(&x) / 0.01 - 1.0).abs() < 0.1, "{noise:?}: {}", spread(&x));
            let made = mean(&x) / 0.01 * YEAR.sqrt();
            assert!((made - sharpe).abs() < 0.25, "{noise:?}: {made} instead of {sharpe}");
        }
    }
    let (beta, alpha) = slope(Generator::Returns { noise: Noise::GarchAndMarket, sharpe: 2.0 }, 0);
    assert!((beta - 0.5).abs() < 0.05, "{beta}");
    assert!((alpha / 0.01 / YEAR.sqrt() - 2.0).abs() < 0.35, "{alpha}");
    let gross = pooled(Generator::BeforeCosts, 756, 100);
    assert!((mean(&gross) / daily(3.0, 0.01) - 1.0).abs() < 0.2);
}

#[test]
fn records_without_an_edge_have_no_drift() {
    for generator in [Generator::HalfPasted, Generator::Wandering, Generator::Regimes] {
        // Days depend on one another here, records do not.
        let of = |record: Record| mean(&day_rows(record).iter().map(|day| day.r).collect::<Vec<_>>());
        let means: Vec<f64> = records(generator, 756, 600).map(of).collect();
        assert!(z(&means).abs() < 4.0, "{generator:?}: {}", z(&means));
        assert!((spread(&pooled(generator, 756, 50)) / 0.01 - 1.0).abs() < 0.1, "{generator:?}");
    }
}

#[test]
fn a_search_finds_the_greatest_of_its_trials() {
    // The mean of the greatest of n standard normal values: 1.54 of 10, 2.51 of 100 (Tippett 1925).
    for (trials, wanted, seeds) in [(10, 1.54, 200), (100, 2.51, 40)] {
        let of = |record: Record| {
            let x: Vec<f64> = day_rows(record).iter().map(|day| day.r).collect();
            ratio(&x) * libm::sqrt(count(x.len()))
        };
        let t: Vec<f64> = records(Generator::BestOf { trials }, 756, seeds).map(of).collect();
        assert!((mean(&t) - wanted).abs() < 0.25, "{trials}: {}", mean(&t));
    }
}

#[test]
fn pasted_days_are_exact_copies() {
    for (generator, wanted) in [(Generator::WinnersPasted, 0.1), (Generator::HalfPasted, 0.5)] {
        for record in records(generator, 756, 5) {
            let days = day_rows(record);
            let different: BTreeSet<u64> = days.iter().map(|day| day.r.to_bits()).collect();
            let copies = 1.0 - count(different.len()) / count(days.len());
            assert!((copies - wanted).abs() < 0.02, "{generator:?}: {copies}");
        }
    }
    // A tenth of all days gains the mean of a winning day over that of a random one: a Sharpe ratio of 1.1 to 1.3.
    let x = pooled(Generator::WinnersPasted, 756, 200);
    let sharpe = mean(&x) / spread(&x) * YEAR.sqrt();
    assert!((1.0..1.5).contains(&sharpe), "{sharpe}");
}

#[test]
fn a_cut_record_is_at_least_a_year_and_better_than_chance() {
    let mut t = Vec::new();
    for record in records(Generator::BestWindow, 756, 200) {
        let x: Vec<f64> = day_rows(record).iter().map(|day| day.r).collect();
        assert!((LEAST_WINDOW..=756).contains(&x.len()));
        t.push(ratio(&x) * libm::sqrt(count(x.len())));
    }
    assert!((0.8..2.2).contains(&mean(&t)), "{}", mean(&t));
}

#[test]
fn a_known_sign_makes_its_share_of_the_profit() {
    for share in [0.1, 0.2] {
        let x = pooled(Generator::LookAhead { share }, 756, 100);
        // The mean of |z| is .73 for Student's t with 5 degrees of freedom and variance 1.
        assert!((mean(&x) / 0.01 / (0.735 * share) - 1.0).abs() < 0.2, "{share}: {}", mean(&x));
    }
}

#[test]
fn an_edge_is_the_first_of_its_variants() {
    for record in records(Generator::EdgeAmong { variants: 50, sharpe: 2.0 }, 252, 3) {
        let variants = record.alternatives.clone();
        let x: Vec<f64> = day_rows(record).iter().map(|day| day.r).collect();
        assert_eq!(variants.len(), 50);
        assert_eq!(variants[0], x);
        assert!(variants.iter().all(|variant| variant.len() == x.len()));
    }
}
