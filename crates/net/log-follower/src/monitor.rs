//! The checks of the entries of a notary's log.
//!
//! Each entry must have the one form that entries have, times do not go back, and only a key that may sign at this leaf signs. A
//! class or a key that was not seen before is told, since nobody else would notice it.

use std::collections::{BTreeMap, BTreeSet};

use receipt::LogEntry;
use receipt::history::{KEY_CLASS, MAX_KEY_RECORDS};
use receipt::key::{LeafRange, LogKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlog::RightEdge;
use tlog::tile::FULL_WIDTH;

use crate::log_keys::recorded_at;
use crate::observer::{Observer, ObserverError};

/// The most findings that are kept of one step; further ones are counted.
pub const MAX_FINDINGS: usize = 100;

/// The most milliseconds by which an entry's time may be before an earlier entry's. A notary signs receipts side by side, before
/// they are logged, and its replicas' clocks differ by up to 5 s.
pub const MAX_BACK_MILLIS: i64 = LogEntry::MAX_BACK_MILLIS;

/// The most classes, and the most keys, that are remembered.
const MAX_NAMES: usize = 4096;

/// The form of the entries of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// Those of a notary like this one.
    Notary,
    /// Bytes of which nothing is known: only that the log is consistent is checked.
    Opaque,
}

/// The rule that says which keys may sign. `GET /keys` of a notary gives each key's range of leaves.
pub trait KeyRule: Send + Sync {
    /// Returns why the key `kid` may not have signed the receipt of this leaf, or nothing if it may.
    fn refusal(&self, kid: &str, leaf: u64) -> Option<String>;

    /// The records of keys that the rule follows, to be held against the log; `None` where it follows none.
    fn recorded(&self) -> Option<Recorded> {
        None
    }
}

/// The records of keys that were given beside a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The leaf of each, and the SHA-256 of the entry that the log must have there.
    pub entries: BTreeMap<u64, [u8; 32]>,
    /// The first one that breaks the rules of a history of keys, and the reason.
    pub broken: Option<(u64, String)>,
    /// The keys of the log that the records name, in their order.
    pub log_keys: Vec<LogKey>,
    /// The checkpoints that a key of the log and its successor have both signed, in their order.
    pub handovers: Vec<String>,
}

/// Both rules.
impl<A: KeyRule, B: KeyRule> KeyRule for (A, B) {
    fn refusal(&self, kid: &str, leaf: u64) -> Option<String> {
        self.0.refusal(kid, leaf).or_else(|| self.1.refusal(kid, leaf))
    }

    fn recorded(&self) -> Option<Recorded> {
        self.0.recorded().or_else(|| self.1.recorded())
    }
}

/// Accepts all keys; new ones are told all the same.
pub struct AnyKey;

impl KeyRule for AnyKey {
    fn refusal(&self, _: &str, _: u64) -> Option<String> {
        None
    }
}

/// Accepts the keys of these names, each within its range, or at any leaf where that is not known.
pub struct KnownKeys(pub BTreeMap<String, Option<LeafRange>>);

impl KeyRule for KnownKeys {
    fn refusal(&self, kid: &str, leaf: u64) -> Option<String> {
        match self.0.get(kid) {
            None => Some("it is not one of the given keys".to_owned()),
            Some(range) => range.as_ref()?.check(leaf).err().map(|error| error.to_string()),
        }
    }
}

/// Something that the monitor has to tell of a verified entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The index of the leaf, counted from 0.
    pub leaf: u64,
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The finding in one sentence.
    pub detail: String,
}

/// The kinds of [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A class that was not seen before.
    NewClass,
    /// A key that was not seen before.
    NewKey,
    /// A key of the log that has come into use, or has ended.
    LogKey,
    /// The entry is not one of a notary's log.
    Malformed,
    /// The entry's time is before an earlier entry's by more than [`MAX_BACK_MILLIS`].
    TimeWentBack,
    /// The key may not have signed this leaf.
    KeyRefused,
    /// The record of a key is not the one that the log has at this leaf, or breaks the rules of a history of keys.
    KeyRecord,
    /// The log has more classes, or more keys, than a notary can have.
    TooMany,
}

impl FindingKind {
    /// Returns true if the entry is wrong, and false if it is only told.
    #[must_use]
    pub fn is_alarm(self) -> bool {
        match self {
            Self::NewClass | Self::NewKey | Self::LogKey => false,
            Self::Malformed | Self::TimeWentBack | Self::KeyRefused | Self::KeyRecord | Self::TooMany => true,
        }
    }
}

/// What was seen so far, which is kept from one run to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Seen {
    /// The greatest time so far, in milliseconds since 1970.
    latest: i64,
    /// Each class, and the leaf of its first entry.
    classes: BTreeMap<String, u64>,
    /// Each key, and the leaf of its first entry.
    keys: BTreeMap<String, u64>,
    /// The leaf of each record of a key, and the SHA-256 of its entry in hexadecimal digits.
    key_records: BTreeMap<u64, String>,
    /// The leaves of the records of the log's keys that were told.
    log_keys: BTreeSet<u64>,
}

/// Checks the entries of a log as they go by.
pub struct Monitor {
    form: Entries,
    keys: Box<dyn KeyRule>,
    seen: Seen,
    /// Findings of entries that are not verified yet.
    pending: Findings,
    /// Those of verified entries that were not taken yet.
    verified: Findings,
    /// The number of leaves that were seen on this way.
    reached: u64,
    /// The number of leaves whose findings are among the verified ones, or were. On a new way they are not told again.
    passed: u64,
}

/// The findings of verified entries as the state has them.
#[derive(Serialize, Deserialize)]
struct StoredFindings {
    first: Vec<Finding>,
    further_alarms: u64,
    /// The number of leaves that they are of, with those that were told.
    #[serde(default)]
    passed: u64,
}

/// Findings in the order of their leaves.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// The first of them.
    pub first: Vec<Finding>,
    /// The number of alarms that are not among them.
    pub further_alarms: u64,
}

impl Findings {
    fn push(&mut self, finding: Finding) {
        let has_room = self.first.len() < MAX_FINDINGS;
        if has_room {
            self.first.push(finding);
        } else if finding.kind.is_alarm() {
            self.further_alarms += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.further_alarms == 0
    }

    fn append(&mut self, later: Self) {
        later.first.into_iter().for_each(|finding| self.push(finding));
        self.further_alarms += later.further_alarms;
    }
}

impl Monitor {
    /// A monitor of entries of this form.
    #[must_use]
    pub fn new(form: Entries, keys: impl KeyRule + 'static) -> Self {
        let (pending, verified) = Default::default();
        Self { form, keys: Box::new(keys), seen: Seen::default(), pending, verified, reached: 0, passed: 0 }
    }

    /// The findings of verified entries since the last call. The state has them until [`Follower::told`](crate::Follower::told).
    pub fn take_findings(&mut self) -> Findings {
        std::mem::take(&mut self.verified)
    }

    fn entry(&mut self, leaf: u64, bytes: &[u8]) {
        let entry = match LogEntry::read(bytes) {
            Ok(entry) => entry,
            Err(error) => return self.tell_entry(leaf, FindingKind::Malformed, error.to_string()),
        };
        let millis = entry.signed_at.as_millis();
        let back = self.seen.latest - millis;
        if back > MAX_BACK_MILLIS {
            let detail =
                format!("the entry's time {} is {back} ms before an earlier entry's", entry.signed_at);
            self.tell_entry(leaf, FindingKind::TimeWentBack, detail);
        }
        self.seen.latest = self.seen.latest.max(millis);
        if !self.seen.classes.contains_key(&entry.class) {
            self.name(leaf, FindingKind::NewClass, &entry.class);
        }
        if !self.seen.keys.contains_key(&entry.kid) {
            self.name(leaf, FindingKind::NewKey, &entry.kid);
        }
        if entry.class == KEY_CLASS {
            self.key_record(leaf, bytes);
        }
        if let Some(why) = self.keys.refusal(&entry.kid, leaf) {
            let detail = format!("the key {} may not have signed this leaf: {why}", entry.kid);
            self.tell_entry(leaf, FindingKind::KeyRefused, detail);
        }
    }

    fn key_record(&mut self, leaf: u64, entry: &[u8]) {
        if self.seen.key_records.len() >= MAX_KEY_RECORDS {
            let detail = format!("the log has more than {MAX_KEY_RECORDS} records of keys");
            return self.tell_entry(leaf, FindingKind::TooMany, detail);
        }
        self.seen.key_records.insert(leaf, hex::encode(receipt::sha256(entry)));
    }

    /// The records of keys that were given, if they are those that the log has up to this size.
    fn agreed_records(&self, size: u64) -> Option<Recorded> {
        let recorded = self.keys.recorded()?;
        if recorded.broken.as_ref().is_some_and(|(leaf, _)| *leaf < size) {
            return None;
        }
        let given = recorded.entries.range(..size).map(|(leaf, entry)| (*leaf, hex::encode(entry)));
        let seen = self.seen.key_records.range(..size).map(|(leaf, entry)| (*leaf, entry.clone()));
        given.eq(seen).then_some(recorded)
    }

    /// Tells which keys of the log have come into use or ended up to this size.
    fn tell_log_keys(&mut self, size: u64) {
        let mut changes = BTreeMap::new();
        for LogKey { key, range } in self.log_keys(size) {
            let LeafRange { from, until, .. } = range.unwrap_or_default();
            let begun = (from > 0).then_some((from, "signs checkpoints from this leaf on"));
            let ended = until.map(|until| (until, "has ended: it signs no tree with this leaf"));
            let what = begun.into_iter().chain(ended);
            changes.extend(what.map(|(leaf, what)| (leaf, format!("the log key {key} {what}"))));
        }
        for (leaf, detail) in changes {
            if self.seen.log_keys.insert(leaf) {
                self.tell(leaf, FindingKind::LogKey, detail);
            }
        }
    }

    /// Holds the records of keys that were given against those that the log has up to this size.
    fn compare_records(&mut self, size: u64) {
        let Some(Recorded { entries, broken, .. }) = self.keys.recorded() else { return };
        let given: BTreeMap<u64, String> =
            entries.range(..size).map(|(leaf, entry)| (*leaf, hex::encode(entry))).collect();
        let missing = self.seen.key_records.iter().filter(|(leaf, _)| !given.contains_key(leaf));
        let missing = missing
            .map(|(leaf, _)| (*leaf, "the notary does not give the record of a key that the log has here"));
        let other = given.iter().filter(|(leaf, entry)| self.seen.key_records.get(leaf) != Some(entry));
        let other = other
            .map(|(leaf, _)| (*leaf, "the notary gives a record of a key that the log does not have here"));
        let wrong: Vec<(u64, &str)> = missing.chain(other).collect();
        for (leaf, detail) in wrong {
            self.tell(leaf, FindingKind::KeyRecord, detail.to_owned());
        }
        if let Some((leaf, why)) = broken.filter(|(leaf, _)| *leaf < size) {
            self.tell(leaf, FindingKind::KeyRecord, why);
        }
    }

    /// Notes a class or a key that was not seen before.
    fn name(&mut self, leaf: u64, kind: FindingKind, name: &str) {
        let (names, what) = match kind {
            FindingKind::NewClass => (&mut self.seen.classes, "class"),
            _ => (&mut self.seen.keys, "key"),
        };
        if names.len() >= MAX_NAMES {
            let detail = format!("the log has more than {MAX_NAMES} names of a {what}");
            return self.tell_entry(leaf, FindingKind::TooMany, detail);
        }
        names.insert(name.to_owned(), leaf);
        self.tell_entry(leaf, kind, format!("first entry of the {what} {name}"));
    }

    /// Tells of an entry, unless that was done on an earlier way.
    fn tell_entry(&mut self, leaf: u64, kind: FindingKind, detail: String) {
        if leaf >= self.passed {
            self.tell(leaf, kind, detail);
        }
    }

    fn tell(&mut self, leaf: u64, kind: FindingKind, detail: String) {
        self.pending.push(Finding { leaf, kind, detail });
    }
}

impl Observer for Monitor {
    fn bundle(&mut self, index: u64, _: &[u8], entries: &[&[u8]], new: usize) -> Result<(), ObserverError> {
        if self.form == Entries::Notary {
            let first = index * u64::from(FULL_WIDTH);
            for (leaf, entry) in (first..).zip(entries).skip(new) {
                self.entry(leaf, entry);
            }
            self.reached = first + entries.len() as u64;
        }
        Ok(())
    }

    fn in_signed_tree(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.verified.append(pending);
        self.passed = self.passed.max(self.reached);
    }

    fn verified(&mut self, _: &str, edge: &RightEdge) -> Result<(), ObserverError> {
        if self.form == Entries::Notary {
            self.compare_records(edge.size());
            self.tell_log_keys(edge.size());
            self.reached = edge.size();
        }
        self.in_signed_tree();
        Ok(())
    }

    fn log_keys(&self, size: u64) -> Vec<LogKey> {
        self.agreed_records(size).map_or_else(Vec::new, |recorded| recorded_at(&recorded.log_keys, size))
    }

    fn handovers(&self) -> Vec<String> {
        self.keys.recorded().map_or_else(Vec::new, |recorded| recorded.handovers)
    }

    fn lacks_records(&self, size: u64) -> bool {
        let given = self.keys.recorded();
        let lacks = |given: &Recorded| {
            self.seen.key_records.range(..size).any(|(leaf, _)| !given.entries.contains_key(leaf))
        };
        given.as_ref().is_some_and(lacks)
    }

    fn findings(&self) -> Value {
        if self.verified.is_empty() && self.passed == 0 {
            return Value::Null;
        }
        let Findings { first, further_alarms } = self.verified.clone();
        serde_json::json!(StoredFindings { first, further_alarms, passed: self.passed })
    }

    fn restore_findings(&mut self, findings: &Value) -> Result<(), ObserverError> {
        (self.verified, self.passed) = Default::default();
        if let Some(StoredFindings { first, further_alarms, passed }) = Option::deserialize(findings)? {
            (self.verified, self.passed) = (Findings { first, further_alarms }, passed);
        }
        Ok(())
    }

    fn state(&self) -> Value {
        serde_json::json!({ "seen": self.seen, "pending": self.pending.first, "further": self.pending.further_alarms })
    }

    fn restore(&mut self, state: &Value) -> Result<(), ObserverError> {
        self.reached = 0;
        if state.is_null() {
            (self.seen, self.pending) = Default::default();
            return Ok(());
        }
        // Findings of a state that cannot be read must not be taken for none.
        self.seen = serde_json::from_value(state["seen"].clone())?;
        let first = serde_json::from_value(state["pending"].clone())?;
        let further_alarms = serde_json::from_value(state["further"].clone())?;
        self.pending = Findings { first, further_alarms };
        Ok(())
    }
}
