//! A grade in two sentences.

use crate::grade::{Grade, Reason, Verdict};
use crate::input::Missing;

/// Explains a grade in words: the verdict and the reason.
#[must_use]
pub fn explain(grade: &Grade, missing: &[Missing]) -> String {
    let days = match grade.units {
        1 => "1 settlement day".to_owned(),
        units => format!("{units} settlement days"),
    };
    let found = match grade.verdict {
        Verdict::RealEdge => format!("Over {days} the record made more than its benchmark and luck explain."),
        Verdict::RegimeLuck => {
            format!("Over {days} the record is profitable, but not in the way of a lasting edge.")
        }
        Verdict::NegativeEv => {
            format!("Over {days} the record shows no profit, and that is more than bad luck.")
        }
        Verdict::InsufficientData => format!("A record of {days} does not say whether there is an edge."),
    };
    format!("{found} {}", why(grade.reason, missing))
}

/// The second of the sentences.
pub(crate) fn why(reason: Reason, missing: &[Missing]) -> String {
    if reason == Reason::FieldsMissing {
        let names: Vec<String> = missing.iter().map(|missing| format!("`{}`", missing.field)).collect();
        return format!("Rows lack {}, which the rule needs: `missing` says what to add.", names.join(", "));
    }
    sentence(reason).to_owned()
}

fn sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::AllStepsPassed => {
            "It passed every step: significance, trials, subperiods, concentration and the bootstrap."
        }
        Reason::FieldsMissing => "Rows lack what the rule needs.",
        Reason::UnsettledShare => {
            "More than a fifth of the trades are not settled, and what they will bring is not known."
        }
        Reason::OpenPnlMissing => "There are open trades without `open_pnl`, which may hide the losses.",
        Reason::OpenLoss => {
            "With what its open trades may have lost taken over the last days it is no edge any more."
        }
        Reason::EquityUnreconciled => {
            "Its profits do not make the equity that it states, and with one that no day's profit has a part in it is no edge any more."
        }
        Reason::TooFewUnits => "The rule needs at least 60 days on which something settled.",
        Reason::TooFewIndependentUnits => {
            "Its days resemble each other so much that they count for fewer than 30."
        }
        Reason::NoVariation => "Its days hardly differ, so that there is nothing to measure luck by.",
        Reason::OutOfRange => "Some of its numbers are too large or too small to reckon with.",
        Reason::LossSignificant => "The average day loses by more than chance explains.",
        Reason::LossMaterialEdgeExcluded => {
            "The average day makes nothing, and a Sharpe ratio of 1 a year is ruled out."
        }
        Reason::LossUnderpowered => "The average day makes nothing, but it may be bad luck.",
        Reason::HiddenTail => {
            "Losses as large as the stakes allow would take the profit, and have not been seen yet."
        }
        Reason::TailUnknown => {
            "It is not said how much could have been lost, and too few losses were seen to tell: give `max_loss`."
        }
        Reason::Ruin => "On one of the days all of the equity was lost, or more.",
        Reason::BenchmarkExplains => "Its benchmark explains the profit.",
        Reason::SelectionExplains => "As many trials as were declared would find as good a record by luck.",
        Reason::MaterialEdgeExcluded => "An edge that large would have to show by now, and does not.",
        Reason::Underpowered => "The profit is within what luck brings over so few days.",
        Reason::Subperiods => "The profit does not hold in enough of its four subperiods.",
        Reason::BestSubperiod => "Without the best of its four subperiods there is no profit to speak of.",
        Reason::LastThird => "The profit is gone in the last third.",
        Reason::MeanShift => "The average shifted, and since then there is no profit to speak of.",
        Reason::BenchmarkHalves => "The profit depends on which way the benchmark goes.",
        Reason::Concentration => "A few days make the profit.",
        Reason::Bootstrap => "Resampled without an edge, the record does as well too often.",
        Reason::TrialsBeyondResamples => {
            "None of its resamples without an edge does as well, but for so many trials the rule draws too few of them to tell."
        }
        Reason::BenchmarkCoverage => "Some of the days lack their benchmark's return.",
        Reason::BenchmarkAbsent => {
            "There is no benchmark to hold it against: give `benchmark_return`, or state that there is no exposure."
        }
        Reason::AlternativesExplain => "Among so many variants, one as good is found by luck.",
        Reason::AlternativesMismatch => "A variant lacks returns for some of the days.",
    }
}
