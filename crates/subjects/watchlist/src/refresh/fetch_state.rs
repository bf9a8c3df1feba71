//! State of the last fetch, stored so that the next round asks only for newer files.

use std::collections::BTreeMap;
use std::path::Path;

use fetch::Validators;
use serde::{Deserialize, Serialize};

use super::changes::PublicationMark;
use crate::lists::Doubt;
use crate::model::ListName;
use crate::snapshot::durable::{read_json, replace};
use crate::snapshot::{SnapshotId, StoreError};

/// State of the last publication that was read, whether or not it went live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FetchState {
    /// Origin of the source. Validators of another source do not apply.
    pub(super) source: String,
    /// The lists of that publication.
    pub(super) lists: Vec<FetchedList>,
    /// Set where the source ignored conditional requests, or sent no validators: then a condition finds out nothing.
    #[serde(default)]
    pub(super) unheeded: bool,
    /// The last publication as it was then, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<PublicationMark>,
    /// Validators of the files, by file name.
    pub(super) files: BTreeMap<String, FetchedFile>,
}

/// A list of that publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FetchedList {
    pub(super) name: ListName,
    pub(super) snapshot: SnapshotId,
    /// [Seal](crate::Store::seal) of that snapshot.
    pub(super) seal: String,
    /// The day that it is of.
    pub(super) published: Option<String>,
    /// Doubts that the snapshot was held for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<Doubt>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FetchedFile {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl FetchState {
    /// Reads the stored state; `None` where it is missing or damaged, which only costs a download.
    pub(super) fn read(path: &Path) -> Option<Self> {
        read_json(path).ok().flatten()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), StoreError> {
        replace(path, self)
    }

    /// The day of the publication, where all its lists are of one.
    pub(super) fn published(&self) -> Option<&str> {
        let first = self.lists.first()?.published.as_deref();
        first.filter(|first| self.lists.iter().all(|list| list.published.as_deref() == Some(*first)))
    }

    /// Tests that each of the files has validators.
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
