//! The cells of the calibration.
//!
//! Lengths and market premia are those of the independent report on `grade-strategy/2`.

use super::{Cell, Generator, Part};
use crate::days::edge::Noise;
use crate::trades::holds::Instruments;

const YEAR_OF_DAYS: usize = 252;
const THREE_YEARS: usize = 756;
const FIVE_YEARS: usize = 1_260;

/// The owner's statements: trials, and whether the greatest loss is given.
type Statement = (Option<u32>, bool);

/// One trial and the greatest loss: the statements with which an edge is found most easily.
const FULL: Statement = (Some(1), true);
/// Nothing.
const SILENT: Statement = (None, false);

/// Adds a cell for each statement.
fn add(cells: &mut Vec<Cell>, part: Part, generator: Generator, lengths: &[usize], statements: &[Statement]) {
    for days in lengths {
        for (declared, max_loss) in statements {
            cells.push(Cell { part, generator, days: *days, declared: *declared, max_loss: *max_loss });
        }
    }
}

/// All cells, part by part.
#[must_use]
pub fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    benchmark(&mut cells);
    bets(&mut cells);
    tail(&mut cells);
    cash_and_fees(&mut cells);
    selection(&mut cells);
    loss(&mut cells);
    copy(&mut cells);
    luck(&mut cells);
    power(&mut cells);
    cells
}

fn benchmark(cells: &mut Vec<Cell>) {
    let both = [FULL, SILENT];
    for market in [1.0, 1.5] {
        add(cells, Part::Benchmark, Generator::Book { market, edge: 0.0 }, &[FIVE_YEARS], &both);
        add(cells, Part::Benchmark, Generator::Swing { market }, &[FIVE_YEARS], &both);
    }
    for market in [1.0, 2.0] {
        let lengths = [THREE_YEARS, FIVE_YEARS];
        add(cells, Part::Benchmark, Generator::IndexLate { market }, &lengths, &both);
        add(cells, Part::Benchmark, Generator::IndexEarly { market }, &lengths, &both);
        for days in [5, 20] {
            let generator = Generator::IndexAveraged { market, days };
            add(cells, Part::Benchmark, generator, &[THREE_YEARS], &both);
        }
        add(cells, Part::Benchmark, Generator::LeveredBeta { market }, &lengths, &[FULL]);
        add(cells, Part::Benchmark, Generator::SwitchingBeta { market }, &lengths, &[FULL]);
    }
}

fn bets(cells: &mut Vec<Cell>) {
    let both = [FULL, SILENT];
    add(cells, Part::Bets, Generator::OneBet { won: true }, &[210], &both);
    add(cells, Part::Bets, Generator::OneBet { won: false }, &[210], &[FULL]);
    add(cells, Part::Bets, Generator::Doubling, &[YEAR_OF_DAYS], &both);
    add(cells, Part::Bets, Generator::EqualLots, &[YEAR_OF_DAYS], &both);
    add(cells, Part::Bets, Generator::TimedCloses, &[THREE_YEARS], &both);
    for hold in [20, 40] {
        for instruments in [Instruments::One, Instruments::Many] {
            let generator = Generator::Overlapping { hold, instruments };
            add(cells, Part::Bets, generator, &[THREE_YEARS], &[FULL, (Some(1), false)]);
        }
    }
    add(cells, Part::Bets, Generator::DayTrader { edge: 0.0 }, &[YEAR_OF_DAYS], &both);
}

fn tail(cells: &mut Vec<Cell>) {
    let four = [FULL, (Some(1), false), (None, true), SILENT];
    let often = Generator::ShortVolatility { years: 2.0 };
    add(cells, Part::Tail, Generator::ShortVolatility { years: 5.0 }, &[THREE_YEARS], &four);
    add(cells, Part::Tail, often, &[YEAR_OF_DAYS], &four);
    add(cells, Part::Tail, Generator::Bets { chance: 0.96 }, &[60, 120, 250], &[FULL]);
    add(cells, Part::Tail, Generator::StoppedDaily { edge: 0.0 }, &[THREE_YEARS], &[FULL]);
}

fn cash_and_fees(cells: &mut Vec<Cell>) {
    let both = [FULL, SILENT];
    add(cells, Part::Cash, Generator::TreasuryBills, &[YEAR_OF_DAYS, 504], &both);
    add(cells, Part::Cash, Generator::Carry, &[YEAR_OF_DAYS, THREE_YEARS], &both);
    add(cells, Part::Fees, Generator::FeesLeftOut, &[THREE_YEARS], &both);
}

fn selection(cells: &mut Vec<Cell>) {
    for (trials, lengths) in
        [(10, &[THREE_YEARS][..]), (100, &[THREE_YEARS][..]), (1_000, &[YEAR_OF_DAYS, THREE_YEARS][..])]
    {
        let declared = u32::try_from(trials).ok();
        let statements = [(None, true), SILENT, (declared, true)];
        add(cells, Part::Selection, Generator::BestOf { trials }, lengths, &statements);
    }
    let both = [FULL, SILENT];
    for generator in [Generator::WinnersPasted, Generator::HalfPasted, Generator::BestWindow] {
        add(cells, Part::Selection, generator, &[THREE_YEARS], &both);
    }
}

fn loss(cells: &mut Vec<Cell>) {
    let noises =
        [Noise::Normal, Noise::StudentT(5), Noise::StudentT(3), Noise::Autoregressive(0.2), Noise::Garch];
    for noise in noises {
        for sharpe in [0.0, 0.5, 1.0] {
            let lengths = [YEAR_OF_DAYS, THREE_YEARS, FIVE_YEARS];
            add(cells, Part::Loss, Generator::Returns { noise, sharpe }, &lengths, &[FULL]);
        }
    }
    // True losses, which must still be found.
    for sharpe in [-1.0, -2.0] {
        let generator = Generator::Returns { noise: Noise::StudentT(5), sharpe };
        add(cells, Part::Loss, generator, &[YEAR_OF_DAYS, THREE_YEARS, FIVE_YEARS], &[FULL]);
    }
}

fn copy(cells: &mut Vec<Cell>) {
    add(cells, Part::Copy, Generator::CopiedMixed, &[YEAR_OF_DAYS], &[FULL]);
    add(cells, Part::Copy, Generator::CopiedScalper, &[YEAR_OF_DAYS], &[FULL]);
    for leverage in [40.0, 200.0] {
        add(cells, Part::Copy, Generator::CopiedLevered { leverage }, &[504], &[FULL]);
    }
    let leaders = Generator::CopiedBest { leaders: 1_000 };
    add(cells, Part::Copy, leaders, &[YEAR_OF_DAYS], &[FULL, (None, true), (Some(1_000), true)]);
    add(cells, Part::Copy, Generator::EqualLots, &[YEAR_OF_DAYS], &[FULL]);
    add(cells, Part::Copy, Generator::Doubling, &[YEAR_OF_DAYS], &[FULL]);
    add(cells, Part::Copy, Generator::Book { market: 1.0, edge: 0.0 }, &[FIVE_YEARS], &[FULL]);
    add(cells, Part::Copy, Generator::Swing { market: 1.0 }, &[FIVE_YEARS], &[FULL]);
    // A true edge that a copier can have, and one whose eight trades a day cost more than it earns.
    add(cells, Part::Copy, Generator::StoppedDaily { edge: 3.0 }, &[THREE_YEARS], &[FULL]);
    add(cells, Part::Copy, Generator::DayTrader { edge: 3.0 }, &[THREE_YEARS], &[FULL]);
}

fn luck(cells: &mut Vec<Cell>) {
    add(cells, Part::Luck, Generator::BeforeCosts, &[THREE_YEARS], &[FULL, SILENT]);
    for market in [1.0, 2.0] {
        add(cells, Part::Luck, Generator::IndexAsCash { market }, &[THREE_YEARS], &[FULL, SILENT]);
    }
    for generator in [Generator::Wandering, Generator::Regimes] {
        add(cells, Part::Luck, generator, &[THREE_YEARS, FIVE_YEARS], &[FULL]);
    }
    for share in [0.1, 0.2] {
        add(cells, Part::Luck, Generator::LookAhead { share }, &[THREE_YEARS], &[FULL]);
    }
}

fn power(cells: &mut Vec<Cell>) {
    let lengths = [YEAR_OF_DAYS, THREE_YEARS, FIVE_YEARS];
    for sharpe in [1.0, 2.0, 3.0] {
        let edge = |noise: Noise| Generator::Returns { noise, sharpe };
        add(cells, Part::Power, edge(Noise::StudentT(5)), &lengths, &[FULL, SILENT]);
        add(cells, Part::Power, edge(Noise::GarchAndMarket), &[THREE_YEARS], &[FULL, SILENT]);
        add(cells, Part::Power, edge(Noise::Normal), &[THREE_YEARS], &[FULL, (Some(1), false)]);
        add(cells, Part::Power, edge(Noise::Autoregressive(0.2)), &[THREE_YEARS], &[FULL, SILENT]);
        let stopped = Generator::StoppedDaily { edge: sharpe };
        add(cells, Part::Power, stopped, &[THREE_YEARS], &[FULL, (Some(1), false)]);
        let book = Generator::Book { market: 1.0, edge: sharpe };
        add(cells, Part::Power, book, &[FIVE_YEARS], &[FULL]);
    }
    let trader = Generator::DayTrader { edge: 2.0 };
    add(cells, Part::Power, trader, &[YEAR_OF_DAYS, THREE_YEARS], &[FULL, (Some(1), false)]);
    add(cells, Part::Power, Generator::Bets { chance: 0.98 }, &[60, 120, 250], &[FULL]);
    add(
        cells,
        Part::Power,
        Generator::EdgeAmong { variants: 50, sharpe: 2.0 },
        &[THREE_YEARS],
        &[(Some(50), true)],
    );
    let strong = Generator::Returns { noise: Noise::StudentT(5), sharpe: 4.0 };
    let declared = [100, 101, 1_000, 10_000].map(|n| (Some(n), true));
    add(cells, Part::Power, strong, &[FIVE_YEARS], &declared);
}
