//! Filters that the service ignored.
//!
//! The description of a query is `All Documents`, or `Documents` and a sentence of clauses:
//! `Documents matching 'ozone', published on or after 01/01/2026, from Environmental Protection Agency, and of type Rule`.

use jiff::civil::Date;

use crate::{Document, DocumentType, Search};

/// The fields of the search that the description does not name, in the order of [`Search`].
///
/// Term, days, types and docket must be there exactly. Of agencies the description has the names and the search the slugs: each
/// word of a slug must be a word of the names. `significant` is described alike for true and false; [`contradictions`]
/// compares the rows. [`Answer::read`](crate::Answer::read) lets the rows prove a filter of agencies that is described by
/// other names.
pub fn echo_check(search: &Search, description: &str) -> Vec<&'static str> {
    let mut missing = Vec::new();
    // Texts of the caller go first: words in them must not pass for clauses of the service.
    let mut rest = format!(" {} ", squeezed(description));
    if let Some(term) = &search.term {
        let clause = format!("matching '{}'", squeezed(term));
        if !take(&mut rest, &clause) {
            missing.push("term");
        }
    }
    let is_docket_missing = search.docket.as_ref().is_some_and(|docket| {
        let clause = format!("filed under agency docket {}", squeezed(docket));
        !take(&mut rest, &clause)
    });
    let are_days_missing = !take_days(search, &mut rest);
    if !search.agencies.is_empty() && unnamed(search, &rest).is_none_or(|slugs| !slugs.is_empty()) {
        missing.push("agencies");
    }
    if !search.types.is_empty() && !has_types(search, &rest) {
        missing.push("types");
    }
    if are_days_missing {
        let days = [("from", search.from), ("to", search.to), ("since", search.since)];
        missing.extend(days.iter().filter(|(_, day)| day.is_some()).map(|(field, _)| *field));
    }
    if is_docket_missing {
        missing.push("docket");
    }
    if search.significant.is_some() && !rest.contains("Significant") {
        missing.push("significant");
    }
    missing
}

/// The fields of the search that a row contradicts: a type or a day that was not asked for, or another significance. A row
/// that says nothing about a field does not contradict it.
pub fn contradictions(search: &Search, documents: &[Document]) -> Vec<&'static str> {
    let (first, last) = search.days();
    let of_type = |document: &Document| {
        let label = document.row.text("type").unwrap_or_default();
        search.types.is_empty() || search.types.iter().any(|kind| kind.label() == label)
    };
    let is_in = |document: &Document| {
        document
            .published
            .is_none_or(|day| first.is_none_or(|first| day >= first) && last.is_none_or(|last| day <= last))
    };
    let is_significant = |document: &Document| {
        search.significant.is_none_or(|asked| document.row.flag("significant").is_none_or(|is| is == asked))
    };
    let mut fields = Vec::new();
    if !documents.iter().all(of_type) {
        fields.push("types");
    }
    if !documents.iter().all(is_in) {
        let days = [("from", search.from), ("to", search.to), ("since", search.since)];
        fields.extend(days.iter().filter(|(_, day)| day.is_some()).map(|(field, _)| *field));
    }
    if !documents.iter().all(is_significant) {
        fields.push("significant");
    }
    fields
}

/// The text with one space for each run of white space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes a clause out; false where it is not there, or where more of a word follows it.
fn take(rest: &mut String, clause: &str) -> bool {
    let mut from = 0;
    while let Some(at) = rest[from..].find(clause).map(|at| at + from) {
        let end = at + clause.len();
        let is_whole = |next: Option<char>| next.is_none_or(|next| next == ' ' || next == ',');
        if is_whole(rest[end..].chars().next()) {
            rest.replace_range(at..end, "");
            return true;
        }
        from = end;
    }
    false
}

/// Takes the clause of the days out. True where none was asked for.
fn take_days(search: &Search, rest: &mut String) -> bool {
    let mut clauses = Vec::new();
    for written in [american, iso, in_words] {
        match search.days() {
            (None, None) => return true,
            (Some(first), None) => clauses.push(format!("published on or after {}", written(first))),
            (None, Some(last)) => clauses.push(format!("published on or before {}", written(last))),
            (Some(first), Some(last)) => {
                clauses.push(format!("published from {} to {}", written(first), written(last)));
                if first == last {
                    clauses.push(format!("published on {}", written(first)));
                }
            }
        }
    }
    clauses.iter().any(|clause| take(rest, clause))
}

fn iso(day: Date) -> String {
    day.to_string()
}

fn american(day: Date) -> String {
    day.strftime("%m/%d/%Y").to_string()
}

fn in_words(day: Date) -> String {
    day.strftime("%B %-d, %Y").to_string()
}

/// The clauses that may follow the one of the agencies.
const AFTER_AGENCIES: [&str; 4] =
    [" of type ", " of presidential document type ", " filed under ", " whose "];

/// The slugs whose words the clause of the agencies does not have; `None` where there is no such clause.
fn unnamed<'a>(search: &'a Search, rest: &str) -> Option<Vec<&'a str>> {
    let at = rest.find(" from ")?;
    let clause = &rest[at + " from ".len()..];
    let end = AFTER_AGENCIES.iter().filter_map(|next| clause.find(next)).min().unwrap_or(clause.len());
    let words = words(&clause[..end]);
    let is_named = |slug: &&str| slug.split('-').all(|word| words.iter().any(|other| other == word));
    Some(search.agencies.iter().map(String::as_str).filter(|slug| !is_named(slug)).collect())
}

/// Returns true if the agencies of the rows prove that the service used a filter whose names the description words in another
/// way, as of an agency that was renamed: each row has an agency that was asked for, and each slug that the description does
/// not name is in a row.
pub(crate) fn rows_prove_agencies(search: &Search, description: &str, documents: &[Document]) -> bool {
    let mut rest = format!(" {} ", squeezed(description));
    if let Some(term) = &search.term {
        take(&mut rest, &format!("matching '{}'", squeezed(term)));
    }
    take_days(search, &mut rest);
    let Some(unnamed) = unnamed(search, &rest) else { return false };
    let has = |document: &Document, slug: &str| document.agency_slugs.iter().any(|other| other == slug);
    documents.iter().all(|document| search.agencies.iter().any(|slug| has(document, slug)))
        && unnamed.iter().all(|slug| documents.iter().any(|document| has(document, slug)))
}

/// The words of names, as slugs have them. An apostrophe joins in some slugs and parts in others, so both are there.
fn words(names: &str) -> Vec<String> {
    let lower = names.to_lowercase();
    let joined = lower.replace(['\'', '\u{2019}'], "");
    let parted = |text: &str| {
        let words = text.split(|character: char| !character.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    [parted(&joined), parted(&lower)].concat()
}

fn has_types(search: &Search, rest: &str) -> bool {
    let Some(at) = rest.find(" of type ") else { return false };
    let mut clause = &rest[at + " of type ".len()..];
    let mut found = Vec::new();
    // "Proposed Rule" and "Rule" begin differently, so no label is the beginning of another.
    while let Some(kind) = DocumentType::ALL.into_iter().find(|kind| clause.starts_with(kind.label())) {
        found.push(kind);
        clause = &clause[kind.label().len()..];
        let separators = [", or ", ", and ", " or ", " and ", ", "];
        let Some(after) = separators.iter().find_map(|separator| clause.strip_prefix(separator)) else {
            break;
        };
        clause = after;
    }
    found.sort_unstable();
    found == search.types
}
