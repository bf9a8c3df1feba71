//! The rules on phrases that were written without a look at the terms, and on ordinary sentences that are near to them.

use prompt_injection::{Detector, Severity};

const ATTACKS: &str = include_str!("attack_phrases.txt");
const BENIGN: &str = include_str!("benign_sentences.txt");

/// True if a rule that warns matches.
fn is_found(detector: &Detector, text: &str) -> bool {
    detector.scan(text).hits.iter().any(|hit| hit.rule.severity >= Severity::Warn)
}

/// The phrases with an even number in the file (rules were widened after them), or those with an odd one.
fn half(parity: usize) -> Vec<&'static str> {
    ATTACKS.lines().enumerate().filter(|(number, _)| number % 2 == parity).map(|(_, line)| line).collect()
}

fn missed(phrases: &[&'static str]) -> Vec<&'static str> {
    let detector = Detector::new();
    phrases.iter().copied().filter(|phrase| !is_found(&detector, phrase)).collect()
}

#[test]
fn the_rules_find_most_phrases_that_they_were_widened_after() {
    let phrases = half(0);
    let missed = missed(&phrases);
    assert!(missed.len() <= 34, "{missed:#?}");
}

#[test]
fn the_rules_find_phrases_that_nobody_looked_at() {
    let phrases = half(1);
    let missed = missed(&phrases);
    assert!(missed.len() <= 45, "{}", missed.len());
}

#[test]
fn sentences_near_to_attacks_are_seldom_warned_of() {
    let detector = Detector::new();
    let warned: Vec<&str> = BENIGN.lines().filter(|line| is_found(&detector, line)).collect();
    assert!(warned.len() <= 7, "{warned:#?}");
}
