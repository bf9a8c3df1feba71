//! Finds the rules' patterns in one pass over a text.
//!
//! The terms of all classes are one Aho-Corasick automaton. A pattern names classes; it matches where a term of each stands in
//! one sentence, each within a number of characters behind the one before. For each pattern only the latest partial match
//! of each length is kept, so work is linear in the text times a constant of the table, whatever the text is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::NormalText;
use crate::rules::{Order, RULES};

/// The most hits of one rule in a text; those behind them are left out.
pub(crate) const MOST_HITS: usize = 8;
/// The most classes in a pattern.
const MOST_PARTS: usize = 4;

static TERMS: &str = include_str!("../data/terms.txt");

/// A term: its class, and whether a letter may stand on either side.
struct Term {
    class: usize,
    open_start: bool,
    open_end: bool,
}

/// A pattern in one order.
struct Sequence {
    rule: usize,
    classes: Vec<usize>,
    gap: u32,
    in_sentence: bool,
}

struct Engine {
    automaton: AhoCorasick,
    /// The terms of each literal of the automaton.
    terms: Vec<Vec<Term>>,
    sequences: Vec<Sequence>,
    /// For each class, the sequences that have it and the place in them, later places first.
    uses: Vec<Vec<(usize, usize)>>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::new);

/// The classes of the file and their terms.
pub(crate) fn classes() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut class = "";
    for line in TERMS.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        match line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) if !name.contains(',') => class = name,
            _ => classes.entry(class).or_default().extend(line.split(", ")),
        }
    }
    classes
}

impl Engine {
    fn new() -> Self {
        let classes = classes();
        let numbers: BTreeMap<&str, usize> = classes.keys().enumerate().map(|(n, name)| (*name, n)).collect();
        let mut literals: BTreeMap<&str, Vec<Term>> = BTreeMap::new();
        for (name, terms) in &classes {
            for term in terms {
                let literal = term.trim_matches('*');
                literals.entry(literal).or_default().push(Term {
                    class: numbers[name],
                    open_start: term.starts_with('*') || !literal.starts_with(has_word_ends),
                    open_end: term.ends_with('*') || !literal.ends_with(has_word_ends),
                });
            }
        }
        let mut sequences = Vec::new();
        for (rule, pattern) in
            RULES.iter().enumerate().flat_map(|(n, row)| row.patterns.iter().map(move |p| (n, p)))
        {
            let parts: Vec<usize> =
                pattern.classes.iter().filter_map(|name| numbers.get(name).copied()).collect();
            let orders = match pattern.order {
                Order::AsWritten => vec![parts],
                Order::Any => permutations(&parts),
            };
            sequences.extend(orders.into_iter().map(|classes| Sequence {
                rule,
                classes,
                gap: pattern.gap,
                in_sentence: pattern.in_sentence,
            }));
        }
        let mut uses = vec![Vec::new(); classes.len()];
        for (number, sequence) in sequences.iter().enumerate() {
            for (place, class) in sequence.classes.iter().enumerate().rev() {
                uses[*class].push((number, place));
            }
        }
        let automaton =
            AhoCorasick::new(literals.keys()).expect("the table is far below the automaton's limits");
        Self { automaton, terms: literals.into_values().collect(), sequences, uses }
    }
}

/// True for letters of scripts whose words are parted by spaces and have few prefixes: Latin, Greek, Cyrillic; and digits.
fn has_word_ends(character: char) -> bool {
    character.is_alphanumeric() && (character < '\u{530}' || ('\u{1e00}'..'\u{2000}').contains(&character))
}

/// True behind a line feed, a carriage return or a tab that is written as an escape, as in JSON.
fn ends_escaped(text: &str) -> bool {
    [r"\n", r"\r", r"\t"].iter().any(|escape| text.ends_with(escape))
}

fn permutations(parts: &[usize]) -> Vec<Vec<usize>> {
    if parts.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..parts.len() {
        let mut rest = parts.to_vec();
        let first = rest.remove(at);
        all.extend(permutations(&rest).into_iter().map(|mut rest| {
            rest.insert(0, first);
            rest
        }));
    }
    all
}

/// A partial match: its first character, the end of its last term, and the sentence of that.
#[derive(Clone, Copy)]
struct Partial {
    start: u32,
    end: u32,
    sentence: u32,
}

/// The rules that match, by their place in the table, and the characters that each match covers; by start within a rule.
pub(crate) fn find(text: &NormalText) -> Vec<(usize, Range<usize>)> {
    let engine = &*ENGINE;
    let Written { text, positions, sentences } = Written::of(text.characters());
    let mut partial: Vec<[Option<Partial>; MOST_PARTS]> = vec![[None; MOST_PARTS]; engine.sequences.len()];
    let mut hits: Vec<Vec<Range<usize>>> = vec![Vec::new(); RULES.len()];
    for found in engine.automaton.find_overlapping_iter(&text) {
        let (from, to) = (found.start(), found.end());
        let before =
            text[..from].chars().next_back().is_some_and(has_word_ends) && !ends_escaped(&text[..from]);
        let behind = text[to..].chars().next().is_some_and(has_word_ends);
        for term in &engine.terms[found.pattern().as_usize()] {
            if before && !term.open_start || behind && !term.open_end {
                continue;
            }
            let (start, end) = (positions[from], positions[to]);
            for (number, place) in &engine.uses[term.class] {
                let sequence = &engine.sequences[*number];
                let sentence = sentences[from];
                let state = &mut partial[*number];
                let first = match place.checked_sub(1).map(|earlier| state[earlier]) {
                    None => start,
                    Some(Some(earlier))
                        if earlier.end <= start
                            && start - earlier.end <= sequence.gap
                            && (!sequence.in_sentence || earlier.sentence == sentence) =>
                    {
                        earlier.start
                    }
                    Some(_) => continue,
                };
                state[*place] = Some(Partial { start: first, end, sentence });
                if place + 1 == sequence.classes.len() {
                    add(&mut hits[sequence.rule], first as usize..end as usize);
                }
            }
        }
    }
    hits.into_iter()
        .enumerate()
        .flat_map(|(rule, hits)| hits.into_iter().map(move |hit| (rule, hit)))
        .collect()
}

/// Adds a match; one that overlaps the last is joined with it.
fn add(hits: &mut Vec<Range<usize>>, hit: Range<usize>) {
    if let Some(last) = hits.last_mut()
        && hit.start < last.end
    {
        *last = last.start.min(hit.start)..last.end.max(hit.end);
    } else if hits.len() < MOST_HITS {
        hits.push(hit);
    }
}

/// A text as the automaton reads it, with the character and the sentence of each byte.
struct Written {
    text: String,
    positions: Vec<u32>,
    sentences: Vec<u32>,
}

impl Written {
    fn of(characters: &[char]) -> Self {
        let mut text = String::with_capacity(characters.len() * 2);
        let (mut positions, mut sentences) = (Vec::with_capacity(characters.len() * 2 + 1), Vec::new());
        let mut sentence = 0;
        for (position, character) in characters.iter().enumerate() {
            text.push(*character);
            positions.resize(text.len(), position as u32);
            sentences.resize(text.len(), sentence);
            let is_end = match character {
                '.' | '!' | '?' => characters.get(position + 1).is_none_or(|next| *next == ' '),
                '。' | '！' | '？' | '।' | '؟' => true,
                _ => false,
            };
            sentence += u32::from(is_end);
        }
        positions.push(characters.len() as u32);
        Self { text, positions, sentences }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_a_pattern_is_in_the_file_and_every_class_is_used() {
        let classes = classes();
        let used: std::collections::BTreeSet<&str> =
            RULES.iter().flat_map(|row| row.patterns).flat_map(|pattern| pattern.classes).copied().collect();
        for name in &used {
            assert!(classes.contains_key(name), "{name}");
        }
        for name in classes.keys() {
            assert!(used.contains(name), "{name}");
        }
        for row in RULES {
            assert!(row.patterns.iter().all(|pattern| (1..=MOST_PARTS).contains(&pattern.classes.len())));
        }
    }

    #[test]
    fn every_term_is_in_the_form_of_a_normal_text() {
        for (class, terms) in classes() {
            for term in terms {
                let literal = term.trim_matches('*');
                let normal: String = NormalText::of(literal).characters().iter().collect();
                assert_eq!(normal.trim(), literal.trim(), "{class}");
                assert!(literal.chars().count() > 1 && !literal.contains(','), "{class}: {literal}");
            }
        }
    }

    #[test]
    fn all_orders_of_three_parts_are_six() {
        assert_eq!(permutations(&[1, 2, 3]).len(), 6);
        assert_eq!(permutations(&[7]), [[7]]);
    }
}
