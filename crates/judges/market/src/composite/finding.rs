//! The finding of `/composite`, a pure function of the question and the gathered files.

use std::borrow::Cow;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use stress_composite::{Composite, Reading, StressLabel, YieldCurve, built_in, vix_history};

use super::question::{CompositeKind, CompositeQuestion, LEAST_COMPONENTS};
use super::sources::{VIX, YIELDS, has_rows};
use crate::source::{Gathered, SourceRecord};

const SCOPE: &str = "Where the last observation of each series stands among its own past, and the mean of these places. It is no \
    forecast, and says nothing of any one asset.";
const METHOD: &str = "composite/1";

/// The finding of `/composite`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CompositeFinding {
    /// The label of the reading, or `INSUFFICIENT_DATA`.
    pub verdict: CompositeVerdict,
    /// The reasons of `INSUFFICIENT_DATA`; empty for any other verdict.
    pub reasons: Vec<CompositeReason>,
    /// The series: `built_in`, or those of the request.
    pub composite: &'static str,
    /// The reading and what it depends on.
    #[serde(flatten)]
    pub reading: Reading,
    /// What the finding rests on.
    pub evidence: CompositeEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the method.
    pub method: Cow<'static, str>,
}

/// What a finding of `/composite` rests on, beside the request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CompositeEvidence {
    /// The published files; none for series of the request.
    pub sources: Vec<SourceRecord>,
}

/// The verdict of `/composite`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CompositeVerdict {
    /// A value below 30, from fresh files.
    Low,
    /// A value from 30 to below 60.
    Normal,
    /// A value from 60 to below 80.
    Elevated,
    /// A value of 80 or above.
    Extreme,
    /// Too few series, or one of them too old.
    InsufficientData,
}

/// A reason of `INSUFFICIENT_DATA`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompositeReason {
    /// Fewer than four series have a percentile.
    TooFewInputs,
    /// The last observation of a series is more than five business days old.
    InputTooOld,
    /// The value is low, but a source could not be asked again.
    SourceStale,
}

/// The finding on a day, from the files. The error names a file that cannot be read.
pub(super) fn find(
    question: &CompositeQuestion,
    gathered: &Gathered,
    today: Date,
) -> Result<CompositeFinding, String> {
    let as_of = question.as_of.unwrap_or(today);
    let (name, composite) = match &question.kind {
        CompositeKind::BuiltIn { price } => {
            let vix = gathered.of_kind(VIX).next().ok_or_else(|| VIX.to_owned())?;
            let vix = vix_history(&vix.kept).map_err(|error| format!("{VIX}: {error}"))?;
            let years = gathered.of_kind(YIELDS).map(|piece| &piece.kept[..]).filter(|body| has_rows(body));
            let curve = YieldCurve::read(years).map_err(|error| format!("{YIELDS}: {error}"))?;
            ("built_in", built_in(&vix, &curve, price.as_ref()))
        }
        CompositeKind::Own(components) => {
            ("request", Composite { components: components.clone(), least: LEAST_COMPONENTS })
        }
    };
    let reading = composite.read(as_of);
    let mut reasons = Vec::new();
    if reading.value.is_none() {
        reasons.push(CompositeReason::TooFewInputs);
    }
    if reading.missing.iter().any(|input| input.reason == "too_old") {
        reasons.push(CompositeReason::InputTooOld);
    }
    if reading.label == Some(StressLabel::Low) && gathered.is_stale() {
        reasons.push(CompositeReason::SourceStale);
    }
    let verdict = match reading.label.filter(|_| reasons.is_empty()) {
        Some(StressLabel::Low) => CompositeVerdict::Low,
        Some(StressLabel::Normal) => CompositeVerdict::Normal,
        Some(StressLabel::Elevated) => CompositeVerdict::Elevated,
        Some(StressLabel::Extreme) => CompositeVerdict::Extreme,
        None => CompositeVerdict::InsufficientData,
    };
    Ok(CompositeFinding {
        verdict,
        explanation: explanation(&reading, &reasons),
        reasons,
        composite: name,
        reading,
        evidence: CompositeEvidence { sources: gathered.records() },
        scope: SCOPE.into(),
        method: METHOD.into(),
    })
}

fn explanation(reading: &Reading, reasons: &[CompositeReason]) -> String {
    let counted = reading.inputs.len();
    let value = match reading.value {
        Some(value) => format!("the mean place of {counted} series in their own past is {value:.1} of 100"),
        None => format!("only {counted} series have a place in their own past"),
    };
    let reasons: Vec<&str> = reasons
        .iter()
        .map(|reason| match reason {
            CompositeReason::TooFewInputs => "too few series count",
            CompositeReason::InputTooOld => "the last observation of a series is too old",
            CompositeReason::SourceStale => "a source could not be asked again",
        })
        .collect();
    let why = if reasons.is_empty() { String::new() } else { format!("; {}", reasons.join("; ")) };
    format!("As of {}, {value}{why}.", reading.as_of)
}
