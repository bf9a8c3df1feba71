//! The pages of the snapshots: each list as a timeline, and the differences of two snapshots.

use askama::Template;

use super::all::{SnapshotLine, Snapshots};
use super::difference::DiffPage;

/// Maximum number of entries of each kind that the page of a difference shows.
const SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "snapshots.html")]
struct Timelines<'a> {
    lists: Vec<Timeline<'a>>,
    truncated: bool,
}

/// The snapshots of one list, the newest first.
struct Timeline<'a> {
    name: &'a str,
    anchor: usize,
    lines: Vec<TimelineLine<'a>>,
}

struct TimelineLine<'a> {
    id: &'a str,
    published: Option<&'a str>,
    fetched_at: Option<String>,
    confirmed_at: Option<String>,
    entries: u64,
    current: bool,
    demo: bool,
    /// The snapshot before this one.
    before: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "difference.html")]
struct Difference<'a> {
    page: &'a DiffPage,
    shown: usize,
}

/// Renders all snapshots, list by list.
pub(super) fn timelines(all: &Snapshots) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for line in &all.snapshots {
        if !names.contains(&&*line.list) {
            names.push(&line.list);
        }
    }
    let mut lists = Vec::new();
    for (anchor, name) in names.into_iter().enumerate() {
        let own: Vec<&SnapshotLine> = all.snapshots.iter().filter(|line| line.list == name).collect();
        let befores = own.iter().skip(1).map(|before| Some(&*before.id)).chain([None]);
        let lines = own.iter().zip(befores).map(|(line, before)| TimelineLine::of(line, before)).collect();
        lists.push(Timeline { name, anchor, lines });
    }
    Timelines { lists, truncated: all.truncated }.render().ok()
}

impl<'a> TimelineLine<'a> {
    fn of(line: &'a SnapshotLine, before: Option<&'a str>) -> Self {
        Self {
            id: &line.id,
            published: line.published.as_deref(),
            fetched_at: line.fetched_at.map(|at| at.to_string()),
            confirmed_at: line.confirmed_at.map(|at| at.to_string()),
            entries: line.entries,
            current: line.current,
            demo: line.demo,
            before,
        }
    }
}

/// Renders the differences of two snapshots.
pub(super) fn difference(page: &DiffPage) -> Option<String> {
    Difference { page, shown: SHOWN }.render().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::DiffTotals;

    fn line(list: &str, id: char, published: Option<&str>) -> SnapshotLine {
        SnapshotLine {
            id: id.to_string().repeat(64),
            list: list.to_owned(),
            published: published.map(str::to_owned),
            source: "file".to_owned(),
            fetched_at: None,
            current: id == 'a',
            confirmed_at: None,
            entries: 4,
            demo: false,
        }
    }

    #[test]
    fn each_list_is_a_timeline_whose_snapshots_lead_to_what_changed() {
        let snapshots = vec![
            line("<b>A", 'a', Some("2026-08-21")),
            line("B", 'c', None),
            line("<b>A", 'b', Some("2026-08-20")),
        ];
        let html = timelines(&Snapshots { count: 3, truncated: false, snapshots }).unwrap();
        let (one, other) = ("a".repeat(64), "b".repeat(64));
        assert!(html.contains(&format!("/lists?from={other}&amp;to={one}")), "{html}");
        assert_eq!(html.matches("What changed").count(), 1, "the oldest has none before it: {html}");
        assert!(html.contains("<bdi>&#60;b&#62;A</bdi>") && !html.contains("<b>"), "{html}");
        assert_eq!(html.matches("in use").count(), 1, "{html}");
    }

    #[test]
    fn a_difference_counts_all_and_shows_what_fits_inert() {
        let page = DiffPage {
            list: "A".to_owned(),
            from: "b".repeat(64),
            to: "a".repeat(64),
            totals: DiffTotals { added: 1, removed: 0, changed: 0 },
            truncated: false,
            added: vec![watchlist::diff::EntrySummary {
                uid: "7".into(),
                kind: watchlist::EntityKind::Person,
                name: "<script>\u{202e}".into(),
            }],
            removed: Vec::new(),
            changed: Vec::new(),
        };
        let html = difference(&page).unwrap();
        assert!(html.contains("1 entries were added, 0 removed"), "{html}");
        assert!(html.contains("<bdi>&#60;script&#62;\u{202e}</bdi>"), "{html}");
    }
}
