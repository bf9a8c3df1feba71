//! Scores by models that were learnt from other rows, with the rules and without.
//!
//! Rules are not learnt, but they and the threshold were fixed on the rows that are measured here: their figures are an upper
//! bound of those on other rows.

use std::collections::BTreeMap;

use prompt_injection::{Detector, Example, InjectionScan, LearningOptions, Scorer, THRESHOLD, learn};

use crate::rows::{LabelledText, PARTS};

/// A row's result.
struct Scored {
    /// Log-odds by the model alone.
    model: f64,
    /// The rules' hits and the score of both.
    scan: InjectionScan,
}

/// Prints how the texts are told apart, by group.
pub(crate) fn print(rows: &[LabelledText], options: LearningOptions) {
    let scored = out_of_part(rows, options);
    println!("model alone");
    at_shares(rows, &scored.iter().map(|scored| scored.model).collect::<Vec<_>>());
    println!("rules and model");
    let scores: Vec<f64> = scored.iter().map(|scored| scored.scan.score).collect();
    at_shares(rows, &scores);
    at_threshold(rows, &scores);
    by_kind(rows, &scores);
    by_rule(rows, &scored);
}

/// The recall at thresholds that a share of the benign texts lies above.
fn at_shares(rows: &[LabelledText], scores: &[f64]) {
    for (name, is_good, share) in [
        ("rows beside the attacks", is_beside as fn(&LabelledText) -> bool, 100),
        ("all benign texts", is_benign, 100),
        ("ordinary texts", is_ordinary, 1000),
        ("hard texts", is_hard, 50),
    ] {
        let mut good = of(rows, scores, is_good);
        good.sort_by(f64::total_cmp);
        let at = good.len().checked_sub(good.len() / share + 1);
        let threshold = at.map_or(f64::NEG_INFINITY, |at| good[at]);
        println!(
            "  one in {share} of {name}: threshold {threshold:.3}, recall {:.4}, not English {:.4}",
            share_of(&of(rows, scores, |row| row.is_attack), |score| score > threshold),
            share_of(&of(rows, scores, |row| row.is_foreign), |score| score > threshold),
        );
    }
}

/// The shares of each group above the threshold of the crate.
fn at_threshold(rows: &[LabelledText], scores: &[f64]) {
    println!("at the threshold {THRESHOLD}");
    for (name, is_wanted) in [
        ("attacks", (|row| row.is_attack) as fn(&LabelledText) -> bool),
        ("attacks that are not English", |row| row.is_foreign),
        ("rows beside the attacks", is_beside),
        ("NotInject", |row| row.kind.contains("notinject")),
        ("WildGuard", |row| row.kind.contains("wildguard")),
        ("ordinary texts", is_ordinary),
        ("hard texts", is_hard),
        ("all benign texts", is_benign),
    ] {
        let wanted = of(rows, scores, is_wanted);
        let above = wanted.iter().filter(|score| **score >= THRESHOLD).count();
        println!(
            "  {name}: {above} of {} ({:.4})",
            wanted.len(),
            share_of(&wanted, |score| score >= THRESHOLD)
        );
    }
}

fn by_kind(rows: &[LabelledText], scores: &[f64]) {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (row, score) in rows.iter().zip(scores) {
        let (above, all) = kinds.entry(&row.kind).or_default();
        *above += usize::from(*score >= THRESHOLD);
        *all += 1;
    }
    for (kind, (above, all)) in kinds {
        println!("  {kind}: {above} of {all}");
    }
}

/// The rows that each rule matches.
fn by_rule(rows: &[LabelledText], scored: &[Scored]) {
    println!("rows that a rule matches: attacks, ordinary, hard, other benign");
    for rule in prompt_injection::rules() {
        let mut counts = [0; 4];
        for (row, scored) in rows.iter().zip(scored) {
            if scored.scan.hits.iter().any(|hit| hit.rule == rule) {
                let column = if row.is_attack {
                    0
                } else if is_ordinary(row) {
                    1
                } else if is_hard(row) {
                    2
                } else {
                    3
                };
                counts[column] += 1;
            }
        }
        println!("  {} ({:?}): {counts:?}", rule.id, rule.severity);
    }
}

fn is_benign(row: &LabelledText) -> bool {
    !row.is_attack && !row.kind.starts_with("our own")
}

fn is_beside(row: &LabelledText) -> bool {
    row.kind.starts_with("benign")
}

fn is_ordinary(row: &LabelledText) -> bool {
    row.kind.starts_with("ordinary")
}

fn is_hard(row: &LabelledText) -> bool {
    row.kind.starts_with("hard")
}

/// The scores of the rows of a group.
fn of(rows: &[LabelledText], scores: &[f64], is_wanted: impl Fn(&LabelledText) -> bool) -> Vec<f64> {
    rows.iter().zip(scores).filter(|(row, _)| is_wanted(row)).map(|(_, score)| *score).collect()
}

fn share_of(scores: &[f64], is_wanted: impl Fn(f64) -> bool) -> f64 {
    scores.iter().filter(|score| is_wanted(**score)).count() as f64 / scores.len().max(1) as f64
}

/// The result of each row, by a model that was learnt from the other parts.
fn out_of_part(rows: &[LabelledText], options: LearningOptions) -> Vec<Scored> {
    let mut scores: Vec<Option<Scored>> = rows.iter().map(|_| None).collect();
    for part in 0..PARTS {
        let examples: Vec<Example> =
            rows.iter().filter(|row| row.is_learnt && row.part != part).map(LabelledText::example).collect();
        let scorer = Scorer::new(learn(&examples, options));
        let detector = Detector::with_scorer(scorer.clone());
        for (row, score) in rows.iter().zip(&mut scores).filter(|(row, _)| row.part == part) {
            let model = scorer.score(&row.text).log_odds;
            *score = Some(Scored { model, scan: detector.scan_normal(&row.text) });
        }
    }
    scores.into_iter().flatten().collect()
}
