//! A study of `/grade-strategy` on whole records: trades and days of owners who hide something, and of such as have an edge.
//!
//! A record is judged from the request that its owner would send, so that the study covers how the rows are read. Nobody says what
//! cash pays.

use std::collections::BTreeMap;

use anyhow::Context as _;
use grading::grade_strategy::GradeQuestion;
use grading::rule::{GradeRuling, rule};
use grading::statistics::distribution::incomplete_beta;
use grading::{GradeReason, GradeVerdict};
use rayon::prelude::*;
use receipt::json::parse;
use serde_json::Value;
use simulated_returns::{Cell, Generator, Label, Part, cells, record, request};
use verdict::{FieldError, Fields, Question};

use super::study::Study;

/// The rulings on the records of a cell.
type Rulings = Vec<GradeRuling>;

/// One line for each cell whose name has this text, rates in percent with their 95% intervals, then the rates that the rule is held to.
///
/// # Errors
/// Where a simulated record is no request, which a test excludes.
pub fn table(study: &Study, name: &str, mut line: impl FnMut(String)) -> anyhow::Result<()> {
    line("| part | record | records | REAL_EDGE | NEGATIVE_EV | most often |".to_owned());
    line("|---|---|--:|---|---|---|".to_owned());
    let mut found = Vec::new();
    for cell in studied().filter(|cell| cell.name().contains(name)) {
        let rulings = rulings(study, &cell)?;
        let rate = |verdict| interval(count(&rulings, |ruling| ruling.verdict == verdict), rulings.len());
        line(format!(
            "| {} | {} | {} | {} | {} | {} |",
            part(cell.part),
            cell.name(),
            rulings.len(),
            rate(GradeVerdict::RealEdge),
            rate(GradeVerdict::NegativeEv),
            most_often(&rulings),
        ));
        found.push((cell, rulings));
    }
    line(String::new());
    for rate in RATES {
        rate.lines(&found).into_iter().for_each(&mut line);
    }
    Ok(())
}

/// The cells, but for those of copiers, which have a study of their own.
fn studied() -> impl Iterator<Item = Cell> {
    cells().into_iter().filter(|cell| cell.part != Part::Copy)
}

/// Grades a cell's records as those of callers are.
fn rulings(study: &Study, cell: &Cell) -> anyhow::Result<Rulings> {
    (0..study.records).into_par_iter().map(|number| ruling(cell, study.number(number))).collect()
}

fn ruling(cell: &Cell, number: u64) -> anyhow::Result<GradeRuling> {
    let mut body = request(&record(cell, number));
    if let Some(members) = body.as_object_mut() {
        members.remove("risk_free");
    }
    let question: GradeQuestion = read(&body).with_context(|| cell.name())?;
    Ok(rule(&question.settled.record))
}

/// Reads a question from a request.
pub fn read<Q: Question>(body: &Value) -> anyhow::Result<Q> {
    read_text(&body.to_string())
}

/// Reads a question from the text of a request.
pub fn read_text<Q: Question>(body: &str) -> anyhow::Result<Q> {
    let body = parse(body.as_bytes()).context("a request is I-JSON")?;
    let object = body.as_object().context("a request is an object")?;
    let wrong = |error: FieldError| anyhow::anyhow!("{}: {}", error.path.dotted(), error.detail);
    Q::read(&Fields::root(object)).map_err(wrong)
}

fn count(rulings: &[GradeRuling], is_one: impl Fn(&GradeRuling) -> bool) -> usize {
    rulings.iter().filter(|ruling| is_one(ruling)).count()
}

/// The reason of the most rulings, and how many of a hundred.
fn most_often(rulings: &[GradeRuling]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for ruling in rulings {
        let reason = serde_json::to_value(ruling.reason).ok();
        let name = reason.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        *counts.entry(name).or_default() += 1;
    }
    let most = counts.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
    most.map_or_else(String::new, |(name, times)| format!("`{name}` {:.0}", percent(times, rulings.len())))
}

const fn part(part: Part) -> &'static str {
    match part {
        Part::Benchmark => "benchmark",
        Part::Bets => "bets",
        Part::Tail => "tail",
        Part::Cash => "cash",
        Part::Selection => "selection",
        Part::Loss => "loss",
        Part::Fees => "fees",
        Part::Copy => "copy",
        Part::Luck => "beyond tests",
        Part::Power => "power",
    }
}

/// A rate in percent with its 95% interval (Clopper and Pearson 1934).
fn interval(part: usize, all: usize) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    let (k, n) = (grading::statistics::count(part), grading::statistics::count(all));
    let low = if part == 0 { 0.0 } else { beta_quantile(k, n - k + 1.0, 0.025) };
    let high = if part == all { 1.0 } else { beta_quantile(k + 1.0, n - k, 0.975) };
    format!("{:.1} [{:.1}, {:.1}]", percent(part, all), 100.0 * low, 100.0 * high)
}

fn beta_quantile(a: f64, b: f64, chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if incomplete_beta(a, b, middle) < chance { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * grading::statistics::count(part) / grading::statistics::count(all.max(1))
}

/// A rate over some cells, pooled, and the worst cell.
struct Rate {
    name: &'static str,
    is_of: fn(&Cell) -> bool,
    is_counted: fn(&GradeRuling) -> bool,
}

const RATES: [Rate; 4] = [
    Rate {
        name: "false REAL_EDGE",
        is_of: |cell| is_false(cell) && cell.part != Part::Luck,
        is_counted: |ruling| ruling.verdict == GradeVerdict::RealEdge,
    },
    Rate {
        name: "false REAL_EDGE, beyond what tests of returns can see",
        is_of: |cell| is_false(cell) && cell.part == Part::Luck,
        is_counted: |ruling| ruling.verdict == GradeVerdict::RealEdge,
    },
    Rate {
        name: "NEGATIVE_EV at break-even, ruin apart",
        is_of: |cell| {
            cell.label() == Label::NoEdge && !is_wandering(cell) && sharpe(cell).is_none_or(|s| s >= 0.0)
        },
        is_counted: |ruling| ruling.reason == GradeReason::LossSignificant,
    },
    Rate {
        name: "NEGATIVE_EV at a Sharpe ratio of 0.5",
        is_of: |cell| sharpe(cell).is_some_and(|s| s.total_cmp(&0.5).is_eq()),
        is_counted: |ruling| ruling.verdict == GradeVerdict::NegativeEv,
    },
];

fn is_false(cell: &Cell) -> bool {
    !matches!(cell.label(), Label::Edge(_))
}

/// True of records whose mean wanders, so that a stretch of it is a true loss.
fn is_wandering(cell: &Cell) -> bool {
    matches!(cell.generator, Generator::Wandering | Generator::Regimes)
}

fn sharpe(cell: &Cell) -> Option<f64> {
    match cell.generator {
        Generator::Returns { sharpe, .. } => Some(sharpe),
        _ => None,
    }
}

impl Rate {
    fn lines(&self, found: &[(Cell, Rulings)]) -> Vec<String> {
        let of: Vec<(&Cell, usize, usize)> = found
            .iter()
            .filter(|(cell, _)| (self.is_of)(cell))
            .map(|(cell, rulings)| (cell, count(rulings, self.is_counted), rulings.len()))
            .collect();
        let (part, all) = of.iter().fold((0, 0), |sum, (_, part, all)| (sum.0 + part, sum.1 + all));
        let pooled = format!("- {}: {} % of {all}", self.name, interval(part, all));
        let worst =
            of.iter().max_by(|one, other| percent(one.1, one.2).total_cmp(&percent(other.1, other.2)));
        let worst = worst.map(|(cell, part, all)| {
            format!("- {}, worst cell: {} % ({})", self.name, interval(*part, *all), cell.name())
        });
        [pooled].into_iter().chain(worst).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_record_is_a_request() {
        let cheap = |cell: &Cell| {
            !matches!(cell.generator, Generator::BestOf { trials: 1_000 } | Generator::BestWindow)
        };
        for cell in studied().filter(cheap) {
            let study = Study { records: 1, seed: 0 };
            assert_eq!(rulings(&study, &cell).expect("requests").len(), 1, "{}", cell.name());
        }
    }

    #[test]
    fn intervals_are_those_of_clopper_and_pearson() {
        assert_eq!(interval(0, 300), "0.0 [0.0, 1.2]");
        assert_eq!(interval(141, 300), "47.0 [41.2, 52.8]");
        assert_eq!(interval(10, 10), "100.0 [69.2, 100.0]");
    }
}
