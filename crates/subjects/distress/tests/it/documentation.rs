//! The models' formulas as the documentation states them.

use std::fs;
use std::path::Path;

use distress::{Coefficient, Measure, Model, ModelId, Signal, model, ratios};

/// The line of a model in `docs/market.md`.
fn line(id: ModelId) -> String {
    let model = model(id);
    let formula = if id == ModelId::MertonDd { merton() } else { sum(model) };
    let paper = model.paper;
    format!(
        "- **`{}`**: {formula}. {}. {} {}, {}; {}.",
        id.as_str(),
        bounds(model),
        paper.authors,
        paper.year,
        paper.journal,
        paper.place
    )
}

fn sum(model: &Model) -> String {
    let constant = (model.constant != 0.0).then(|| format!("{}", model.constant));
    let terms = model.coefficients.iter().map(term);
    let mut text = String::new();
    for part in constant.into_iter().chain(terms) {
        let (sign, part) = part.strip_prefix('-').map_or(("+", &*part), |rest| ("-", rest));
        match (text.is_empty(), sign) {
            (true, "+") => {}
            (true, _) => text.push('-'),
            (false, sign) => text.push_str(&format!(" {sign} ")),
        }
        text.push_str(part);
    }
    format!("`{text}`")
}

fn term(coefficient: &Coefficient) -> String {
    let formula = coefficient.formula();
    match coefficient.signal {
        None if formula.contains(' ') => format!("{} × ({formula})", coefficient.value),
        None => format!("{} × {formula}", coefficient.value),
        Some(Signal::Positive) => format!("[{formula} > 0]"),
        Some(Signal::Negative) => format!("[{formula} < 0]"),
        Some(Signal::NotPositive) => format!("[{formula} ≤ 0]"),
    }
}

/// The two equations, over the inputs as the crate has them.
fn merton() -> String {
    let inputs = ratios(ModelId::MertonDd);
    let inputs: Vec<String> = inputs.iter().map(|(name, formula)| format!("`{name} = {formula}`")).collect();
    format!(
        "{}; V and s solve `equity = V N(d1) - debt exp(-r T) N(d2)` and `equity_vol equity = s V N(d1)`; the score is `d2 = (ln(V / debt) + \
         (r - s² / 2) T) / (s √T)`, with T = {} year",
        inputs.join(", "),
        distress::YEARS
    )
}

fn bounds(model: &Model) -> String {
    let zones = model
        .zones
        .map(|zones| format!("Distress below {}, safe above {}", zones.distress_below, zones.safe_above));
    let signals = model.threshold.map(|threshold| {
        let measure = match threshold.measure {
            Measure::Score => "score",
            Measure::Probability => "probability 1 / (1 + exp(-score))",
        };
        format!(
            "Signals where the {measure} is {} {}",
            if threshold.is_above { "above" } else { "below" },
            threshold.value
        )
    });
    let both: Vec<String> = zones.into_iter().chain(signals).collect();
    if both.is_empty() { "For information".to_owned() } else { both.join(". ") }
}

#[test]
fn the_documentation_states_each_formula_as_it_is_computed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/market.md");
    let text = fs::read_to_string(path).unwrap();
    let missing: Vec<String> =
        ModelId::ALL.into_iter().map(line).filter(|line| !text.contains(&**line)).collect();
    assert!(missing.is_empty(), "docs/market.md lacks these lines:\n{}", missing.join("\n"));
}
