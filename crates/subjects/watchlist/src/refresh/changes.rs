//! The publisher's last publication, by its own word: `/changes/latest` of the Sanctions List Service.
//!
//! It is asked only where the exports heed no conditions, so that a round would load 150 MB to learn nothing. As long as
//! it is the very document that was there when the exports were last read, nothing was published since. Whatever else
//! it is, or where it does not come, the exports are asked, as if it were not there. And it is not believed alone:
//!
//! - of a day after the live list's, the exports are not there yet;
//! - until the exports were read again some time after it appeared, they may lag behind it, also within a day;
//! - a list may be mended without it: so the exports are read now and then in any case.

use std::time::Duration;

use fetch::{Limits, Source, Validators};
use jiff::civil::Date;
use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::lists;

/// Name of the document, in the folder of the publisher's changes.
const LATEST: &str = "latest";
/// Path of the exports; the changes lie beside them.
const EXPORTS: &str = "/api/PublicationPreview/exports";
const CHANGES: &str = "/changes/";
/// Milliseconds after the document's appearance from which the exports are taken to be of the same publication.
const SETTLED_MILLIS: i64 = 60 * 60 * 1000;
/// Milliseconds after which the exports are read again in any case.
const READ_AGAIN_MILLIS: i64 = 6 * 60 * 60 * 1000;
const OK: u16 = 200;

/// Returns the URL of the changes folder for the URL of the exports folder; `None` if the latter does not have OFAC's
/// layout.
pub fn changes_folder(exports: &str) -> Option<String> {
    let base = exports.trim_end_matches('/').strip_suffix(EXPORTS)?;
    Some(format!("{base}{CHANGES}"))
}

/// Returns the limits on a fetch of the changes document, which has one publication's changes: some kB, and a few MB on
/// the largest days.
pub fn changes_limits() -> Limits {
    Limits { total: Duration::from_secs(60), wire_bytes: 32 << 20, ..super::limits() }
}

/// The last publication.
pub(super) struct LatestPublication {
    day: Date,
    sha256: String,
}

impl LatestPublication {
    /// Asks for it. That it does not come is no failure of the round.
    pub(super) async fn ask(changes: &Source) -> Option<Self> {
        let mut document = Vec::new();
        let fetched = changes.download(LATEST, &Validators::default(), &mut document).await;
        let status =
            fetched.map_err(|error| tracing::debug!("what was published last did not come: {error}"));
        if status.ok()?.status != OK {
            return None;
        }
        let sha256 = hex::encode(Sha256::digest(&document));
        let day = lists::changes::day(LATEST, document);
        let day = day.map_err(|error| tracing::debug!("what was published last cannot be read: {error}"));
        Some(Self { day: day.ok()?, sha256 })
    }
}

/// The last publication when the exports were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PublicationMark {
    sha256: String,
    /// Time at which the document was first there.
    since: Timestamp,
    /// Time at which the exports were last read while it was there.
    read_at: Timestamp,
}

impl PublicationMark {
    /// Builds the mark to store after the exports were read.
    pub(super) fn next(before: Option<&Self>, latest: LatestPublication, at: Timestamp) -> Self {
        let known = before.filter(|before| before.sha256 == latest.sha256);
        let since = known.map_or(at, |known| known.since);
        Self { sha256: latest.sha256, since, read_at: at }
    }

    /// Tests that nothing newer than the list of that day was published.
    pub(super) fn is_unchanged(
        &self,
        latest: &LatestPublication,
        published: Option<&str>,
        at: Timestamp,
    ) -> bool {
        let since_read = at.millis_since(self.read_at);
        self.sha256 == latest.sha256
            && published.is_some_and(|day| *latest.day.to_string() <= *day)
            && self.read_at.millis_since(self.since) >= SETTLED_MILLIS
            && (0..READ_AGAIN_MILLIS).contains(&since_read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const MINUTE: i64 = 60 * 1000;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::EPOCH.saturating_add_millis(minutes * MINUTE)
    }

    fn latest(day: i8, sha256: &str) -> LatestPublication {
        LatestPublication { day: date(2026, 8, day), sha256: sha256.to_owned() }
    }

    #[test]
    fn the_changes_lie_beside_the_exports_where_these_lie_as_ofacs_do() {
        let folder = changes_folder(super::super::SANCTIONS_LIST_SERVICE);
        assert_eq!(folder.as_deref(), Some("https://sanctionslistservice.ofac.treas.gov/changes/"));
        let mirror = changes_folder("http://127.0.0.1:80/ofac/api/PublicationPreview/exports");
        assert_eq!(mirror.as_deref(), Some("http://127.0.0.1:80/ofac/changes/"));
        for other in ["https://mirror.example/lists/", "https://mirror.example/exports/", ""] {
            assert_eq!(changes_folder(other), None, "{other}");
        }
    }

    #[test]
    fn the_last_publication_is_believed_only_once_the_exports_can_be_of_it_and_not_for_ever() {
        let first = PublicationMark::next(None, latest(20, "a"), at(0));
        let day = Some("2026-08-20");
        assert!(!first.is_unchanged(&latest(20, "a"), day, at(15)), "the exports may lag behind it");
        let early = PublicationMark::next(Some(&first), latest(20, "a"), at(59));
        assert!(!early.is_unchanged(&latest(20, "a"), day, at(75)));
        let settled = PublicationMark::next(Some(&early), latest(20, "a"), at(60));
        assert!(settled.is_unchanged(&latest(20, "a"), day, at(75)));
        assert!(settled.is_unchanged(&latest(20, "a"), Some("2026-08-21"), at(75)));
        assert!(!settled.is_unchanged(&latest(20, "a"), Some("2026-08-19"), at(75)), "a later one is out");
        assert!(!settled.is_unchanged(&latest(20, "a"), None, at(75)));
        assert!(!settled.is_unchanged(&latest(20, "b"), day, at(75)), "another one, of the same day");
        assert!(!settled.is_unchanged(&latest(20, "a"), day, at(60 + 6 * 60)), "too long ago");
        assert!(!settled.is_unchanged(&latest(20, "a"), day, at(59)), "the clock was set back");
        let next = PublicationMark::next(Some(&settled), latest(20, "b"), at(90));
        assert!(!next.is_unchanged(&latest(20, "b"), day, at(105)));
    }
}
