//! What was fetched last: kept, so that the next round asks only for what is newer.

use std::collections::BTreeMap;
use std::path::Path;

use fetch::Validators;
use serde::{Deserialize, Serialize};

use super::changes::PublicationMark;
use crate::lists::Doubt;
use crate::snapshot::durable::{read_json, replace};
use crate::snapshot::{SnapshotId, StoreError};

/// The publication that was read last, whatever became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FetchState {
    /// Where from. Another source's validators say nothing.
    pub(super) source: String,
    /// Its snapshot.
    pub(super) snapshot: SnapshotId,
    /// Its [seal](crate::Store::seal).
    pub(super) seal: String,
    /// The day that it is of.
    pub(super) published: Option<String>,
    /// Whether its files came though they were not to, or without validators: asking for what is newer says nothing.
    #[serde(default)]
    pub(super) unheeded: bool,
    /// The last publication as it was then, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<PublicationMark>,
    /// What it was held for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<Doubt>,
    /// Its files' validators, by their names.
    pub(super) files: BTreeMap<String, FetchedFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FetchedFile {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl FetchState {
    /// What was noted there; nothing where the note is damaged, which only costs a download.
    pub(super) fn read(path: &Path) -> Option<Self> {
        read_json(path).ok().flatten()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), StoreError> {
        replace(path, self)
    }

    /// Whether each of its files has validators.
    pub(super) fn has_validators(files: &BTreeMap<String, FetchedFile>) -> bool {
        files.values().all(|file| *file != FetchedFile::default())
    }

    pub(super) fn validators(&self, file: &str) -> Validators {
        let FetchedFile { etag, last_modified } = self.files.get(file).cloned().unwrap_or_default();
        Validators { etag, last_modified }
    }
}

impl From<Validators> for FetchedFile {
    fn from(Validators { etag, last_modified }: Validators) -> Self {
        Self { etag, last_modified }
    }
}
