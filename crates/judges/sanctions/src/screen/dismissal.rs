//! Entries that the caller has looked at and found to be somebody else.

use jiff::civil::Date;
use receipt::json::{Json, Path};
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Array, Field, FieldError, Fields, Reason, Table, Text};
use watchlist::Entry;

use crate::live::LiveList;

/// Maximum number of dismissed entries in one question.
const MOST_DISMISSED: usize = 100;
/// The most characters of a publisher's key.
const UID_CHARS: usize = 128;
/// The most characters of a list's name.
const LIST_CHARS: usize = 128;
/// The most characters of a reason.
const REASON_CHARS: usize = 500;

const UID: Field<Text> = Field::text("uid", 1..=UID_CHARS).describe("The `uid` of the match.").plain();
const LIST: Field<Text> = Field::text("list", 1..=LIST_CHARS)
    .describe("The `list` of the match. Needed where entries of several lists have the same `uid`.")
    .plain();
const REASON: Field<Text> = Field::text("reason", 1..=REASON_CHARS)
    .describe("Why the entry is not the party. The receipt repeats it.")
    .plain();
const UNTIL: Field<Text> = Field::text("until", 10..=10)
    .describe("The last day (UTC) on which it is dismissed.")
    .form(r"^\d{4}-\d{2}-\d{2}$", "must be a day as YYYY-MM-DD");
const ENTRY: Field<Text> = Field::text("entry_sha256", 64..=64)
    .describe("The match's `entry_sha256`: an entry that has changed since is not dismissed.")
    .form("^[0-9a-f]{64}$", "must be 64 lower-case hexadecimal digits");

/// The fields of a dismissal.
static DISMISSAL: Table =
    Table::new("Dismissal", &[&UID, &REASON], &[&LIST, &UNTIL, &ENTRY]).refusing_misnamed();

pub(crate) const DISMISSED: Field<Array> =
    Field::array("dismissed", 0..=MOST_DISMISSED, || DISMISSAL.schema())
        .describe("Entries that were looked at and are somebody else: they are shown, and do not count.")
        .of(&DISMISSAL)
        .synonyms("exclude excluded ignore ignored whitelist allowlist good_guys exclude_entity_ids");

/// An entry that is dismissed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dismissal {
    /// The publisher's key of the entry.
    pub uid: String,
    /// The list that the entry is on; `None` if only one list has an entry of that key.
    pub list: Option<String>,
    /// Why it is dismissed.
    pub reason: String,
    /// The last day on which it is; `None` for ever.
    pub until: Option<Date>,
    /// SHA-256 of the entry that was looked at, in hexadecimal; `None` for whatever it says.
    pub entry_sha256: Option<String>,
}

/// What came of a dismissal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DismissedEntry {
    /// The publisher's key of the entry.
    pub uid: String,
    /// The list that the entry is on; absent if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// Why it is dismissed, in the caller's words.
    pub reason: String,
    /// The last day on which it is dismissed; absent if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub until: Option<String>,
    /// What came of it.
    pub status: DismissalStatus,
}

/// What came of a dismissal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DismissalStatus {
    /// The entry is a match, and does not count.
    Dismissed,
    /// The entry is a match and has changed since it was dismissed: it counts.
    Changed,
    /// The entry is a match and its last day is over: it counts.
    Expired,
    /// Several lists have an entry of that key, and neither the list nor the entry's hash says which is meant: it counts.
    Ambiguous,
    /// The entry is no match, or on no list.
    NoMatch,
}

/// Reads the dismissed entries.
pub(crate) fn read(fields: &Fields<'_>) -> Result<Vec<Dismissal>, FieldError> {
    let all = fields.array(&DISMISSED, "entries")?.unwrap_or_default();
    let read = all.iter().enumerate().map(|(at, one)| {
        let below = |path: &Path| {
            let mut whole = Path::root();
            whole.push_name(DISMISSED.name);
            whole.push_index(at);
            path.segments().iter().for_each(|segment| whole.push(segment.clone()));
            whole
        };
        let Json::Object(one) = one else {
            let detail = "must be an object".to_owned();
            return Err(FieldError { path: below(&Path::root()), reason: Reason::WrongType, detail });
        };
        read_one(&Fields::root(one)).map_err(|error| FieldError { path: below(&error.path), ..error })
    });
    read.collect()
}

fn read_one(fields: &Fields<'_>) -> Result<Dismissal, FieldError> {
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    Ok(Dismissal {
        uid: fields.text(&UID)?.to_owned(),
        list: fields.optional_text(&LIST)?.map(str::to_owned),
        reason: fields.text(&REASON)?.to_owned(),
        until: fields.optional_parse(&UNTIL, |text| text.parse().ok())?,
        entry_sha256: fields.optional_parse(&ENTRY, |text| is_hex(text).then(|| text.to_owned()))?,
    })
}

impl Dismissal {
    /// What comes of the dismissal where this entry of the asked lists is a match.
    pub(super) fn status(&self, entry: &Entry, lists: &[LiveList], at: Timestamp) -> Option<DismissalStatus> {
        let is_list = |list: &String| list.eq_ignore_ascii_case(entry.list.as_str());
        if self.uid != *entry.uid || !self.list.as_ref().is_none_or(is_list) {
            return None;
        }
        let of_uid = || lists.iter().filter(|list| list.indexed.list().entry(&self.uid).is_some()).count();
        let is_over = self.until.is_some_and(|until| at.day() > until.to_string());
        let is_changed = || self.entry_sha256.as_ref().is_some_and(|sha256| *sha256 != entry_sha256(entry));
        Some(match () {
            () if self.list.is_none() && self.entry_sha256.is_none() && of_uid() > 1 => {
                DismissalStatus::Ambiguous
            }
            () if is_over => DismissalStatus::Expired,
            () if is_changed() => DismissalStatus::Changed,
            () => DismissalStatus::Dismissed,
        })
    }

    pub(super) fn with(&self, status: DismissalStatus) -> DismissedEntry {
        DismissedEntry {
            uid: self.uid.clone(),
            list: self.list.clone(),
            reason: self.reason.clone(),
            until: self.until.map(|day| day.to_string()),
            status,
        }
    }
}

/// SHA-256 of an entry as its snapshot has it, in hexadecimal.
pub(crate) fn entry_sha256(entry: &Entry) -> String {
    hex::encode(watchlist::snapshot::entry_sha256(entry))
}
