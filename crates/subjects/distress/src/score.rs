//! Scores: a model applied to ratios, or to named items, with every term kept.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalogue::{MERTON_INPUTS, model};
use crate::checks::{FaultReason, InputFault, Refused, refused};
use crate::financials::Financials;
use crate::formula::{MAX_RATIO, Reader, UsedItem, indicator};
use crate::merton::{MertonInputs, Solution, SolvedInput, YEARS, solve};
use crate::model::{Coefficient, Link, Measure, Model, ModelId, Paper, Threshold, Zone, Zones};
use crate::number::{Finite, logistic, normal_cdf};

/// The score of a model, with all that a reader needs to compute it again.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ModelScore {
    /// The model.
    pub model: ModelId,
    /// The paper that published the model.
    pub paper: Paper,
    /// The constant plus the sum of the products; of Merton's model the distance to default.
    pub score: Finite,
    /// The zone of the score, if the paper has zones.
    pub zone: Option<Zone>,
    /// The thresholds of the zones.
    pub zones: Option<Zones>,
    /// The score of the variant for emerging markets; of Altman's Z'' alone.
    pub score_em: Option<Finite>,
    /// The zone of that score.
    pub zone_em: Option<Zone>,
    /// The probability that the paper makes of the score, if it makes one.
    pub probability: Option<Finite>,
    /// The distribution function that made the probability.
    pub link: Option<Link>,
    /// True if the model signals, that is, if the score or the probability is beyond the threshold.
    pub signals: Option<bool>,
    /// The threshold.
    pub threshold: Option<Threshold>,
    /// The constant of the sum.
    pub constant: Finite,
    /// The terms of the sum, in order; none for Merton's model.
    pub terms: Vec<Term>,
    /// The solution of Merton's model.
    pub solution: Option<Solution>,
    /// Where the computation leaves the paper.
    pub note: &'static str,
}

/// A term of a score.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Term {
    /// The paper's name of the ratio.
    pub name: &'static str,
    /// The formula of the ratio over named items; absent where the ratio was given itself.
    pub formula: Option<String>,
    /// The items that the ratio was computed from.
    pub inputs: Vec<UsedItem>,
    /// The ratio.
    pub ratio: Finite,
    /// True if the ratio passes its comparison with zero, for a ratio that counts as 1 or 0.
    pub signal: Option<bool>,
    /// The coefficient.
    pub coefficient: Finite,
    /// The coefficient times the ratio, or times 1 or 0 of a signal.
    pub product: Finite,
}

/// A model that could not be computed.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct NotComputed {
    /// The model.
    pub model: ModelId,
    /// The inputs that are missing or refused, each with its reason; never empty.
    pub inputs: Vec<InputFault>,
}

/// Computes a model from its ratios, each under the paper's name (of Merton's model `equity`, `equity_vol`, `debt`, `r`, `T`).
/// Case and underscores of a name do not matter.
///
/// # Errors
///
/// Every ratio that is missing, given twice, not the model's, not finite or beyond 10^9.
pub fn score_ratios(id: ModelId, ratios: &[(&str, f64)]) -> Result<ModelScore, NotComputed> {
    let mut given = Given::new(ratios);
    let scored =
        if id == ModelId::MertonDd { merton_of_ratios(&mut given) } else { sum_of_ratios(id, &mut given) };
    let unknown = given.unread();
    match scored {
        Ok(score) if unknown.is_empty() => Ok(score),
        Ok(_) => Err(NotComputed { model: id, inputs: unknown }),
        Err(mut faults) => {
            faults.extend(unknown);
            Err(NotComputed { model: id, inputs: faults })
        }
    }
}

/// Computes a model from named items.
///
/// # Errors
///
/// Every input that is missing or refused, by name.
pub fn score_items(id: ModelId, financials: &Financials) -> Result<ModelScore, NotComputed> {
    score_checked(id, financials, &refused(financials))
}

/// Computes a model from named items of which some are refused.
pub(crate) fn score_checked(
    id: ModelId,
    financials: &Financials,
    refused: &[Refused],
) -> Result<ModelScore, NotComputed> {
    let scored = if id == ModelId::MertonDd {
        merton_of_items(financials, refused)
    } else {
        sum_of_items(id, financials, refused)
    };
    scored.map_err(|inputs| NotComputed { model: id, inputs })
}

type Scored = Result<ModelScore, Vec<InputFault>>;

/// Ratios as they were given, and which of them were read.
struct Given<'a> {
    ratios: &'a [(&'a str, f64)],
    is_read: Vec<bool>,
}

impl<'a> Given<'a> {
    fn new(ratios: &'a [(&'a str, f64)]) -> Self {
        Self { ratios, is_read: vec![false; ratios.len()] }
    }

    fn read(&mut self, name: &str, other_names: &[&str]) -> Result<f64, InputFault> {
        let is_of = |given: &str| {
            std::iter::once(name).chain(other_names.iter().copied()).any(|known| is_same_name(known, given))
        };
        let at = self.ratios.iter().position(|(given, _)| is_of(given));
        let at = at.ok_or_else(|| InputFault::new(name, FaultReason::Missing))?;
        self.is_read[at] = true;
        Ok(self.ratios[at].1)
    }

    fn unread(&self) -> Vec<InputFault> {
        let unread = self.ratios.iter().zip(&self.is_read).filter(|(_, is_read)| !**is_read);
        unread.map(|((name, _), _)| InputFault::new(*name, FaultReason::Unknown)).collect()
    }
}

/// True if two names are equal but for case and underscores.
fn is_same_name(one: &str, other: &str) -> bool {
    let letters = |name: &str| {
        name.chars()
            .filter(|letter| *letter != '_')
            .map(|letter| letter.to_ascii_lowercase())
            .collect::<String>()
    };
    letters(one) == letters(other)
}

fn sum_of_ratios(id: ModelId, given: &mut Given<'_>) -> Scored {
    let model = model(id);
    let (mut terms, mut faults) = (Vec::new(), Vec::new());
    for coefficient in model.coefficients {
        let ratio = given.read(coefficient.name, coefficient.other_names).and_then(|value| {
            let finite = Finite::new(value).filter(|finite| finite.get().abs() <= MAX_RATIO);
            finite.ok_or_else(|| InputFault::new(coefficient.name, FaultReason::RatioOutOfRange))
        });
        match ratio.and_then(|ratio| term(coefficient, ratio, None, Vec::new())) {
            Ok(term) => terms.push(term),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { sum(model, terms) } else { Err(faults) }
}

fn sum_of_items(id: ModelId, financials: &Financials, refused: &[Refused]) -> Scored {
    let model = model(id);
    let (mut terms, mut faults): (_, Vec<InputFault>) = (Vec::new(), Vec::new());
    for coefficient in model.coefficients {
        let mut reader = Reader::new(financials, refused);
        let ratio = reader.evaluate(coefficient.name, &coefficient.formula).and_then(Finite::new);
        let formula = Some(coefficient.formula());
        match ratio.map(|ratio| term(coefficient, ratio, formula, reader.used)) {
            Some(Ok(term)) => terms.push(term),
            Some(Err(fault)) => faults.push(fault),
            None => add(&mut faults, reader.faults),
        }
    }
    if faults.is_empty() { sum(model, terms) } else { Err(faults) }
}

/// Adds the faults that are not there yet.
fn add(faults: &mut Vec<InputFault>, more: Vec<InputFault>) {
    for fault in more {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
}

fn term(
    coefficient: &Coefficient,
    ratio: Finite,
    formula: Option<String>,
    inputs: Vec<UsedItem>,
) -> Result<Term, InputFault> {
    let signal = coefficient.signal.map(|signal| signal.holds(ratio.get()));
    let factor = signal.map_or(ratio.get(), indicator);
    let numbers = (Finite::new(coefficient.value), Finite::new(coefficient.value * factor));
    let (Some(value), Some(product)) = numbers else {
        return Err(InputFault::new(coefficient.name, FaultReason::RatioOutOfRange));
    };
    Ok(Term { name: coefficient.name, formula, inputs, ratio, signal, coefficient: value, product })
}

fn sum(model: &'static Model, terms: Vec<Term>) -> Scored {
    let score = terms.iter().fold(model.constant, |sum, term| sum + term.product.get());
    finish(model, score, terms, None)
}

fn finish(model: &'static Model, score: f64, terms: Vec<Term>, solution: Option<Solution>) -> Scored {
    let out_of_range = || vec![InputFault::new("score", FaultReason::RatioOutOfRange)];
    let finite = |value| Finite::new(value).ok_or_else(out_of_range);
    let probability = model.link.map(|link| match link {
        Link::Logistic => logistic(score),
        Link::Normal => normal_cdf(score),
        Link::NormalOfNegative => normal_cdf(-score),
    });
    let signals = model.threshold.and_then(|threshold| match threshold.measure {
        Measure::Score => Some(threshold.signals(score)),
        Measure::Probability => probability.map(|probability| threshold.signals(probability)),
    });
    let (score_em, zone_em) = match model.emerging_markets {
        Some((constant, zones)) => (Some(finite(score + constant)?), Some(zones.of(score + constant))),
        None => (None, None),
    };
    Ok(ModelScore {
        model: model.id,
        paper: model.paper,
        score: finite(score)?,
        zone: model.zones.map(|zones| zones.of(score)),
        zones: model.zones,
        score_em,
        zone_em,
        probability: probability.map(finite).transpose()?,
        link: model.link,
        signals,
        threshold: model.threshold,
        constant: finite(model.constant)?,
        terms,
        solution,
        note: model.note,
    })
}

fn merton_of_ratios(given: &mut Given<'_>) -> Scored {
    let read = ["equity", "equity_vol", "debt", "r", "T"].map(|name| (name, given.read(name, &[])));
    let mut arguments = Vec::new();
    let mut faults = Vec::new();
    for (name, value) in read {
        match value.map(Finite::new) {
            Ok(Some(value)) => arguments.push(SolvedInput { name, formula: None, value, inputs: Vec::new() }),
            Ok(None) => faults.push(InputFault::new(name, FaultReason::OutOfRange)),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { merton(arguments) } else { Err(faults) }
}

fn merton_of_items(financials: &Financials, refused: &[Refused]) -> Scored {
    let (mut arguments, mut faults) = (Vec::new(), Vec::new());
    for (name, formula) in MERTON_INPUTS {
        let mut reader = Reader::new(financials, refused);
        match reader.value_of(&formula).and_then(Finite::new) {
            Some(value) => {
                arguments.push(SolvedInput {
                    name,
                    formula: Some(formula.text()),
                    value,
                    inputs: reader.used,
                });
            }
            None => add(&mut faults, reader.faults),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let years = Finite::new(YEARS).expect("the horizon is a finite number");
    arguments.push(SolvedInput { name: "T", formula: None, value: years, inputs: Vec::new() });
    merton(arguments).map_err(|faults| faults.into_iter().map(in_items).collect())
}

/// Names the items of an argument of Merton's model in place of the argument.
fn in_items(mut fault: InputFault) -> InputFault {
    if let Some((_, formula)) = MERTON_INPUTS.iter().find(|(name, _)| *name == fault.input) {
        fault.input = formula.text();
    }
    fault
}

/// Solves the model for its five arguments, in their order.
fn merton(arguments: Vec<SolvedInput>) -> Scored {
    let [equity, equity_vol, debt, r, years] = arguments.as_slice() else {
        return Err(vec![InputFault::new("T", FaultReason::Missing)]);
    };
    let mut solution = solve(&MertonInputs {
        equity: equity.value.get(),
        equity_vol: equity_vol.value.get(),
        debt: debt.value.get(),
        r: r.value.get(),
        years: years.value.get(),
    })?;
    solution.arguments = arguments;
    finish(model(ModelId::MertonDd), solution.distance_to_default.get(), Vec::new(), Some(solution))
}
