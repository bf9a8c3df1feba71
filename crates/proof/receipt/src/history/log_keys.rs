//! The keys of the log in the history: a successor begins beside the key in use, and both sign until that one is ended.

use super::{KeyChange, KeyHistory, KeyPeriod, KeyRecord, KeyRole, Why};
use crate::key::LogKey;
use tlog::{Checkpoint, VerifierKey};

/// The most bytes of the checkpoint in the record of a log key's end.
const MAX_HANDOVER_BYTES: usize = 4096;

impl KeyHistory {
    /// The keys that sign the log's checkpoints now: one, or two while the first is being replaced by the second. None where
    /// the log has no record of one.
    pub fn log_keys_in_use(&self) -> impl Iterator<Item = &KeyPeriod> {
        let is_in_use =
            |period: &&KeyPeriod| period.key.role() == KeyRole::Log && period.range.until.is_none();
        self.periods.iter().filter(is_in_use)
    }

    /// The keys of the log with their ranges, in the order in which they came; last those of `known` of which the log has no
    /// record yet.
    pub fn log_keys_with(&self, known: &[VerifierKey]) -> Vec<LogKey> {
        let recorded = self.periods.iter().filter(|period| period.key.role() == KeyRole::Log);
        let mut keys: Vec<LogKey> = recorded
            .filter_map(|period| {
                Some(LogKey { key: period.key.name().parse().ok()?, range: Some(period.range.clone()) })
            })
            .collect();
        for key in known {
            if keys.iter().all(|recorded| recorded.key != *key) {
                keys.push(LogKey::from(key.clone()));
            }
        }
        keys
    }

    /// Checkpoints that a log key and its successor have both signed, over a tree with the successor's record: one for each end of
    /// a log key whose record has one, in the order of the ends.
    pub fn handovers(&self) -> &[String] {
        &self.handovers
    }

    /// Returns true if the end of a log key may have this checkpoint in its record: both keys in use have signed it, over a tree with
    /// the record of the second one.
    pub fn is_handover(&self, note: &str) -> bool {
        self.log_keys_in_use().count() == 2 && self.check_handover(u64::MAX, note).is_ok()
    }

    /// Applies a record about a log's key that has another one beside it. See the table of [`super`].
    pub(super) fn apply_to_log(&mut self, leaf: u64, record: &KeyRecord, replaces: &str) -> Result<(), Why> {
        let in_use: Vec<String> = self.log_keys_in_use().map(|period| period.key.name().to_owned()).collect();
        let (first, second) = (in_use.first().map(String::as_str), in_use.get(1).map(String::as_str));
        match record.change {
            KeyChange::Rotated => {
                if self.key(record.key.name()).is_some() {
                    return Err("the key was in use before".to_owned());
                }
                if first != Some(replaces) {
                    return Err(format!("{replaces} is not the log key in use"));
                }
                if let Some(second) = second {
                    return Err(format!("{replaces} is being replaced by {second}, and is not ended yet"));
                }
                if !record.has_possession() {
                    return Err(
                        "the new key has not signed that it takes the place of the old one".to_owned()
                    );
                }
                self.begin(&record.key, leaf, None);
            }
            KeyChange::Ended => {
                if (first, second) != (Some(replaces), Some(record.key.name())) {
                    return Err(format!("{} does not sign beside {replaces}", record.key.name()));
                }
                if let Some(note) = &record.checkpoint {
                    self.check_handover(leaf, note)?;
                    self.handovers.push(note.clone());
                }
                if let Some(old) = self.periods.iter_mut().find(|period| period.key.name() == replaces) {
                    old.range.until = Some(leaf);
                }
            }
            KeyChange::Introduced { .. } | KeyChange::Revoked => {
                return Err("a log's key is not revoked: another log takes its place".to_owned());
            }
        }
        Ok(())
    }

    /// Checks that both log keys in use have signed this checkpoint, over a tree that has the second one's record and not that of
    /// the first one's end, at `leaf`.
    fn check_handover(&self, leaf: u64, note: &str) -> Result<(), Why> {
        if note.len() > MAX_HANDOVER_BYTES {
            return Err(format!("its checkpoint has more than {MAX_HANDOVER_BYTES} bytes"));
        }
        let from = self.log_keys_in_use().last().map_or(0, |period| period.range.from);
        for period in self.log_keys_in_use() {
            let unfit = |why: String| format!("its checkpoint is not one of {}: {why}", period.key.name());
            let key: VerifierKey = period.key.name().parse().map_err(|_| unfit("no log key".to_owned()))?;
            let opened = Checkpoint::open(note, &[key]).map_err(|error| unfit(error.to_string()))?;
            if opened.size() <= from || opened.size() > leaf {
                return Err(format!(
                    "its checkpoint is over {} leaves, and not one from {} to {leaf}, when both keys signed",
                    opened.size(),
                    from + 1
                ));
            }
        }
        Ok(())
    }
}
