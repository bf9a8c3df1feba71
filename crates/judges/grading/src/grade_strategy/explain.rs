//! A grade in two sentences.

use crate::grade::{Grade, GradeReason, GradeVerdict};
use crate::input::Missing;

/// Explains a grade in words: the verdict, the reason, and the members that the rows lack.
#[must_use]
pub fn explain(grade: &Grade, missing: &[Missing]) -> String {
    let days = match grade.units {
        1 => "1 settlement day".to_owned(),
        units => format!("{units} settlement days"),
    };
    let found = match grade.verdict {
        GradeVerdict::RealEdge => {
            format!("Over {days} the record made more than its benchmark and luck explain.")
        }
        GradeVerdict::RegimeLuck => {
            format!("Over {days} the record is profitable, but not in the way of a lasting edge.")
        }
        GradeVerdict::NegativeEv => {
            format!("Over {days} the record shows no profit, and that is more than bad luck.")
        }
        GradeVerdict::InsufficientData => {
            format!("A record of {days} does not say whether there is an edge.")
        }
    };
    format!("{found} {}", why(grade.reason, missing))
}

/// The second of the sentences.
pub(crate) fn why(reason: GradeReason, missing: &[Missing]) -> String {
    if reason == GradeReason::FieldsMissing {
        let names: Vec<String> = missing.iter().map(|missing| format!("`{}`", missing.field)).collect();
        return format!("Rows lack {}, which the rule needs: `missing` says what to add.", names.join(", "));
    }
    sentence(reason).to_owned()
}

fn sentence(reason: GradeReason) -> &'static str {
    match reason {
        GradeReason::AllStepsPassed => {
            "It passed every step: significance, trials, subperiods, concentration and the bootstrap."
        }
        GradeReason::FieldsMissing => "Rows lack what the rule needs.",
        GradeReason::UnsettledShare => {
            "More than a fifth of the trades are not settled, and what they will bring is not known."
        }
        GradeReason::OpenPnlMissing => "There are open trades without `open_pnl`, which may hide the losses.",
        GradeReason::HoldsUnknown => "It is not said when each trade was opened: give `opened_at`.",
        GradeReason::TooFewPositions => {
            "Its trades are fewer than 30 positions, since those of one instrument that overlap are one."
        }
        GradeReason::MarksMissing => {
            "Its positions are held for more than a day, and closes alone do not show what they were worth meanwhile: give the account's `marks` of nearly all days, or its daily `returns`."
        }
        GradeReason::Martingale => {
            "Its positions grow with its losses, and such a record looks good until the one loss that ends it."
        }
        GradeReason::RiskFreeMissing => {
            "It varies so little that interest on cash could make the profit: give `risk_free`, which is 0 for results that hold no cash."
        }
        GradeReason::OpenLoss => {
            "With what its open trades may have lost taken over the last days it is no edge any more."
        }
        GradeReason::EquityUnreconciled => {
            "Its profits do not make the equity that it states, and with one that no day's profit has a part in it is no edge any more."
        }
        GradeReason::TooFewUnits => "The rule needs at least 60 days on which something settled.",
        GradeReason::TooFewIndependentUnits => {
            "Its days resemble each other so much that they count for fewer than 30."
        }
        GradeReason::NoVariation => "Its days hardly differ, so that there is nothing to measure luck by.",
        GradeReason::OutOfRange => "Some of its numbers are too large or too small to reckon with.",
        GradeReason::LossSignificant => "The average day loses by more than chance explains.",
        GradeReason::LossUnderpowered => "The average day makes nothing, but it may be bad luck.",
        GradeReason::HiddenTail => {
            "Losses as large as the stakes allow would take the profit, and have not been seen yet."
        }
        GradeReason::TailUnknown => {
            "It is not said how much could have been lost: give `max_loss`, or at least the notional."
        }
        GradeReason::Ruin => "The account lost all of its equity, or more.",
        GradeReason::ReturnsRepeated => {
            "More of its returns are the same to the last place than chance explains, as those of days that were pasted."
        }
        GradeReason::FeesUnseen => {
            "Every result is what the prices make it before fees: give `fees`, or the account's `returns` or `marks` after all costs."
        }
        GradeReason::TrialsUndeclared => {
            "It is not said how many strategies were tried, and the best of a thousand without an edge would look as good: give `declared_trials`."
        }
        GradeReason::BenchmarkExplains => "Its benchmark explains the profit.",
        GradeReason::SelectionExplains => {
            "As many trials as were declared would find as good a record by luck."
        }
        GradeReason::MaterialEdgeExcluded => "An edge that large would have to show by now, and does not.",
        GradeReason::Underpowered => "The profit is within what luck brings over so few days.",
        GradeReason::Subperiods => "The profit does not hold in enough of its four subperiods.",
        GradeReason::BestSubperiod => {
            "Without the best of its four subperiods there is no profit to speak of."
        }
        GradeReason::LastThird => "The profit is gone in the last third.",
        GradeReason::MeanShift => "The average shifted, and since then there is no profit to speak of.",
        GradeReason::BenchmarkHalves => "The profit depends on which way the benchmark goes.",
        GradeReason::Concentration => "A few days make the profit.",
        GradeReason::Bootstrap => "Resampled without an edge, the record does as well too often.",
        GradeReason::BenchmarkCoverage => "Some of the days lack their benchmark's return.",
        GradeReason::BenchmarkAbsent => {
            "There is no benchmark to hold it against: give `benchmark_return`, or state that there is no exposure."
        }
        GradeReason::AlternativesExplain => "Among so many variants, one as good is found by luck.",
        GradeReason::AlternativesMismatch => "A variant lacks returns for some of the days.",
    }
}
