//! A screening's receipt in words, for the receipt's page.

mod clearance;

use std::ops::Range;

use askama::Template;
use receipt::json::Json;
use similar::{Algorithm, DiffTag};

pub(crate) use clearance::clearance_section;

/// The most matches that the page names; the receipt has them all.
const SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "section.html")]
struct ScreenSection<'a> {
    asked: String,
    sentence: &'a str,
    rows: Vec<PartyRow<'a>>,
    lists: Vec<String>,
}

/// A listed party, and in a batch the name that it was found by. The two stand apart from each other on the page: a name that
/// a caller chose may turn the direction of what it is written beside.
struct PartyRow<'a> {
    asked: Option<&'a str>,
    party: String,
    compared: Vec<ComparedWords<'a>>,
}

/// Words that were compared, letter by letter.
struct ComparedWords<'a> {
    asked: Vec<Letters<'a>>,
    listed: Vec<Letters<'a>>,
    similarity: String,
}

/// Letters that both sides have in the same order, or that one has alone.
struct Letters<'a> {
    text: &'a str,
    is_common: bool,
}

/// The section, from the receipt of a name, of a batch of them or of a wallet; `None` where it is none of these.
pub(crate) fn section(receipt: &Json) -> Option<String> {
    let lists = items(receipt, "lists")?.iter().filter_map(list).collect();
    let sentence = match text(receipt, "verdict")? {
        "MATCH" => {
            "A listed party has this name or wallet. A person must check whether it is the same party."
        }
        "POSSIBLE_MATCH" => "A listed party may be meant. A person must check whether it is.",
        "NO_MATCH" => "Nothing like it is on the lists named here, as they were on that day.",
        _ => return None,
    };
    let (asked, rows) = if let Some(results) = items(receipt, "results") {
        // The worst first: of a thousand names only some are shown.
        let of = |verdict: &'static str| {
            results
                .iter()
                .filter(move |result| text(result, "verdict") == Some(verdict))
                .filter_map(batch_row)
        };
        let rows = of("MATCH").chain(of("POSSIBLE_MATCH")).chain(of("NO_MATCH"));
        (format!("{} names", results.len()), rows.take(SHOWN).collect())
    } else {
        let asked = text(receipt, "entity").or_else(|| text(receipt, "wallet"))?;
        let hits = items(receipt, "matches")?.iter().filter_map(party);
        let compared = items(receipt, "matches")?.iter().map(compared);
        let hits = hits.zip(compared).map(|(party, compared)| PartyRow { asked: None, party, compared });
        (asked.to_owned(), hits.take(SHOWN).collect())
    };
    ScreenSection { asked, sentence, rows, lists }.render().ok()
}

/// A name of a batch, with its own verdict and score, and the entry that decides.
fn batch_row(result: &Json) -> Option<PartyRow<'_>> {
    let (verdict, score) = (text(result, "verdict")?, clearance::number(result.get("score")?)?);
    let entry = result.get("match").and_then(party).map(|party| format!(": {party}")).unwrap_or_default();
    let party = format!("{verdict}, score {score}{entry}");
    Some(PartyRow { asked: Some(text(result, "entity")?), party, compared: Vec::new() })
}

/// The words of the question beside those of the listed name, as the match compares them.
fn compared(matched: &Json) -> Vec<ComparedWords<'_>> {
    let pairs = items(matched, "alignment").unwrap_or_default().iter();
    let of = |pair| {
        let (asked, listed) = (text(pair, "query_words")?, text(pair, "listed_words")?);
        let similarity = clearance::number(pair.get("similarity")?)?;
        let (asked, listed) = letters(asked, listed);
        Some(ComparedWords { asked, listed, similarity })
    };
    pairs.filter_map(of).collect()
}

/// Marks the letters that two texts have in the same order, whether capital or small.
fn letters<'a>(asked: &'a str, listed: &'a str) -> (Vec<Letters<'a>>, Vec<Letters<'a>>) {
    let folded =
        |text: &str| -> Vec<String> { text.chars().map(|sign| sign.to_lowercase().collect()).collect() };
    let common = similar::capture_diff_slices(Algorithm::Lcs, &folded(asked), &folded(listed));
    let (mut of_asked, mut of_listed) = (Vec::new(), Vec::new());
    for part in common {
        let is_common = part.tag() == DiffTag::Equal;
        of_asked.push(Letters { text: signs(asked, part.old_range()), is_common });
        of_listed.push(Letters { text: signs(listed, part.new_range()), is_common });
    }
    (of_asked, of_listed)
}

/// The characters of a text whose numbers are in a range.
fn signs(text: &str, range: Range<usize>) -> &str {
    let at = |number| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    &text[at(range.start)..at(range.end)]
}

/// A listed party: its name, the name or address that matched, its list and programs.
fn party(party: &Json) -> Option<String> {
    // Receipts of before 2026-11-23 call it `matched`.
    let matched = party.get("matched_name").or_else(|| party.get("matched")).and_then(|matched| {
        let quality = text(matched, "quality").filter(|quality| *quality != "primary")?;
        Some(format!(", by the {quality} alias {}", text(matched, "name")?))
    });
    let programs: Vec<_> =
        items(party, "programs").unwrap_or_default().iter().filter_map(Json::as_str).collect();
    let programs = if programs.is_empty() { String::new() } else { format!(" ({})", programs.join(", ")) };
    let (name, list, uid) = (text(party, "name")?, text(party, "list")?, text(party, "uid")?);
    let topic = text(party, "topic").filter(|topic| *topic != "sanctions");
    let topic = topic.map(|topic| format!(", a list of another topic: {topic}")).unwrap_or_default();
    let elsewhere: String =
        items(party, "also_listed").unwrap_or_default().iter().filter_map(elsewhere).collect();
    let matched = matched.unwrap_or_default();
    Some(format!("{name}{matched}: {list}, entry {uid}{programs}{topic}{elsewhere}"))
}

fn elsewhere(entry: &Json) -> Option<String> {
    Some(format!("; also {}, entry {}", text(entry, "list")?, text(entry, "uid")?))
}

fn list(list: &Json) -> Option<String> {
    let published = text(list, "published").map(|day| format!(", published {day}"));
    let is_demo = list.get("demo") == Some(&Json::Bool(true));
    let demo = if is_demo { ", a demonstration: nothing to rely on" } else { "" };
    let (name, snapshot) = (text(list, "name")?, text(list, "snapshot")?);
    Some(format!("{name}{}{demo}, snapshot {snapshot}", published.unwrap_or_default()))
}

fn text<'a>(object: &'a Json, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn items<'a>(object: &'a Json, name: &str) -> Option<&'a [Json]> {
    object.get(name)?.as_array()
}

#[cfg(test)]
mod tests {
    use super::section;

    fn section_of(receipt: &str) -> Option<String> {
        section(&receipt::json::parse(receipt.as_bytes()).unwrap())
    }

    #[test]
    fn a_match_is_named_with_its_list_and_what_a_caller_wrote_is_escaped() {
        let html = section_of(
            r#"{"verdict":"POSSIBLE_MATCH","entity":"<b>Ivan","matches":[{"name":"EXAMPLOV, Ivan","list":"OFAC SDN",
                "uid":"101","programs":["TEST"],"topic":"pep","also_listed":[{"list":"EU Consolidated","uid":"9"}],
                "matched_name":{"name":"VANYA","quality":"weak"}}],
                "lists":[{"name":"OFAC SDN","published":"2026-08-20","snapshot":"aa"}]}"#,
        )
        .unwrap();
        assert!(
            html.contains(
                "EXAMPLOV, Ivan, by the weak alias VANYA: OFAC SDN, entry 101 (TEST), a list of another topic: pep; \
                 also EU Consolidated, entry 9"
            ),
            "{html}"
        );
        assert!(html.contains("OFAC SDN, published 2026-08-20, snapshot aa"), "{html}");
        assert!(html.contains("may be meant") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn letters_that_both_names_have_are_marked() {
        let html = section_of(
            r#"{"verdict":"MATCH","entity":"Iwan","matches":[{"name":"EXAMPLOV, Ivan","list":"L","uid":"1","alignment":[
                {"query_words":"Iwan","listed_words":"ivan","similarity":0.9},
                {"query_words":"\u0418","listed_words":"<i>","similarity":0.5}]}],"lists":[]}"#,
        )
        .unwrap();
        let marked =
            "<bdi><mark>I</mark>w<mark>an</mark></bdi> beside <bdi><mark>i</mark>v<mark>an</mark></bdi>: 0.9";
        assert!(html.contains(marked), "{html}");
        assert!(html.contains("\u{418}") && !html.contains("<i>"), "{html}");
    }

    #[test]
    fn a_batch_names_the_verdict_of_each_name_the_worst_first() {
        let html = section_of(
            r#"{"verdict":"MATCH","results":[{"entity":"A","verdict":"NO_MATCH","score":0.4},{"entity":"B","verdict":"MATCH","score":0.99,
                "match":{"name":"B","list":"L","uid":"1","matched_name":{"name":"B","quality":"primary"}}}],"lists":[]}"#,
        )
        .unwrap();
        assert!(
            html.contains("2 names")
                && html.contains("<bdi>B</bdi>: <bdi>MATCH, score 0.99: B: L, entry 1</bdi>")
                && html.find("<bdi>B</bdi>") < html.find("<bdi>A</bdi>: <bdi>NO_MATCH, score 0.4</bdi>"),
            "{html}"
        );
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED","lists":[]}"#), None);
        assert_eq!(section_of(r#"{"verdict":"MATCH"}"#), None);
    }
}
