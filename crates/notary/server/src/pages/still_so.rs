//! "Still so?": what may have changed since a receipt was signed, as far as the notary knows without asking again.
//!
//! A finding names its lists in `lists` by `name`, `published` and `snapshot`; one about the world outside has the time of its look
//! in its evidence. The page of a watch says by itself what has changed.

use module::SourceStanding;
use receipt::json::Json;

use super::words;

/// The members of the evidence that hold the time of a look.
const SEEN: [&str; 3] = ["observed_at", "fetched_at", "screened_at"];
/// Maximum number of lists that the page names.
const SHOWN: usize = 30;

/// The state of a receipt's sources today.
pub(super) struct StillSo<'a> {
    pub(super) lists: Vec<ListLine<'a>>,
    /// The day of the look, as people write it.
    pub(super) seen: Option<String>,
}

/// A list that the verdict rests on.
pub(super) struct ListLine<'a> {
    pub(super) name: &'a str,
    /// The publication that the verdict was made with.
    pub(super) published: Option<&'a str>,
    pub(super) snapshot: &'a str,
    pub(super) now: ListNow<'a>,
}

/// The state of such a list.
pub(super) enum ListNow<'a> {
    /// The same snapshot is in use.
    Same,
    /// Another snapshot is in use: its id, and the day of its publication.
    Other(&'a str, Option<&'a str>),
    /// The list is not in use any more.
    Gone,
}

impl<'a> StillSo<'a> {
    /// Compares a receipt with the sources in use; `None` where its verdict depends on nothing that changes.
    pub(super) fn of(receipt: &'a Json, sources: &'a [SourceStanding]) -> Option<Self> {
        if receipt.get("verdict").and_then(Json::as_str) == Some("WATCHING") {
            return None;
        }
        let lists = receipt.get("lists").and_then(Json::as_array).unwrap_or_default();
        let lists: Vec<ListLine<'_>> =
            lists.iter().take(SHOWN).filter_map(|list| ListLine::of(list, sources)).collect();
        let evidence = receipt.get("evidence")?;
        let seen = SEEN.iter().find_map(|name| evidence.get(name)?.as_str());
        if lists.is_empty() && seen.is_none() {
            return None;
        }
        Some(Self { lists, seen: seen.map(words::day) })
    }
}

impl<'a> ListLine<'a> {
    fn of(list: &'a Json, sources: &'a [SourceStanding]) -> Option<Self> {
        let text = |name: &str| list.get(name).and_then(Json::as_str);
        let (name, snapshot) = (text("name")?, text("snapshot")?);
        let now = match sources.iter().find(|source| source.name == name) {
            None => ListNow::Gone,
            Some(SourceStanding { snapshot: Some(id), published, .. }) if id != snapshot => {
                ListNow::Other(id, published.as_deref())
            }
            Some(_) => ListNow::Same,
        };
        Some(Self { name, published: text("published"), snapshot, now })
    }
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;

    use super::*;

    fn source(name: &str, snapshot: &str) -> SourceStanding {
        SourceStanding {
            name: name.to_owned(),
            published: Some("2026-08-21".to_owned()),
            snapshot: Some(snapshot.to_owned()),
            entries: 4,
            age_s: None,
            stale: false,
            demo: false,
        }
    }

    #[test]
    fn each_list_of_a_receipt_is_the_one_in_use_or_an_earlier_one_or_gone() {
        let receipt = r#"{"evidence":{"screened_at":"2026-08-20T10:00:00.000Z"},"lists":[
            {"name":"A","published":"2026-08-20","snapshot":"1"},{"name":"B","published":null,"snapshot":"2"},
            {"name":"C","published":"2026-08-20","snapshot":"3"}]}"#;
        let receipt = parse(receipt.as_bytes()).unwrap();
        let sources = [source("A", "9"), source("B", "2")];
        let still = StillSo::of(&receipt, &sources).unwrap();
        let [a, b, c] = &still.lists[..] else { panic!() };
        assert!(matches!(a.now, ListNow::Other("9", Some("2026-08-21"))));
        assert!(matches!((&b.now, b.published), (ListNow::Same, None)));
        assert!(matches!(c.now, ListNow::Gone));
        assert!(still.seen.unwrap().contains("2026"));
    }

    #[test]
    fn a_watch_tells_of_changes_by_itself_and_a_commitment_changes_never() {
        let watch =
            r#"{"verdict":"WATCHING","evidence":{"screened_at":"2026-11-26T06:00:00.000Z"},"lists":[]}"#;
        for fixed in [watch, r#"{"evidence":{"kept":true}}"#, r#"{"lists":7}"#, "{}"] {
            assert!(StillSo::of(&parse(fixed.as_bytes()).unwrap(), &[]).is_none(), "{fixed}");
        }
    }
}
