//! Records whose sizes grow with losses are no edge, whatever their days look like; and no honest one is taken for such.

use grading::{GradeReason, GradeVerdict, Reservation};
use simulated_returns::{Cell, Generator, Instruments, Part, record, request};

use crate::common::*;

/// Returns true if the rows of a record are those of a martingale.
fn is_called_one(generator: Generator, days: usize, seed: u64) -> bool {
    let cell = Cell { part: Part::Bets, generator, days, declared: Some(1), max_loss: true };
    let question = question(&request(&record(&cell, seed))).unwrap();
    question.settled.record.reservations.0.contains(&Reservation::NeverRealEdge(GradeReason::Martingale))
}

#[test]
fn a_martingale_within_the_day_is_no_edge_though_its_days_look_like_one() {
    for generator in [Generator::Doubling, Generator::EqualLots] {
        let called = (0..40).filter(|seed| is_called_one(generator, 252, *seed)).count();
        // One that was ruined within days is too short to tell, and is no edge either.
        assert!(called >= 36, "{generator:?}: {called} of 40");
        let cell = Cell { part: Part::Bets, generator, days: 252, declared: Some(1), max_loss: true };
        for seed in 0..20 {
            let finding = grade(&request(&record(&cell, seed)));
            assert_ne!(finding.grade.verdict, GradeVerdict::RealEdge, "{generator:?}, {seed}");
        }
    }
}

#[test]
fn traders_of_a_constant_share_of_their_equity_are_no_martingales() {
    let honest = [
        (Generator::DayTrader { edge: 0.0 }, 252),
        (Generator::DayTrader { edge: 2.0 }, 252),
        (Generator::StoppedDaily { edge: 0.0 }, 252),
        (Generator::StoppedDaily { edge: 2.0 }, 252),
        (Generator::Bets { chance: 0.98 }, 60),
        (Generator::Book { market: 1.0, edge: 0.0 }, 252),
        (Generator::Overlapping { hold: 40, instruments: Instruments::Many }, 504),
    ];
    for (generator, days) in honest {
        let called = (0..40).filter(|seed| is_called_one(generator, days, *seed)).count();
        assert_eq!(called, 0, "{generator:?}");
    }
}
