//! Evidence of the lists, stored for replays.

use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};
use verdict::{EvidenceBlob, EvidenceMissing};
use watchlist::snapshot::SnapshotId;

use crate::live::{Lists, LiveList, LiveLists};

/// The role of a snapshot's content, which the judge keeps.
const LIST: &str = "list";
/// Role of the record of the screened lists.
const LOOKED: &str = "looked";

/// Lists of a finding and their confirmation times, stored for replays.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListsRecord {
    lists: Vec<RecordedList>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedList {
    snapshot: SnapshotId,
    confirmed_at: Option<Timestamp>,
}

/// Makes the evidence of these lists.
pub(crate) fn evidence_of(lists: &[LiveList]) -> Vec<EvidenceBlob> {
    let recorded =
        |list: &LiveList| RecordedList { snapshot: *list.indexed.id(), confirmed_at: list.confirmed_at };
    let record = ListsRecord { lists: lists.iter().map(recorded).collect() };
    let record = serde_json::to_vec(&record).expect("ids and times have a JSON form");
    let kept = |list: &LiveList| EvidenceBlob::kept(LIST, *list.indexed.id().as_bytes());
    std::iter::once(EvidenceBlob::new(LOOKED, record)).chain(lists.iter().map(kept)).collect()
}

/// Restores the lists of a finding from its evidence.
pub(crate) fn lists_of(lists: &Lists, evidence: &[EvidenceBlob]) -> Result<LiveLists, EvidenceMissing> {
    let missing = |what: &str| EvidenceMissing(what.to_owned());
    let record = evidence.iter().find(|blob| blob.role() == LOOKED).and_then(EvidenceBlob::bytes);
    let record = record.ok_or_else(|| missing("the record of the lists that were looked at"))?;
    let record: ListsRecord =
        serde_json::from_slice(record).map_err(|_| missing("a record of the lists that can be read"))?;
    let contents: Vec<_> = evidence.iter().filter(|blob| blob.role() == LIST).collect();
    // Contents are long, and hashed for it: each once.
    let ids: Vec<_> = contents.iter().map(|blob| SnapshotId::new(blob.sha256())).collect();
    let mut looked = Vec::with_capacity(record.lists.len());
    for RecordedList { snapshot, confirmed_at } in record.lists {
        let at = ids.iter().position(|id| *id == snapshot);
        let at = at.ok_or_else(|| EvidenceMissing(format!("the list {snapshot}")))?;
        let indexed = lists.replayed(&snapshot, contents[at].bytes());
        let indexed =
            indexed.ok_or_else(|| EvidenceMissing(format!("the content of the list {snapshot}")))?;
        looked.push(LiveList { indexed, confirmed_at });
    }
    Ok(LiveLists::new(looked))
}
