//! Injected instructions: how much the part of a text that is most like an attack on a language model is like one.
//!
//! A text is brought into one form ([`NormalText`]), cut into overlapping [`windows`], and each window is scored by a linear
//! model over character n-grams. The [`Scorer`] gives the highest score and its place: an attack of one sentence is not
//! diluted by the pages around it.
//!
//! [`learn`] makes the model. Nobody has marked where in a long attack the instruction stands, so the model is learnt in
//! rounds: each round learns from the windows that the round before found the most like an attack.
//!
//! [`Detector`] joins the shipped model with a table of [`rules`]: phrases that tell a model to drop its instructions, to hand over
//! secrets, or to become somebody else, in some thirty languages.
//!
//! # Invariants
//!
//! - Only a rule blocks; the model alone warns at most.
//!
//! - A score is a pure function of the text and the model; work is linear in the text.
//!
//! - The place of a score lies within the text, on boundaries of characters.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`Detector`], [`InjectionScan`], [`THRESHOLD`] | rules and shipped model together |
//! | [`rules`], [`Rule`], [`canonical_rules`] | the table of rules, and its text to hash |
//! | [`NormalText`] | a text in the form that is scored, with the way back to its bytes |
//! | [`windows`], [`LENGTHS`] | the parts of a text that are scored |
//! | [`Scorer`], [`WindowScore`] | scores |
//! | [`learn`], [`Example`], [`LearningOptions`] | learning |
//! | [`BENIGN_PROMPTS`] | requests to language models that attack nobody |

mod detector;
mod learning;
mod matcher;
mod rules;
mod scorer;
mod text;
mod windows;

pub use detector::{
    BLOCK_AMOUNT, Detector, INFO_AMOUNT, InjectionScan, RuleHitInView, THRESHOLD, WARN_AMOUNT, WEIGHTS,
    WEIGHTS_SHA256, canonical_rules,
};
pub use learning::{Example, LearningOptions, learn};
pub use rules::{Rule, Severity};
pub use scorer::{Scorer, WindowScore};
pub use text::NormalText;
pub use windows::{LENGTHS, windows};

/// All rules, in the order of the table.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::RULES.iter().map(|row| &row.rule)
}

/// Requests to language models that attack nobody, one a line, in the languages of the published attacks: written for this
/// project, since ordinary documents hold few requests, and a model that has seen none takes each for an attack.
pub const BENIGN_PROMPTS: &str = include_str!("../data/benign_prompts.txt");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_benign_prompt_is_there_once() {
        let lines: Vec<&str> = BENIGN_PROMPTS.lines().collect();
        assert!(lines.len() > 400 && lines.iter().all(|line| line.trim() == *line && !line.is_empty()));
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len());
    }
}
