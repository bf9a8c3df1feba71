//! Explanations: what was asked, what was found, and why that gives the verdict.

use verdict::quoted;

use super::listed::ScreenedList;
use super::names::NameVerdict;
use super::subject::ScreenSubject;

/// The most lists that a sentence names.
const MAX_NAMED: usize = 3;

/// Names the lists with their days: `OFAC SDN of 2026-08-20, EU and 2 other lists`.
pub(crate) fn named_lists(lists: &[ScreenedList]) -> String {
    let named = lists.iter().take(MAX_NAMED).map(|list| match &list.published {
        Some(day) => format!("{} of {day}", list.name),
        None => list.name.clone(),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match lists.len().saturating_sub(MAX_NAMED) {
        0 => named,
        1 => format!("{named} and another list"),
        more => format!("{named} and {more} other lists"),
    }
}

/// Explains the verdict on a name. `dismissed` is the number of entries that the caller has dismissed, and `best` is the name and the list of the entry that decides, if there is one.
pub(crate) fn name_explanation(
    subject: &ScreenSubject,
    verdict: NameVerdict,
    score: f32,
    best: Option<(&str, &str)>,
    dismissed: usize,
    lists: &[ScreenedList],
) -> String {
    let asked = quoted(&subject.name);
    let asked = if subject.names.is_empty() {
        asked
    } else {
        format!("{asked} and {} further names", subject.names.len())
    };
    let lists = named_lists(lists);
    match (verdict, best) {
        (NameVerdict::NoMatch, _) if dismissed > 0 => format!(
            "The caller dismissed {dismissed} entries; no other name on {lists} is like {asked}. The best score, those \
             included, is {score:.2} of 1."
        ),
        (NameVerdict::NoMatch, _) => {
            format!("No name on {lists} is like {asked}: the best score is {score:.2} of 1.")
        }
        (_, None) => format!(
            "{asked} could not be compared whole with {lists}, so nobody can say that it is on none of them."
        ),
        (NameVerdict::PossibleMatch, Some((name, list))) => format!(
            "{asked} may be {} on {list}, by a score of {score:.2} of 1. A person must check whether it is that party.",
            quoted(name)
        ),
        (NameVerdict::Match, Some((name, list))) => format!(
            "{asked} is a listed name: {} on {list}, by a score of {score:.2} of 1. A person must check whether it is that \
             party.",
            quoted(name)
        ),
    }
}
