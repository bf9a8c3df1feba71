//! Scores by models that were learnt from other rows.

use std::collections::BTreeMap;

use prompt_injection::{Example, LearningOptions, Scorer, learn};

use crate::rows::{LabelledText, PARTS};

/// Prints how the texts are told apart, by group.
pub(crate) fn print(rows: &[LabelledText], options: LearningOptions) {
    let scores = out_of_part(rows, options);
    let all = || rows.iter().zip(&scores);
    let good = |is_wanted: fn(&LabelledText) -> bool| {
        let mut good: Vec<f64> =
            all().filter(|(row, _)| !row.is_attack && is_wanted(row)).map(|(_, score)| *score).collect();
        good.sort_by(f64::total_cmp);
        good
    };
    let beside = good(|row| row.kind.starts_with("benign"));
    let ordinary = good(|row| row.kind.starts_with("ordinary"));
    let hard = good(|row| row.kind.starts_with("hard"));
    for (name, good, share) in [
        ("rows beside the attacks", &beside, 100),
        ("ordinary texts", &ordinary, 1000),
        ("hard texts", &hard, 50),
    ] {
        let threshold =
            good.len().checked_sub(good.len() / share + 1).map_or(f64::NEG_INFINITY, |at| good[at]);
        let recall = |is_wanted: fn(&LabelledText) -> bool| {
            let wanted = || all().filter(|(row, _)| row.is_attack && is_wanted(row));
            wanted().filter(|(_, score)| **score > threshold).count() as f64 / wanted().count().max(1) as f64
        };
        println!(
            "one in {share} of {name}: threshold {threshold:.3}, recall {:.4}, not English {:.4}",
            recall(|_| true),
            recall(|row| row.is_foreign)
        );
        if share == 100 {
            by_kind(rows, &scores, threshold);
        }
    }
}

fn by_kind(rows: &[LabelledText], scores: &[f64], threshold: f64) {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (row, score) in rows.iter().zip(scores) {
        let (above, all) = kinds.entry(&row.kind).or_default();
        *above += usize::from(*score > threshold);
        *all += 1;
    }
    for (kind, (above, all)) in kinds {
        println!("  {kind}: {above} of {all}");
    }
}

/// The log-odds of each row, by a model that was learnt from the other parts.
fn out_of_part(rows: &[LabelledText], options: LearningOptions) -> Vec<f64> {
    let mut scores = vec![0.0; rows.len()];
    for part in 0..PARTS {
        let examples: Vec<Example> = rows
            .iter()
            .filter(|row| row.is_learnt && row.part != part)
            .map(|row| Example { text: row.text.clone(), is_attack: row.is_attack })
            .collect();
        let scorer = Scorer::new(learn(&examples, options));
        for (row, score) in rows.iter().zip(&mut scores).filter(|(row, _)| row.part == part) {
            *score = scorer.score(&row.text).log_odds;
        }
    }
    scores
}
